/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evidence from a number for each pair, and dependence between pairs. */
#include <float.h>

#include "validate/evidence/covariate.h"
#include "validate/evidence/evidence.h"
#include "validate/stats/quantiles.h"

/* Computes means of d[n] over pairs with the same reference, in the order of first use; returns
 * their number. */
static size_t means_by_reference(double *mean, const double *d, size_t n, const struct pairs *p)
{
	size_t n_means = 0;
	for (size_t i = 0; i < n; i++) {
		double sum = 0;
		size_t count = 0, first = n;
		for (size_t j = n; j-- > 0;)
			if (p->r[i] == p->r[j]) {
				first = j;
				sum += d[j];
				count++;
			}
		if (first == i)
			mean[n_means++] = sum / (double)count;
	}
	return n_means;
}

void paired_values(struct ratio_evidence *e, double *d, const struct pairs *p)
{
	*e =
	    (struct ratio_evidence){.d = d, .n = p->n, .status = p->n < 2 ? STAT_TOO_FEW : STAT_OK,
				    .verdicts_only = p->verdicts_only};
	if (p->shared && !e->status) {
		/* a shared reference counts once; if all pairs share one recording, only the
		 * scatter of the replays is known */
		SCOPED_FREE double *mean = xcalloc(e->n ? e->n : 1, sizeof *mean);
		size_t n = means_by_reference(mean, e->d, e->n, p);
		if (n > 1) {
			memcpy(e->d, mean, n * sizeof *mean);
			e->n = n;
		}
	}
	if (!e->status)
		e->status = dependent_mean(e->d, e->n, &e->t, &e->wide, &e->serial);
	if (e->status == STAT_ZERO_VARIANCE)
		e->wide = e->t;
	e->recordings =
	    e->status ? (struct recordings){.inflation = 1} : recordings_of(e->d, e->n, p);
}

/* Whether d[n] varies only because the numbers from which it was computed are rounded. Such
 * variation is not scatter. */
static bool is_rounding(const struct t_estimate *t, size_t n, const double *x, const double *r,
			size_t n_pairs)
{
	double largest = 1;
	for (size_t i = 0; i < n_pairs; i++)
		largest = fmax(largest, fmax(fabs(log(x[i])), fabs(log(r[i]))));
	return t->se * sqrt((double)n) <= 4 * DBL_EPSILON * largest;
}

void paired_ratio(struct ratio_evidence *e, const double *x, const double *r, const struct pairs *p)
{
	paired_ratio_without(e, x, r, p, &(struct covariate_effect){.status = STAT_NOT_ASSESSED});
}

static void ratio_of(struct ratio_evidence *e, const double *x, const double *r,
		     const struct pairs *p, const struct covariate_effect *k, bool winsorised)
{
	double *d = xcalloc(p->n ? p->n : 1, sizeof *d);
	enum stat_status s = p->n < 2 ? STAT_TOO_FEW : log_ratios(r, x, p->n, d);
	if (s) {
		free(d);
		*e = (struct ratio_evidence){.status = s, .n = p->n};
		return;
	}
	covariate_remove_of(k, p, d);
	if (winsorised)
		sample_winsorise(d, p->n);
	paired_values(e, d, p);
	if (!e->status && is_rounding(&e->t, e->n, x, r, p->n)) {
		e->status = STAT_ZERO_VARIANCE;
		e->t = e->wide = (struct t_estimate){.value = e->d[0], .df = (double)(e->n - 1)};
	}
}

void paired_ratio_without(struct ratio_evidence *e, const double *x, const double *r,
			  const struct pairs *p, const struct covariate_effect *k)
{
	ratio_of(e, x, r, p, k, false);
}

void paired_ratio_winsorised(struct ratio_evidence *e, const double *x, const double *r,
			     const struct pairs *p, const struct covariate_effect *k)
{
	ratio_of(e, x, r, p, k, true);
}

struct paired_mean ratio_series(const struct ratio_evidence *e)
{
	return (struct paired_mean){e->d, e->n, e->t, e->wide, e->serial};
}

void ratio_release(struct ratio_evidence *e)
{
	free(e->d);
	e->d = NULL;
}

struct estimate estimate_of_ratio(const struct ratio_evidence *r, double (*map)(double))
{
	const struct paired_mean series = ratio_series(r);
	struct estimate e = estimate_none(r->status);
	if (e.status || r->verdicts_only)
		return estimate_of_t(r->status, &r->t, map);
	if (!paired_mean_limits(&series, 0.05, false, &e.lo90, &e.hi90) ||
	    !paired_mean_limits(&series, 0.025, false, &e.lo95, &e.hi95))
		return estimate_none(STAT_OUT_OF_RANGE);
	e.value = r->t.value;
	e.df = r->t.df;
	return estimate_map(&e, map);
}

struct estimate paired_estimate(const struct sample *x, const struct sample *r,
				const struct pairs *p)
{
	SCOPED(ratio_release) struct ratio_evidence e;
	paired_ratio(&e, x->x, r->x, p);
	return estimate_of_ratio(&e, expm1);
}

/* --- families: components of several numbers, which must all lie within the limits --- */

static struct ratio_evidence *part_add(struct family *f, const char *label)
{
	f->part = xreallocarray(f->part, f->n + 1, sizeof *f->part);
	struct family_part *part = &f->part[f->n++];
	*part = (struct family_part){{0}};
	strncpy(part->label, label, sizeof part->label - 1);
	return &part->value;
}

static void take_status(struct family *f, const struct ratio_evidence *e)
{
	if (!f->status && e->status != STAT_ZERO_VARIANCE)
		f->status = e->status;
}

void family_add_values(struct family *f, const char *label, const struct pairs *p, double *d)
{
	struct ratio_evidence *e = part_add(f, label);
	paired_values(e, d, p);
	take_status(f, e);
}

void family_add_pairs(struct family *f, const char *label, const struct pairs *p, const double *x,
		      const double *r)
{
	struct ratio_evidence *e = part_add(f, label);
	paired_ratio(e, x, r, p);
	take_status(f, e);
}

void family_add_ratio(struct family *f, const char *label, const struct pairs *p,
		      double (*value)(const struct run_summary *s))
{
	SCOPED_FREE double *x = values_of(p->x, p->n, value), *r = values_of(p->r, p->n, value);
	family_add_pairs(f, label, p, x, r);
}

bool pairs_have(const struct pairs *p, double (*value)(const struct run_summary *s))
{
	for (size_t i = 0; i < p->n; i++)
		if (isnan(value(&p->x[i]->summary)) || isnan(value(&p->r[i]->summary)))
			return false;
	return true;
}

uint64_t pairs_fewest_requests(const struct pairs *p)
{
	uint64_t fewest = p->n ? UINT64_MAX : 0;
	for (size_t i = 0; i < p->n; i++) {
		uint64_t x = p->x[i]->summary.response.n, r = p->r[i]->summary.response.n,
			 n = x < r ? x : r;
		fewest = n < fewest ? n : fewest;
	}
	return fewest;
}

void family_release(struct family *f)
{
	for (size_t i = 0; i < f->n; i++)
		ratio_release(&f->part[i].value);
	free(f->part);
	*f = (struct family){0};
}

/* --- dependence over all cells of a replayer ----------------------------- */

/* Sums over the series of one part of a component of one replayer, with one series per case. Parts
 * are pooled separately, because independent parts would hide dependent parts. */
struct paired_pooled {
	double sum, sum_icc; /* sums of coefficients, and of intraclass correlations */
	size_t n_series, n_reusing;
};
/* further parts are pooled together with the last part */
#define PARTS_MAX 64

static struct paired_pooled *pool_of(struct paired_pooled *pool, size_t part)
{
	return &pool[part < PARTS_MAX ? part : PARTS_MAX - 1];
}

struct series {
	struct serial *serial;
	struct recordings *recordings; /* NULL: unknown */
	const struct t_estimate *t;
	struct t_estimate *wide; /* NULL: no mean is used */
	size_t n;
};
typedef void series_fn(struct paired_pooled *p, const struct series *s);

static void series_of_ratio(struct ratio_evidence *e, series_fn *one, struct paired_pooled *p)
{
	if (!e->status)
		one(p, &(struct series){&e->serial, &e->recordings, &e->t, &e->wide, e->n});
}

enum {
	SLOT_BIAS, SLOT_TIME, SLOT_IN_FLIGHT, SLOT_IN_FLIGHT_MAX, SLOT_TIME_ALL, SLOT_REORDERED,
	SLOT_LATE, SLOT_ISSUE, SLOT_DISTANCE, SLOT_PRECISION, SLOT_FAMILIES,
	N_SLOTS = SLOT_FAMILIES + COMPONENT_N,
};

static void each_series(struct evidence *e, size_t slot, series_fn *one, struct paired_pooled *p)
{
	struct ratio_evidence *const ratio[] = {&e->bias, &e->time, &e->in_flight,
						&e->in_flight_max, &e->time_all};
	if (slot < SLOT_REORDERED)
		series_of_ratio(ratio[slot], one, p);
	else if (slot == SLOT_REORDERED && !e->reordered.status)
		one(p, &(struct series){&e->reordered.serial, NULL, &e->reordered.t,
					&e->reordered.wide, e->reordered.n});
	else if (slot == SLOT_LATE && !e->late.status)
		one(p,
		    &(struct series){&e->late.serial, NULL, &e->late.t, &e->late.wide, e->late.n});
	else if (slot == SLOT_ISSUE && !e->issue_error.status)
		one(p, &(struct series){&e->issue_error.serial, NULL, &e->issue_error.t,
					&e->issue_error.wide, e->issue_error.n});
	for (size_t i = 0; slot == SLOT_PRECISION && !e->precision_status && i < 2; i++)
		one(pool_of(p, i), &(struct series){.serial = &e->precision_factor[i],
						    .n = e->precision.n});
	for (size_t i = 0; slot == SLOT_DISTANCE && i < e->distance.n_levels; i++)
		one(pool_of(p, i), &(struct series){&e->distance.serial[i], NULL, &e->distance.t[i],
						    &e->distance.wide[i], e->distance.n});
	for (size_t i = 0; slot >= SLOT_FAMILIES && i < e->family[slot - SLOT_FAMILIES].n; i++)
		series_of_ratio(&e->family[slot - SLOT_FAMILIES].part[i].value, one, pool_of(p, i));
}

static void series_add(struct paired_pooled *p, const struct series *s)
{
	if (isnan(s->serial->lag1) || s->n < 2)
		return;
	p->sum += serial_rho_own(s->serial->lag1, (double)s->n);
	p->n_series++;
	if (s->recordings && s->recordings->n) {
		p->sum_icc += s->recordings->icc;
		p->n_reusing++;
	}
}

static void series_apply(struct paired_pooled *p, const struct series *s)
{
	const double n = (double)s->n;
	if (isnan(s->serial->lag1) || s->n < 2)
		return;
	*s->serial =
	    serial_pooled(s->serial->lag1, s->n, p->sum / (double)p->n_series, p->n_series);
	if (s->recordings && s->recordings->n) {
		s->recordings->mean = p->sum_icc / (double)p->n_reusing;
		s->recordings->n_cells = p->n_reusing;
		s->recordings->inflation = recordings_inflation(s->recordings);
		s->serial->inflation = fmin(n, s->serial->inflation * s->recordings->inflation);
		s->serial->n_effective = n / s->serial->inflation;
	}
	if (s->wide)
		*s->wide = serial_widen(s->t, s->n, s->serial);
}

void dependence_pool(const struct analysis *a, struct evidence *e)
{
	const size_t n_replayers = a->results->protocol.n_replayers;
	series_fn *const passes[] = {series_add, series_apply};
	for (size_t replayer = 0; replayer < n_replayers; replayer++)
		for (size_t slot = 0; slot < N_SLOTS; slot++) {
			struct paired_pooled pool[PARTS_MAX] = {0};
			for (size_t pass = 0; pass < 2; pass++)
				for (size_t i = 0; i < a->n_cells; i++)
					if (a->cell[i].replayer == replayer)
						each_series(&e[i], slot, passes[pass], pool);
		}
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct serial *f = e[i].precision_factor;
		e[i].precision_serial = isnan(f[0].lag1) ? serial_none(a->cell[i].x.n)
				       : serial_product(&f[0], &f[1], a->cell[i].x.n);
	}
}
