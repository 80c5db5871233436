/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/anova.h"

#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"
#include "validate/stats/quantiles.h"

/* Computes the mean of x - shift, and the sum of squared deviations from it. */
static double shifted_mean(const struct values *g, double shift, double *sum_sq)
{
	double sum = 0, squares = 0, rest = 0;
	for (size_t i = 0; i < g->n; i++)
		sum += g->x[i] - shift;
	double mean = sum / (double)g->n;
	for (size_t i = 0; i < g->n; i++) {
		double d = (g->x[i] - shift) - mean;
		squares += d * d;
		rest += d;
	}
	*sum_sq = fmax(0, squares - rest * rest / (double)g->n);
	return mean;
}

enum stat_status anova_one_way(const struct values *groups, size_t n_groups, struct anova *a)
{
	*a = (struct anova){.n_groups = n_groups};
	if (n_groups < 2)
		return STAT_TOO_FEW;
	double sum_n2 = 0;
	for (size_t g = 0; g < n_groups; g++) {
		if (groups[g].n == 0)
			return STAT_TOO_FEW;
		enum stat_status s = sample_check(groups[g].x, groups[g].n);
		if (s)
			return s;
		a->n_values += groups[g].n;
		sum_n2 += (double)groups[g].n * (double)groups[g].n;
	}
	double n = (double)a->n_values, p = (double)n_groups, shift = groups[0].x[0], grand = 0,
	       within;
	if (a->n_values <= n_groups)
		return STAT_TOO_FEW;

	SCOPED_FREE double *means = xcalloc(n_groups, sizeof *means);
	for (size_t g = 0; g < n_groups; g++) {
		means[g] = shifted_mean(&groups[g], shift, &within);
		a->ss_within += within;
		grand += means[g] * (double)groups[g].n / n;
	}
	for (size_t g = 0; g < n_groups; g++)
		a->ss_between += (double)groups[g].n * (means[g] - grand) * (means[g] - grand);

	a->grand_mean = shift + grand;
	a->df_between = p - 1;
	a->df_within = n - p;
	a->ms_between = a->ss_between / a->df_between;
	a->ms_within = a->ss_within / a->df_within;
	a->n0 = (n - sum_n2 / n) / (p - 1);
	a->f_status = a->ms_within > 0 ? STAT_OK : STAT_ZERO_VARIANCE;
	if (!a->f_status) {
		a->f = a->ms_between / a->ms_within;
		a->p = f_above(a->f, a->df_between, a->df_within);
	}
	return isfinite(a->ss_between) && isfinite(a->ss_within) ? STAT_OK : STAT_NOT_FINITE;
}

static enum stat_status centre_of(const struct values *g, enum spread_centre centre, double *c)
{
	if (centre == SPREAD_ABOUT_MEDIAN)
		return sample_median(g->x, g->n, c);
	struct sample_moments m;
	enum stat_status s = sample_moments(g->x, g->n, &m);
	*c = m.mean;
	return s;
}

enum stat_status spread_test(const struct values *groups, size_t n_groups,
			     enum spread_centre centre, struct spread_test *out)
{
	enum stat_status s = STAT_TOO_FEW;
	size_t total = 0;
	for (size_t g = 0; g < n_groups; g++)
		total += groups[g].n;
	SCOPED_FREE double *z = xcalloc(total ? total : 1, sizeof *z);
	double *next = z;
	SCOPED_FREE struct values *distances = xcalloc(n_groups ? n_groups : 1, sizeof *distances);
	for (size_t g = 0; g < n_groups; g++) {
		double c;
		s = centre_of(&groups[g], centre, &c);
		if (s)
			return s;
		distances[g] = (struct values){next, groups[g].n};
		for (size_t i = 0; i < groups[g].n; i++)
			*next++ = fabs(groups[g].x[i] - c);
	}
	struct anova a;
	s = anova_one_way(distances, n_groups, &a);
	s = s ? s : a.f_status;
	if (!s)
		*out = (struct spread_test){a.f, a.p};
	return s;
}
