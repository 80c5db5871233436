/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of a block replay: the requests of each worker, one cache line each, in memory that is
 * present before the start. Times are ns until block_plan_to_ticks(). */
#pragma once

#include "common/clock.h"
#include "common/vm.h"
#include "replay/engines/block/block_load.h"
#include "replay/engines/block/schedule.h"
#include "replay/order/infer.h"
#include "replay/options/config.h"

struct block_lane {
	struct block_hot *request; /* request[n] */
	struct block_parents *parents; /* parents[n]; NULL except in mode dep */
	/* place[n]: position in the trace, with copies; NULL with one worker or in mode dep */
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
	uint32_t n_slots; /* largest number in flight per worker */
	struct block_place *at; /* at[n_records]; lane NONE32: no request */
	_Atomic int64_t *shift; /* mode dep: shift[n_ranks] */
	struct infer_summary inferred; /* mode dep */
	int64_t threshold_ns;	       /* mode dep */
	uint32_t slack_most;	       /* in flight at most, with slack */
	uint32_t max_in_flight;	       /* of the trace */
	struct mutant mutant;
	struct vm_region memory[3];
};

/* Makes the plan. `l` is in issue order; a mutant changes it. `threshold_ns`: threshold of mode
 * dep. Errors: ENOMEM; EINVAL from the mutant. Ownership: block_plan_release. */
int block_plan_make(struct block_plan *p, struct block_input *l, const struct replay_config *c,
		    int64_t threshold_ns, struct err *e);
void block_plan_release(struct block_plan *p); /* a zeroed struct is fine */

/* Converts the times to ticks. Call it after the calibration of the clock and before the start. */
void block_plan_to_ticks(struct block_plan *p, const struct clock *c);

/* depth[n]: number in flight at the start of each request, itself included. A request that ends at
 * that instant does not count, and neither does a request whose end is unknown. */
void block_depths(const struct block_input *l, uint32_t *depth);
/* most[n]: the largest depth of all requests that begin within `window_ns` of each request. */
void block_depths_around(const struct block_input *l, const uint32_t *depth, int64_t window_ns,
			 uint32_t *most);
/* slack[n]: the share, in per cent, of the time within `window_ns` around each request for which
 * the trace had room for more requests in flight. It is the smaller of two shares: 1 - twice the
 * mean number in flight / limit, and the share of requests that were issued with at most 3/4 of
 * this limit in flight. So a program that always keeps its number in flight has no slack. depth[n]
 * from block_depths, limit[n] powers of two. */
void block_slacks(const struct block_input *l, const uint32_t *depth, const uint32_t *limit,
		  int64_t window_ns, uint8_t *slack);
/* The smallest power of two that is not less than n. */
uint32_t block_round_up(uint32_t n);
