/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/evidence/covariate.h"

#include "validate/stats/moments.h"

double covariate_of_pair(const struct run *replay, const struct run *program)
{
	return log1p(replay->others_share + replay->stolen_share) -
	       log1p(program->others_share + program->stolen_share);
}

struct within { /* sums of squares and products of deviations from the means of the cells */
	double zz, zd, dd;
	size_t n, n_cells;
};

static enum stat_status sums_within(const struct covariate_cell *cell, size_t n_cells,
				    struct within *w)
{
	*w = (struct within){0};
	for (size_t c = 0; c < n_cells; c++) {
		const double mean_z = plain_mean(cell[c].z, cell[c].n),
			     mean_d = plain_mean(cell[c].d, cell[c].n);
		for (size_t i = 0; i < cell[c].n; i++) {
			const double z = cell[c].z[i] - mean_z, d = cell[c].d[i] - mean_d;
			w->zz += z * z;
			w->zd += z * d;
			w->dd += d * d;
		}
		w->n += cell[c].n;
		w->n_cells += cell[c].n > 0;
	}
	if (w->n < w->n_cells + 2)
		return STAT_TOO_FEW;
	if (!isfinite(w->zz + w->dd))
		return STAT_NOT_FINITE;
	return w->zz > 1e-12 && w->dd > 0 ? STAT_OK : STAT_ZERO_VARIANCE;
}

enum stat_status covariate_fit(struct covariate_cell *cell, size_t n_cells,
			       struct covariate_slope *s)
{
	struct within w;
	*s = (struct covariate_slope){NAN, NAN, NAN};
	for (size_t c = 0; c < n_cells; c++)
		cell[c].stretch = 1;
	const enum stat_status status = sums_within(cell, n_cells, &w);
	if (status)
		return status;
	const double explained = w.zd * w.zd / w.zz, df = (double)(w.n - w.n_cells - 1);
	s->slope = w.zd / w.zz;
	s->r_squared = explained / w.dd;
	s->se = sqrt(fmax(0, w.dd - explained) / df / w.zz);
	for (size_t c = 0; c < n_cells; c++) {
		const double mean_z = plain_mean(cell[c].z, cell[c].n);
		cell[c].stretch =
		    sqrt((1 + (double)cell[c].n * mean_z * mean_z / w.zz) * (df + 1) / df);
	}
	return STAT_OK;
}

void covariate_remove(const struct covariate_effect *k, const double *z, double *d, size_t n)
{
	for (size_t i = 0; i < n; i++)
		d[i] -= k->slope * z[i];
	const double mean = plain_mean(d, n);
	for (size_t i = 0; i < n; i++)
		d[i] = mean + k->stretch * (d[i] - mean);
}

/* --- all cells of a campaign --------------------------------------------- */

SUMMARY_VALUE(mean_response, s->response.mean)
SUMMARY_VALUE(run_execution_ns, (double)s->execution_ns)

static double *z_of(const struct pairs *p)
{
	double *z = xcalloc(p->n ? p->n : 1, sizeof *z);
	for (size_t i = 0; i < p->n; i++)
		z[i] = covariate_of_pair(p->x[i], p->r[i]);
	return z;
}

static double *log_ratios_of(const struct pairs *p, double (*value)(const struct run_summary *s))
{
	double *d = xcalloc(p->n ? p->n : 1, sizeof *d);
	for (size_t i = 0; i < p->n; i++)
		d[i] = log(value(&p->x[i]->summary) / value(&p->r[i]->summary));
	return d;
}

/* Fits the cells [first, end), which belong to one scenario. */
static void scenario_fit(struct analysis *a, size_t first, size_t end, bool of_time)
{
	SCOPED_FREE struct covariate_cell *cell = xcalloc(end - first, sizeof *cell);
	struct covariate_slope slope;
	bool shared = false;
	for (size_t i = first; i < end; i++) {
		/* a copy of the cell, because pairs_collect() adds to its counts */
		struct cell counted = a->cell[i];
		SCOPED(pairs_release) struct pairs pairs;
		pairs_collect(&pairs, &counted, a->results, a->n_replicates);
		shared |= pairs.shared;
		cell[i - first] = (struct covariate_cell){
		    .n = pairs.n,
		    .z = z_of(&pairs),
		    .d = log_ratios_of(&pairs, of_time ? run_execution_ns : mean_response)};
	}
	const enum stat_status status =
	    shared ? STAT_NOT_APPLICABLE : covariate_fit(cell, end - first, &slope);
	for (size_t i = first; i < end; i++) {
		struct covariate_effect *k =
		    of_time ? &a->cell[i].covariate_time : &a->cell[i].covariate_response;
		*k = (struct covariate_effect){status, NAN, NAN, NAN, 1};
		if (!status)
			*k = (struct covariate_effect){STAT_OK, slope.slope, slope.se,
						       slope.r_squared, cell[i - first].stretch};
		FREE_EACH((double *)cell[i - first].z, (double *)cell[i - first].d);
	}
}

void covariates_measure(struct analysis *a)
{
	const struct covariate_effect none = {STAT_NOT_ASSESSED, NAN, NAN, NAN, 1};
	for (size_t i = 0; i < a->n_cells; i++)
		a->cell[i].covariate_response = a->cell[i].covariate_time = none;
	for (size_t first = 0, end;
	     a->results->protocol.covariate == COVARIATE_OTHERS && first < a->n_cells;
	     first = end) {
		end = first + 1;
		while (end < a->n_cells && a->cell[end].scenario == a->cell[first].scenario)
			end++;
		scenario_fit(a, first, end, false);
		scenario_fit(a, first, end, true);
	}
}

void covariate_remove_of(const struct covariate_effect *k, const struct pairs *p, double *d)
{
	if (k->status)
		return;
	SCOPED_FREE double *z = z_of(p);
	covariate_remove(k, z, d, p->n);
}
