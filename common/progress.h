/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line on stderr: rewritten in place on a terminal, otherwise a new line every 10 s;
 * may be silent. TERM=dumb, or no TERM, counts as no terminal. */
#pragma once

#include "common/std.h"

struct progress {
	bool enabled, terminal, shown;
	int64_t start_ns, last_ns;
	uint64_t n_done, n_total;
	/* expected seconds: the weight of each step */
	double work_done, work_total;
	/* done before the first step shown, as in a resumed campaign */
	double work_before;
};

/* The number of steps is unknown; `what` says how much is left. */
#define PROGRESS_UNKNOWN UINT64_MAX

void progress_start(struct progress *p, uint64_t n_total, double work_total, bool enabled);
/* Call it when a step begins. `n_done` and `work_done`: finished before it; `what`: shown text. The
 * time left is estimated from the work done since the first call. */
void progress_step(struct progress *p, uint64_t n_done, double work_done, const char *what);
void progress_end(struct progress *p); /* clears the line */
