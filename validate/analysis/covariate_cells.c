/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The covariate in all cells of a campaign. */
#include <math.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "validate/analysis/covariate.h"
#include "validate/stats/ratio.h"

static double mean_response(const struct run_summary *s)
{
	return s->response.mean;
}

static double run_execution_ns(const struct run_summary *s)
{
	return (double)s->execution_ns;
}

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

/* Fits the cells first..end, which belong to one scenario. */
static void scenario_fit(struct analysis *a, size_t first, size_t end, bool of_time)
{
	struct covariate_cell *cell = xcalloc(end - first, sizeof *cell);
	struct covariate_slope slope;
	bool shared = false;
	for (size_t i = first; i < end; i++) {
		/* pairs_collect() adds to the counts of its cell */
		struct cell counted = a->cell[i];
		struct pairs pairs;
		pairs_collect(&pairs, &counted, a->results, a->n_replicates);
		shared |= pairs.shared;
		cell[i - first] = (struct covariate_cell){
		    .n = pairs.n,
		    .z = z_of(&pairs),
		    .d = log_ratios_of(&pairs, of_time ? run_execution_ns : mean_response)};
		pairs_release(&pairs);
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
		free((double *)cell[i - first].z);
		free((double *)cell[i - first].d);
	}
	free(cell);
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
	double *z = z_of(p);
	covariate_remove(k, z, d, p->n);
	free(z);
}
