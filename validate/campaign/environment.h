/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine of a campaign, as facts for the report: environment.json (members in
 * doc/results.md). */
#pragma once

#include <jansson.h>

#include "common/std.h"

#define ENVIRONMENT_VERSION 1

/* Facts that do not depend on the campaign: host, date, versions of program and libraries, CPUs,
 * memory, kernel, clock, load. Unknown facts are null. `self`: path of this program. New
 * reference. */
json_t *environment_make(const char *self);

/* Records an unavailable condition: what, why, and the replacement. */
void environment_skip(json_t *environment, const char *what, const char *why, const char *instead);

/* CPU time since boot in clock ticks, and the part stolen by the hypervisor. */
struct cpu_ticks {
	uint64_t total, stolen, idle;
};
bool cpu_ticks_read(struct cpu_ticks *t);
/* Share stolen between two readings; NaN if no time passed. */
double stolen_share(const struct cpu_ticks *a, const struct cpu_ticks *b);
