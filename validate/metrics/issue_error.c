/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/issue_error.h"

void issue_error_release(struct issue_error *i)
{
	histogram_release(&i->late);
	histogram_release(&i->early);
}

/* The rank counts over both histograms: first early values in reverse order, then late values. */
int issue_error_quantile(const struct issue_error *i, double p, double *value, struct err *e)
{
	uint64_t n = i->early.n + i->late.n;
	if (!(p >= 0 && p <= 1))
		return err_set(e, EINVAL, "quantile %g: expected 0 to 1", p);
	if (!n)
		return err_set(e, ENODATA, "quantile %g does not exist: there are no issue errors",
			       p);
	uint64_t rank = histogram_rank(p, n);
	if (rank > i->early.n) {
		*value = histogram_at_rank(&i->late, rank - i->early.n);
		return 0;
	}
	*value = -histogram_at_rank(&i->early, i->early.n + 1 - rank);
	return 0;
}

double issue_error_share_late(const struct issue_error *i, double allowed_ns)
{
	uint64_t n = i->early.n + i->late.n;
	return n ? (double)histogram_count_above(&i->late, allowed_ns) / (double)n : 0;
}
