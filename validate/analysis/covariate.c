/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/analysis/covariate.h"

#include <math.h>

double covariate_of_pair(const struct run *replay, const struct run *program)
{
	return log1p(replay->others_share + replay->stolen_share) -
	       log1p(program->others_share + program->stolen_share);
}

static double mean_of(const double *x, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / (double)n : 0;
}

struct within { /* sums of squares and products about the cells' means */
	double zz, zd, dd;
	size_t n, n_cells;
};

static enum stat_status sums_within(const struct covariate_cell *cell, size_t n_cells,
				    struct within *w)
{
	*w = (struct within){0};
	for (size_t c = 0; c < n_cells; c++) {
		const double mean_z = mean_of(cell[c].z, cell[c].n),
			     mean_d = mean_of(cell[c].d, cell[c].n);
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
		const double mean_z = mean_of(cell[c].z, cell[c].n);
		cell[c].stretch =
		    sqrt((1 + (double)cell[c].n * mean_z * mean_z / w.zz) * (df + 1) / df);
	}
	return STAT_OK;
}

void covariate_remove(const struct covariate_effect *k, const double *z, double *d, size_t n)
{
	for (size_t i = 0; i < n; i++)
		d[i] -= k->slope * z[i];
	const double mean = mean_of(d, n);
	for (size_t i = 0; i < n; i++)
		d[i] = mean + k->stretch * (d[i] - mean);
}
