/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The longest waits of a timed replay. They are checked before it starts, because a damaged time
 * must not delay it for years. */
#pragma once

#include "common/std.h"

/* limit for the length of a replay, as a multiple of the longest permitted gap */
#define REPLAY_MAX_GAPS 1000

struct gaps {
	double limit_ns; /* < 0: none */
	double speed;	 /* factor by which the replay divides traced times */
	int64_t first_ns, before_ns;
	bool any;
};

/* limit_ns: longest gap of the replay, -1 none. speed > 0. */
void gaps_init(struct gaps *g, int64_t limit_ns, double speed);
/* Adds the next request in the order of starts; begin_ns is the traced start. Gaps are measured
 * between starts, because a request that took long in the trace may end at once in the replay.
 * `record`: its index in the trace. Errors: ERANGE with the request and the time. */
int gaps_add(struct gaps *g, int64_t begin_ns, uint64_t record, struct err *e);
