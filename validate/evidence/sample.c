/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of replicate results, and estimates from them. */
#include "validate/evidence/evidence.h"
#include "validate/stats/quantiles.h"

void sample_init(struct sample *s, double *x, size_t n)
{
	struct sample_moments m;
	*s = (struct sample){.n = n, .x = x};
	s->mean = s->sd = s->cv = s->sem = s->median = s->min = s->max = NAN;
	s->status = sample_moments(x, n, &m);
	if (s->status)
		return;
	s->mean = m.mean;
	s->min = m.min;
	s->max = m.max;
	s->status = sample_median(x, n, &s->median);
	if (!s->status)
		s->status = m.spread;
	if (s->status)
		return;
	s->sd = m.sd;
	s->sem = m.sem;
	if (m.mean != 0)
		s->cv = m.sd / fabs(m.mean);
}

void sample_release(struct sample *s)
{
	free(s->x);
	*s = (struct sample){0};
}

enum stat_status dependent_mean(const double *x, size_t n, struct t_estimate *t,
				struct t_estimate *wide, struct serial *serial)
{
	enum stat_status s = mean_test(x, n, t);
	*serial = serial_none(n);
	if (s == STAT_ZERO_VARIANCE)
		*t = (struct t_estimate){.value = x[0], .df = (double)(n - 1)};
	*wide = *t;
	if (s)
		return s;
	s = serial_dependence(x, n, serial);
	if (!s)
		*wide = serial_widen(t, n, serial);
	return s;
}

double *values_of(const struct run **runs, size_t n, double (*value)(const struct run_summary *s))
{
	double *x = xcalloc(n ? n : 1, sizeof *x);
	for (size_t i = 0; i < n; i++)
		x[i] = value(&runs[i]->summary);
	return x;
}

struct estimate estimate_none(enum stat_status s)
{
	return (struct estimate){s, NAN, NAN, NAN, NAN, NAN, NAN};
}

struct estimate estimate_map(const struct estimate *e, double (*map)(double))
{
	return map ? (struct estimate){e->status,     map(e->value), map(e->lo90), map(e->hi90),
				       map(e->lo95), map(e->hi95),  e->df}
		   : *e;
}

struct estimate estimate_of_t(enum stat_status s, const struct t_estimate *t, double (*map)(double))
{
	struct estimate e = estimate_none(s);
	s = s ? s : t_interval(t, 0.90, &e.lo90, &e.hi90);
	s = s ? s : t_interval(t, 0.95, &e.lo95, &e.hi95);
	if (s)
		return estimate_none(s);
	e.value = t->value;
	e.df = t->df;
	return estimate_map(&e, map);
}

struct estimate estimate_of_mean(const double *x, size_t n)
{
	struct t_estimate t;
	struct sample_moments m;
	enum stat_status s = mean_test(x, n, &t);
	if (!s)
		return estimate_of_t(s, &t, NULL);
	struct estimate e = estimate_none(sample_moments(x, n, &m));
	if (!e.status)
		e.value = m.mean;
	return e;
}
