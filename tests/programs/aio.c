/* SPDX-License-Identifier: GPL-3.0-or-later */
/* aio libaio | posix: asynchronous requests, some that fail, some fetched by another thread. aio
 * ring | lost: results that the program reads from the memory of the context, or does not read. */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <libaio.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 100 };
static char buffer[N][4096] __attribute__((aligned(4096)));
static io_context_t context;

static void *fetch(void *arg)
{
	struct io_event event[16];
	for (int got = 0; got < N;) {
		int n = io_getevents(context, 1, 16, event, NULL);
		if (n < 0)
			exit(8);
		got += n;
	}
	return arg;
}

static int kernel_aio(void)
{
	static struct iocb cb[N];
	struct iocb *list[N];
	pthread_t t;
	int fd = open("aio", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, N * 4096) || io_setup(N, &context) < 0)
		return 7;
	for (int i = 0; i < N; i++) {
		if (i % 2)
			io_prep_pwrite(&cb[i], fd, buffer[i], 4096, i * 4096L);
		else
			io_prep_pread(&cb[i], fd, buffer[i], 4096, i * 4096L);
		list[i] = &cb[i];
	}
	pthread_create(&t, NULL, fetch, NULL);
	if (io_submit(context, N, list) != N)
		return 6;
	pthread_join(t, NULL);
	io_prep_pread(&cb[0], 999, buffer[0], 4096, 0);
	if (io_submit(context, 1, list) != -EBADF)
		return 5;
	io_destroy(context);
	return close(fd);
}

struct ring { /* the kernel's struct aio_ring */
	unsigned int id, n, head, tail, magic, compatible, incompatible, header_length;
	struct io_event event[];
};

/* Fetches as many results as were submitted, without a call. */
static int ring_fetch(int n)
{
	struct ring *ring = (struct ring *)context;
	for (int got = 0; got < n;) {
		if (ring->head == __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE)) {
			poll(NULL, 0, 1);
			continue;
		}
		const struct io_event *e = &ring->event[ring->head];
		if (e->res != 4096)
			return 2;
		__atomic_store_n(&ring->head, (ring->head + 1) % ring->n, __ATOMIC_RELEASE);
		got++;
	}
	return 0;
}

static int ring_aio(int fetches)
{
	static struct iocb cb[4];
	struct iocb *list[4];
	struct io_event event[4];
	int fd = open("aio", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || io_setup(8, &context) < 0)
		return 7;
	for (int i = 0; i < 4; i++)
		list[i] = &cb[i];
	for (int k = 0; k < 1000; k += 4) {
		for (int i = 0; i < 4; i++)
			io_prep_pwrite(&cb[i], fd, buffer[i], 4096, (k + i) * 4096L);
		if (io_submit(context, 4, list) != 4)
			return 6;
		if (fetches ? ring_fetch(4) : io_getevents(context, 4, 4, event, NULL) != 4)
			return 5;
	}
	if (!fetches && io_submit(context, 4, list) != 4)
		return 4;
	io_destroy(context);
	return close(fd);
}

static int posix_aio(void)
{
	struct aiocb cb = {0};
	const struct aiocb *one[] = {&cb};
	int fd = open("aio", O_RDWR | O_CREAT | O_TRUNC, 0600);
	cb.aio_fildes = fd;
	cb.aio_buf = buffer[0];
	cb.aio_nbytes = 4096;
	for (int i = 0; i < 10; i++) {
		cb.aio_offset = i * 4096;
		if (aio_write(&cb) || aio_suspend(one, 1, NULL) || aio_error(&cb) ||
		    aio_return(&cb) != 4096)
			return 4;
	}
	cb.aio_offset = 0;
	if (aio_read(&cb) || aio_suspend(one, 1, NULL) || aio_return(&cb) != 4096)
		return 3;
	return close(fd);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	if (!strcmp(kind, "ring") || !strcmp(kind, "lost"))
		return ring_aio(*kind == 'r');
	return !strcmp(kind, "posix") ? posix_aio() : kernel_aio();
}
