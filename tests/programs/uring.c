/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uring plain | fixed | polled | threads | many | late: requests through liburing. Prints "skip"
 * and the reason if the kernel forbids it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 100, DEPTH = 16 };
static char buffer[N][4096] __attribute__((aligned(4096)));
static struct io_uring ring;
static int fd;

static void need(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "uring: %s: %s\n", what, strerror(errno));
		exit(9);
	}
}

static void start(unsigned int flags)
{
	struct io_uring_params p = {.flags = flags, .sq_thread_idle = 100};
	int rc = io_uring_queue_init_params(DEPTH, &ring, &p);
	if (rc < 0) {
		printf("skip: io_uring is not to be had: %s\n", strerror(-rc));
		exit(0);
	}
	fd = open("ringed", O_RDWR | O_CREAT | O_TRUNC, 0600);
	need(fd >= 0 && ftruncate(fd, N * 4096) == 0, "ringed");
}

static int fetch(void)
{
	struct io_uring_cqe *c;
	need(io_uring_wait_cqe(&ring, &c) == 0, "io_uring_wait_cqe");
	int res = c->res;
	io_uring_cqe_seen(&ring, c);
	return res;
}

static struct io_uring_sqe *next(int i)
{
	struct io_uring_sqe *s = io_uring_get_sqe(&ring);
	need(s != NULL, "io_uring_get_sqe");
	io_uring_sqe_set_data(s, (void *)(intptr_t)(i + 1));
	return s;
}

/* Alternating reads and writes, DEPTH - 1 in flight; then one request of each other kind. */
static void plain(int at, unsigned int flags)
{
	int under_way = 0;
	for (int i = 0; i < N; i++) {
		struct io_uring_sqe *s = next(i);
		if (i % 2)
			io_uring_prep_write(s, at, buffer[i], 4096, i * 4096L);
		else
			io_uring_prep_read(s, at, buffer[i], 4096, i * 4096L);
		s->flags |= flags;
		need(io_uring_submit(&ring) >= 1, "io_uring_submit");
		if (++under_way == DEPTH - 1)
			for (; under_way; under_way--)
				need(fetch() == 4096, "read or write");
	}
	for (; under_way; under_way--)
		need(fetch() == 4096, "read or write");
	if (flags)
		return;
	struct iovec v[2] = {{buffer[0], 100}, {buffer[1], 200}};
	io_uring_prep_readv(next(N), fd, v, 2, 8192);
	need(io_uring_submit_and_wait(&ring, 1) >= 1 && fetch() == 300, "readv");
	io_uring_prep_fsync(next(N + 1), fd, 0);
	need(io_uring_submit(&ring) >= 1 && fetch() == 0, "fsync");
	io_uring_prep_fallocate(next(N + 2), fd, 0, 0, 4096);
	need(io_uring_submit(&ring) >= 1 && fetch() == 0, "fallocate");
	io_uring_prep_nop(next(N + 3));
	need(io_uring_submit(&ring) >= 1 && fetch() == 0, "nop");
	io_uring_prep_read(next(N + 4), 999, buffer[0], 4096, 0);
	need(io_uring_submit(&ring) >= 1 && fetch() == -EBADF, "read of nothing");
}

static void *fetch_all(void *arg)
{
	for (int i = 0; i < N; i++)
		need(fetch() == 4096, "read");
	return arg;
}

static void threads(void)
{
	pthread_t t;
	pthread_create(&t, NULL, fetch_all, NULL);
	for (int i = 0; i < N; i += 10) {
		for (int k = 0; k < 10; k++)
			io_uring_prep_read(next(i + k), fd, buffer[i + k], 4096, (i + k) * 4096L);
		need(io_uring_submit(&ring) == 10, "io_uring_submit");
		usleep(2000);
	}
	pthread_join(t, NULL);
}

/* Has more requests in flight than the library examines in advance; takes results without a
 * call. */
static void many(void)
{
	struct io_uring_cqe *c;
	unsigned int head, n = 0;
	io_uring_queue_exit(&ring);
	need(io_uring_queue_init(128, &ring, 0) == 0, "a larger ring");
	for (int i = 0; i < N; i++)
		io_uring_prep_read(next(i), fd, buffer[i], 4096, i * 4096L);
	need(io_uring_submit_and_wait(&ring, N) == N, "io_uring_submit_and_wait");
	io_uring_for_each_cqe(&ring, head, c)
		n++;
	io_uring_cq_advance(&ring, n);
	need(n == N, "all results");
}

/* Takes results without a call, frees the ring's structure and ends. */
static void late(void)
{
	struct io_uring *own = malloc(sizeof *own);
	struct io_uring_cqe *c;
	unsigned int head, n = 0;
	need(own && io_uring_queue_init(DEPTH, own, 0) == 0, "another ring");
	for (int i = 0; i < DEPTH; i++) {
		struct io_uring_sqe *s = io_uring_get_sqe(own);
		io_uring_prep_read(s, fd, buffer[i], 4096, i * 4096L);
		io_uring_sqe_set_data(s, (void *)(intptr_t)(i + 1));
		s->flags |= IOSQE_ASYNC;
	}
	need(io_uring_submit(own) == DEPTH, "io_uring_submit");
	while (n < DEPTH) {
		n = 0;
		io_uring_for_each_cqe(own, head, c)
			n++;
	}
	io_uring_cq_advance(own, n);
	memset(own, 0xff, sizeof *own);
	free(own);
	exit(0);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "plain";
	start(strcmp(way, "polled") ? 0 : IORING_SETUP_SQPOLL);
	int files[2] = {fd, -1};
	if (!strcmp(way, "fixed")) {
		need(io_uring_register_files(&ring, files, 2) == 0, "io_uring_register_files");
		plain(0, IOSQE_FIXED_FILE);
	} else if (!strcmp(way, "threads")) {
		threads();
	} else if (!strcmp(way, "many")) {
		many();
	} else if (!strcmp(way, "late")) {
		late();
	} else {
		plain(fd, 0);
	}
	io_uring_queue_exit(&ring);
	return close(fd);
}
