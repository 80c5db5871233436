/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workers of a replay: preparation, common start, watch and end. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "capture/run_facts.h"
#include "common/alarms.h"
#include "common/block/backend.h"
#include "common/block/probe.h"
#include "common/clock.h"
#include "common/device.h"
#include "common/vm.h"
#include "common/wait.h"
#include "replay/engines/block/block_plan.h"
#include "replay/engines/block/schedule.h"
#include "replay/issue/due_heap.h"

/* --- harvester -----------------------------------------------------------
 * A thread that fetches completions for a worker and passes them on in a ring with one writer and
 * one reader. */
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

/* --- buffers -------------------------------------------------------------
 * Each slot of a worker has its own buffer for reads, up to a limit of memory. Above the limit
 * slots share buffers: the replay does not use the data that it reads. Workers with reads longer
 * than BUFFER_OWN_MAX share one region. Writes take random content, at a different offset for each
 * request. The content never changes, so all workers share it. All pages are present before the
 * start, and huge if the kernel permits it. */
#define BUFFER_ALIGN ((size_t)4096)

#define BUFFER_OWN_MAX ((size_t)64 << 20)

struct block_longest { /* longest requests, bytes */
	uint64_t read, write;
};

struct block_buffers { /* of one worker */
	struct vm_region reads;
	/* in bytes: distance of slots, and range in which buffers begin */
	size_t read_stride, read_room;
	bool is_common; /* `reads` belongs to all workers */
	const struct vm_region *content;
	size_t content_room;
};

static inline void *buffer_read(const struct block_buffers *b, uint32_t slot)
{
	return (char *)b->reads.base + slot * b->read_stride % b->read_room;
}

/* For request `k` of a worker. */
static inline void *buffer_content(const struct block_buffers *b, uint64_t k)
{
	return (char *)b->content->base + k * (7 * BUFFER_ALIGN) % b->content_room;
}

/* --- workers -------------------------------------------------------------
 * A worker submits its requests when the schedule permits it, and harvests completions. During the
 * replay it does not allocate or lock, and its only system calls are for submissions, completions
 * and sleep. */

struct block_crew;

struct block_slot { /* of a request in flight */
	uint32_t request;
	bool flushing; /* the flush before a write is in flight */
	int32_t result; /* result of a completion that a mutant delays */
};

struct block_worker {
	_Alignas(128) struct block_schedule schedule;
	struct clock clock; /* a copy, because the crew's clock changes */
	uint64_t start;	    /* ticks */
	const struct block_backend *backend;
	struct block_queue *queue;
	struct block_buffers buffers;
	struct block_slot *slot; /* slot[n_slots] */
	uint32_t *unused;	 /* unused[n_unused], a stack */
	uint32_t n_slots, n_unused;
	struct due_heap held; /* slots whose completion a mutant delays, ordered by the end */
	struct waiter waiter;
	struct alarms alarms; /* open if due times are known ahead (mode hf, one worker) */
	/* there are more workers than CPUs: a worker without work must not occupy a CPU */
	bool crowded;
	int64_t active;	     /* time of the last submission or completion */
	bool bundle_follows; /* the bundle's threshold follows the cost of a submission */
	uint32_t most_in_flight;
	uint64_t n_submissions, n_waits;
	_Atomic uint64_t n_ended; /* for the watchdog */
	struct harvester *harvester; /* NULL: the worker harvests */

	struct block_crew *crew;
	pthread_t id;
	uint32_t index;
	int cpu;
	int64_t wait_ns; /* run-queue delay */
	int fatal;	 /* errno of a queue that failed */
	struct strbuf notes;
	struct err err;
};

/* Runs the schedule to its end, or until the queue fails (w->fatal) or *stop is set. */
void worker_run(struct block_worker *w, const _Atomic bool *stop);

struct block_crew {
	struct block_plan *plan;
	const struct replay_config *config;
	const struct device *device;
	/* calibrated; related to CLOCK_MONOTONIC again before and after the replay */
	struct clock *clock;
	uint64_t seed, n_records;

	struct block_worker *worker; /* worker[plan->n_lanes] */
	struct block_progress *progress;
	/* content of writes; target of the long reads of all workers */
	struct vm_region content, reads;
	struct block_choice choice; /* the backend in use; valid when the workers are ready */
	struct strbuf notes;		     /* features that are not available, one per line */
	uint32_t n_started, n_ready;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool open, cancelled;
	_Atomic bool stop;
	bool abandoned; /* some requests never return: memory that they may write to is not freed */

	uint64_t start_ticks;
	struct run_facts facts;
};

/* Prepares everything except the queues, which the workers open, and chooses the backend. `l`: the
 * requests. `has_writes`: generate content for writes. Errors: ENOMEM. Ownership:
 * block_crew_release, also after an error. */
int block_crew_init(struct block_crew *c, const struct block_input *l, bool has_writes,
		    struct err *e);
/* Runs the plan. Errors: of queues, threads and the clock; ETIMEDOUT with the oldest request if no
 * request ends for the time of --watchdog; ENODEV if the device is lost. A failed request is an
 * outcome, not an error. */
int block_crew_run(struct block_crew *c, struct err *e);
void block_crew_release(struct block_crew *c);
