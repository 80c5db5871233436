/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/paired_mean.h"

#include "validate/stats/distributions.h"
#include "validate/stats/sign_flip.h"

enum stat_status paired_mean_of(const double *d, size_t n, struct paired_mean *m)
{
	*m = (struct paired_mean){.d = d, .n = n, .serial = serial_none(n)};
	enum stat_status s = mean_test(d, n, &m->t);
	if (s == STAT_ZERO_VARIANCE)
		m->t = (struct t_estimate){.value = d[0], .df = (double)(n - 1)};
	m->wide = m->t;
	s = s ? s : serial_dependence(d, n, &m->serial);
	if (!s)
		m->wide = serial_widen(&m->t, n, &m->serial);
	return s;
}

void paired_mean_widen(struct paired_mean *m, const struct serial *serial)
{
	m->serial = *serial;
	if (m->t.se > 0)
		m->wide = serial_widen(&m->t, m->n, serial);
}

/* Returns the divisor of Student's t, and its degrees of freedom, for an effective number n/V
 * (serial_widen()). */
static double t_divisor(const struct serial *s, double n)
{
	return sqrt(s->inflation * (n - 1) / fmax(1e-9, n - s->inflation));
}

static double widened_df(const struct serial *s)
{
	return fmax(1, s->n_effective - 1);
}

/* Widens a one-sided P-value of n independent values by their dependence. */
static double p_widen(double p, size_t n, const struct serial *s)
{
	double t, k = (double)n;
	if (!(s->inflation > 1 + 1e-9) || p >= 0.5 || t_quantile(p, k - 1, &t))
		return p;
	return t_below(t / t_divisor(s, k), widened_df(s));
}

/* Returns the level that widening converts to alpha. */
static double level_before(double alpha, size_t n, const struct serial *s)
{
	double t, k = (double)n;
	if (!(s->inflation > 1 + 1e-9) || t_quantile(alpha, widened_df(s), &t))
		return alpha;
	return t_below(t * t_divisor(s, k), k - 1);
}

static double t_side(const struct t_estimate *t, double at, bool above)
{
	const double z = (t->value - at) / t->se;
	return above ? t_above(z, t->df) : t_below(z, t->df);
}

/* Computes the P-values of one side from the sign-flip P. */
static struct mean_side side_of(const struct paired_mean *m, double flip, double at, bool above)
{
	const double least = m->n < 1000 ? ldexp(1, -(int)m->n) : 0;
	struct mean_side p = {flip, p_widen(flip, m->n, &m->serial)};
	if (m->t.se > 0 && flip <= least * (1 + 1e-9))
		p = (struct mean_side){fmin(p.alone, t_side(&m->t, at, above)),
				       fmin(p.wide, t_side(&m->wide, at, above))};
	return p;
}

struct mean_sides paired_mean_sides(const struct paired_mean *m, double at)
{
	double above, below;
	if (m->n > PAIRED_MEAN_MANY && m->t.se > 0)
		return (struct mean_sides){{t_side(&m->t, at, true), t_side(&m->wide, at, true)},
					   {t_side(&m->t, at, false), t_side(&m->wide, at, false)}};
	sign_flip_p(m->d, m->n, at, &above, &below);
	return (struct mean_sides){side_of(m, above, at, true), side_of(m, below, at, false)};
}

struct mean_side paired_mean_p(const struct paired_mean *m, double at, bool above)
{
	const struct mean_sides p = paired_mean_sides(m, at);
	return above ? p.above : p.below;
}

bool paired_mean_limits(const struct paired_mean *m, double alpha, bool widen, double *lo,
			double *hi)
{
	double t_lo, t_hi, least = INFINITY, most = -INFINITY,
			   level = widen ? level_before(alpha, m->n, &m->serial) : alpha;
	*lo = *hi = m->t.value;
	if (!(m->t.se > 0))
		return true;
	if (t_interval(widen ? &m->wide : &m->t, 1 - 2 * alpha, &t_lo, &t_hi))
		return false;
	*lo = t_lo;
	*hi = t_hi;
	if (m->n > PAIRED_MEAN_MANY)
		return true;
	if (!(level > 0) || sign_flip_limits(m->d, m->n, level, lo, hi)) {
		*lo = -INFINITY;
		*hi = INFINITY;
	}
	for (size_t i = 0; i < m->n; i++) {
		least = fmin(least, m->d[i]);
		most = fmax(most, m->d[i]);
	}
	*lo = isfinite(*lo) ? *lo : fmin(t_lo, least);
	*hi = isfinite(*hi) ? *hi : fmax(t_hi, most);
	return true;
}
