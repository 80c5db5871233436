# SPDX-License-Identifier: GPL-3.0-or-later
# A link to a file of /proc (/etc/mtab) is made and removed in a replay. Requests that follow the link
# are skipped, as are requests on /proc, and copies that failed because one side is in /proc.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer

cat >program.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
static char buffer[65536];
int main(void)
{
	static const char *const name[] = {"absolute", "d/relative"};
	struct stat st;
	for (int i = 0; i < 2; i++) {
		int fd = open(name[i], O_RDONLY), to = open("copy", O_WRONLY | O_CREAT, 0644);
		if (fd < 0 || to < 0 || read(fd, buffer, sizeof buffer) <= 0)
			return 1;
		if (copy_file_range(fd, NULL, to, NULL, 100, 0) > 0)
			return 2;
		if (stat(name[i], &st) || lstat(name[i], &st) || readlink(name[i], buffer, 100) < 0)
			return 3;
		close(fd);
		close(to);
	}
	/* another file takes the name of a link */
	int fd = open("new", O_WRONLY | O_CREAT, 0644);
	if (write(fd, "0123456789", 10) != 10 || close(fd) || rename("new", "absolute"))
		return 4;
	fd = open("absolute", O_RDONLY);
	return read(fd, buffer, 100) != 10;
}
C
${CC:-cc} -w -O1 -o program program.c || fail 'program.c does not compile'
mkdir -p in/d
ln -s /proc/version in/absolute
up=$(echo "$PWD/in/d" | sed 's|/[^/]*|../|g')
ln -s "${up}proc/self/mounts" in/d/relative
cd in
expect_status 0 "$VALIDATE" capture app --snapshot -o ../trace -- ../program
expect_line out 'ended with status 0'
cd ..
for order in fs temporal; do
	rm -rf dir
	mkdir dir
	expect_status 0 "$VALIDATE" replay --order $order --prepare --dir dir trace
	expect_line out 'mismatches      0'
	expect_line out '/proc, /sys and /dev'
	[ "$(readlink "dir$PWD/in/d/relative")" = "${up}proc/self/mounts" ] || fail "order $order: the link is not made"
	[ "$(stat -c '%F %s' "dir$PWD/in/absolute")" = 'regular file 10' ] || fail "order $order: the new file"
done
