/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workers of one replay: made ready, started together, watched, joined. */
#ifndef REPLAY_BLOCK_CREW_H
#define REPLAY_BLOCK_CREW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "capture/run_facts.h"
#include "common/device.h"
#include "replay/engines/block/block_plan.h"
#include "replay/engines/block/worker.h"

struct block_crew {
	struct block_plan *plan;
	const struct replay_config *config;
	const struct device *device;
	struct clock *clock; /* calibrated; its line is lengthened before and after */
	uint64_t seed, n_records;

	struct block_worker *worker; /* worker[plan->n_lanes] */
	struct block_progress *progress;
	struct vm_region content, reads; /* of writes; of all workers with long reads */
	const struct block_backend *backend; /* as it was chosen */
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

/* Gets everything the run needs but queues, which workers open themselves. `has_writes`: there is
 * content to write. Errors: ENOMEM. Ownership: block_crew_release, also after an error. */
int block_crew_init(struct block_crew *c, bool has_writes, struct err *e);
/* Runs the plan. Errors: of the queues and of threads; ETIMEDOUT where nothing ends any more
 * (--watchdog), naming a request; of the clock. A request that failed is an outcome. */
int block_crew_run(struct block_crew *c, struct err *e);
void block_crew_release(struct block_crew *c);

#endif
