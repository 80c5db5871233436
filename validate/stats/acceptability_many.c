/* SPDX-License-Identifier: GPL-3.0-or-later */
/* More than two results to start with: the mean where their range is at most CR(n) = f(n) sigma_r. Otherwise as many
 * again (cheap), or m more with n/3 <= m <= n/2 (expensive): the mean of all where their range is at most
 * CR(n + m), else the median of all. Source: ISO 5725-6, 5.2.3. */
#include "validate/stats/moments.h"
#include "validate/stats/precision_study.h"
#include "validate/stats/quantiles.h"

#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"

const char *const accept_many_names[] = {"mean_n", "mean_all", "median_all", NULL};

static enum stat_status within(const double *x, size_t n, double sigma_r, double coverage, bool *inside, double *mean)
{
	struct sample_moments m;
	double f;
	enum stat_status s = critical_range_factor((unsigned int)n, coverage, &f);
	if (!s)
		s = sample_moments(x, n, &m);
	if (!s) {
		*inside = m.max - m.min <= f * sigma_r;
		*mean = m.mean;
	}
	return s;
}

enum stat_status accept_many(const double *first, size_t n, const double *more, size_t n_more, bool cheap,
			     double sigma_r, double coverage, enum accept_many_route *route, double *value)
{
	bool inside = false;
	if (n < 2)
		return STAT_TOO_FEW;
	if (!(sigma_r > 0) || n > 500 || n_more > 500)
		return STAT_OUT_OF_RANGE;
	enum stat_status s = within(first, n, sigma_r, coverage, &inside, value);
	*route = ACCEPT_MEAN_FIRST;
	if (s || inside)
		return s;
	if (n_more == 0)
		return STAT_TOO_FEW;
	if (cheap ? n_more != n : (3 * n_more < n || 2 * n_more > n))
		return STAT_OUT_OF_RANGE;
	double *all = xreallocarray(NULL, n + n_more, sizeof *all);
	memcpy(all, first, n * sizeof *all);
	memcpy(all + n, more, n_more * sizeof *all);
	s = within(all, n + n_more, sigma_r, coverage, &inside, value);
	*route = inside ? ACCEPT_MEAN_ALL : ACCEPT_MEDIAN_ALL;
	if (!s && !inside)
		s = sample_median(all, n + n_more, value);
	free(all);
	return s;
}
