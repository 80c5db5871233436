/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workloads below the file system: requests on a device, many in flight for each thread. Drawn
 * before the measured region: where each goes, how long it is, whether it reads, and, with a rate,
 * when it is due. In it, a thread hands over what is due as far as the queue depth lets it, and
 * fetches what has ended; begin is just before the handing over, end just after the fetching.
 *
 * Without a rate the loop is closed: a request follows as soon as another one has ended, after the
 * pause if there is one. With a rate it is open: requests are due at fixed intervals or as a
 * Poisson process, one or a burst at a time, whether others have ended or not, and wait only when
 * the queue is full. */
#ifndef MICROBENCH_BLOCK_LOAD_H
#define MICROBENCH_BLOCK_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/block/backend.h"
#include "common/err.h"
#include "common/vm.h"
#include "microbench/microbench.h"

struct bench_thread;
struct bench_run;
struct worker;

struct block_request {
	uint64_t offset;
	uint32_t length;
	uint32_t direction; /* BLOCK_READ or BLOCK_WRITE */
	int64_t due;	    /* ticks after the start; INT64_MIN: at once */
};

struct block_load { /* of one thread */
	const struct block_backend *backend;
	struct block_queue *queue;
	struct vm_region requests, reads, content;
	const struct block_request *request; /* request[capacity] */
	uint32_t *sample_of; /* sample_of[depth]: which request is in a slot */
	uint32_t *unused;    /* unused[n_unused], a stack of slots */
	uint32_t depth, n_unused;
	uint64_t max_length;
	uint64_t pause_ticks;
	/* the first request that did not move all of its bytes; UINT64_MAX: none */
	uint64_t failed;
	int fatal;	 /* errno of the queue as a whole */
	struct err err;	 /* of block_begin */
};

/* Sizes and their shares: "4K:70%,64K:30%", or one size. */
#define BLOCK_SIZES_MAX 32
struct block_sizes {
	uint32_t length[BLOCK_SIZES_MAX];
	double upto[BLOCK_SIZES_MAX]; /* cumulative share, the last one 1 */
	uint32_t n, min, max;
};
/* Errors: EINVAL. */
int block_sizes_parse(struct block_sizes *s, const char *text, struct err *e);

/* Fills request[n] of one thread. The device is `n_bytes` long; requests begin at multiples of
 * `grain`. The due times are in ns. The same seed draws the same requests; more begin alike.
 * Errors: ENOMEM. */
int block_draw(struct block_request *request, uint64_t n, const struct microbench_config *c,
	       const struct block_sizes *sizes, bool sequential, uint64_t n_bytes, uint32_t grain,
	       unsigned int thread, struct err *e);

/* block_check: what can be said without the device. */
int block_check(const struct workload *w, const struct microbench_config *c, struct err *e);

/* block_setup.c: opens the device for all threads, and what one of them needs. Errors: of opening
 * (device.h), of the queue, ENOMEM. */
int block_device_open(struct bench_run *r, struct err *e);
int block_setup(struct bench_run *r, struct worker *w, struct err *e);
void block_release(struct worker *w);

/* In the thread that will hand over, before the start, when the clock is calibrated: opens its
 * queue. 0 or a positive errno, with the story in load->err. */
int block_begin(const struct bench_run *r, struct bench_thread *t);
/* In the same thread, at its end: a queue is closed by who opened it. */
void block_end(struct bench_thread *t);
/* block_loop.c */
void block_loop(struct bench_thread *t);

#endif
