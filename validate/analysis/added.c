/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/analysis/added.h"

#include "validate/analysis/analysis_private.h"
#include "validate/analysis/measures.h"

enum { PROGRAM, REPLAY, RESPONSE, ADDED, N_COLUMNS };

static bool is_served(const struct run *r)
{
	return r->has_served && r->served.n == r->summary.response.n;
}

static double added_of(const struct run *r)
{
	return r->summary.response.mean - r->served.delivered_ns;
}

static void one_compute(struct added_time *t, const struct measure_runs *m)
{
	double *x = xcalloc((m->n + 1) * N_COLUMNS, sizeof *x), mean_ns = 0;
	double *column[N_COLUMNS];
	size_t n = 0;
	*t = (struct added_time){.width_ratio = NAN};
	for (size_t k = 0; k < N_COLUMNS; k++)
		column[k] = x + k * (m->n + 1);
	for (size_t i = 0; i < m->n; i++) {
		const struct run *r = m->r[i], *replay = m->x[i];
		if (!is_served(r) || !is_served(replay))
			continue;
		column[PROGRAM][n] = added_of(r);
		column[REPLAY][n] = added_of(replay);
		column[RESPONSE][n] = replay->summary.response.mean - r->summary.response.mean;
		column[ADDED][n] = column[REPLAY][n] - column[PROGRAM][n];
		mean_ns += r->summary.response.mean;
		t->delivered_program_ns += r->served.delivered_ns;
		t->delivered_replay_ns += replay->served.delivered_ns;
		n++;
	}
	t->there = n >= 2 && mean_ns > 0;
	if (t->there) {
		mean_ns /= (double)n;
		t->delivered_program_ns /= (double)n;
		t->delivered_replay_ns /= (double)n;
		for (size_t i = 0; i < n; i++) {
			column[RESPONSE][i] /= mean_ns;
			column[ADDED][i] /= mean_ns;
		}
		t->program = estimate_of_mean(column[PROGRAM], n);
		t->replay = estimate_of_mean(column[REPLAY], n);
		t->response_difference = estimate_of_mean(column[RESPONSE], n);
		t->added_difference = estimate_of_mean(column[ADDED], n);
		t->width_ratio = (t->added_difference.hi95 - t->added_difference.lo95) /
				 (t->response_difference.hi95 - t->response_difference.lo95);
	}
	free(x);
}

void added_compute(struct analysis *a)
{
	a->added = xcalloc(a->n_cells + 1, sizeof *a->added);
	for (size_t i = 0; i < a->n_cells; i++) {
		struct measure_runs m;
		measure_runs_of_cell(&m, a, i);
		one_compute(&a->added[i], &m);
		measure_runs_release(&m);
	}
}
