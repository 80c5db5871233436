/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pread-loop FILE N THREADS: each thread reads 4 KiB of a cached file N times. Prints ns a call, and what two readings of the
 * clock take (as capture reads it: one before a call, one after). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"

static int fd, n;
static pthread_barrier_t together;

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *reader(void *result)
{
	static __thread char buffer[4096] __attribute__((aligned(4096)));
	for (int i = 0; i < n / 10; i++)
		if (pread(fd, buffer, sizeof buffer, (i & 255) * 4096L) != sizeof buffer)
			exit(3);
	pthread_barrier_wait(&together);
	double begin = now_ns();
	for (int i = 0; i < n; i++)
		if (pread(fd, buffer, sizeof buffer, (i & 255) * 4096L) != sizeof buffer)
			exit(3);
	*(double *)result = (now_ns() - begin) / n;
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
	int n_threads = argc > 3 ? atoi(argv[3]) : 1;
	pthread_t t[64];
	double each[64], sum = 0;
	fd = open(argv[1], O_RDONLY);
	n = argc > 2 ? atoi(argv[2]) : 100000;
	if (fd < 0 || n_threads < 1 || n_threads > 64)
		return 2;
	double reads = two_reads_ns();
	pthread_barrier_init(&together, NULL, (unsigned int)n_threads);
	for (int i = 0; i < n_threads; i++)
		pthread_create(&t[i], NULL, reader, &each[i]);
	for (int i = 0; i < n_threads; i++) {
		pthread_join(t[i], NULL);
		sum += each[i];
	}
	FILE *out = fdopen(9, "w"); /* apart from what the tracer says */
	if (out)
		fprintf(out, "%.2f %.2f\n", sum / n_threads, reads);
	return 0;
}
