/* SPDX-License-Identifier: GPL-3.0-or-later */
/* threads N FILE [KIB]: N threads read FILE, wait for each other, and read it again. With KIB the
 * program first limits its address space to KIB KiB. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static pthread_barrier_t together;
static const char *path;

static void *reads(void *arg)
{
	char byte;
	int fd = open(path, O_RDONLY);
	const int ok = pread(fd, &byte, 1, 0) == 1;
	pthread_barrier_wait(&together);
	return ok && pread(fd, &byte, 1, 1) == 1 && !close(fd) ? arg : NULL;
}

int main(int argc, char **argv)
{
	const int n = atoi(argv[1]);
	pthread_t *t = calloc(n, sizeof *t);
	path = argv[2];
	if (argc > 3) {
		const rlim_t limit = (rlim_t)atol(argv[3]) << 10;
		if (access(path, R_OK) || setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit}))
			return 2;
	}
	pthread_barrier_init(&together, NULL, n);
	for (int i = 0; i < n; i++) {
		const int code = pthread_create(&t[i], NULL, reads, t);
		if (code) {
			fprintf(stderr, "thread %d: %s\n", i, strerror(code));
			return 3;
		}
	}
	for (int i = 0; i < n; i++) {
		void *done = NULL;
		if (pthread_join(t[i], &done) || !done)
			return 4;
	}
	return 0;
}
