/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program for the capture tests: kinds NAME [FILE] behaves in its working directory like programs
 * of some kind, which start other programs, close descriptors, or change the environment. Status
 * 77: it is not permitted. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <mntent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>

extern char **environ;
static char buffer[65536];
char *gets(char *s);

static void need(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "kinds: %s: %s\n", what, strerror(errno));
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

static void wait_for(pid_t pid)
{
	int status;
	need(pid > 0 && waitpid(pid, &status, 0) == pid, "waitpid");
	need(!status, "the child");
}

/* Starts a program with all kinds of file actions, which are not calls of this program. */
static void spawns(const char *self)
{
	posix_spawn_file_actions_t a;
	posix_spawnattr_t attributes;
	sigset_t all;
	pid_t pid;
	char *const argv[] = {(char *)self, "inherited", NULL};
	int fd = file_of("spawned", 100);
	need(mkdir("below", 0755) == 0, "mkdir");
	posix_spawn_file_actions_init(&a);
	posix_spawn_file_actions_addopen(&a, 31, "opened", O_RDWR | O_CREAT, 0600);
	posix_spawn_file_actions_adddup2(&a, fd, 30);
	posix_spawn_file_actions_addclose(&a, fd);
	posix_spawn_file_actions_addchdir_np(&a, "below");
	posix_spawnattr_init(&attributes);
	sigfillset(&all);
	posix_spawnattr_setsigmask(&attributes, &all);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	need(posix_spawn(&pid, self, &a, &attributes, argv, environ) == 0, "posix_spawn");
	wait_for(pid);
	need(posix_spawn(&pid, "/none/such", &a, NULL, argv, environ) == ENOENT,
	     "posix_spawn of nothing");
	need(posix_spawnp(&pid, "true", NULL, NULL, (char *[]){"true", NULL}, environ) == 0,
	     "posix_spawnp");
	wait_for(pid);
	need(read(fd, buffer, 60) == 60 && close(fd) == 0, "the shared position");
}

static void inherited(void)
{
	need(read(30, buffer, 40) == 40 && write(31, buffer, 10) == 10, "inherited descriptors");
	need(close(file_of("made-below", 10)) == 0 && close(30) == 0 && close(31) == 0,
	     "a file below");
}

static void high(void)
{
	int fd = file_of("high", 1000), last;
	for (int i = 900; i < 1000; i++)
		need(dup2(fd, i) == i, "dup2");
	need(pread(999, buffer, 10, 100) == 10 && read(950, buffer, 100) == 100,
	     "pread of a high one");
	for (int i = 900; i < 1000; i++) /* over each other */
		need(dup3(900, i == 900 ? 901 : i, O_CLOEXEC) >= 0, "dup3");
	need((last = fcntl(fd, F_DUPFD, 995)) >= 995 && close(last) == 0, "F_DUPFD");
	need(close_range(900, 949, CLOSE_RANGE_CLOEXEC) == 0, "close_range, to be closed later");
	need(close_range(950, ~0U, 0) == 0 && close_range(920, 930, CLOSE_RANGE_UNSHARE) == 0,
	     "close_range");
	need(read(910, buffer, 10) == 10 && read(925, buffer, 10) < 0, "what is left");
	need(execl("/proc/self/exe", "kinds", "after-high", (char *)NULL) == 0, "exec");
}

static void after_high(void)
{
	need(read(910, buffer, 10) < 0 && errno == EBADF && close(3) == 0,
	     "what is left behind an exec");
}

static void daemons(void)
{
	int fd = file_of("daemon", 100), ends[2];
	need(pipe(ends) == 0, "pipe");
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		if (daemon(1, 1))
			_exit(1);
		pread(fd, buffer, 10, 5);
		close(file_of("by-daemon", 10));
		umask(0);
		exit(write(ends[1], "x", 1) != 1);
	}
	close(ends[1]);
	wait_for(pid);
	need(read(ends[0], buffer, 10) == 1 && read(ends[0], buffer, 10) == 0, "the daemon");
	need(close(fd) == 0 && close(ends[0]) == 0, "close");
}

static void limits(void)
{
	const struct rlimit few = {4, 4}, none = {3, 3};
	int fd = file_of("limited", 4096);
	need(fd == 3 && setrlimit(RLIMIT_NOFILE, &few) == 0 && open("limited", O_RDONLY) < 0 &&
		 errno == EMFILE,
	     "no further descriptor");
	for (int i = 0; i < 5000; i++)
		need(pread(fd, buffer, 1, i % 4096) == 1, "pread");
	pid_t pid = fork();
	if (pid == 0) {
		need(pread(fd, buffer, 10, 7) == 10 && close(fd) == 0 &&
			 open("limited", O_RDONLY) == 3,
		     "in a child");
		exit(0);
	}
	wait_for(pid);
	need(setrlimit(RLIMIT_NOFILE, &none) == 0 && pread(fd, buffer, 10, 8) == 10, "none at all");
	need(close(fd) == 0, "close");
}

static void sizes(void)
{
	const struct rlimit small = {100, RLIM_INFINITY};
	signal(SIGXFSZ, SIG_IGN);
	int fd = file_of("sized", 50);
	need(setrlimit(RLIMIT_FSIZE, &small) == 0 && pwrite(fd, buffer, 200, 0) == 100,
	     "a limit of size");
	need(pwrite(fd, buffer, 1, 100) < 0 && errno == EFBIG, "EFBIG");
	for (int i = 0; i < 10000; i++)
		need(pread(fd, buffer, 1, i % 100) == 1, "pread");
	need(close(fd) == 0, "close");
}

static _Atomic int stop;
static void *busy(void *arg)
{
	char own[64];
	int fd = open("forked-by", O_RDONLY), n = 0;
	while (!stop || n < 100)
		need(pread(fd, own, sizeof own, n++ % 4000) == sizeof own, "pread in a thread");
	close(fd);
	return arg;
}

static void *forker(void *arg)
{
	int fd = open("forked-by", O_RDONLY);
	for (int i = 0; i < 5; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			need(pread(fd, buffer, 100, i) == 100 && close(fd) == 0, "in a child");
			_exit(0);
		}
		wait_for(pid);
	}
	close(fd);
	return arg;
}

static void thread_forks(void)
{
	pthread_t t[4];
	close(file_of("forked-by", 8192));
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i < 2 ? busy : forker, NULL);
	for (int i = 3; i >= 0; i--) {
		stop = i < 3 && i < 2;
		pthread_join(t[i], NULL);
		stop = 1;
	}
}

static int handler_fd;
static void on_stack(int s, siginfo_t *info, void *context)
{
	(void)s, (void)info, (void)context;
	write(handler_fd, "handled\n", 8);
}

/* Signal handlers on the smallest possible stack, at any instant. */
static void alternate(void)
{
	static char stack[8192];
	const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
	const struct sigaction a = {.sa_sigaction = on_stack, .sa_flags = SA_ONSTACK | SA_SIGINFO};
	const struct itimerspec often = {{0, 500000}, {0, 500000}};
	struct sigevent to = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
	timer_t timer;
	handler_fd = open("handled", O_CREAT | O_WRONLY | O_APPEND, 0600);
	int fd = file_of("alternate", 65536);
	need(sigaltstack(&other, NULL) == 0 && sigaction(SIGUSR2, &a, NULL) == 0, "sigaltstack");
	need(timer_create(CLOCK_MONOTONIC, &to, &timer) == 0 &&
		 timer_settime(timer, 0, &often, NULL) == 0,
	     "timer");
	for (int i = 0; i < 3000; i++)
		need(pread(fd, buffer, 4096, i) == 4096, "pread");
	timer_delete(timer);
	need(raise(SIGUSR2) == 0 && close(fd) == 0 && close(handler_fd) == 0, "close");
}

static void temporaries(void)
{
	char a[] = "aXXXXXX", b[] = "bXXXXXX.txt", c[] = "cXXXXXX", d[] = "dXXXXXX",
	     e[] = "eXXXXXX.x";
	int fd = mkstemp(a), fd2 = mkstemps(b, 4), fd3 = mkostemp(c, O_APPEND | O_CLOEXEC),
	    fd4 = mkostemps(e, 2, O_SYNC);
	need(fd >= 0 && fd2 >= 0 && fd3 >= 0 && fd4 >= 0 && mkdtemp(d), "mkstemp");
	need(write(fd, "1", 1) == 1 && write(fd2, "12", 2) == 2 && write(fd3, "123", 3) == 3 &&
		 write(fd4, "1234", 4) == 4,
	     "write");
	need(unlink(a) == 0 && unlink(b) == 0 && unlink(c) == 0 && unlink(e) == 0 && rmdir(d) == 0,
	     "unlink");
	need(close(fd) == 0 && close(fd2) == 0 && close(fd3) == 0 && close(fd4) == 0, "close");
	fd = open(".", O_TMPFILE | O_RDWR, 0600);
	need(fd < 0 || (write(fd, "x", 1) == 1 && close(fd) == 0), "O_TMPFILE");
	FILE *f = tmpfile();
	need(f && fputs("temporary", f) >= 0 && fclose(f) == 0, "tmpfile");
}

static ssize_t cookie_write(void *cookie, const char *from, size_t n)
{
	return write((int)(intptr_t)cookie, from, n);
}
static ssize_t cookie_read(void *cookie, char *to, size_t n)
{
	return read((int)(intptr_t)cookie, to, n);
}

/* Streams that are not files of the C library. Calls in the functions of a cookie are calls of the
 * program. */
static void cookies(void)
{
	int fd = file_of("cookie", 300);
	FILE *f = fopencookie((void *)(intptr_t)fd, "w+",
			      (cookie_io_functions_t){cookie_read, cookie_write, NULL, NULL});
	need(f && fprintf(f, "%5000d", 1) == 5000 && fflush(f) == 0, "fopencookie");
	need(lseek(fd, 0, SEEK_SET) == 0 && fread(buffer, 1, 100, f) == 100 && fclose(f) == 0,
	     "reading a cookie");
	f = fmemopen(buffer, sizeof buffer, "w+");
	need(f && fputs("in memory", f) >= 0 && fseek(f, 0, SEEK_SET) == 0 && fgetc(f) == 'i' &&
		 fclose(f) == 0,
	     "fmemopen");
	char *text;
	size_t n;
	f = open_memstream(&text, &n);
	need(f && fprintf(f, "%d", 1) == 1 && fclose(f) == 0 && n == 1, "open_memstream");
	free(text);
	f = fmemopen("a /b ext4 rw 0 0\n", 17, "r");
	need(f && getmntent(f) && fclose(f) == 0, "getmntent of memory");
	wchar_t *wide;
	f = open_wmemstream(&wide, &n);
	need(f && fputws(L"wide", f) >= 0 && fputwc(L'!', f) == L'!' && fclose(f) == 0 && n == 5,
	     "open_wmemstream");
	free(wide);
	FILE *const in = stdin, *const out = stdout;
	stdout = open_wmemstream(&wide, &n);
	need(stdout && wprintf(L"%d", 12) == 2 && fclose(stdout) == 0 && n == 2,
	     "wprintf to memory");
	stdout = out;
	free(wide);
	stdin = fmemopen("line\n", 5, "r");
	need(stdin && gets(buffer) && !strcmp(buffer, "line") && fclose(stdin) == 0,
	     "gets of memory");
	stdin = in;
	need(close(fd) == 0, "close");
}

/* Changes root and privileges, so that nothing outside can be reached any more. */
static void prisoners(void)
{
	int fd = file_of("outside", 100);
	need(mkdir("prison", 0755) == 0 && chdir("prison") == 0, "prison");
	close(file_of("inside", 100));
	if (chroot("."))
		exit(77);
	need(open("/inside", O_RDONLY) == 4 && read(4, buffer, 50) == 50 && close(4) == 0,
	     "inside");
	need(read(fd, buffer, 10) == 10, "outside");
	need(setgid(65534) == 0 && setuid(65534) == 0, "other rights");
	need(open("/inside", O_WRONLY) < 0 && errno == EACCES && open("/inside", O_RDONLY) == 4,
	     "without rights");
	need(close(4) == 0 && close(fd) == 0, "close");
}

static void namespaces(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		exit(77);
	need(mkdir("mounted", 0755) == 0 && mount("none", "mounted", "tmpfs", 0, "size=1m") == 0,
	     "mount");
	int fd = file_of("mounted/file", 1000);
	need(pread(fd, buffer, 10, 990) == 10 && close(fd) == 0 && umount("mounted") == 0,
	     "umount");
}

static ucontext_t back, there;
static void context_run(void)
{
	close(file_of("by-context", 100));
}

static void contexts(void)
{
	static char stack[65536];
	int fd = file_of("context", 10);
	getcontext(&there);
	there.uc_stack = (stack_t){.ss_sp = stack, .ss_size = sizeof stack};
	there.uc_link = &back;
	makecontext(&there, context_run, 0);
	need(swapcontext(&back, &there) == 0 && close(fd) == 0, "swapcontext");
}

static void *short_lived(void *arg)
{
	return (void *)(intptr_t)pread((int)(intptr_t)arg, (char[16]){0}, 16, 0);
}

static void *tiny(void *arg)
{
	return short_lived(arg);
}

/* Starts a thread for each call, and threads with the smallest stacks. */
static void many_threads(void)
{
	pthread_attr_t small;
	int fd = file_of("threaded", 100);
	pthread_t t;
	void *got;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 16384);
	for (int i = 0; i < 300; i++) {
		need(pthread_create(&t, i % 2 ? &small : NULL, tiny, (void *)(intptr_t)fd) == 0,
		     "pthread_create");
		need(pthread_join(t, &got) == 0 && got == (void *)16, "pthread_join");
	}
	need(close(fd) == 0, "close");
}

static void *detached(void *arg)
{
	need(pread((int)(intptr_t)arg, (char[16]){0}, 16, 3) == 16, "pread");
	pthread_exit(NULL);
}

/* main ends, the other threads continue. */
static void leaders(void)
{
	pthread_t t;
	int fd = file_of("led", 100);
	need(pthread_create(&t, NULL, detached, (void *)(intptr_t)fd) == 0 &&
		 pthread_detach(t) == 0,
	     "pthread_create");
	pthread_exit(NULL);
}

static void *execs_thread(void *arg)
{
	execl(arg, "kinds", "after-thread", (char *)NULL);
	return NULL;
}

static void thread_execs(const char *self)
{
	pthread_t t;
	close(file_of("before-exec", 10));
	pthread_create(&t, NULL, execs_thread, (void *)self);
	pthread_join(t, NULL);
}

static void at_exit(void)
{
	close(file_of("at-exit", 10));
}
static void at_quick_exit_run(void)
{
	close(file_of("at-quick-exit", 10));
}

static void endings(void)
{
	atexit(at_exit);
	at_quick_exit(at_quick_exit_run);
	pid_t pid = fork();
	if (pid == 0)
		quick_exit(0);
	wait_for(pid);
	close(file_of("ended", 10));
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {{"inherited", inherited},
		     {"high", high},
		     {"after-high", after_high},
		     {"daemons", daemons},
		     {"limits", limits},
		     {"sizes", sizes},
		     {"thread-forks", thread_forks},
		     {"alternate", alternate},
		     {"temporaries", temporaries},
		     {"cookies", cookies},
		     {"prisoners", prisoners},
		     {"namespaces", namespaces},
		     {"contexts", contexts},
		     {"many-threads", many_threads},
		     {"leaders", leaders},
		     {"endings", endings}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(name, kinds[i].name)) {
			kinds[i].run();
			return 0;
		}
	if (!strcmp(name, "spawns"))
		spawns(argv[0]);
	else if (!strcmp(name, "thread-execs"))
		thread_execs(argv[0]);
	else if (!strcmp(name, "after-thread"))
		close(file_of("after-exec", 10));
	else
		return 2;
	return 0;
}
