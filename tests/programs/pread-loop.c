/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pread-loop FILE N THREADS: each thread reads 4 KiB of a cached file of 1 MiB N times, with a
 * descriptor and pages that no other thread uses, because threads would contend for the kernel's
 * counters in them. Prints three times in ns: a call; two readings of the clock (as capture reads
 * it, before and after a call); and the difference between a call through the name `pread`, which a
 * preloaded library may replace, and a call to the C library's own function, block against block on
 * the same thread (median). The difference is the path through the library, independently of other
 * load. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"

enum { PAGES = 256, PAGE = 4096, BLOCKS = 201, BLOCK = 300 };
static const char *path;
static int n, n_threads;
static pthread_barrier_t together;

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

typedef ssize_t pread_like(int, void *, size_t, off_t);
static pread_like *own; /* the C library's */

struct part {
	int first, n; /* pages */
	double ns, path_ns;
};

static void read_times(pread_like *how, int fd, const struct part *p, int times)
{
	static __thread char buffer[PAGE] __attribute__((aligned(PAGE)));
	for (int i = 0, page = 0; i < times; i++, page = page + 1 == p->n ? 0 : page + 1)
		if (how(fd, buffer, sizeof buffer, (p->first + page) * (long)PAGE) != sizeof buffer)
			exit(3);
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double path_ns(int fd, const struct part *p)
{
	double more[BLOCKS];
	for (int i = 0; i < BLOCKS; i++) {
		double begin = now_ns();
		read_times(own, fd, p, BLOCK);
		double between = now_ns();
		read_times(pread, fd, p, BLOCK);
		more[i] = ((now_ns() - between) - (between - begin)) / BLOCK;
	}
	qsort(more, BLOCKS, sizeof *more, by_size);
	return more[BLOCKS / 2];
}

static void *reader(void *arg)
{
	struct part *p = arg;
	int fd = open(path, O_RDONLY);
	read_times(pread, fd, p, n / 10);
	pthread_barrier_wait(&together);
	double begin = now_ns();
	read_times(pread, fd, p, n);
	p->ns = (now_ns() - begin) / n;
	pthread_barrier_wait(&together);
	p->path_ns = path_ns(fd, p);
	return NULL;
}

static double two_reads_ns(void)
{
	const struct clock c = {.source = CLOCK_SOURCE_TSC};
	double begin = now_ns();
	for (int i = 0; i < 1000000; i++) {
		uint64_t a = clock_begin(&c), b = clock_end(&c);
		__asm__ volatile("" : : "r"(a), "r"(b));
	}
	return (now_ns() - begin) / 1e6;
}

int main(int argc, char **argv)
{
	pthread_t t[64];
	struct part part[64];
	double sum = 0, path_sum = 0;
	path = argv[1];
	n = argc > 2 ? atoi(argv[2]) : 100000;
	n_threads = argc > 3 ? atoi(argv[3]) : 1;
	if (argc < 2 || n_threads < 1 || n_threads > 64)
		return 2;
	void *library = dlopen("libc.so.6", RTLD_NOW);
	own = library ? (pread_like *)dlsym(library, "pread64") : NULL;
	if (!own)
		return 2;
	double reads = two_reads_ns();
	pthread_barrier_init(&together, NULL, (unsigned int)n_threads);
	for (int i = 0; i < n_threads; i++) {
		part[i] = (struct part){PAGES / n_threads * i, PAGES / n_threads, 0, 0};
		pthread_create(&t[i], NULL, reader, &part[i]);
	}
	for (int i = 0; i < n_threads; i++) {
		pthread_join(t[i], NULL);
		sum += part[i].ns;
		path_sum += part[i].path_ns;
	}
	FILE *out = fdopen(9, "w"); /* apart from the output of the tracer */
	if (out)
		fprintf(out, "%.2f %.2f %.2f\n", sum / n_threads, reads, path_sum / n_threads);
	return 0;
}
