/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A progress line on standard error: rewritten in place on a terminal, otherwise a new line every
 * 10 s. Can be disabled. If TERM is missing or "dumb", standard error counts as no terminal. */
#pragma once

#include "common/std.h"

struct progress {
	bool enabled, terminal, shown;
	int64_t start_ns, last_ns;
	uint64_t n_done, n_total;
	/* expected seconds: the weight of each step */
	double work_done, work_total;
	/* work that was done before the first step, for example in a resumed campaign */
	double work_before;
};

/* The number of steps is unknown; `what` then states how much is left. */
#define PROGRESS_UNKNOWN UINT64_MAX

/* `n_total`: number of steps; `work_total`: expected seconds of all steps. `enabled` false: prints
 * nothing. */
void progress_start(struct progress *p, uint64_t n_total, double work_total, bool enabled);
/* Call it when a step begins. `n_done`, `work_done`: steps and work that are finished; `what`: the
 * text to show. The remaining time is estimated from the work done since the first call. */
void progress_step(struct progress *p, uint64_t n_done, double work_done, const char *what);
void progress_end(struct progress *p); /* clears the line */
