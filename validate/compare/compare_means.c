/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes of means. */
#include <math.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "validate/compare/compare_private.h"
#include "validate/stats/distributions.h"
#include "validate/stats/serial.h"

/* A group's mean, as if its runs were independent and as they may depend on each other; without scatter se is 0. */
static enum stat_status mean_of(const double *x, size_t n, struct t_estimate *t, struct t_estimate *wide)
{
	struct serial serial;
	enum stat_status s = mean_test(x, n, t);
	if (s == STAT_ZERO_VARIANCE)
		*t = (struct t_estimate){.value = x[0], .df = (double)(n - 1)};
	*wide = *t;
	if (s)
		return s == STAT_ZERO_VARIANCE ? STAT_OK : s;
	s = serial_dependence(x, n, &serial);
	if (!s)
		*wide = serial_widen(t, n, &serial);
	return s;
}

int shift_side(const double *x, size_t n)
{
	struct t_estimate t, wide;
	double q = 0;
	if (mean_of(x, n, &t, &wide) || (wide.se > 0 && t_quantile(0.995, wide.df, &q)))
		return 0;
	return wide.value > q * wide.se ? 1 : wide.value < -q * wide.se ? -1 : 0;
}

/* Welch and Satterthwaite. */
static struct t_estimate difference(const struct t_estimate *was, const struct t_estimate *is)
{
	double a = was->se * was->se, b = is->se * is->se;
	struct t_estimate t = {.value = is->value - was->value, .se = sqrt(a + b), .df = was->df + is->df};
	if (t.se > 0)
		t.df = (a + b) * (a + b) / (a * a / was->df + b * b / is->df);
	return t;
}

struct shift shift_of_groups(const double *was, size_t n_was, const double *is, size_t n_is)
{
	struct t_estimate t_was, t_is, wide_was, wide_is;
	struct shift s = {.n_old = (double)n_was, .n_new = (double)n_is};
	s.status = mean_of(was, n_was, &t_was, &wide_was);
	if (!s.status)
		s.status = mean_of(is, n_is, &t_is, &wide_is);
	if (s.status)
		return s;
	s.t = difference(&t_was, &t_is);
	s.wide = difference(&wide_was, &wide_is);
	return s;
}

struct shift shift_of_pairs(const double *was, const double *is, size_t n)
{
	struct shift s = {.n_old = (double)n, .n_new = (double)n, .paired = true};
	double *d = xcalloc(n + 1, sizeof *d);
	for (size_t i = 0; i < n; i++)
		d[i] = is[i] - was[i];
	s.status = mean_of(d, n, &s.t, &s.wide);
	free(d);
	return s;
}

/* All runs of either side are alike: P that labels dealt at random part them so, two-sided. */
static double p_of_labels(const struct shift *s)
{
	double n = s->n_new, m = s->n_old;
	if (s->paired)
		return fmin(1, exp2(1 - n));
	return fmin(1, 2 * exp(log_gamma(n + 1) + log_gamma(m + 1) - log_gamma(n + m + 1)));
}

static double p_within(const struct t_estimate *t, double lo, double hi)
{
	return fmax(t_above((t->value - lo) / t->se, t->df), t_below((t->value - hi) / t->se, t->df));
}

struct shift_p shift_test(const struct shift *s, double lo, double hi)
{
	const struct t_estimate *t = &s->t;
	if (!(t->se > 0)) {
		bool within = t->value >= lo && t->value <= hi;
		double p = p_of_labels(s);
		return (struct shift_p){within ? 1 : p, within ? 0 : 1, within ? 0 : 1, fabs(t->value) > 0 ? p : 1};
	}
	double beyond = fmin(t_below((t->value - lo) / t->se, t->df), t_above((t->value - hi) / t->se, t->df));
	return (struct shift_p){fmin(1, 2 * beyond), p_within(&s->wide, lo, hi), p_within(t, lo, hi), t_two_sided(t->value / t->se, t->df)};
}
