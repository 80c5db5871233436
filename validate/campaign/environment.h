/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine a campaign ran on, as facts for the report: environment.json (members in
 * doc/results.md). */
#ifndef VALIDATE_ENVIRONMENT_H
#define VALIDATE_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "common/err.h"

#define ENVIRONMENT_VERSION 1

/* What can be known without a campaign: host, date, program and library versions, processors,
 * memory, kernel, clock, load. What cannot be found out is null. `self`: the path of this program's
 * file. New reference. */
json_t *environment_make(const char *self);

/* Notes that something asked for, or usual, could not be had: what, why, and what was done instead.
 */
void environment_skip(json_t *environment, const char *what, const char *why, const char *instead);

/* Processor time since boot in clock ticks, and what of it the hypervisor gave to others. */
struct cpu_ticks {
	uint64_t total, stolen, idle;
};
bool cpu_ticks_read(struct cpu_ticks *t);
/* Share stolen between two readings; NaN when no time passed. */
double stolen_share(const struct cpu_ticks *a, const struct cpu_ticks *b);

#endif
