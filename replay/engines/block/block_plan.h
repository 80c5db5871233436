/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a loaded trace to what the workers run from: each worker's requests one after another, a
 * cache line each, in memory that is present before the start. Times are ns until
 * block_plan_to_ticks. */
#ifndef REPLAY_BLOCK_PLAN_H
#define REPLAY_BLOCK_PLAN_H

#include <stdint.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/vm.h"
#include "replay/engines/block/block_load.h"
#include "replay/engines/block/schedule.h"
#include "replay/order/infer.h"
#include "replay/options/config.h"

struct block_lane {
	struct block_hot *request; /* request[n] */
	struct block_parents *parents; /* parents[n], NULL but for dep */
	/* place[n]: in the order of the trace, copies included; NULL with one worker or for dep */
	uint32_t *place;
	uint32_t n;
};

struct block_place {
	uint32_t lane, index;
};

struct block_plan {
	struct block_lane lane[BLOCK_WORKERS_MAX];
	uint32_t n_lanes;
	uint32_t n; /* requests, without copies */
	uint32_t n_slots; /* requests in flight at most, of each worker */
	struct block_place *at; /* at[n_records]: lane NONE32 where there is none */
	_Atomic int64_t *shift; /* of dep: shift[n_ranks] */
	struct infer_summary inferred; /* of dep */
	int64_t threshold_ns;	       /* of dep, as it was used */
	uint32_t max_in_flight;	       /* of the trace */
	struct mutant mutant;
	struct vm_region memory[3];
};

/* `l` is in issue order; a mutant changes it. `threshold_ns`: of dep. Errors: ENOMEM; EINVAL from
 * the mutant. Ownership: block_plan_release. */
int block_plan_make(struct block_plan *p, struct block_load *l, const struct replay_config *c,
		    int64_t threshold_ns, struct err *e);
void block_plan_release(struct block_plan *p); /* an all-zero one is fine */

/* When the clock is calibrated, and before the start. */
void block_plan_to_ticks(struct block_plan *p, const struct clock *c);

/* In flight at the begin of each request of the trace, itself included: depth[n]. What ends at that
 * instant has ended; what has no known end does not count for others. Errors: ENOMEM. */
int block_depths(const struct block_load *l, uint32_t *depth, struct err *e);
/* The largest depth of all requests that begin within `window_ns` of each: most[n]. Errors: ENOMEM.
 */
int block_depths_around(const struct block_load *l, const uint32_t *depth, int64_t window_ns,
			uint32_t *most, struct err *e);
/* The next power of two, n itself where it is one. */
uint32_t block_round_up(uint32_t n);

#endif
