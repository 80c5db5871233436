/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread that fetches completions for a worker, and hands them on by a ring that one writes and
 * the other reads. */
#ifndef REPLAY_BLOCK_HARVESTER_H
#define REPLAY_BLOCK_HARVESTER_H

#include <stdint.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/block/backend.h"

struct harvested {
	struct block_done done;
	uint64_t end_ticks;
};

struct harvester;

/* Starts the thread. `clock` is borrowed. Errors: of starting a thread. Ownership: harvester_stop.
 */
int harvester_start(struct harvester **h, const struct block_backend *b, struct block_queue *q,
		    uint32_t n_slots, const struct clock *clock, int cpu, struct err *e);
/* What it has fetched since: returns how many; *failed: errno of a queue that failed, or as it was.
 */
uint32_t harvester_take(struct harvester *h, struct harvested *got, uint32_t max, int *failed);
void harvester_stop(struct harvester *h); /* NULL is fine */

#endif
