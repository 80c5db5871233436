/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program for the capture tests: cases NAME [FILE] makes the calls of one subject, in its working
 * directory. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <wchar.h>

extern char **environ;
static char buffer[65536];

static void need(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "cases: %s: %s\n", what, strerror(errno));
		exit(9);
	}
}

static int file_of(const char *path, size_t size)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	need(fd >= 0 && write(fd, buffer, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0,
	     path);
	return fd;
}

static void data(void)
{
	struct iovec v[3] = {{buffer, 100}, {buffer + 100, 200}, {buffer + 300, 1}};
	int fd = file_of("data", 8192), out;
	need(pread(fd, buffer, 100, 8000) == 100 && pread(fd, buffer, 4096, 8192) == 0, "pread");
	need(pwrite(fd, buffer, 7, 9000) == 7 && readv(fd, v, 3) == 301 && writev(fd, v, 2) == 300,
	     "vectors");
	need(preadv(fd, v, 2, 5) == 300 && pwritev(fd, v, 3, 77) == 301, "vectors with offset");
	need(preadv2(fd, v, 1, -1, 0) == 100 && pwritev2(fd, v, 1, 10, 0) == 100,
	     "vectors with flags");
	need(lseek(fd, -10, SEEK_END) == 8997 && read(fd, buffer, 100) == 10 &&
		 read(fd, buffer, 100) == 0,
	     "end");
	need(fsync(fd) == 0 && fdatasync(fd) == 0 &&
		 sync_file_range(fd, 0, 4096, SYNC_FILE_RANGE_WRITE) == 0,
	     "sync");
	need(ftruncate(fd, 5000) == 0 && truncate("data", 4000) == 0 &&
		 posix_fallocate(fd, 0, 6000) == 0,
	     "size");
	need(posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM) == 0 && readahead(fd, 0, 4096) == 0,
	     "advice");
	need((out = open("copy", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) >= 0, "copy");
	need(lseek(fd, 0, SEEK_SET) == 0 && sendfile(out, fd, NULL, 1000) == 1000, "sendfile");
	off_t from = 100, to = 3000;
	need(copy_file_range(fd, &from, out, &to, 500, 0) == 500, "copy_file_range");
	int dupped = dup(out), high = fcntl(out, F_DUPFD_CLOEXEC, 50);
	need(dup2(out, 60) == 60 && dup3(out, 61, O_CLOEXEC) == 61 && dupped >= 0 && high == 50,
	     "dup");
	need(write(60, buffer, 10) == 10 && write(dupped, buffer, 10) == 10, "shared position");
	need(read(999, buffer, 1) < 0 && pread(fd, buffer, 1, -1) < 0 &&
		 open("none/such", O_RDONLY) < 0,
	     "errors");
	need(read(fd, (void *)1, 10) < 0 && errno == EFAULT && open((char *)1, O_RDONLY) < 0 &&
		 errno == EFAULT,
	     "EFAULT");
	close(high), close(60), close(61), close(dupped), close(out), close(fd), close(fd);
}

static void names(void)
{
	struct stat st;
	struct statfs fs;
	struct statvfs vfs;
	struct statx x;
	const struct timespec t[2] = {{1000, 5}, {2000, 7}};
	int fd = file_of("a", 10), dir;
	need(mkdir("d", 0755) == 0 && mkdirat(AT_FDCWD, "d/e", 0700) == 0, "mkdir");
	need((dir = open("d", O_RDONLY | O_DIRECTORY)) >= 0, "open of a directory");
	int inside = openat(dir, "../d/./f", O_CREAT | O_WRONLY, 0644);
	need(inside >= 0 && write(inside, "x", 1) == 1 && close(inside) == 0, "openat");
	need(rename("a", "b") == 0 && renameat(AT_FDCWD, "b", dir, "b") == 0 &&
		 link("d/b", "c") == 0,
	     "rename, link");
	need(symlink("c", "s") == 0 && readlink("s", buffer, 100) == 1 &&
		 symlinkat("x", dir, "s2") == 0,
	     "symlink");
	need(stat("c", &st) == 0 && lstat("s", &st) == 0 && fstat(fd, &st) == 0 &&
		 stat("none", &st) < 0,
	     "stat");
	need(fstatat(dir, "b", &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		 statx(dir, "b", 0, STATX_ALL, &x) == 0,
	     "statx");
	need(statfs(".", &fs) == 0 && fstatfs(fd, &fs) == 0 && statvfs(".", &vfs) == 0, "statfs");
	need(access("c", R_OK) == 0 && access("none", F_OK) < 0 &&
		 faccessat(dir, "b", R_OK, 0) == 0,
	     "access");
	need(chmod("c", 0600) == 0 && fchmod(fd, 0640) == 0 && fchmodat(dir, "b", 0644, 0) == 0,
	     "chmod");
	need(chown("c", getuid(), getgid()) == 0 && fchown(fd, -1, -1) == 0 &&
		 lchown("s", -1, -1) == 0,
	     "chown");
	need(utimensat(dir, "b", t, 0) == 0 && futimens(fd, NULL) == 0, "utimens");
	if (setxattr("c", "user.test", "value", 5, 0) == 0)
		need(getxattr("c", "user.test", buffer, 100) == 5 &&
			 listxattr("c", buffer, 100) > 0 &&
			 fgetxattr(fd, "user.test", buffer, 100) == 5 &&
			 removexattr("c", "user.test") == 0,
		     "xattr");
	need(chdir("d") == 0 && access("b", F_OK) == 0 && fchdir(dir) == 0 && chdir("..") == 0,
	     "chdir");
	need(unlink("c") == 0 && unlinkat(dir, "b", 0) == 0 &&
		 unlinkat(dir, "e", AT_REMOVEDIR) == 0,
	     "unlink");
	need(mkfifo("p", 0600) == 0 && remove("p") == 0 && unlink("s") == 0 && unlink("none") < 0,
	     "remove");
	need(unlink("d/f") == 0 && unlink("d/s2") == 0 && rmdir("d") == 0 && close(dir) == 0 &&
		 close(fd) == 0,
	     "rmdir");
}

static void directories(void)
{
	need(mkdir("many", 0755) == 0, "mkdir");
	for (int i = 0; i < 5; i++) {
		snprintf(buffer, sizeof buffer, "many/%d", i);
		int fd = open(buffer, O_CREAT | O_WRONLY, 0600);
		need(fd >= 0 && close(fd) == 0, buffer);
	}
	DIR *d = opendir("many");
	int n = 0;
	while (readdir(d))
		n++;
	rewinddir(d);
	need(n == 7 && readdir(d) && dirfd(d) >= 0 && closedir(d) == 0, "readdir");
	int fd = open("many", O_RDONLY | O_DIRECTORY);
	d = fdopendir(fd);
	need(d && readdir(d) && closedir(d) == 0, "fdopendir");
}

static void wide(void)
{
	wchar_t line[100];
	int i = 0;
	FILE *f = fopen("wide", "w+");
	need(f && fwprintf(f, L"%d items\n", 12) == 9 && fputws(L"second\n", f) >= 0 &&
		 fputwc(L'c', f) == L'c',
	     "put");
	rewind(f);
	need(fwscanf(f, L"%d", &i) == 1 && i == 12 && fgetws(line, 100, f) &&
		 fgetws_unlocked(line, 100, f),
	     "get");
	need(fgetwc(f) == L'c' && ungetwc(L'c', f) == L'c' && getwc(f) == L'c' &&
		 getwc_unlocked(f) == WEOF,
	     "characters");
	need(!fgetws(line, 100, f) && fclose(f) == 0, "end");
}

static void streams(void)
{
	char line[100];
	int i = 0;
	FILE *f = fopen("stream", "w+");
	need(f != NULL, "fopen");
	need(fprintf(f, "%d items\n", 12) == 9 && fputs("second\n", f) >= 0 && fputc('c', f) == 'c',
	     "put");
	need(fwrite(buffer, 10, 1000, f) == 1000 && fflush(f) == 0 && fseek(f, 0, SEEK_SET) == 0,
	     "write");
	need(fscanf(f, "%d", &i) == 1 && i == 12 && fgets(line, 100, f) && fgets(line, 100, f),
	     "get");
	need(fgetc(f) == 'c' && ungetc('c', f) == 'c' && getc(f) == 'c' && ftell(f) == 17,
	     "characters");
	need(fread(buffer, 1, 20000, f) == 10000 && feof(f) && fclose(f) == 0, "read");
	need((f = fopen("none/such", "r")) == NULL && (f = fopen("stream", "re")) != NULL, "fopen");
	char *more = NULL;
	size_t room = 0;
	need(getline(&more, &room, f) == 9 && setvbuf(f, NULL, _IONBF, 0) == 0, "getline");
	rewind(f);
	free(more);
	need(fclose(f) == 0, "fclose");
}

static void maps(void)
{
	int fd = file_of("map", 16384);
	char *at = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	char *none = mmap(NULL, 16384, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	need(at != MAP_FAILED && none != MAP_FAILED && close(fd) == 0, "mmap");
	at[100] = 1;
	need(msync(at, 4096, MS_SYNC) == 0 && madvise(at, 8192, MADV_WILLNEED) == 0 &&
		 munmap(at, 8192) == 0,
	     "msync");
	need(munmap(at + 8192, 8192) == 0 && munmap(none, 16384) == 0, "munmap");
	need(mmap(NULL, 4096, PROT_READ, MAP_SHARED, 999, 0) == MAP_FAILED, "mmap of nothing");
}

/* After a mapping shrinks, nothing of the old mapping remains. */
static void shrinks(void)
{
	int fd = file_of("map", 16384);
	char *at = mmap(NULL, 16384, PROT_READ, MAP_SHARED, fd, 0);
	need(at != MAP_FAILED && close(fd) == 0, "mmap");
	need(mremap(at, 16384, 4096, 0) == at && munmap(at + 4096, 12288) == 0 &&
		 munmap(at, 4096) == 0,
	     "mremap");
}

static void *reader(void *arg)
{
	char own[512];
	int fd = open("shared", O_RDONLY);
	for (int i = 0; i < 300; i++)
		need(pread(fd, own, sizeof own, (long)(intptr_t)arg * 512) == sizeof own, "pread");
	close(fd);
	return NULL;
}

static void threads(void)
{
	pthread_t t[4];
	close(file_of("shared", 8192));
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 4; i++)
			pthread_create(&t[i], NULL, reader, (void *)(intptr_t)i);
		for (int i = 0; i < 4; i++)
			pthread_join(t[i], NULL);
	}
}

static void wait_for(pid_t pid)
{
	int status;
	need(pid > 0 && waitpid(pid, &status, 0) == pid, "waitpid");
}

static void forks(void)
{
	int fd = file_of("forked", 4096);
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			need(read(fd, buffer, 100) == 100 && close(fd) == 0, "in the child");
			int own = open("forked", O_RDONLY);
			need(pread(own, buffer, 10, 20) == 10, "pread");
			_exit(0);
		}
		wait_for(pid);
	}
	need(read(fd, buffer, 100) == 100 && close(fd) == 0, "in the parent");
}

static void vforks(const char *self)
{
	int fd = file_of("vforked", 4096);
	pid_t pid = vfork();
	if (pid == 0) {
		dup2(fd, 40);
		pread(40, buffer, 30, 0);
		execl(self, self, "data", (char *)NULL);
		_exit(8);
	}
	wait_for(pid);
	need(pread(40, buffer, 1, 0) < 0 && errno == EBADF, "the child's descriptor");
	pid = vfork();
	if (pid == 0) {
		execl("/none/such", "x", (char *)NULL);
		write(fd, "!", 1);
		_exit(0);
	}
	wait_for(pid);
	need(close(fd) == 0, "close");
}

static void execs(const char *self)
{
	char *const argv[] = {(char *)self, "names", NULL}, *const none[] = {NULL};
	pid_t pid;
	need(posix_spawn(&pid, self, NULL, NULL, argv, none) == 0, "posix_spawn");
	wait_for(pid);
	pid = fork();
	if (pid == 0) {
		clearenv();
		execv(self, (char *[]){(char *)self, "directories", NULL});
		_exit(8);
	}
	wait_for(pid);
	need(system("echo from a shell >shell") == 0, "system");
	int fd = file_of("kept", 100);
	need(dup2(fd, 33) == 33 && close(fd) == 0, "dup2");
	execle(self, self, "kept", (char *)NULL, none);
	_exit(8);
}

static void kept(void)
{
	need(read(33, buffer, 10) == 10 && close(33) == 0, "the inherited descriptor");
}

static volatile sig_atomic_t n_handled;
static int handler_fd;

static void handler(int s)
{
	(void)s;
	n_handled++;
	int saved = errno;
	write(handler_fd, "signal\n", 7);
	errno = saved;
}

static void signals(void)
{
	const struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART};
	const struct timespec ms = {0, 1000000};
	sigaction(SIGUSR1, &a, NULL);
	handler_fd = open("signals", O_CREAT | O_WRONLY | O_APPEND, 0600);
	close(file_of("busy", 65536));
	pid_t pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 50; i++) {
			kill(getppid(), SIGUSR1);
			nanosleep(&ms, NULL);
		}
		_exit(0);
	}
	int fd = open("busy", O_RDONLY);
	while (waitpid(pid, NULL, WNOHANG) == 0)
		for (int i = 0; i < 10; i++)
			need(pread(fd, buffer, 65536, 0) == 65536, "pread");
	close(fd);
	close(handler_fd);
	printf("%d\n", (int)n_handled);
}

static int cloned(void *arg)
{
	int fd = open(arg, O_RDONLY);
	for (int i = 0; i < 50; i++)
		pread(fd, buffer, 64, 0);
	close(fd);
	return 0;
}

static void clones(void)
{
	static char stack[3][262144] __attribute__((aligned(64)));
	close(file_of("cloned", 4096));
	wait_for(clone(cloned, stack[0] + sizeof stack[0], SIGCHLD, "cloned"));
	wait_for(
	    clone(cloned, stack[1] + sizeof stack[1], SIGCHLD | CLONE_VM | CLONE_VFORK, "cloned"));
	wait_for(clone(cloned, stack[2] + sizeof stack[2], SIGCHLD | CLONE_VM, "cloned"));
	cloned("cloned");
}

static void ending(const char *how)
{
	int fd = file_of("ending", 4096);
	for (int i = 0; i < 1000; i++)
		need(pread(fd, buffer, 16, i % 4096) >= 0, "pread");
	if (!strcmp(how, "crash"))
		*(volatile int *)8 = 1;
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "abort"))
		abort();
	_exit(5);
}

static void plugin(const char *path)
{
	void *at = dlopen(path, RTLD_NOW);
	need(at != NULL, "dlopen");
	int (*f)(void) = (int (*)(void))dlsym(at, "plugin_run");
	need(f && f() == 0 && dlclose(at) == 0, "plugin");
}

static void close_all(void)
{
	for (int i = 3; i < 1024; i++)
		close(i);
	int fd = file_of("closed", 100);
	need(fd == 3, "the lowest descriptor is free");
	closefrom(3);
	need(close(fd) < 0, "closefrom");
}

static void by_number(void)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "number", O_RDWR | O_CREAT, 0600);
	need(fd >= 0 && syscall(SYS_write, fd, "0123456789", 10) == 10 &&
		 syscall(SYS_pread64, fd, buffer, 4, 2) == 4,
	     "syscall");
	need(syscall(SYS_close, fd) == 0, "close");
}

static void many(void)
{
	int fd = file_of("many", 4096);
	for (int i = 0; i < 400000; i++)
		need(pread(fd, buffer, 1, i % 4096) == 1, "pread");
	close(fd);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
	    {"data", data},           {"names", names},         {"directories", directories},
	    {"streams", streams},     {"wide", wide},           {"maps", maps},
	    {"shrinks", shrinks},     {"threads", threads},     {"forks", forks},
	    {"kept", kept},           {"signals", signals},     {"clones", clones},
	    {"close-all", close_all}, {"by-number", by_number}, {"many", many}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (!strcmp(name, cases[i].name)) {
			cases[i].run();
			return 0;
		}
	if (!strcmp(name, "vforks"))
		vforks(argv[0]);
	else if (!strcmp(name, "execs"))
		execs(argv[0]);
	else if (!strcmp(name, "plugin"))
		plugin(argv[2]);
	else
		ending(name);
	return 0;
}
