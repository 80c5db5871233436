/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program for the capture tests: random SEED makes 80 random calls on the files of its working
 * directory, some of them in child processes. random shared: descriptors whose files were opened
 * through links, renamed or removed, and which a child then moves. random refused: calls that fail
 * because of what the files are. The same seed makes the same calls. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static uint64_t state;
static int fds[12], n_fds;
static char buffer[70000], home[4096];

static uint32_t random_below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20) % n;
}

static int maybe(int flag)
{
	return random_below(2) ? flag : 0;
}

static const char *name(void)
{
	static const char *const names[] = {
	    "f0",   "f1",   "f2",   "f3",   "f4",   "l0",   "l1",   "n0", "n1", "n2", "d0/a", "d0/b",
	    "d1/a", "d1/n", "d2/x", "ld/a", "ld/q", "./f5", "d0/c", "d2", "d3", "e0", "e0/a", "e1/b"};
	return names[random_below(sizeof names / sizeof *names)];
}

static int some_fd(void)
{
	return n_fds ? fds[random_below((uint32_t)n_fds)] : -1;
}

static void keep(int fd)
{
	if (fd >= 0 && n_fds < 12) {
		fds[n_fds++] = fd;
	} else if (fd >= 0) {
		const uint32_t i = random_below(12);
		close(fds[i]);
		fds[i] = fd;
	}
}

static off_t offset(void)
{
	return random_below(random_below(3) ? 5000 : 200000);
}

static size_t length(void)
{
	return 1 + random_below(random_below(3) ? 600 : 60000);
}

/* Not within one file: how much such a copy reads depends on what it has written. */
static void copy(int to, int from)
{
	struct stat a, b;
	if (fstat(to, &a) == 0 && fstat(from, &b) == 0 && a.st_ino != b.st_ino)
		sendfile(to, from, NULL, length());
}

static void list(const char *path)
{
	DIR *d = opendir(path);
	while (d && readdir(d))
		;
	if (d)
		closedir(d);
}

static void temporary(void)
{
	char path[] = "tmpXXXXXX";
	const int fd = mkstemp(path);
	if (fd < 0)
		return;
	write(fd, buffer, length());
	keep(fd);
	if (random_below(2))
		unlink(path);
	else
		rename(path, name());
}

static void in_directory(void)
{
	struct stat st;
	const int d = open(random_below(2) ? "d0" : name(), O_DIRECTORY | O_RDONLY);
	if (d < 0)
		return;
	keep(openat(d, "a", O_RDWR | maybe(O_CREAT), 0644));
	fstatat(d, "b", &st, 0);
	if (!random_below(3))
		unlinkat(d, "c", 0);
	if (!random_below(3))
		renameat(d, "b", d, "bb");
	close(d);
}

static void calls(uint64_t seed, int n, int depth);

static void child(int depth)
{
	const uint32_t seed = random_below(1000000);
	const pid_t pid = depth < 2 ? fork() : -1;
	if (pid == 0) {
		calls(seed + 1000000, 12, depth + 1);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void call(int depth)
{
	const struct timespec times[2] = {{1000000, 0}, {2000000 + (long)random_below(9999), 0}};
	struct iovec v[2] = {{buffer, length()}, {buffer, 10}};
	struct stat st;
	struct statx x;
	const int fd = some_fd();
	switch (random_below(44)) {
	case 0: case 1: case 2: keep(open(name(), O_RDWR)); break;
	case 3: keep(open(name(), O_RDONLY)); break;
	case 4: case 5: keep(open(name(), O_RDWR | O_CREAT, 0644)); break;
	case 6: keep(open(name(), O_WRONLY | O_CREAT | O_TRUNC, 0600)); break;
	case 7: keep(open(name(), O_RDWR | O_CREAT | O_EXCL, 0640)); break;
	case 8: keep(open(name(), O_WRONLY | O_APPEND | maybe(O_CREAT), 0644)); break;
	case 9: case 10: write(fd, buffer, length()); break;
	case 11: pwrite(fd, buffer, length(), offset()); break;
	case 12: case 13: read(fd, buffer, length()); break;
	case 14: pread(fd, buffer, length(), offset()); break;
	case 15: lseek(fd, offset(), SEEK_SET); break;
	case 16: lseek(fd, -(off_t)random_below(50), random_below(2) ? SEEK_END : SEEK_CUR); break;
	case 17: ftruncate(fd, offset()); break;
	case 18: truncate(name(), offset()); break;
	case 19: stat(name(), &st); break;
	case 20: lstat(name(), &st); break;
	case 21: fstat(fd, &st); break;
	case 22: rename(name(), name()); break;
	case 23: link(name(), name()); break;
	case 24: unlink(name()); break;
	case 25: mkdir(name(), 0755); break;
	case 26: rmdir(name()); break;
	case 27: symlink(random_below(2) ? "f0" : "d0", name()); break;
	case 28: chmod(name(), 0600 | random_below(0100)); break;
	case 29: fchmod(fd, 0600 | random_below(0100)); break;
	case 30: keep(dup(fd)); break;
	case 31: list(random_below(2) ? "." : name()); break;
	case 32: copy(fd, some_fd()); break;
	case 33: fallocate(fd, maybe(FALLOC_FL_KEEP_SIZE), offset(), (off_t)length()); break;
	case 34: readlink(name(), buffer, 100); break;
	case 35: access(name(), (int)random_below(8)); break;
	case 36: utimensat(AT_FDCWD, name(), times, 0); break;
	case 37: child(depth); break;
	case 38: random_below(2) ? writev(fd, v, 2) : pwritev(fd, v, 2, offset()); break;
	case 39: in_directory(); break;
	case 40: setxattr(name(), "user.k", "v", 1, 0); break;
	case 41: statx(AT_FDCWD, name(), maybe(AT_SYMLINK_NOFOLLOW), STATX_ALL, &x); break;
	case 42: temporary(); break;
	default: renameat2(AT_FDCWD, name(), AT_FDCWD, name(),
			   maybe(1) ? RENAME_EXCHANGE : RENAME_NOREPLACE);
	}
	if (fd >= 0 && !random_below(30))
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) ^ O_APPEND);
	if (!random_below(20))
		chdir(random_below(2) ? "d0" : home);
}

static void calls(uint64_t seed, int n, int depth)
{
	for (int i = 0; i < n; i++) {
		state = 88172645463325252u * (2 * seed + 1) + (uint64_t)i * 0x9e3779b97f4a7c15u;
		for (int k = 0; k < 12; k++)
			random_below(2);
		call(depth);
	}
}

static void shared(void)
{
	const int renamed = open("f2", O_RDWR), through = open("ld/a", O_RDWR),
		  removed = open("f3", O_RDWR), made = open("n9", O_RDWR | O_CREAT, 0644),
		  link = open("l0", O_RDWR), over = open("f4", O_RDWR), under = open("f6", O_RDWR);
	rename("f2", "n0");
	unlink("f3");
	rename("d0", "d9");
	rename("f6", "f4");
	if (fork() == 0) {
		lseek(renamed, 1000, SEEK_SET);
		lseek(through, 5000, SEEK_SET);
		lseek(removed, 9000, SEEK_SET);
		lseek(made, 300, SEEK_SET);
		lseek(link, 7000, SEEK_SET);
		lseek(under, 8000, SEEK_SET);
		ftruncate(over, 10);
		_exit(0);
	}
	wait(NULL);
	for (int fd = renamed; fd <= under; fd++)
		if (fd != over)
			write(fd, buffer, 6);
}

static void refused(void)
{
	const int writes = open("f2", O_WRONLY), both = open("f3", O_RDWR);
	if (fork() == 0) {
		copy_file_range(writes, NULL, both, NULL, 100, 0);
		sendfile(both, writes, NULL, 100);
		_exit(0);
	}
	wait(NULL);
	rename("f0", "d0");
	rename("d0", "d1");
	rmdir("d2");
	renameat2(AT_FDCWD, "l0", AT_FDCWD, "f4", RENAME_EXCHANGE);
	chmod("f4", 0666);
	link("f5", "ld/q");
	list("d0");
	write(both, buffer, 10);
	fcntl(both, F_SETFL, O_APPEND);
	write(both, buffer, 10);
}

int main(int argc, char **argv)
{
	memset(buffer, 'x', sizeof buffer);
	if (argc < 2 || !getcwd(home, sizeof home))
		return 2;
	if (!strcmp(argv[1], "shared"))
		shared();
	else if (!strcmp(argv[1], "refused"))
		refused();
	else
		calls((uint64_t)atoi(argv[1]), 80, 0);
	return 0;
}
