/* SPDX-License-Identifier: GPL-3.0-or-later */
/* (a) The cost of recording a request in microbench, in units of the two clock reads that are
 * needed anyway.
 *
 * The program's own loop (microbench/loop.h, the function of every workload) runs with a call that
 * does nothing, over as many requests as a run of 200 ms has, so that its records go to memory as
 * in a run. The time of one request includes everything: both stamps, the address of the buffer,
 * the offset, the store, the end conditions, and the call of a function. Alternating with it: the
 * same number of pairs of clock reads, and of pairs of clock_gettime. */
#include <stdio.h>
#include <stdlib.h>

#include "common/vm.h"
#include "microbench/draw.h"
#include "microbench/loop.h"

enum { N_REQUESTS = 200000, N_TURNS = 101 };

static __attribute__((noinline)) ssize_t nothing(int fd, void *buffer, size_t n_bytes,
						 uint64_t offset)
{
	__asm__ volatile("" : : "r"(fd), "r"(buffer), "r"(offset) : "memory");
	return (ssize_t)n_bytes;
}

static void loop_random(struct bench_thread *t)
{
	bench_loop(t, OP_PREAD, false, nothing);
}

static void loop_sequential(struct bench_thread *t)
{
	bench_loop(t, OP_READ, true, nothing);
}

static void two_clock_reads(struct bench_thread *t)
{
	for (uint64_t k = 0; k < t->n_requests; k++) {
		uint64_t begin = clock_begin(t->clock), end = clock_end(t->clock);
		__asm__ volatile("" : : "r"(begin), "r"(end));
	}
}

static void two_clock_gettime(struct bench_thread *t)
{
	struct timespec begin, end;
	for (uint64_t k = 0; k < t->n_requests; k++) {
		clock_gettime(CLOCK_MONOTONIC, &begin);
		clock_gettime(CLOCK_MONOTONIC, &end);
		__asm__ volatile("" : : "m"(begin), "m"(end));
	}
}

static double ns_per_request(struct bench_thread *t, void (*run)(struct bench_thread *))
{
	uint64_t begin = clock_begin(t->clock);
	run(t);
	uint64_t end = clock_end(t->clock);
	return (double)(end - begin) * t->clock->ns_per_tick / (double)t->n_requests;
}

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void print_row(const char *what, double *v, const char *unit)
{
	qsort(v, N_TURNS, sizeof *v, compare_double);
	printf("%-58s median %7.3f%s   5 %% to 95 %%: %.3f to %.3f\n", what, v[N_TURNS / 2], unit,
	       v[N_TURNS / 20], v[N_TURNS - 1 - N_TURNS / 20]);
}

static void compare(struct bench_thread *t, const char *name, void (*loop)(struct bench_thread *))
{
	double cost[N_TURNS], reads[N_TURNS], gettime[N_TURNS], to_reads[N_TURNS],
	    to_gettime[N_TURNS];
	char what[80];
	ns_per_request(t, loop);
	for (int i = 0; i < N_TURNS; i++) {
		/* the loop runs between two measurements of the reference, so that a change of the
		 * machine's speed affects both */
		double before = ns_per_request(t, two_clock_reads);
		cost[i] = ns_per_request(t, loop);
		reads[i] = (before + ns_per_request(t, two_clock_reads)) / 2;
		gettime[i] = ns_per_request(t, two_clock_gettime);
		to_reads[i] = cost[i] / reads[i];
		to_gettime[i] = cost[i] / gettime[i];
	}
	snprintf(what, sizeof what, "%s: recording one request", name);
	print_row(what, cost, " ns");
	print_row("  two clock reads (clock_begin, clock_end)", reads, " ns");
	print_row("  two clock_gettime(CLOCK_MONOTONIC)", gettime, " ns");
	print_row("  ratio to two clock reads (aim: 1.5 at most)", to_reads, "   ");
	print_row("  ratio to two clock_gettime", to_gettime, "   ");
}

int main(void)
{
	struct err e = ERR_INIT;
	struct clock clock;
	struct placement placement = {0};
	struct vm_region samples = {0}, blocks = {0};
	const uint64_t n_blocks = 4096;
	int ret = clock_init(&clock, 20000000, &e);
	if (!ret)
		ret = placement_init(&placement, PLACEMENT_DEFAULT, 4096, false, 1, &e);
	if (!ret)
		ret =
		    vm_alloc(&samples,
			     (N_REQUESTS + N_REQUESTS / n_blocks + 1) * sizeof(struct bench_sample),
			     "records", &e);
	if (!ret)
		ret = vm_alloc(&blocks, N_REQUESTS * sizeof(uint32_t), "offsets", &e);
	if (ret) {
		fprintf(stderr, "bench-record-cost: %s\n", e.msg);
		return 3;
	}
	draw_blocks(blocks.base, N_REQUESTS, (uint32_t)n_blocks, 1, 0);
	struct bench_thread t = {.clock = &clock,
				 .placement = &placement,
				 .fd = -1,
				 .block_bytes = 4096,
				 .n_blocks = n_blocks,
				 .block = blocks.base,
				 .n_requests = N_REQUESTS,
				 .capacity = N_REQUESTS,
				 .sample = samples.base};
	compare(&t, "random", loop_random);
	t.n_blocks = N_REQUESTS; /* no rewind, which is a separate request */
	compare(&t, "sequential", loop_sequential);
	vm_free(&samples);
	vm_free(&blocks);
	placement_release(&placement);
	return 0;
}
