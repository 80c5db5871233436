/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files as C++ programs use them, by streams and by std::filesystem, in the working directory. */
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

namespace fs = std::filesystem;

int main()
{
	std::ofstream out("stream");
	for (int i = 0; i < 5000; i++)
		out << i << " lines\n";
	out.seekp(10);
	out << "x";
	out.close();
	std::fstream both("stream", std::ios::in | std::ios::out);
	std::string line;
	while (std::getline(both, line))
		;
	both.clear();
	both.seekg(5);
	both.get();
	both.unget();
	both.put('y');
	both.close();
	std::ifstream none("none");
	std::filebuf large;
	large.open("large", std::ios::out | std::ios::binary | std::ios::trunc);
	std::string text(200000, 'z');
	large.sputn(text.data(), 200000);
	large.close();
	fs::create_directories("a/b/c");
	fs::copy_file("stream", "a/copy");
	fs::rename("a/copy", "a/moved");
	int n = 0;
	for (const auto &entry : fs::recursive_directory_iterator("a"))
		n += entry.is_regular_file();
	fs::resize_file("a/moved", 10);
	fs::create_symlink("moved", "a/link");
	fs::last_write_time("stream");
	fs::permissions("stream", fs::perms::owner_read | fs::perms::owner_write);
	fs::remove("a/link");
	fs::remove_all("a");
	return n == 1 && !none.is_open() && !fs::exists("a") ? 0 : 1;
}
