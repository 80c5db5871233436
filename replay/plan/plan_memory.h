/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the arrays of a plan lie: in memory, or, where that would be more than --memory says, in a
 * scratch file. Private to replay/plan*.c. */
#ifndef REPLAY_PLAN_MEMORY_H
#define REPLAY_PLAN_MEMORY_H

#include <stdint.h>

#include "common/err.h"
#include "replay/plan/plan.h"

/* Lanes begin at multiples of this many elements, which is a multiple of 128 bytes for every array:
 * no two lanes share a line. */
#define LANE_ALIGN 16u

/* Memory for the lanes, whose n is known, with n_waits[i] waits each, and for places. Errors:
 * ENOMEM; of the scratch file, ENOSPC above all. */
int plan_memory_get(struct replay_plan *p, const struct replay_config *c, const uint32_t *n_waits,
		    struct err *e);
/* Everything is laid. Nothing faults once the run has begun, and a file is on storage and no longer
 * in memory. Errors: of the file. */
int plan_memory_settle(struct replay_plan *p, struct err *e);
void plan_memory_release(struct replay_plan *p);

#endif
