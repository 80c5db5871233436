/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Issue error: begin - intended of the requests of a timed replay, late > 0, early < 0. ns. */
#ifndef VALIDATE_METRICS_ISSUE_ERROR_H
#define VALIDATE_METRICS_ISSUE_ERROR_H

#include "validate/metrics/histogram.h"
#include "validate/metrics/moment_sum.h"

struct issue_error { /* all zero: empty */
	struct moment_sum sum;
	struct histogram late, early; /* early: of intended - begin, where that is above 0 */
};

void issue_error_release(struct issue_error *i);

static inline void issue_error_add(struct issue_error *i, int64_t begin_ns, int64_t intended_ns)
{
	int64_t error = begin_ns - intended_ns;
	moment_sum_add(&i->sum, error);
	histogram_add(error < 0 ? &i->early : &i->late, error < 0 ? -error : error);
}

/* As histogram_quantile, over early and late ones. */
int issue_error_quantile(const struct issue_error *i, double p, double *value, struct err *e);

/* Share of the requests issued more than `allowed_ns` (>= 0) later than intended; by the histogram,
 * exact below 2048 ns. 0 for no requests. */
double issue_error_share_late(const struct issue_error *i, double allowed_ns);

#endif
