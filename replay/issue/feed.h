/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replays a plan that is in a file, in bounded memory. Each lane has a ring of chunks in locked
 * memory: its next requests with their waits and due times, and space for their outcomes. A thread,
 * the feeder, reads a fixed number of chunks ahead of every worker and writes outcomes back to the
 * file. A worker takes its next chunk between two requests, outside the stamps. If the chunk is not
 * ready, the worker waits; such waits are counted.
 *
 * With as many workers as CPUs the feeder works only while some worker waits for its next chunk.
 * Otherwise it would take a CPU from a worker during a request. The feeder drops what it has read
 * and written from the page cache. Source: Joukov, Wong and Zadok (FAST 2005), sections 2.1 and
 * 2.2: prefetching on a fixed horizon. */
#pragma once

#include "replay/plan/plan.h"

struct feed;

/* Allocates the rings of the plan's lanes within plan.file.limit_bytes, and fills them. `expected`:
 * workers also need expected[]. Memory that cannot be locked is used unlocked (see plan.fed).
 * Errors: ENOMEM; ERANGE if the limit is too small for so many lanes; of reading. Ownership:
 * feed_close. */
int feed_open(struct feed **f, struct replay_plan *p, bool expected, struct err *e);
void feed_close(struct feed *f);

/* Starts the feeder and converts due times to ticks. Errors: of threads. */
int feed_start(struct feed *f, double ticks_per_ns, struct err *e);
/* Writes all outcomes to the file and completes plan.fed. Call it after the last worker has ended.
 * Errors: those of the feeder. */
int feed_stop(struct feed *f, struct err *e);

/* Called by the worker of a lane when it has replayed the requests before k and continues with k.
 * Sets `a`, its copy of the lane, and *wait to the next chunk. Returns the first request that is
 * not in the chunk, or k if the feeder failed and the run must end. */
uint32_t feed_next(struct feed *f, uint32_t lane, struct lane *a, const struct hot_wait **wait,
		   uint32_t k);
/* Called by a worker that ends. Its requests before k have ended. */
void feed_leave(struct feed *f, uint32_t lane, uint32_t k);

/* Outcome k of a lane, during a replay from a file. */
const struct outcome *feed_outcome(const struct feed *f, uint32_t lane, uint32_t k);
/* Number of requests of the lane in returned chunks, all of which have ended. */
uint32_t feed_ended(const struct feed *f, uint32_t lane);

/* Outcome k of a lane, during the run and afterwards. */
static inline const struct outcome *plan_outcome(const struct replay_plan *p, uint32_t lane,
						 uint32_t k)
{
	return p->feed ? feed_outcome(p->feed, lane, k) : &p->lane[lane].outcome[k];
}

/* The first request of a lane, from `next` on, that has not ended. */
static inline uint32_t plan_first_left(const struct replay_plan *p, uint32_t lane, uint32_t next)
{
	const uint32_t n_ended = p->feed ? feed_ended(p->feed, lane) : 0;
	next = n_ended > next ? n_ended : next;
	while (next < p->lane[lane].n && outcome_begun_at(plan_outcome(p, lane, next)))
		next++;
	return next;
}
