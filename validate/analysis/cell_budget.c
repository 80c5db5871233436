/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The uncertainty budget of a cell: of what one future replay shows, as a share of the mean reference,
 * the bias stated apart. */
#include <math.h>

#include "validate/analysis/analysis_private.h"
#include "validate/stats/budget.h"

enum { N_ROWS = 5 };

/* Mean over runs of one number of their clocks. */
static double mean_of(const struct run **runs, size_t n, double (*value)(const struct run_summary *s))
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += value(&runs[i]->summary);
	return n ? sum / (double)n : 0;
}

static double resolution(const struct run_summary *s)
{
	return s->clock_resolution_ns;
}

static double read_cost(const struct run_summary *s)
{
	return s->clock_read_cost_ns;
}

static void row_set(struct budget_row *row, const struct budget_component *c)
{
	*row = (struct budget_row){
	    .source = c->source,
	    .distribution = budget_distribution_names[c->distribution],
	    .type = c->type == BUDGET_TYPE_A ? 'A' : 'B',
	    .value = c->value,
	    .divisor = c->divisor,
	    .sensitivity = c->sensitivity,
	    .u = c->u,
	    .nu = c->nu,
	    .share = c->share_pct / 100,
	};
}

/* The rows: scatter of one replay; both means, which the bias was estimated from; the clock's step, taken as the
 * half-width of what it may shift a mean by; and what its reading costs, which is inside every interval, in program
 * and replay alike, so that only the difference of the two is left. A single recorded reference has no mean of its
 * own to be uncertain: its scatter is not known, and sources.c says so. */
void measure_budget(struct cell *c, const struct pairs *p)
{
	struct budget *b = &c->budget;
	struct budget_component row[N_ROWS];
	struct budget_total total;
	size_t n = 0;
	*b = (struct budget){.u_c = NAN, .nu_eff = NAN, .k95 = NAN, .U95 = NAN};
	b->status = c->x.status ? c->x.status : reference_check(c->r.x, c->r.n);
	if (!b->status && !c->single_reference)
		b->status = c->r.status;
	if (b->status)
		return;

	double mean = c->r.mean, dof = (double)(c->x.n - 1);
	double step = fmax(mean_of(p->x, p->n, resolution), mean_of(p->r, p->n, resolution));
	double cost = fabs(mean_of(p->x, p->n, read_cost) - mean_of(p->r, p->n, read_cost));
	row[n++] = budget_component("repeatability", BUDGET_TYPE_A, BUDGET_NORMAL, c->x.sd / mean, dof);
	row[n++] = budget_component("mean of the replays", BUDGET_TYPE_A, BUDGET_NORMAL, c->x.sem / mean, dof);
	if (!c->single_reference)
		row[n++] = budget_component("mean of the references", BUDGET_TYPE_A, BUDGET_NORMAL,
					    c->x.mean / mean * c->r.sem / mean, (double)(c->r.n - 1));
	row[n++] = budget_component("clock resolution", BUDGET_TYPE_B, BUDGET_RECTANGULAR, step / mean, INFINITY);
	row[n++] = budget_component("clock read cost", BUDGET_TYPE_B, BUDGET_RECTANGULAR, cost / mean, INFINITY);
	if (c->x.sd <= 0) /* all replays alike: what is left is the clock, and that is no budget */
		b->status = STAT_ZERO_VARIANCE;
	if (!b->status)
		b->status = budget_combine(row, n, &total);
	if (!b->status)
		b->status = budget_expand(&total, 0.95, BUDGET_CONTINUOUS, &b->k95, &b->U95);
	if (b->status)
		return;
	b->u_c = total.u_c;
	b->nu_eff = total.nu_eff;
	for (b->n_rows = 0; b->n_rows < n; b->n_rows++)
		row_set(&b->row[b->n_rows], &row[b->n_rows]);
}
