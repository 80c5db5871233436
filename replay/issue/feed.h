/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replaying from a plan that lies in a file, in bounded memory. Each lane has a ring of chunks in
 * locked memory: its next requests with what they wait for and when they are due, and room for
 * their outcomes. One thread, the feeder, reads ahead of every worker by a fixed number of chunks,
 * and takes outcomes back into the file. A worker asks for its next chunk between two requests,
 * outside of all stamps; nothing of this is on the path of a request. Where the chunk is not there
 * yet the worker waits, which is counted.
 *
 * Where there are as many workers as processors, the feeder works only when some worker waits for
 * its next chunk, in that one's place: otherwise it would take a processor from a worker in the
 * midst of a request. What it has read and written it drops from the page cache. Source: Joukov,
 * Wong and Zadok (FAST 2005), sections 2.1 and 2.2: prefetching on a fixed horizon. */
#ifndef REPLAY_FEED_H
#define REPLAY_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "replay/plan/plan.h"

struct feed;

/* Sets up the rings of the plan's lanes within plan.file.limit_bytes, and fills them. `expected`:
 * workers want expected[], too. Errors: ENOMEM, ERANGE where the limit is too small for so many
 * lanes, those of reading. Memory that may not be locked is used all the same (plan.fed).
 * Ownership: feed_close. */
int feed_open(struct feed **f, struct replay_plan *p, bool expected, struct err *e);
void feed_close(struct feed *f); /* NULL is fine */

/* Starts the feeder; due times are in ticks from now on. Errors: of threads. */
int feed_start(struct feed *f, double ticks_per_ns, struct err *e);
/* When no worker runs any more: all outcomes go into the file, plan.fed is completed. Errors: those
 * of the feeder while it ran. */
int feed_stop(struct feed *f, struct err *e);

/* The worker of a lane has done its requests before k, and goes on with k: `a`, its copy of the
 * lane, and `*wait` are set to where they are. Returns the first request that is not there; k
 * itself where the feeder failed, and the run is over. */
uint32_t feed_next(struct feed *f, uint32_t lane, struct lane *a, const struct hot_wait **wait,
		   uint32_t k);
/* It goes on with none: requests before k have ended. */
void feed_leave(struct feed *f, uint32_t lane, uint32_t k);

/* Outcome k of a lane, while its plan runs from a file. */
const struct outcome *feed_outcome(const struct feed *f, uint32_t lane, uint32_t k);
/* And how many requests of the lane have ended for certain. */
uint32_t feed_ended(const struct feed *f, uint32_t lane);

/* Outcome k of a lane, while it runs and afterwards. */
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

#endif
