/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the measurements of doc/buffer-placement.md on this machine: cached requests of 4 KiB, by
 * the placement of their buffer.
 *
 * 1. Distances from the start of a page, in alternating slices within one process: the cost of a
 * place.
 * 2. The kinds of common/placement.h, by processes that exist at the same time. First each process
 * does all its work, one after the other. Then the processes alternate every 0.1 ms, so that a
 * drift of the machine's speed affects all of them equally. The remaining difference between
 * processes in the second case is due to the process: its memory, its addresses. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/placement.h"
#include "common/vm.h"
#include "common/xalloc.h"

enum { BLOCK = 4096, N_BLOCKS = 4096, N_SLICE = 50, N_SKIP = 8, N_ROUNDS = 300 };
enum { N_PROCESSES = 40, N_TURNS = 100, N_PLACES = 4 };
static const char *const place_names[N_PLACES] = {"offset", "page", "rotate", "16 bytes off"};

static void fail(const char *what)
{
	fprintf(stderr, "bench-buffer-placement: %s: %s\n", what, strerror(errno));
	exit(3);
}

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x >> 20;
}

/* Mean time in ns of a request to random blocks in a slice, without the first requests, because
 * another buffer was used before. */
static double slice_ns(const struct clock *c, int fd, const struct placement *p,
		       unsigned char *buffer, bool writes, uint64_t *random)
{
	uint64_t sum = 0;
	for (uint64_t k = 0; k < N_SLICE; k++) {
		off_t offset = (off_t)(next_random(random) % N_BLOCKS * BLOCK);
		void *at = p ? placement_buffer(p, 0, *random) : buffer;
		uint64_t begin = clock_begin(c);
		ssize_t got = writes ? pwrite(fd, at, BLOCK, offset) : pread(fd, at, BLOCK, offset);
		uint64_t end = clock_end(c);
		if (got != BLOCK)
			fail("a request came back short");
		if (k >= N_SKIP)
			sum += end - begin;
	}
	return (double)sum * c->ns_per_tick / (N_SLICE - N_SKIP);
}

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void distances(const struct clock *c, int fd, bool writes)
{
	static const size_t distance[] = {0,    1,    16,   24,   32,   48,   64,   128,
					  1024, 2048, 3072, 4032, 4064, 4072, 4080, 4095};
	enum { N = sizeof distance / sizeof *distance };
	static double ns[N][N_ROUNDS], ratio[N_ROUNDS];
	struct vm_region memory;
	uint64_t random = 1;
	if (vm_alloc(&memory, 4 * BLOCK, "a buffer", NULL))
		fail("memory");
	for (size_t round = 0; round < N_ROUNDS; round++)
		for (size_t i = 0; i < N; i++) {
			size_t at = (i + round) % N;
			ns[at][round] = slice_ns(
			    c, fd, NULL, (unsigned char *)memory.base + BLOCK + distance[at],
			    writes, &random);
		}
	printf("cached %s, time by the buffer's distance from the start of a page, relative to 0 "
	       "(median of %d):\n",
	       writes ? "pwrite" : "pread", N_ROUNDS);
	for (size_t i = 0; i < N; i++) {
		for (size_t round = 0; round < N_ROUNDS; round++)
			ratio[round] = ns[i][round] / ns[0][round];
		qsort(ratio, N_ROUNDS, sizeof *ratio, compare_double);
		printf("%6zu: %5.3f%s", distance[i], ratio[N_ROUNDS / 2], i % 8 == 7 ? "\n" : "");
	}
	vm_free(&memory);
}

/* --- processes ----------------------------------------------------------- */

/* Each byte on standard input starts a slice for each place. After the last byte, the medians are
 * written to standard output. (A mean would depend on a single interruption of some ms.) */
static int child_main(const char *path)
{
	struct placement p[N_PLACES - 1];
	struct vm_region memory;
	struct clock c;
	static double ns[N_PLACES][N_TURNS];
	double median[N_PLACES];
	uint64_t random = (uint64_t)getpid() * 0x9e3779b97f4a7c15u |
			  1; /* no process uses data that another process has cached */
	char byte = 0;
	int fd = open(path, O_RDWR);
	if (fd < 0 || clock_init(&c, 5000000, NULL) ||
	    vm_alloc(&memory, 4 * BLOCK, "a buffer", NULL))
		return 3;
	for (int i = 0; i < N_PLACES - 1; i++)
		if (placement_init(&p[i], (enum placement_kind)i, BLOCK, false, 1, NULL))
			return 3;
	for (size_t n = 0; n < N_TURNS && read(0, &byte, 1) == 1; n++) {
		for (int i = 0; i < N_PLACES; i++)
			ns[i][n] = slice_ns(&c, fd, i < N_PLACES - 1 ? &p[i] : NULL,
					    (unsigned char *)memory.base + 16, false, &random);
		if (write(1, &byte, 1) != 1)
			return 3;
	}
	for (int i = 0; i < N_PLACES; i++) {
		qsort(ns[i], N_TURNS, sizeof *ns[i], compare_double);
		median[i] = ns[i][N_TURNS / 2];
	}
	return write(1, median, sizeof median) != sizeof median;
}

static void child_start(const char *path, int *to, int *from)
{
	int in[2], out[2];
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		fail("pipe");
	pid_t pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid == 0) { /* a separate program, with its own addresses */
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl("/proc/self/exe", "bench-buffer-placement", "child", path, (char *)NULL);
		_exit(3);
	}
	close(in[0]);
	close(out[1]);
	*to = in[1];
	*from = out[0];
}

static void turn(int to, int from)
{
	char byte = 0;
	if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
		fail("a process went away");
}

/* cv[]: per cent; mean[]: ns per request */
static void processes(const char *path, bool in_turns, double *mean, double *cv)
{
	static double ns[N_PROCESSES][N_PLACES];
	int to[N_PROCESSES], from[N_PROCESSES];
	for (int i = 0; i < N_PROCESSES; i++)
		child_start(path, &to[i], &from[i]);
	for (int k = 0; k < N_PROCESSES * N_TURNS; k++) {
		/* the order differs between rounds, because 7 and 40 have no common divisor */
		int i = in_turns ? (k * 7 + k / N_PROCESSES * 13) % N_PROCESSES : k / N_TURNS;
		turn(to[i], from[i]);
	}
	for (int i = 0; i < N_PROCESSES; i++) {
		if (read(from[i], ns[i], sizeof ns[i]) != sizeof ns[i])
			fail("a process went away");
		close(to[i]);
		close(from[i]);
		wait(NULL);
	}
	for (int j = 0; j < N_PLACES; j++) {
		double sum = 0, squares = 0;
		for (int i = 0; i < N_PROCESSES; i++)
			sum += ns[i][j];
		for (int i = 0; i < N_PROCESSES; i++)
			squares += pow(ns[i][j] - sum / N_PROCESSES, 2);
		mean[j] = sum / N_PROCESSES;
		cv[j] = 100 * sqrt(squares / (N_PROCESSES - 1)) / (sum / N_PROCESSES);
	}
}

/* --- the side of the page cache ----------------------------------------- */

enum cached_by {
	BY_WRITES_OF_1M,
	BY_WRITES_OF_4K,
	BY_READS_OF_1M,
	BY_RANDOM_READS_OF_4K,
	N_CACHED_BY
};
static const char *const cached_names[] = {"written by 1 MiB", "written by 4 KiB",
					   "evicted, then read by 1 MiB",
					   "evicted, then read by 4 KiB at random"};
static unsigned char chunk[1 << 20];

static void file_fill(int fd, size_t piece)
{
	memset(chunk, 0x5a, sizeof chunk);
	for (off_t at = 0; at < (off_t)N_BLOCKS * BLOCK; at += (off_t)piece)
		if (pwrite(fd, chunk, piece, at) != (ssize_t)piece)
			fail("writing the file");
	if (fsync(fd))
		fail("fsync");
}

/* The file has no name, so it disappears when its descriptor is closed. */
static int file_make(char *path, enum cached_by by, bool keep_name)
{
	int fd = mkstemp(path);
	uint64_t random = 1;
	if (fd < 0)
		fail(path);
	if (!keep_name)
		unlink(path);
	file_fill(fd, by == BY_WRITES_OF_4K ? BLOCK : sizeof chunk);
	if (by < BY_READS_OF_1M)
		return fd;
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (by == BY_RANDOM_READS_OF_4K) {
		posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
		for (int i = 0; i < 2 * N_BLOCKS; i++)
			if (pread(fd, chunk, BLOCK,
				  (off_t)(next_random(&random) % N_BLOCKS * BLOCK)) != BLOCK)
				fail("reading the file");
		posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL);
	}
	while (read(fd, chunk, by == BY_READS_OF_1M ? sizeof chunk : BLOCK) > 0)
		;
	return fd;
}

static void ways_into_the_cache(const struct clock *c, const char *template)
{
	static double ns[N_CACHED_BY][N_ROUNDS], ratio[N_ROUNDS];
	struct placement p;
	int fd[N_CACHED_BY];
	uint64_t random = 1;
	if (placement_init(&p, PLACEMENT_DEFAULT, BLOCK, false, 1, NULL))
		fail("memory");
	for (int i = 0; i < N_CACHED_BY; i++) {
		char *path = xstrdup(template);
		fd[i] = file_make(path, (enum cached_by)i, false);
		free(path);
	}
	for (int round = 0; round < N_ROUNDS; round++)
		for (int i = 0; i < N_CACHED_BY; i++) {
			int at = (i + round) % N_CACHED_BY;
			ns[at][round] = slice_ns(c, fd[at], &p, NULL, false, &random);
		}
	printf("cached pread, by how the file came into the page cache, relative to the first "
	       "(median of %d):\n",
	       N_ROUNDS);
	for (int i = 0; i < N_CACHED_BY; i++) {
		for (int round = 0; round < N_ROUNDS; round++)
			ratio[round] = ns[i][round] / ns[0][round];
		qsort(ratio, N_ROUNDS, sizeof *ratio, compare_double);
		printf("  %-38s %5.3f\n", cached_names[i], ratio[N_ROUNDS / 2]);
		close(fd[i]);
	}
	placement_release(&p);
}

int main(int argc, char **argv)
{
	struct clock c;
	double mean[2][N_PLACES], cv[2][N_PLACES];
	if (argc == 3 && !strcmp(argv[1], "child"))
		return child_main(argv[2]);
	const char *dir = getenv("TMPDIR");
	char *template = xasprintf("%s/bench-buffer-placement-XXXXXX", dir && *dir ? dir : "/tmp"),
	     *path = xstrdup(template);
	int fd = file_make(path, BY_WRITES_OF_1M, true);
	if (clock_init(&c, 20000000, NULL))
		fail("clock");
	distances(&c, fd, false);
	distances(&c, fd, true);
	processes(path, false, mean[0], cv[0]);
	processes(path, true, mean[1], cv[1]);
	printf("cached pread, %d processes of %d requests for each place, medians of slices:\n",
	       N_PROCESSES, N_TURNS * (N_SLICE - N_SKIP));
	for (int i = 0; i < N_PLACES; i++)
		printf("  %-14s one after another: mean %7.1f ns, CV %5.2f %%    taking turns: "
		       "mean %7.1f ns, CV %5.2f "
		       "%%\n",
		       place_names[i], mean[0][i], cv[0][i], mean[1][i], cv[1][i]);
	ways_into_the_cache(&c, template);
	close(fd);
	unlink(path);
	free(path);
	free(template);
	return 0;
}
