/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pauses that a timed replay would wait out: found before it starts, so that a damaged time does
 * not stop it for years. */
#ifndef REPLAY_GAPS_H
#define REPLAY_GAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

#define REPLAY_MAX_GAPS 1000 /* a replay lasts at most so many times the longest gap */

struct gaps {
	double limit_ns; /* < 0: none */
	double speed;	 /* the replay divides traced times by it */
	int64_t first_ns, before_ns;
	bool any;
};

/* limit_ns: longest gap of the replay, -1 none. speed > 0. */
void gaps_init(struct gaps *g, int64_t limit_ns, double speed);
/* The next request in the order of their begins; begin_ns in the trace. A gap lies between two
 * begins: a request that lasted long in the trace may end at once in the replay. `record`: the
 * request's index in the trace. Errors: ERANGE naming the request and the time. */
int gaps_add(struct gaps *g, int64_t begin_ns, uint64_t record, struct err *e);

#endif
