/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small parallel applications whose dependencies are known: parallel KIND [N]. With PARALLEL_SYNC
 * in the environment each write reaches the storage. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char block[4096];
static int n = 5;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int file_open(const char *name, int flags)
{
	const int sync = getenv("PARALLEL_SYNC") && (flags & O_ACCMODE) != O_RDONLY ? O_DSYNC : 0;
	int fd = open(name, flags | sync | O_CREAT, 0644);
	if (fd < 0)
		die(name);
	return fd;
}

static void put(int fd, int i)
{
	if (pwrite(fd, block, sizeof block, (off_t)i * (off_t)sizeof block) != sizeof block)
		die("pwrite");
}

static void get(int fd, int i)
{
	if (pread(fd, block, sizeof block, (off_t)i * (off_t)sizeof block) != sizeof block)
		die("pread");
}

static void compute(double ms)
{
	struct timespec a, b;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	while ((double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) / 1e6 < ms);
}

static void children_wait(void)
{
	int status;
	while (wait(&status) > 0)
		if (status)
			exit(1);
}

/* Starts a child that reads a block of the file for each byte from the pipe. Returns the descriptor
 * of the file. */
static int reader_start(int p[2])
{
	char c;
	if (pipe(p))
		die("pipe");
	int fd = file_open("data", O_RDWR | O_TRUNC);
	if (!fork()) {
		close(p[1]);
		for (int i = 0; i < n && read(p[0], &c, 1) == 1; i++)
			get(fd, i);
		_exit(0);
	}
	return fd;
}

/* The child reads the data that the parent has written, block by block. */
static int by_pipe(void)
{
	int p[2], fd = reader_start(p);
	for (int i = 0; i < n; i++) {
		put(fd, i);
		if (write(p[1], "x", 1) != 1)
			die("write");
	}
	children_wait();
	return 0;
}

/* Two independent processes. */
static int independent(void)
{
	for (int k = 0; k < 2; k++)
		if (!fork()) {
			int fd = file_open(k ? "one" : "two", O_RDWR | O_TRUNC);
			for (int i = 0; i < n; i++) {
				put(fd, i);
				compute(0.2);
			}
			_exit(0);
		}
	children_wait();
	return 0;
}

static pthread_barrier_t barrier;

static void *writer(void *arg)
{
	char name[20];
	snprintf(name, sizeof name, "part%d", (int)(long)arg);
	int fd = file_open(name, O_RDWR | O_TRUNC);
	for (int i = 0; i < n; i++) {
		put(fd, i);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

/* Three threads wait at a barrier after each write. */
static int threads(void)
{
	pthread_t t[3];
	pthread_barrier_init(&barrier, NULL, 3);
	for (long k = 0; k < 3; k++)
		if (pthread_create(&t[k], NULL, writer, (void *)k))
			die("pthread_create");
	for (int k = 0; k < 3; k++)
		pthread_join(t[k], NULL);
	return 0;
}

/* As by_pipe, but the child polls shared memory until the block exists, and computes in between. */
static int polling(void)
{
	volatile int *done =
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd = file_open("data", O_RDWR | O_TRUNC);
	if (!fork()) {
		for (int i = 0; i < n; i++) {
			while (*done <= i)
				;
			get(fd, i);
		}
		_exit(0);
	}
	for (int i = 0; i < n; i++) {
		put(fd, i);
		++*done;
		compute(1);
	}
	children_wait();
	return 0;
}

static void byte_lock(int fd, short type)
{
	struct flock l = {.l_type = type, .l_len = 1};
	if (fcntl(fd, F_SETLKW, &l))
		die("fcntl");
}

/* The child waits for the parent's two locks on the file. */
static int locking(void)
{
	int fd = file_open("data", O_RDWR | O_TRUNC), p[2];
	char c;
	if (pipe(p))
		die("pipe");
	if (flock(fd, LOCK_EX))
		die("flock");
	byte_lock(fd, F_WRLCK);
	if (!fork()) {
		int own = file_open("data", O_RDWR);
		close(p[0]);
		close(p[1]);
		if (flock(own, LOCK_EX))
			die("flock");
		byte_lock(own, F_WRLCK);
		get(own, 0);
		_exit(0);
	}
	close(p[1]);
	if (read(p[0], &c, 1) != 0) /* waits until the child has almost reached its lock */
		die("read");
	for (int i = 0; i < n; i++)
		put(fd, i);
	flock(fd, LOCK_UN);
	byte_lock(fd, F_UNLCK);
	children_wait();
	return 0;
}

/* Another number of requests in each run. */
static int differs(void)
{
	int fd = file_open("count", O_RDWR);
	char text[20] = "";
	if (read(fd, text, sizeof text - 1) < 0)
		die("read");
	int runs = atoi(text) + 1;
	snprintf(text, sizeof text, "%d", runs);
	if (pwrite(fd, text, strlen(text), 0) < 0)
		die("pwrite");
	for (int i = 0; i < runs; i++)
		put(fd, 1 + i);
	return 0;
}

static int run_number(const char *counter)
{
	FILE *f = fopen(counter, "a+");
	char line[20];
	int runs = 1;
	if (!f)
		die(counter);
	rewind(f);
	while (fgets(line, sizeof line, f))
		runs++;
	fprintf(f, "run\n");
	fclose(f);
	return runs;
}

static void *paused(void *arg)
{
	pause();
	return arg;
}

/* As by_pipe, but in the second run, which a file outside counts, the child, then with two threads,
 * stops for ever. */
static int stops(const char *counter)
{
	int p[2], runs = run_number(counter);
	char c;
	pthread_t thread;
	if (pipe(p))
		die("pipe");
	int fd = file_open("data", O_RDWR | O_TRUNC);
	if (!fork()) {
		close(p[1]);
		for (int i = 0; i < n && read(p[0], &c, 1) == 1; i++) {
			if (runs == 2 && i == 1) {
				pthread_create(&thread, NULL, paused, NULL);
				raise(SIGSTOP);
			}
			get(fd, i);
		}
		_exit(0);
	}
	for (int i = 0; i < n; i++) {
		put(fd, i);
		if (write(p[1], "x", 1) != 1)
			die("write");
	}
	children_wait();
	return 0;
}

/* As by_pipe, but the child computes before it waits, and three times as long after the wait. */
static int computing(void)
{
	int p[2];
	char c;
	if (pipe(p))
		die("pipe");
	int fd = file_open("data", O_RDWR | O_TRUNC);
	if (!fork()) {
		close(p[1]);
		for (int i = 0; i < n; i++) {
			compute(2);
			if (read(p[0], &c, 1) != 1)
				break;
			compute(6);
			get(fd, i);
		}
		_exit(0);
	}
	for (int i = 0; i < n; i++) {
		put(fd, i);
		if (write(p[1], "x", 1) != 1)
			die("write");
	}
	children_wait();
	return 0;
}

/* As by_pipe, but the parent computes before it writes to the pipe, and a third as long after it,
 * and writes each block several times before. */
static int sending(int every)
{
	int p[2], fd = reader_start(p);
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < every; k++) {
			put(fd, i);
			compute(every > 1 ? 1 : 0);
		}
		compute(30);
		if (write(p[1], "x", 1) != 1)
			die("write");
		compute(10);
	}
	children_wait();
	return 0;
}

/* After each write, the program starts a child that writes its own file, and waits for the
 * child. */
static int children(void)
{
	char name[20];
	int fd = file_open("data", O_RDWR | O_TRUNC);
	for (int i = 0; i < n; i++) {
		put(fd, i);
		if (!fork()) {
			snprintf(name, sizeof name, "child%d", i);
			put(file_open(name, O_RDWR | O_TRUNC), 0);
			_exit(0);
		}
		children_wait();
	}
	return 0;
}

static int program(void *name)
{
	char *words[] = {name, NULL};
	execvp(name, words);
	_exit(127);
}

/* Between its writes, it starts a program, as vfork does. */
static int cloned(void)
{
	static char stack[1 << 16];
	int fd = file_open("data", O_RDWR | O_TRUNC);
	for (int i = 0; i < n; i++) {
		put(fd, i);
		if (clone(program, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, "true") <
		    0)
			die("clone");
		children_wait();
	}
	return 0;
}

/* The child writes until the parent has written everything. */
static int beats(void)
{
	int p[2], fd = file_open("data", O_RDWR | O_TRUNC);
	char c;
	if (pipe2(p, O_NONBLOCK))
		die("pipe");
	if (!fork()) {
		int own = file_open("beats", O_RDWR | O_TRUNC);
		while (read(p[0], &c, 1) != 1) {
			put(own, 0);
			usleep(1000);
		}
		_exit(0);
	}
	for (int i = 0; i < n; i++) {
		put(fd, i);
		compute(2);
	}
	if (write(p[1], "x", 1) != 1)
		die("write");
	children_wait();
	return 0;
}

/* Before each file that counts, a file that does not count is created, written and removed. The
 * file that counts gets its descriptor, and often its inode number. */
static int again(const char *other)
{
	char name[20];
	for (int i = 0; i < n; i++) {
		int fd = file_open(other, O_RDWR);
		put(fd, 0);
		close(fd);
		unlink(other);
		snprintf(name, sizeof name, "data%d", i);
		fd = file_open(name, O_RDWR);
		put(fd, 0);
		close(fd);
	}
	return 0;
}

/* Renames like another process would, so that no process of the application notices it. */
static int rename_unseen(const char *from, const char *to)
{
#if defined(__x86_64__)
	long got;
	__asm__ volatile("syscall"
			 : "=a"(got)
			 : "a"((long)SYS_rename), "D"(from), "S"(to)
			 : "rcx", "r11", "memory");
	return (int)got;
#else
	return rename(from, to);
#endif
}

/* A file is written under a name that does not count, renamed, and written again with the same
 * descriptor under a name that counts. */
static int renamed(const char *other)
{
	char name[20];
	for (int i = 0; i < n; i++) {
		int fd = file_open(other, O_RDWR);
		put(fd, 0);
		if (i % 4 == 3)
			closefrom(fd);
		else if (i % 4 == 2   ? close_range((unsigned int)fd, (unsigned int)fd, 0)
			 : i % 4 == 1 ? (int)syscall(SYS_close, fd)
				      : close(fd))
			return 1;
		snprintf(name, sizeof name, "data%d", i);
		if (rename_unseen(other, name))
			return 1;
		fd = file_open(name, O_RDWR);
		put(fd, 0);
		close(fd);
	}
	return 0;
}

/* The same with one descriptor for both names. */
static int moved(const char *other)
{
	char name[20];
	for (int i = 0; i < n; i++) {
		int fd = file_open(other, O_RDWR);
		put(fd, 0);
		snprintf(name, sizeof name, "data%d", i);
		if (rename(other, name))
			return 1;
		put(fd, 0);
		close(fd);
	}
	return 0;
}

/* The same, but the earlier descriptor is never closed: the new descriptor replaces it. */
static int replaced(const char *other)
{
	char name[20];
	for (int i = 0; i < n; i++) {
		int before = file_open(other, O_RDWR);
		put(before, 0);
		snprintf(name, sizeof name, "data%d", i);
		if (rename(other, name))
			return 1;
		int fd = file_open(name, O_RDWR);
		dup2(fd, before);
		put(before, 0);
		close(fd);
		close(before);
	}
	return 0;
}

/* A cancelled thread takes no semaphore, although it is free. */
static void *cancelled_taker(void *semaphore)
{
	put(file_open("data", O_RDWR), 0);
	pthread_cancel(pthread_self());
	sem_wait(semaphore);
	return NULL;
}

static int cancelled(void)
{
	sem_t free_one;
	pthread_t t;
	void *got;
	int value;
	sem_init(&free_one, 0, 1);
	if (pthread_create(&t, NULL, cancelled_taker, &free_one) || pthread_join(t, &got))
		die("thread");
	return got != PTHREAD_CANCELED || sem_getvalue(&free_one, &value) || value != 1;
}

/* As by_pipe, but the child polls for a file that the parent creates after each write. */
static int by_files(void)
{
	char name[20];
	int fd = file_open("data", O_RDWR | O_TRUNC);
	if (!fork()) {
		for (int i = 0; i < n; i++) {
			snprintf(name, sizeof name, "ready%d", i);
			while (i % 3 == 0   ? access(name, F_OK)
			       : i % 3 == 1 ? stat(name, &(struct stat){0})
					    : close(open(name, O_RDONLY)))
				usleep(2000);
			get(fd, i);
		}
		_exit(0);
	}
	for (int i = 0; i < n; i++) {
		compute(20);
		put(fd, i);
		snprintf(name, sizeof name, "ready%d", i);
		close(file_open(name, O_WRONLY));
	}
	children_wait();
	return 0;
}

static void worker(int w, int in, int out)
{
	char c, name[20];
	snprintf(name, sizeof name, "turn%d", w);
	int fd = file_open(name, O_RDWR | O_TRUNC);
	for (int i = 0; i < n; i++) {
		if (read(in, &c, 1) != 1)
			die("read");
		put(fd, i);
		if (write(out, "x", 1) != 1)
			die("write");
	}
	_exit(0);
}

/* A parent without requests computes for 5 ms before each turn of each of its two children. */
static int relay(void)
{
	int to[2][2], from[2][2];
	char c;
	for (int w = 0; w < 2; w++) {
		if (pipe(to[w]) || pipe(from[w]))
			die("pipe");
		if (!fork())
			worker(w, to[w][0], from[w][1]);
	}
	for (int i = 0; i < n; i++)
		for (int w = 0; w < 2; w++) {
			compute(5);
			if (write(to[w][1], "x", 1) != 1 || read(from[w][0], &c, 1) != 1)
				die("relay");
		}
	children_wait();
	return 0;
}

static sem_t work_begins, work_ends;

static void *helper(void *unused)
{
	(void)unused;
	for (int i = 0; i < n; i++) {
		sem_wait(&work_begins);
		compute(20);
		sem_post(&work_ends);
	}
	return NULL;
}

/* Before each write, a thread without requests computes for 20 ms. */
static int helped(void)
{
	pthread_t t;
	int fd = file_open("data", O_RDWR | O_TRUNC);
	sem_init(&work_begins, 0, 0);
	sem_init(&work_ends, 0, 0);
	if (pthread_create(&t, NULL, helper, NULL))
		die("pthread_create");
	for (int i = 0; i < n; i++) {
		sem_post(&work_begins);
		sem_wait(&work_ends);
		put(fd, i);
	}
	pthread_join(t, NULL);
	return 0;
}

/* A parent without requests computes for 20 ms before each turn of its child, and does not wait for
 * it. */
static int paced(void)
{
	int p[2];
	char c;
	if (pipe(p))
		die("pipe");
	if (!fork()) {
		int fd = file_open("data", O_RDWR | O_TRUNC);
		for (int i = 0; i < n && read(p[0], &c, 1) == 1; i++)
			put(fd, i);
		_exit(0);
	}
	for (int i = 0; i < n; i++) {
		compute(20);
		if (write(p[1], "x", 1) != 1)
			die("write");
	}
	children_wait();
	return 0;
}

static void *computes(void *unused)
{
	for (int i = 0; i < n; i++) {
		compute(20);
		pthread_barrier_wait(&barrier);
	}
	return unused;
}

/* Two threads with a barrier after each write, at which a third thread arrives that only computes
 * for 20 ms each time. */
static int bystander(void)
{
	pthread_t t[3];
	pthread_barrier_init(&barrier, NULL, 3);
	for (long k = 0; k < 3; k++)
		if (pthread_create(&t[k], NULL, k < 2 ? writer : computes, (void *)k))
			die("pthread_create");
	for (int k = 0; k < 3; k++)
		pthread_join(t[k], NULL);
	return 0;
}

/* Before each write a child without requests computes for 20 ms and ends. */
static int spawned(void)
{
	int fd = file_open("data", O_RDWR | O_TRUNC);
	for (int i = 0; i < n; i++) {
		if (!fork()) {
			compute(20);
			_exit(0);
		}
		children_wait();
		put(fd, i);
	}
	return 0;
}

/* As paced, but in each run, which a file outside counts, the parent sends one message more. */
static int restless(const char *counter)
{
	const int n_messages = n + run_number(counter);
	int p[2];
	char c;
	if (pipe(p))
		die("pipe");
	if (!fork()) {
		int fd = file_open("data", O_RDWR | O_TRUNC);
		close(p[1]);
		for (int i = 0; read(p[0], &c, 1) == 1; i++)
			if (i < n)
				put(fd, i);
		_exit(0);
	}
	for (int i = 0; i < n_messages; i++) {
		compute(10);
		if (write(p[1], "x", 1) != 1)
			die("write");
	}
	close(p[1]);
	children_wait();
	return 0;
}

static void nap(int i)
{
	struct timespec t = {0, 20000000};
	struct timeval v = {0, 20000};
	struct epoll_event event;
	int empty = epoll_create1(0);
	switch (i % 6) {
	case 0:
		nanosleep(&t, NULL);
		break;
	case 1:
		usleep(20000);
		break;
	case 2:
		clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
		break;
	case 3:
		poll(NULL, 0, 20);
		break;
	case 4:
		select(0, NULL, NULL, NULL, &v);
		break;
	default:
		epoll_wait(empty, &event, 1, 20);
	}
	close(empty);
}

/* Four processes sleep for 20 ms before each write, each time with another call. */
static int naps(void)
{
	for (int k = 0; k < 4; k++)
		if (!fork()) {
			char name[20];
			snprintf(name, sizeof name, "nap%d", k);
			int fd = file_open(name, O_RDWR | O_TRUNC);
			for (int i = 0; i < n; i++) {
				nap(i);
				put(fd, i);
			}
			_exit(0);
		}
	children_wait();
	return 0;
}

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_change = PTHREAD_COND_INITIALIZER;
static int n_produced, n_consumed;

static void *consumer(void *unused)
{
	int fd = file_open("out", O_RDWR | O_TRUNC);
	for (int i = 0; i < n; i++) {
		pthread_mutex_lock(&queue_lock);
		while (n_produced <= i)
			pthread_cond_wait(&queue_change, &queue_lock);
		pthread_mutex_unlock(&queue_lock);
		compute(3);
		put(fd, i);
		pthread_mutex_lock(&queue_lock);
		n_consumed++;
		pthread_cond_signal(&queue_change);
		pthread_mutex_unlock(&queue_lock);
	}
	return unused;
}

/* A thread writes blocks. Another thread processes them and writes them again. The queue between
 * them has room for two blocks. */
static int queue(void)
{
	pthread_t t;
	int fd = file_open("in", O_RDWR | O_TRUNC);
	if (pthread_create(&t, NULL, consumer, NULL))
		die("pthread_create");
	for (int i = 0; i < n; i++) {
		pthread_mutex_lock(&queue_lock);
		while (n_produced - n_consumed >= 2)
			pthread_cond_wait(&queue_change, &queue_lock);
		pthread_mutex_unlock(&queue_lock);
		put(fd, i);
		pthread_mutex_lock(&queue_lock);
		n_produced++;
		pthread_cond_signal(&queue_change);
		pthread_mutex_unlock(&queue_lock);
	}
	pthread_join(t, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	if (!strcmp(kind, "stops"))
		return stops(argv[2]);
	n = argc > 2 ? atoi(argv[2]) : n;
	if (!strcmp(kind, "pipe"))
		return by_pipe();
	if (!strcmp(kind, "independent"))
		return independent();
	if (!strcmp(kind, "threads"))
		return threads();
	if (!strcmp(kind, "polling"))
		return polling();
	if (!strcmp(kind, "files"))
		return by_files();
	if (!strcmp(kind, "relay"))
		return relay();
	if (!strcmp(kind, "paced"))
		return paced();
	if (!strcmp(kind, "bystander"))
		return bystander();
	if (!strcmp(kind, "spawned"))
		return spawned();
	if (!strcmp(kind, "restless"))
		return restless(argv[3]);
	if (!strcmp(kind, "helped"))
		return helped();
	if (!strcmp(kind, "queue"))
		return queue();
	if (!strcmp(kind, "naps"))
		return naps();
	if (!strcmp(kind, "locking"))
		return locking();
	if (!strcmp(kind, "computing"))
		return computing();
	if (!strcmp(kind, "sending"))
		return sending(argc > 3 ? atoi(argv[3]) : 1);
	if (!strcmp(kind, "children"))
		return children();
	if (!strcmp(kind, "cloned"))
		return cloned();
	if (!strcmp(kind, "beats"))
		return beats();
	if (!strcmp(kind, "again"))
		return again(argv[3]);
	if (!strcmp(kind, "renamed"))
		return renamed(argv[3]);
	if (!strcmp(kind, "moved"))
		return moved(argv[3]);
	if (!strcmp(kind, "replaced"))
		return replaced(argv[3]);
	if (!strcmp(kind, "cancelled"))
		return cancelled();
	if (!strcmp(kind, "differs"))
		return differs();
	if (!strcmp(kind, "fails")) {
		put(file_open("data", O_RDWR), 0);
		raise(SIGKILL);
	}
	fprintf(stderr, "parallel: what? \"%s\"\n", kind);
	return 2;
}
