/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A worker: hands its requests over when the schedule says so, and harvests their completions.
 * Between start and end it neither allocates nor locks, and asks the kernel for nothing but
 * submissions, completions and sleep. */
#ifndef REPLAY_BLOCK_WORKER_H
#define REPLAY_BLOCK_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/clock.h"
#include "common/strbuf.h"
#include "common/wait.h"
#include "common/block/backend.h"
#include "replay/engines/block/buffers.h"
#include "replay/engines/block/harvester.h"
#include "replay/engines/block/schedule.h"
#include "replay/issue/due_heap.h"

struct block_crew;

struct block_slot { /* a place in flight */
	uint32_t request;
	bool flushing; /* the flush before a write is on its way */
	int64_t held;  /* end and result, while a mutant holds the completion back */
	int32_t result;
};

struct block_worker {
	_Alignas(128) struct block_schedule schedule;
	struct clock clock; /* a copy: the crew's is written to */
	uint64_t start;	    /* ticks */
	const struct block_backend *backend;
	struct block_queue *queue;
	struct block_buffers buffers;
	struct block_slot *slot; /* slot[n_slots] */
	uint32_t *unused;	 /* unused[n_unused], a stack */
	uint32_t n_slots, n_unused;
	struct due_heap held; /* slots whose completion a mutant holds back */
	struct waiter waiter;
	/* there are more workers than CPUs: a worker with nothing to do must not use one */
	bool crowded;
	int64_t active;	     /* when something was handed over or ended last */
	bool bundle_follows; /* the bundle's threshold follows what a submission costs */
	uint32_t most_in_flight;
	uint64_t n_submissions, n_waits;
	_Atomic uint64_t n_ended; /* for the watchdog */
	struct harvester *harvester; /* NULL: in line */

	struct block_crew *crew;
	pthread_t id;
	uint32_t index;
	int cpu;
	int64_t wait_ns; /* runnable but not running */
	int fatal;	 /* errno of a queue that failed as a whole */
	struct strbuf notes;
	struct err err;
};

/* Runs all of the schedule; returns when it is finished, the queue fails (w->fatal), or *stop is
 * set. */
void worker_run(struct block_worker *w, const _Atomic bool *stop);

#endif
