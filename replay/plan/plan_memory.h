/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arrays of a plan: in memory, or in a scratch file if they exceed --memory. Private to
 * replay/plan/plan*.c. */
#ifndef REPLAY_PLAN_MEMORY_H
#define REPLAY_PLAN_MEMORY_H

#include <stdint.h>

#include "common/err.h"
#include "replay/plan/plan.h"

/* Lanes begin at multiples of this number of elements, which is a multiple of 128 bytes for every
 * array: two lanes never share a cache line. */
#define LANE_ALIGN 16u

/* Allocates the lanes, whose n is set, with n_waits[i] waits each, and p->place. Errors: ENOMEM; of
 * the scratch file, such as ENOSPC. */
int plan_memory_get(struct replay_plan *p, const struct replay_config *c, const uint32_t *n_waits,
		    struct err *e);
/* Call it when the plan is complete: makes memory present, so that the run causes no page faults;
 * writes a file to storage and drops it from the page cache. Errors: of the file. */
int plan_memory_settle(struct replay_plan *p, struct err *e);
void plan_memory_release(struct replay_plan *p);

#endif
