/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes of means.
 *
 * Pairs: the test uses all exchanges of the labels old and new within the pairs
 * (stats/paired_mean.h), because the order within a block is random. Two campaigns: Welch's t. Both
 * are widened for dependence that the order does not explain, with a coefficient that all cases of
 * the comparison share (stats/serial.h). */
#include "validate/compare/compare_private.h"
#include "validate/stats/distributions.h"
#include "validate/stats/multiplicity.h"

/* Equal values are no error here. */
static enum stat_status mean_of(struct paired_mean *m, const double *x, size_t n)
{
	enum stat_status s = paired_mean_of(x, n, m);
	return s == STAT_ZERO_VARIANCE ? STAT_OK : s;
}

void shift_of_groups(struct shift *s, const double *was, size_t n_was, const double *is,
		     size_t n_is)
{
	*s = (struct shift){0};
	s->status = mean_of(&s->mean[0], was, n_was);
	if (!s->status)
		s->status = mean_of(&s->mean[1], is, n_is);
	s->value = s->mean[1].t.value - s->mean[0].t.value;
}

void shift_of_pairs(struct shift *s, const double *was, const double *is, size_t n)
{
	*s = (struct shift){.d = xcalloc(n + 1, sizeof *s->d)};
	for (size_t i = 0; i < n; i++)
		s->d[i] = is[i] - was[i];
	s->status = mean_of(&s->mean[0], s->d, n);
	s->value = s->mean[0].t.value;
}

void shift_release(struct shift *s)
{
	free(s->d);
	*s = (struct shift){0};
}

static bool mean_scatters(const struct shift *s, int side)
{
	return !s->status && s->mean[side].t.se > 0;
}

void shifts_pool(struct shift *s, size_t n)
{
	for (int side = 0; side < 2; side++) {
		double sum = 0;
		size_t n_known = 0;
		for (size_t i = 0; i < n; i++)
			if (mean_scatters(&s[i], side)) {
				sum += serial_rho_own(s[i].mean[side].serial.lag1,
						      (double)s[i].mean[side].n);
				n_known++;
			}
		for (size_t i = 0; i < n; i++)
			if (mean_scatters(&s[i], side)) {
				struct paired_mean *m = &s[i].mean[side];
				const struct serial serial = serial_pooled(
				    m->serial.lag1, m->n, sum / (double)n_known, n_known);
				paired_mean_widen(m, &serial);
			}
	}
}

/* Welch and Satterthwaite. */
static struct t_estimate means_difference(const struct shift *s, bool wide)
{
	const struct t_estimate was = wide ? s->mean[0].wide : s->mean[0].t,
				is = wide ? s->mean[1].wide : s->mean[1].t;
	double a = was.se * was.se, b = is.se * is.se;
	struct t_estimate t = {.value = s->value, .se = sqrt(a + b), .df = was.df + is.df};
	if (t.se > 0)
		t.df = (a + b) * (a + b) / (a * a / was.df + b * b / is.df);
	return t;
}

/* Used if neither side scatters: P that randomly assigned labels give this separation. */
static double groups_p(const struct shift *s, double at, bool above, bool wide)
{
	const struct t_estimate t = means_difference(s, wide);
	const double n = (double)s->mean[1].n, m = (double)s->mean[0].n;
	if (t.se > 0)
		return (above ? t_above : t_below)((t.value - at) / t.se, t.df);
	return (above ? t.value > at : t.value < at)
		   ? exp(log_gamma(n + 1) + log_gamma(m + 1) - log_gamma(n + m + 1))
		   : 1;
}

static struct mean_sides p_at(const struct shift *s, double at)
{
	if (s->d)
		return paired_mean_sides(&s->mean[0], at);
	return (struct mean_sides){{groups_p(s, at, true, false), groups_p(s, at, true, true)},
				   {groups_p(s, at, false, false), groups_p(s, at, false, true)}};
}

static bool has_scatter(const struct shift *s)
{
	return s->mean[0].t.se > 0 || (!s->d && s->mean[1].t.se > 0);
}

struct shift_p shift_test(const struct shift *s, double lo, double hi, double span)
{
	const struct mean_sides low = p_at(s, lo), high = p_at(s, hi), none = p_at(s, 0);
	const bool within = s->value >= lo && s->value <= hi;
	struct shift_p p = {
	    .beyond = sequential_p(fmin(low.below.wide, high.above.wide), span),
	    .difference = fmin(1, 2 * sequential_p(fmin(none.above.wide, none.below.wide), span)),
	    .same = within ? 0 : 1, .same_alone = within ? 0 : 1,
	};
	if (!has_scatter(s))
		return p;
	p.same = sequential_p(fmax(low.above.wide, high.below.wide), span);
	p.same_alone = sequential_p(fmax(low.above.alone, high.below.alone), span);
	return p;
}

#define ASSURANCE_Z 0.84 /* normal deviate of 80 % */

double shift_needed(const struct shift *s, double hi, double level)
{
	const struct paired_mean *m = &s->mean[0];
	double z;
	if (!s->d || !(m->t.se > 0) || normal_quantile(1 - level, &z))
		return 0;
	const double gap = fabs(fabs(s->value) - hi),
		     sd = (z + ASSURANCE_Z) * m->t.se * sqrt((double)m->n * m->serial.inflation);
	return ceil(sd / gap * (sd / gap));
}

void shift_limits(const struct shift *s, double alpha, double *lo, double *hi)
{
	*lo = *hi = s->value;
	if (!has_scatter(s))
		return;
	if (s->d) {
		if (!paired_mean_limits(&s->mean[0], alpha / 2, false, lo, hi))
			*lo = *hi = NAN;
		return;
	}
	const struct t_estimate t = means_difference(s, false);
	if (t_interval(&t, 1 - alpha, lo, hi))
		*lo = *hi = NAN;
}

int shift_side(const double *x, size_t n, double span)
{
	struct paired_mean m;
	if (mean_of(&m, x, n))
		return 0;
	const struct mean_sides p = paired_mean_sides(&m, 0);
	return sequential_p(p.above.wide, span) <= 0.005   ? 1
	       : sequential_p(p.below.wide, span) <= 0.005 ? -1
							   : 0;
}
