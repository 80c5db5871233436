/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the inference of dependencies from times: requests per second and peak memory, with 1,
 * 32 and 512 requests in flight on average, for 1, 10 and 100 million requests that are generated
 * while they are fed. The time to generate them is measured alone and subtracted. Each case is a
 * separate process.
 *
 * usage: bench-infer [N...]
 * N: numbers of requests, default 1000000 10000000 100000000 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "replay/order/infer.h"

static uint64_t draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

struct made_up {
	uint64_t state;
	int64_t now_ns, service_ns;
};

/* Service times are between 0.5 and 1.5 times the mean, so the order of the ends differs from that
 * of the starts. */
static void next(struct made_up *g, int64_t *begin_ns, int64_t *end_ns)
{
	uint64_t x = draw(&g->state);
	g->now_ns += 50000 + (int64_t)(x & 0xffff) - 0x8000;
	*begin_ns = g->now_ns;
	*end_ns =
	    g->now_ns + g->service_ns / 2 + (int64_t)(((x >> 32) * (uint64_t)g->service_ns) >> 32);
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void measure(uint64_t n, int64_t width)
{
	struct made_up g = {.state = 88172645463325252u, .service_ns = 50000 * width}, alone = g;
	struct infer f;
	struct infer_parents p;
	int64_t begin, end;
	volatile int64_t keep = 0;
	double start = seconds();
	for (uint64_t i = 0; i < n; i++) {
		next(&alone, &begin, &end);
		keep = end;
	}
	double made = seconds();
	infer_init(&f, INFER_THRESHOLD_NS);
	for (uint64_t i = 0; i < n; i++) {
		next(&g, &begin, &end);
		if (infer_feed(&f, begin, end, &p, NULL))
			exit(1);
	}
	infer_finish(&f);
	double done = seconds();
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	printf("%10llu requests, %3lld under way: %6.2f million/s, %ld KiB, %.1f dependencies a "
	       "request%s\n",
	       (unsigned long long)n, (long long)width,
	       1e-6 * (double)n / (done - made - (made - start)), usage.ru_maxrss,
	       (double)f.sum.n_edges / (double)n, keep ? "" : " ");
	infer_release(&f);
}

static void measure_apart(uint64_t n, int64_t width)
{
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		measure(n, width);
		fflush(stdout);
		_exit(0);
	}
	int status = 1;
	if (child < 0 || waitpid(child, &status, 0) < 0 || status)
		exit(1);
}

int main(int argc, char **argv)
{
	static const uint64_t usual[] = {1000000, 10000000, 100000000};
	static const int64_t width[] = {1, 32, 512};
	size_t n = argc > 1 ? (size_t)argc - 1 : sizeof usual / sizeof *usual;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof width / sizeof *width; k++)
			measure_apart(argc > 1 ? strtoull(argv[i + 1], NULL, 10) : usual[i],
				      width[k]);
	return 0;
}
