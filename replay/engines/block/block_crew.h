/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workers of one replay: made ready, started together, watched, joined. */
#ifndef REPLAY_BLOCK_CREW_H
#define REPLAY_BLOCK_CREW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/run_facts.h"
#include "common/block/backend.h"
#include "common/block/probe.h"
#include "common/clock.h"
#include "common/device.h"
#include "common/err.h"
#include "common/strbuf.h"
#include "common/vm.h"
#include "common/wait.h"
#include "replay/engines/block/block_plan.h"
#include "replay/engines/block/schedule.h"
#include "replay/issue/due_heap.h"

/* A worker: hands its requests over when the schedule says so, and harvests their completions.
 * Between start and end it neither allocates nor locks, and asks the kernel for nothing but
 * submissions, completions and sleep. */
/* A thread that fetches completions for a worker, and hands them on by a ring that one writes and
 * the other reads. */
struct harvested {
	struct block_done done;
	uint64_t end_ticks;
};

struct harvester;

/* Starts the thread. `clock` is borrowed. Errors: of starting a thread. Ownership: harvester_stop.
 */
int harvester_start(struct harvester **h, const struct block_backend *b, struct block_queue *q,
		    uint32_t n_slots, const struct clock *clock, int cpu, struct err *e);
void harvester_stop(struct harvester *h); /* NULL is fine */

/* Where requests read to and write from. Reads of a worker have a buffer for each place in flight
 * as long as that is not too much memory. Beyond that they share buffers: the data that a replay
 * reads are not used. Workers with reads above BUFFER_OWN_MAX share one region. Writes take random
 * content, at another place for each request; it is never written to while it is on its way, so all
 * workers share it. Every page is present, huge where the kernel grants it. */
#define BUFFER_ALIGN ((size_t)4096)

#define BUFFER_OWN_MAX ((size_t)64 << 20)

struct block_longest { /* requests, bytes */
	uint64_t read, write;
};

struct block_buffers { /* of one worker */
	struct vm_region reads;
	size_t read_stride, read_room; /* from slot to slot; bytes in which a buffer may begin */
	bool is_common; /* `reads` is all workers' */
	const struct vm_region *content;
	size_t content_room;
};

/* The region of reads above BUFFER_OWN_MAX, the longest of which is this; empty where there are
 * none. Errors: ENOMEM. Ownership: vm_free. */
int common_init(struct vm_region *r, uint64_t longest_read, struct err *e);

static inline void *buffer_read(const struct block_buffers *b, uint32_t slot)
{
	return (char *)b->reads.base + slot * b->read_stride % b->read_room;
}

/* Request `k` of a worker. */
static inline void *buffer_content(const struct block_buffers *b, uint64_t k)
{
	return (char *)b->content->base + k * (7 * BUFFER_ALIGN) % b->content_room;
}

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

struct block_crew {
	struct block_plan *plan;
	const struct replay_config *config;
	const struct device *device;
	struct clock *clock; /* calibrated; its line is lengthened before and after */
	uint64_t seed, n_records;

	struct block_worker *worker; /* worker[plan->n_lanes] */
	struct block_progress *progress;
	struct vm_region content, reads; /* of writes; of all workers with long reads */
	struct block_choice choice; /* its backend is the one in use once the workers are ready */
	struct strbuf notes;		     /* what was done without, a sentence a line */
	uint32_t n_started, n_ready;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool open, cancelled;
	_Atomic bool stop;
	bool abandoned; /* requests do not return: nothing that they may write to must be freed */

	uint64_t start_ticks;
	struct run_facts facts;
};

/* Gets everything the run needs but queues, which workers open themselves, and chooses the backend.
 * `l`: the requests to come; `has_writes`: there is content to write. Errors: ENOMEM. Ownership: block_crew_release, also after an error. */
int block_crew_init(struct block_crew *c, const struct block_load *l, bool has_writes,
		    struct err *e);
/* Runs the plan. Errors: of the queues and of threads; ETIMEDOUT where nothing ends any more
 * (--watchdog), naming a request; of the clock. A request that failed is an outcome. */
int block_crew_run(struct block_crew *c, struct err *e);
void block_crew_release(struct block_crew *c);

#endif
