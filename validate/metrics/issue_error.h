/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Issue error in ns: start - intended, for the requests of a timed replay; late > 0, early < 0. */
#pragma once

#include "validate/metrics/moment_sum.h"

struct issue_error { /* all zero: empty */
	struct moment_sum sum;
	struct histogram late, early; /* early: values of intended - start, if positive */
};

void issue_error_release(struct issue_error *i);

static inline void issue_error_add(struct issue_error *i, int64_t begin_ns, int64_t intended_ns)
{
	int64_t error = begin_ns - intended_ns;
	moment_sum_add(&i->sum, error);
	histogram_add(error < 0 ? &i->early : &i->late, error < 0 ? -error : error);
}

/* Like histogram_quantile, over early and late requests. */
int issue_error_quantile(const struct issue_error *i, double p, double *value, struct err *e);

/* Returns the share of the requests that were issued more than `allowed_ns` (>= 0) after the
 * intended time, from the histogram; exact below 2048 ns. 0 if there are no requests. */
double issue_error_share_late(const struct issue_error *i, double allowed_ns);
