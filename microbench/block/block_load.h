/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workloads below the file system make requests to a device. Each thread has many requests in
 * flight. Before the measured region, offset, length, direction and (with a rate) due time of each
 * request are drawn. In the region, a thread submits due requests as far as the queue depth allows,
 * and reaps completed requests. The begin stamp is taken just before the submission, the end stamp
 * just after reaping.
 *
 * Without a rate, the loop is closed: a request follows the completion of another request, and a
 * pause if there is one. With a rate, the loop is open: requests or bursts are due at fixed
 * intervals or as a Poisson process, independent of completions. They wait only if the queue is
 * full. */
#pragma once

#include "common/block/backend.h"
#include "microbench/microbench.h"

struct bench_thread;

struct drawn_request {
	uint64_t offset;
	uint32_t length;
	uint32_t direction; /* BLOCK_READ or BLOCK_WRITE */
	int64_t due;	    /* ticks after the start; INT64_MIN: at once */
};

struct block_load { /* requests of one thread */
	const struct block_backend *backend;
	struct block_queue *queue;
	struct vm_region requests, reads, content;
	const struct drawn_request *request; /* request[capacity] */
	uint32_t *sample_of; /* sample_of[depth]: number of the request in each slot */
	uint32_t *unused;    /* unused[n_unused], a stack of free slots */
	uint32_t depth, n_unused;
	uint64_t max_length;
	uint64_t pause_ticks;
	/* the first request that transferred less than its length; UINT64_MAX: none */
	uint64_t failed;
	int fatal;	 /* errno of an error of the queue itself */
	struct err err;	 /* message of block_begin */
};

/* Sizes and their shares, such as "4K:70%,64K:30%", or one size. */
#define BLOCK_SIZES_MAX 32
struct block_sizes {
	uint32_t length[BLOCK_SIZES_MAX];
	double upto[BLOCK_SIZES_MAX]; /* cumulative shares; the last one is 1 */
	uint32_t n, min, max;
};
/* Errors: EINVAL. */
int block_sizes_parse(struct block_sizes *s, const char *text, struct err *e);

/* Draws request[n] of one thread. The device has `n_bytes`; offsets are multiples of `grain`. Due
 * times are in ns. Equal seeds give equal requests; a larger n begins with the same requests. */
void block_draw(struct drawn_request *request, uint64_t n, const struct microbench_config *c,
		const struct block_sizes *sizes, bool sequential, uint64_t n_bytes, uint32_t grain,
		unsigned int thread);

/* block_loop.c */
void block_loop(struct bench_thread *t);
