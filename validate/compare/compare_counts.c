/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lost, extra and mismatched requests: counts of few values, so the tests are exact and the run is the unit, for the requests of one
 * run fail together.
 *
 * Exceedances (Rosenbaum, 1965): of n new runs k have more than every one of m old ones. Were they alike, the k largest of all would all be new with
 * probability C(n, k)/C(n + m, k); with ties it is less. Two-sided: twice the smaller one. */
#include <math.h>

#include "validate/compare/compare_private.h"
#include "validate/stats/distributions.h"

static double log_choose(double n, double k)
{
	return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1);
}

static double p_exceedances(double k, double n, double m)
{
	return exp(log_choose(n, k) - log_choose(n + m, k));
}

struct count_facts {
	double mean, least, most;
};

static struct count_facts facts_of(const double *x, size_t n)
{
	struct count_facts f = {0, x[0], x[0]};
	for (size_t i = 0; i < n; i++) {
		f.mean += x[i] / (double)n;
		f.least = fmin(f.least, x[i]);
		f.most = fmax(f.most, x[i]);
	}
	return f;
}

static double n_beyond(const double *x, size_t n, double limit)
{
	double k = 0;
	for (size_t i = 0; i < n; i++)
		k += x[i] > limit;
	return k;
}

static size_t n_known(const double *x, size_t n)
{
	size_t known = 0;
	for (size_t i = 0; i < n; i++)
		known += isfinite(x[i]) != 0;
	return known;
}

/* Of the difference of means, by Welch's t: shown, and decides nothing, for counts of few values are not normal. */
static void interval_set(struct aspect_change *a, const double *was, size_t n_was, const double *is, size_t n_is)
{
	const struct shift s = shift_of_groups(was, n_was, is, n_is);
	double q = 0;
	if (s.status || (s.t.se > 0 && t_quantile(0.975, s.t.df, &q)))
		return;
	a->lo95 = s.t.value - q * s.t.se;
	a->hi95 = s.t.value + q * s.t.se;
}

void counts_compare(struct aspect_change *a, const double *was, size_t n_was, const double *is, size_t n_is)
{
	const size_t known_was = n_known(was, n_was), known_is = n_known(is, n_is);
	a->status = n_was < 2 || n_is < 2			 ? STAT_TOO_FEW
		    : !known_was || !known_is			 ? STAT_NOT_ASSESSED
		    : known_was < n_was || known_is < n_is ? STAT_NOT_FINITE
							 : STAT_OK;
	if (a->status)
		return;
	struct count_facts before = facts_of(was, n_was), now = facts_of(is, n_is);
	double limit = isnan(a->limit) ? 0 : a->limit, m = (double)n_was, n = (double)n_is;
	double k_more = n_beyond(is, n_is, before.most + limit), k_fewer = n_beyond(was, n_was, now.most + limit);
	a->old_value = before.mean;
	a->new_value = now.mean;
	a->change = now.mean - before.mean;
	interval_set(a, was, n_was, is, n_is);
	a->p = fmin(1, 2 * fmin(p_exceedances(k_more, n, m), p_exceedances(k_fewer, m, n)));
	a->p_difference = a->p;
	/* that nothing was seen beyond the limit in any run is what is asked for, as in the verdict on one replayer */
	bool same = now.most - before.least <= limit && before.most - now.least <= limit;
	a->p_same = same ? 0 : 1;
	reason_add(a, "%g in %zu runs before, %g in %zu now, at most %g and %g in a run", before.mean * m, n_was, now.mean * n, n_is,
		   before.most, now.most);
}
