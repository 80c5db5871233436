/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about the machine of a campaign: environment.json (members in doc/results.md). */
#pragma once

#include <jansson.h>

#include "common/std.h"

/* Returns the facts that do not depend on the campaign: host, date, versions of program and
 * libraries, CPUs, memory, kernel, clock, load. Unknown facts are null. `self`: path of this
 * program. New reference. */
json_t *environment_make(const char *self);

/* Records a condition that is not available: what it is, why, and what replaces it. */
void environment_skip(json_t *environment, const char *what, const char *why, const char *instead);

/* CPU time since boot in clock ticks, and the part that the hypervisor took. */
struct cpu_ticks {
	uint64_t total, stolen, idle;
};
bool cpu_ticks_read(struct cpu_ticks *t);
/* Share that the hypervisor took between two readings; NaN if no time passed. */
double stolen_share(const struct cpu_ticks *a, const struct cpu_ticks *b);
