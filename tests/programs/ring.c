/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ring plain | polled | named [polled] | overrun | late END | probe | vfork | threads: requests
 * through a ring that the program sets up and maps itself, by syscall(2) and mmap(2), as libuv
 * does. Prints "skip" and the reason if the kernel forbids it.
 *
 *	plain	 50 writes and 50 reads of "ringed", 8 in flight at a time
 *	polled	 the same with a thread of the kernel that takes the entries; epoll awaits results
 *	named	 opens, writes and reads at the position, stats, renames, links and removes files by
 *		 entries of the ring
 *	overrun	 as polled, but more entries than the ring has places between two calls
 *	late	 writes, and takes all results after its last call; ends by exit, _exit, _Exit,
 *		 quick_exit, exit_group or exec
 *	probe	 unmaps a ring, and sets up rings that it never maps: registers a file, forks,
 *		 closes the ring, and forks again
 *	vfork	 as plain, but a child of vfork closes its descriptor of the ring before that
 *	threads	 20000 reads of "ringed": one thread submits them, another fetches the results */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 100, DEPTH = 8, BLOCK = 4096 };
static char buffer[N][BLOCK] __attribute__((aligned(4096)));
static struct io_uring_params p;
static char *rings;
static struct io_uring_sqe *sqes;
static int ring_fd, epoll_fd;

static void need(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "ring: %s: %s\n", what, strerror(errno));
		exit(9);
	}
}

static uint32_t *at(uint32_t offset)
{
	return (uint32_t *)(rings + offset);
}

static void start(unsigned int flags)
{
	/* overrun() makes no call: the kernel's thread does not sleep within a minute, and there is
	 * room for all results (the kernel has no event for a result without room) */
	p = (struct io_uring_params){
	    .flags = flags | IORING_SETUP_CQSIZE, .sq_thread_idle = 60000, .cq_entries = 8 * DEPTH};
	ring_fd = (int)syscall(SYS_io_uring_setup, DEPTH, &p);
	if (ring_fd < 0 || !(p.features & IORING_FEAT_SINGLE_MMAP)) {
		printf("skip: io_uring is not available: %s\n", strerror(errno));
		exit(0);
	}
	const size_t sq = p.sq_off.array + p.sq_entries * 4,
		     cq = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
	rings = mmap(NULL, sq > cq ? sq : cq, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		     ring_fd, IORING_OFF_SQ_RING);
	sqes = mmap(NULL, p.sq_entries * sizeof *sqes, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, ring_fd, IORING_OFF_SQES);
	need(rings != MAP_FAILED && sqes != MAP_FAILED, "mmap");
	epoll_fd = epoll_create1(0);
	struct epoll_event e = {.events = EPOLLIN};
	need(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, ring_fd, &e) == 0, "epoll_ctl");
}

/* The next free entry. It is at the last place of the array, which determines the order. */
static struct io_uring_sqe *next(void)
{
	const uint32_t tail = *at(p.sq_off.tail), mask = *at(p.sq_off.ring_mask),
		       place = mask - (tail & mask);
	while (tail - __atomic_load_n(at(p.sq_off.head), __ATOMIC_ACQUIRE) >= p.sq_entries)
		;
	at(p.sq_off.array)[tail & mask] = place;
	memset(&sqes[place], 0, sizeof *sqes);
	sqes[place].user_data = tail;
	return &sqes[place];
}

static void publish(void)
{
	__atomic_store_n(at(p.sq_off.tail), *at(p.sq_off.tail) + 1, __ATOMIC_RELEASE);
}

static int fetch(int *result)
{
	const uint32_t head = *at(p.cq_off.head);
	if (head == __atomic_load_n(at(p.cq_off.tail), __ATOMIC_ACQUIRE))
		return 0;
	*result =
	    ((struct io_uring_cqe *)(rings + p.cq_off.cqes))[head & *at(p.cq_off.ring_mask)].res;
	__atomic_store_n(at(p.cq_off.head), head + 1, __ATOMIC_RELEASE);
	return 1;
}

static void wake(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(at(p.sq_off.flags), __ATOMIC_RELAXED) & IORING_SQ_NEED_WAKEUP)
		need(syscall(SYS_io_uring_enter, ring_fd, 0, 0, IORING_ENTER_SQ_WAKEUP, NULL, 0) >=
			 0,
		     "io_uring_enter");
}

static void hand_over(unsigned int n, unsigned int least)
{
	if (p.flags & IORING_SETUP_SQPOLL) {
		struct epoll_event e;
		wake();
		need(epoll_wait(epoll_fd, &e, 1, 5000) == 1, "epoll_wait");
	} else {
		need(syscall(SYS_io_uring_enter, ring_fd, n, least, IORING_ENTER_GETEVENTS, NULL,
			     0) == (long)n,
		     "io_uring_enter");
	}
}

static int one(void)
{
	int result;
	publish();
	hand_over(1, 1);
	while (!fetch(&result))
		hand_over(0, 1);
	return result;
}

static void vfork_close(void)
{
	const pid_t pid = vfork();
	int status;
	if (!pid) {
		close(ring_fd);
		_exit(0);
	}
	need(pid > 0 && waitpid(pid, &status, 0) == pid && !status, "a vfork child");
}

static void transfers(unsigned int flags, int with_child)
{
	start(flags);
	if (with_child)
		vfork_close();
	const int fd = open("ringed", O_RDWR | O_CREAT | O_TRUNC, 0600);
	need(fd >= 0, "ringed");
	for (int i = 0, result, done = 0; done < N;) {
		unsigned int n = 0;
		/* writes end before reads begin */
		for (; i < N && n < DEPTH && i / (N / 2) == (i - (int)n) / (N / 2); i++, n++) {
			struct io_uring_sqe *s = next();
			const struct io_uring_sqe made = {.opcode = i < N / 2 ? IORING_OP_WRITE
									      : IORING_OP_READ,
							  .fd = fd,
							  .user_data = s->user_data,
							  .off = (uint64_t)(i % (N / 2)) * BLOCK,
							  .addr = (uintptr_t)buffer[i],
							  .len = BLOCK};
			*s = made;
			publish();
		}
		hand_over(n, n);
		for (unsigned int k = 0; k < n;)
			if (fetch(&result)) {
				need(result == BLOCK, "a result");
				k++;
				done++;
			}
	}
}

enum { N_SHARED = 20000 };
static uint32_t n_fetched;

static void *fetch_all(void *unused)
{
	for (int i = 0, result; i < N_SHARED;) {
		if (!fetch(&result)) {
			hand_over(0, 1);
			continue;
		}
		need(result == BLOCK, "a result");
		__atomic_store_n(&n_fetched, ++i, __ATOMIC_RELEASE);
	}
	return unused;
}

static void threads(void)
{
	pthread_t other;
	start(0);
	const int fd = open("ringed", O_RDWR | O_CREAT | O_TRUNC, 0600);
	need(fd >= 0 && write(fd, buffer, sizeof buffer) == sizeof buffer, "ringed");
	need(pthread_create(&other, NULL, fetch_all, NULL) == 0, "pthread_create");
	for (uint32_t i = 0; i < N_SHARED; i++) {
		while (i - __atomic_load_n(&n_fetched, __ATOMIC_ACQUIRE) >= DEPTH)
			;
		struct io_uring_sqe *s = next();
		const struct io_uring_sqe made = {.opcode = IORING_OP_READ,
						  /* every second read ends after the call */
						  .flags = i % 2 ? IOSQE_ASYNC : 0,
						  .fd = fd,
						  .user_data = s->user_data,
						  .off = (uint64_t)(i % N) * BLOCK,
						  .addr = (uintptr_t)buffer[i % N],
						  .len = BLOCK};
		*s = made;
		publish();
		need(syscall(SYS_io_uring_enter, ring_fd, 1, 0, 0, NULL, 0) == 1, "io_uring_enter");
	}
	need(pthread_join(other, NULL) == 0, "pthread_join");
}

static void named(unsigned int flags)
{
	static const char in_dir[] = "dir/f", moved[] = "dir/g", linked[] = "dir/h";
	static struct statx st;
	struct iovec v[2] = {{buffer[0], 100}, {buffer[1], 200}};
	start(flags);
	*next() = (struct io_uring_sqe){
	    .opcode = 37 /* MKDIRAT */, .fd = AT_FDCWD, .addr = (uintptr_t) "dir", .len = 0700};
	need(one() == 0, "mkdir");
	*next() = (struct io_uring_sqe){.opcode = IORING_OP_OPENAT,
					.fd = AT_FDCWD,
					.addr = (uintptr_t)in_dir,
					.len = 0640,
					.open_flags = O_RDWR | O_CREAT};
	const int fd = one();
	need(fd >= 0, "open");
	*next() = (struct io_uring_sqe){.opcode = IORING_OP_WRITEV,
					.fd = fd,
					.addr = (uintptr_t)v,
					.len = 2,
					.off = UINT64_MAX};
	need(one() == 300, "writev");
	*next() = (struct io_uring_sqe){.opcode = IORING_OP_WRITE,
					.fd = fd,
					.addr = (uintptr_t)buffer,
					.len = 50,
					.off = UINT64_MAX};
	need(one() == 50, "write");
	need(lseek(fd, 10, SEEK_SET) == 10, "lseek");
	*next() = (struct io_uring_sqe){.opcode = IORING_OP_READ,
					.fd = fd,
					.addr = (uintptr_t)buffer,
					.len = 1000,
					.off = UINT64_MAX};
	need(one() == 340, "read");
	*next() = (struct io_uring_sqe){.opcode = IORING_OP_STATX,
					.fd = AT_FDCWD,
					.addr = (uintptr_t)in_dir,
					.len = STATX_SIZE,
					.off = (uintptr_t)&st};
	need(one() == 0 && st.stx_size == 350, "statx");
	*next() = (struct io_uring_sqe){.opcode = IORING_OP_CLOSE, .fd = fd};
	need(one() == 0, "close");
	*next() = (struct io_uring_sqe){.opcode = 35 /* RENAMEAT */,
					.fd = AT_FDCWD,
					.addr = (uintptr_t)in_dir,
					.len = (uint32_t)AT_FDCWD,
					.off = (uintptr_t)moved};
	need(one() == 0, "rename");
	*next() = (struct io_uring_sqe){.opcode = 39 /* LINKAT */,
					.fd = AT_FDCWD,
					.addr = (uintptr_t)moved,
					.len = (uint32_t)AT_FDCWD,
					.off = (uintptr_t)linked};
	need(one() == 0, "link");
	*next() = (struct io_uring_sqe){.opcode = 38 /* SYMLINKAT */,
					.fd = AT_FDCWD,
					.addr = (uintptr_t) "g",
					.off = (uintptr_t) "dir/s"};
	need(one() == 0, "symlink");
	*next() = (struct io_uring_sqe){
	    .opcode = 36 /* UNLINKAT */, .fd = AT_FDCWD, .addr = (uintptr_t)moved};
	need(one() == 0, "unlink");
	*next() = (struct io_uring_sqe){.opcode = IORING_OP_OPENAT,
					.fd = AT_FDCWD,
					.addr = (uintptr_t) "none",
					.open_flags = O_RDONLY};
	need(one() == -ENOENT, "open of nothing");
}

/* Submits three times as many entries as there are places, between two calls that a capture can
 * record. */
static void overrun(void)
{
	int result, done = 0;
	start(IORING_SETUP_SQPOLL);
	const int fd = open("ringed", O_RDWR | O_CREAT | O_TRUNC, 0600);
	*next() = (struct io_uring_sqe){
	    .opcode = IORING_OP_WRITE, .fd = fd, .addr = (uintptr_t)buffer, .len = BLOCK};
	need(one() == BLOCK, "the first");
	for (int i = 0; i < 3 * DEPTH; i++, done += fetch(&result)) {
		*next() = (struct io_uring_sqe){
		    .opcode = IORING_OP_WRITE, .fd = fd, .addr = (uintptr_t)buffer, .len = BLOCK};
		publish();
	}
	while (done < 3 * DEPTH)
		done += fetch(&result);
	need(done == 3 * DEPTH, "all");
	close(ring_fd);
}

static void late(const char *end)
{
	int result, done = 0;
	start(IORING_SETUP_SQPOLL);
	const int fd = open("ringed", O_RDWR | O_CREAT | O_TRUNC, 0600);
	need(fd >= 0, "ringed");
	for (int i = 0; i < DEPTH; i++) {
		*next() = (struct io_uring_sqe){.opcode = IORING_OP_WRITE,
						.fd = fd,
						.user_data = (uint64_t)i,
						.off = (uint64_t)i * BLOCK,
						.addr = (uintptr_t)buffer,
						.len = BLOCK};
		publish();
	}
	while (done < DEPTH)
		if (fetch(&result)) {
			need(result == BLOCK, "a result");
			done++;
		} else {
			wake(); /* a new thread of the kernel may sleep at once */
		}
	if (!strcmp(end, "exit"))
		exit(0);
	if (!strcmp(end, "_exit"))
		_exit(0);
	if (!strcmp(end, "_Exit"))
		_Exit(0);
	if (!strcmp(end, "quick_exit"))
		quick_exit(0);
	if (!strcmp(end, "exit_group"))
		syscall(SYS_exit_group, 0);
	if (!strcmp(end, "exec"))
		execlp("true", "true", NULL);
	need(0, "the end");
}

static void child(void)
{
	const pid_t pid = fork();
	int status;
	if (!pid)
		_exit(0);
	need(pid > 0 && waitpid(pid, &status, 0) == pid && !status, "a child");
}

static void probe(void)
{
	start(0);
	need(munmap(rings, 4096) == 0, "munmap"); /* the page with the heads and tails */
	close(ring_fd);
	for (int i = 0; i < 3; i++) {
		struct io_uring_params q = {0};
		const int fd = (int)syscall(SYS_io_uring_setup, DEPTH, &q), in = 0;
		need(fd >= 0, "io_uring_setup");
		need(syscall(SYS_io_uring_register, fd, IORING_REGISTER_FILES, &in, 1) == 0,
		     "io_uring_register");
		if (i)
			child();
		close(fd);
		child();
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "plain";
	if (!strcmp(how, "overrun"))
		overrun();
	else if (!strcmp(how, "late"))
		late(argc > 2 ? argv[2] : "");
	else if (!strcmp(how, "probe"))
		probe();
	else if (!strcmp(how, "named"))
		named(argc > 2 ? IORING_SETUP_SQPOLL : 0);
	else if (!strcmp(how, "threads"))
		threads();
	else
		transfers(!strcmp(how, "polled") ? IORING_SETUP_SQPOLL : 0, !strcmp(how, "vfork"));
	return 0;
}
