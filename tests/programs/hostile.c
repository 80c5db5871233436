/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hostile NAME: programs whose start, life or end is difficult for a preloaded library. Each calls
 * pread READS times on the file `data`, and stores in the shared file `count` how many calls have
 * returned. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READS = 200, SMALL_STACK = 16384 };
static int fd = -1;
static char buffer[4096];
static volatile _Atomic uint64_t *count;

static void need(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "hostile: %s: %s\n", what, strerror(errno));
		_exit(9);
	}
}

static void reads(int n)
{
	for (int i = 0; i < n; i++) {
		need(pread(fd, buffer, 16, i % 4000) == 16, "pread");
		++*count;
	}
}

static void wait_for(pid_t pid)
{
	int status = -1;
	need(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "a child");
}

static const char *self;

/* Each generation is a vfork child of the previous generation, which waits for it. */
static void chain(void)
{
	char depth[12];
	int n = getenv("DEPTH") ? atoi(getenv("DEPTH")) : 6;
	reads(READS);
	if (!n)
		return;
	snprintf(depth, sizeof depth, "%d", n - 1);
	setenv("DEPTH", depth, 1);
	pid_t pid = vfork();
	if (!pid) {
		execl(self, self, "chain", (char *)NULL);
		_exit(9);
	}
	wait_for(pid);
}

/* fork by number, which the C library does not detect. */
static void raw_fork(void)
{
	reads(READS);
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!pid) {
		reads(READS);
		syscall(SYS_exit_group, 0);
	}
	wait_for(pid);
	reads(READS);
}

static void *read_for_ever(void *arg)
{
	char c;
	for (;;)
		if (read(*(int *)arg, &c, 1) < 0)
			break;
	return NULL;
}

static void cancelled(void)
{
	int p[2];
	need(pipe(p) == 0, "pipe");
	for (int i = 0; i < 20; i++) {
		pthread_t t;
		void *got;
		pthread_create(&t, NULL, read_for_ever, &p[0]);
		need(write(p[1], "x", 1) == 1, "write");
		usleep(1000);
		pthread_cancel(t);
		need(pthread_join(t, &got) == 0 && got == PTHREAD_CANCELED, "cancelled");
		reads(READS / 20);
	}
}

static sigjmp_buf out;

static void jump(int number)
{
	(void)number;
	siglongjmp(out, 1);
}

static void jumps(void)
{
	const struct sigaction a = {.sa_handler = jump};
	int p[2];
	need(pipe(p) == 0, "pipe");
	sigaction(SIGALRM, &a, NULL);
	for (volatile int i = 0; i < 20; i++) {
		if (!sigsetjmp(out, 1)) {
			ualarm(2000, 0);
			need(read(p[0], buffer, 1) == 1, "read");
		}
		reads(READS / 20);
	}
}

static void handler(int number)
{
	char own[64];
	struct iovec v[2] = {{own, 8}, {own + 8, 8}};
	int saved = errno;
	(void)number;
	need(preadv(fd, v, 2, 0) == 16, "preadv");
	int other = open("data", O_RDONLY);
	need(other >= 0 && close(other) == 0, "open");
	errno = saved;
}

/* The smallest stack that a handler may have. */
static void small_signal_stack(void)
{
	static char stack[SMALL_STACK];
	const stack_t s = {.ss_sp = stack + SMALL_STACK - 8192, .ss_size = 8192};
	const struct sigaction a = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	memset(stack, 0x5a, SMALL_STACK - 8192);
	need(sigaltstack(&s, NULL) == 0, "sigaltstack");
	sigaction(SIGUSR1, &a, NULL);
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
	for (int i = 0; i < SMALL_STACK - 8192; i++)
		need(stack[i] == 0x5a, "what lies below the stack");
	reads(READS);
}

static void *small_thread(void *arg)
{
	(void)arg;
	handler(0);
	reads(READS);
	pid_t pid = fork(); /* the first call of the child, on the rest of the stack */
	if (!pid) {
		reads(READS);
		_exit(0);
	}
	wait_for(pid);
	return NULL;
}

static void small_stacks(void)
{
	pthread_attr_t a;
	pthread_t t;
	pthread_attr_init(&a);
	need(pthread_attr_setstacksize(&a, SMALL_STACK) == 0 &&
		 pthread_create(&t, &a, small_thread, NULL) == 0,
	     "a small thread");
	pthread_join(t, NULL);
}

static void *busy(void *stop)
{
	char own[16];
	for (int i = 0; !*(volatile int *)stop; i++)
		need(pread(fd, own, sizeof own, 4000) == sizeof own, "pread");
	return NULL;
}

static void forks_beside_threads(void)
{
	volatile int stop = 0;
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, busy, (void *)&stop);
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();
		if (!pid) {
			reads(READS / 20);
			_exit(0);
		}
		wait_for(pid);
	}
	stop = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

static void *one_of_many(void *together)
{
	pthread_barrier_wait(together);
	reads(10);
	return NULL;
}

static void many_threads(void)
{
	static pthread_t t[300];
	pthread_barrier_t together;
	pthread_barrier_init(&together, NULL, 300);
	for (int i = 0; i < 300; i++)
		need(pthread_create(&t[i], NULL, one_of_many, &together) == 0, "a thread");
	for (int i = 0; i < 300; i++)
		pthread_join(t[i], NULL);
}

static void reads_in_a_child(void)
{
	pid_t pid = fork();
	if (!pid) {
		reads(READS);
		_exit(0);
	}
	wait_for(pid);
}

static void closes_all(void)
{
	int keep = dup2(fd, 700);
	need(close_range(0, 699, 0) == 0 && close_range(701, ~0u, 0) == 0, "close_range");
	fd = keep;
	reads(READS);
	reads_in_a_child();
}

/* No descriptor is available when a child starts. */
static void no_descriptors(void)
{
	while (dup(fd) >= 0)
		;
	need(errno == EMFILE, "dup");
	reads(READS);
	reads_in_a_child();
}

static void root_changed(void)
{
	need(mkdir("root", 0700) == 0 && chroot("root") == 0 && chdir("/") == 0, "chroot");
	reads(READS);
	reads_in_a_child();
}

/* Nothing but read, write and exit. */
static void strict(void)
{
	int with_position = open("data", O_RDWR);
	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) == 0, "seccomp");
	for (int i = 0; i < 5000; i++) {
		if (read(with_position, buffer, 1) != 1)
			syscall(SYS_exit, 8);
		++*count;
	}
	syscall(SYS_exit, 0);
}

/* A filter kills the program after any other call; with threads. */
static void filtered(void)
{
#define ALLOW(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), ALLOW(SYS_pread64), ALLOW(SYS_write), ALLOW(SYS_exit_group), ALLOW(SYS_futex),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	const struct sock_fprog program = {sizeof f / sizeof *f, f};
	need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		 syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0,
	     "seccomp");
	reads(5000);
	exit(0); /* with all steps of a program's end */
}

static void far_offsets(void)
{
	int big = open64("big", O_RDWR | O_CREAT, 0600);
	const off64_t at = INT64_C(5) << 32;
	need(ftruncate64(big, at + 100) == 0 && pwrite64(big, "x", 1, at) == 1 &&
		 lseek64(big, at, SEEK_SET) == at,
	     "beyond 4 GiB");
	need(read(big, buffer, 10) == 10 && pread64(big, buffer, 10, at) == 10 && close(big) == 0,
	     "beyond 4 GiB");
	need(truncate64("big", at) == 0, "truncate64");
}

static void for_ever(void)
{
	for (;;)
		reads(1000);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"chain", chain},
		     {"raw-fork", raw_fork},
		     {"cancelled", cancelled},
		     {"jumps", jumps},
		     {"small-signal-stack", small_signal_stack},
		     {"small-stacks", small_stacks},
		     {"forks-beside-threads", forks_beside_threads},
		     {"many-threads", many_threads},
		     {"closes-all", closes_all},
		     {"no-descriptors", no_descriptors},
		     {"root-changed", root_changed},
		     {"strict", strict},
		     {"filtered", filtered},
		     {"far-offsets", far_offsets},
		     {"for-ever", for_ever}};
	self = argv[0];
	int shared = open("count", O_RDWR);
	fd = open("data", O_RDONLY);
	count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
	need(shared >= 0 && fd >= 0 && count != MAP_FAILED && close(shared) == 0, "the files");
	for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++)
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			_exit(0);
		}
	return 2;
}
