/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line on stderr: rewritten in place on a terminal, a line every 10 s elsewhere,
 * silent when told so. A terminal that cannot erase (TERM=dumb or unset) counts as elsewhere. */
#ifndef COMMON_PROGRESS_H
#define COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool enabled, terminal, shown;
	int64_t start_ns, last_ns;
	uint64_t n_done, n_total;
	/* expected seconds, so that long and short steps are weighed */
	double work_done, work_total;
	/* done before the first step shown, as by a campaign that is resumed */
	double work_before;
};

/* The number of steps is unknown; `what` says how much is left. */
#define PROGRESS_UNKNOWN UINT64_MAX

void progress_start(struct progress *p, uint64_t n_total, double work_total, bool enabled);
/* Call it when a step begins: `n_done` and `work_done` are what lies behind it, `what` is shown as
 * it is. The time left is estimated from the work done since the first call. */
void progress_step(struct progress *p, uint64_t n_done, double work_done, const char *what);
void progress_end(struct progress *p); /* clears the line */

#endif
