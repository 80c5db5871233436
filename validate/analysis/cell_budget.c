/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The uncertainty budget of a cell: the uncertainty of a single future replay, relative to the mean
 * reference. The bias is stated separately. */
#include "validate/analysis/analysis_private.h"
#include "validate/stats/budget.h"

enum {
	ROW_REPEATABILITY, ROW_ORDER, ROW_MEAN_X, ROW_MEAN_R, ROW_ZERO, ROW_RESOLUTION,
	ROW_READ_COST, ROW_CORRECTION, ROW_STANDARD, N_ROWS,
};

/* The scatter of the replays and the uncertainty of their mean share one standard deviation. */
#define ESTIMATE_SCATTER 1

#define ALPHA_ORDER 0.05

/* Tails assumed for the program when its scatter is used to judge a replayer: those of t with 5.5
 * degrees of freedom. */
#define TAILS_UNSEEN 4.0

/* Mean over runs of a clock property. */
static double mean_of(const struct run **runs, size_t n,
		      double (*value)(const struct run_summary *s))
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += value(&runs[i]->summary);
	return n ? sum / (double)n : 0;
}

SUMMARY_VALUE(clock_resolution, s->clock_resolution_ns)
SUMMARY_VALUE(read_cost, s->clock_read_cost_ns)

SUMMARY_VALUE(clock_correction, s->correction_u_ns)

/* Returns the largest share of the response time that the certified standard adds: |bias| + U. 0:
 * none. */
static double standard_share(const struct results *r)
{
	const json_t *standard = json_object_get(r->environment, "standard");
	return json_number_value(json_object_get(standard, "bias")) +
	       json_number_value(json_object_get(standard, "expanded_uncertainty"));
}

static void row_set(struct budget_row *row, const struct budget_component *c)
{
	*row = (struct budget_row){
	    .source = c->source,
	    .distribution = budget_distribution_names[c->distribution],
	    .type = c->type == BUDGET_TYPE_A ? 'A' : 'B',
	    .estimate = c->estimate,
	    .value = c->value,
	    .divisor = c->divisor,
	    .sensitivity = c->sensitivity,
	    .u = c->u,
	    .nu = c->nu,
	    .share = c->share_pct / 100,
	};
}

/* Scatter of a replay. If an analysis of variance shows an effect of the order of program and
 * replay in the block, it is split as in GUM H.5. Otherwise it is pooled. */
struct scatter {
	double within, order, nu_within, nu_order;
};

static struct scatter scatter_of(const struct cell *c, const struct pairs *p)
{
	struct scatter s = {c->x.sd, 0, (double)(c->x.n - 1), 1};
	struct anova a;
	double *before = xcalloc(p->n + 1, sizeof *before),
	       *after = xcalloc(p->n + 1, sizeof *after);
	size_t n_before = 0, n_after = 0;
	for (size_t i = 0; i < p->n; i++)
		if (p->x[i]->position < p->r[i]->position)
			before[n_before++] = c->x.x[i];
		else
			after[n_after++] = c->x.x[i];
	const struct values group[] = {{before, n_before}, {after, n_after}};
	if (!p->shared && n_before > 1 && n_after > 1 && !anova_one_way(group, 2, &a) &&
	    !a.f_status && a.p <= ALPHA_ORDER && a.ms_within > 0) {
		s.within = sqrt(a.ms_within);
		s.nu_within = a.df_within;
		s.order = sqrt((a.ms_between - a.ms_within) / a.n0);
	}
	FREE_EACH(before, after);
	return s;
}

/* Degrees of freedom of u_c as an estimate: those of its rows, reduced for the scatter if tails are
 * long. */
static double spread_dof(const struct budget_component row[N_ROWS], double nu_rows,
			 double nu_scatter)
{
	struct budget_component lowered[N_ROWS];
	struct budget_total total;
	memcpy(lowered, row, sizeof lowered);
	lowered[ROW_REPEATABILITY].nu = fmin(row[ROW_REPEATABILITY].nu, nu_scatter);
	return budget_combine(lowered, N_ROWS, &total) ? nu_rows : fmin(total.nu_eff, nu_rows);
}

/* Sets u_c and its degrees of freedom for an upper limit, which allows for hidden tails and
 * dependence. */
static void allow_hidden(struct budget *b, const struct budget_component *row, const struct cell *c,
			 const struct evidence *e, const struct sample_moments *m)
{
	double sd = m->sd, nu = spread_df(c->x.x, c->x.n, m, 0);
	spread_allow_hidden(c->x.n, &e->replays, &sd, &nu);
	b->nu_spread_upper = spread_dof(row, b->nu_eff, nu);
	b->u_c_upper = b->u_c * sd / m->sd;
}

/* Computes the same budget with the program's runs in place of the replays. */
static void as_program(struct budget *b, const struct cell *c, double clock)
{
	struct sample_moments m;
	double n = (double)c->r.n;
	if (c->single_reference || sample_moments_spread(c->r.x, c->r.n, &m))
		return;
	b->u_c_program = hypot(m.sd / m.mean * sqrt(1 + 2 / n), clock);
	b->nu_spread_program = spread_df(c->r.x, c->r.n, &m, TAILS_UNSEEN);
}

static enum stat_status budget_check(const struct cell *c)
{
	enum stat_status s = c->x.status ? c->x.status : reference_check(c->r.x, c->r.n);
	if (!s && !c->single_reference)
		s = c->r.status;
	/* if all replays are equal, only the clock is left, which is not a budget */
	if (!s && c->x.sd <= 0)
		s = STAT_ZERO_VARIANCE;
	return s;
}

/* Fills in the rows: scatter of a replay; the two means from which the bias is computed; the
 * clock's step, as the half-width of its shift of a mean; the cost of reading the clock. The last
 * is inside every interval of program and replay, so only the difference counts. A single recorded
 * reference has no row for its mean: its scatter is unknown (sources.c). With replays without
 * calls, there is a row for their mean (blank.h). With corrected capture
 * (correction.h), there is a row for the uncertainty of the correction: it is equal in all
 * replicates, so repetition does not show it. On a certified standard, there is a row for its
 * deviation: a delay d in both response times changes the bias b by b d. */
void measure_budget(struct cell *c, const struct evidence *e, const struct pairs *p,
		    const struct results *r)
{
	struct budget *b = &c->budget;
	struct budget_component row[N_ROWS];
	struct budget_total total;
	*b = (struct budget){.u_c = NAN, .nu_eff = NAN, .k95 = NAN, .U95 = NAN, .nu_spread = NAN,
		.nu_spread_upper = NAN, .u_c_upper = NAN, .u_c_program = NAN,
		.nu_spread_program = NAN};
	b->monte_carlo = (struct propagation){.status = STAT_NOT_ASSESSED};
	b->status = budget_check(c);
	if (b->status)
		return;

	double mean = c->r.mean, dof = (double)(c->x.n - 1);
	double step =
	    fmax(mean_of(p->x, p->n, clock_resolution), mean_of(p->r, p->n, clock_resolution));
	double cost = fabs(mean_of(p->x, p->n, read_cost) - mean_of(p->r, p->n, read_cost));
	double corrected =
	    hypot(mean_of(p->x, p->n, clock_correction), mean_of(p->r, p->n, clock_correction));
	struct scatter s = scatter_of(c, p);
	double mean_r = c->single_reference ? 0 : c->x.mean / mean * c->r.sem / mean;
	row[ROW_REPEATABILITY] = budget_component("repeatability", BUDGET_TYPE_A, BUDGET_NORMAL,
						  s.within / mean, s.nu_within);
	row[ROW_ORDER] = budget_component(BUDGET_ORDER, BUDGET_TYPE_A, BUDGET_NORMAL,
					  s.order / mean, s.nu_order);
	row[ROW_MEAN_X] = budget_component("mean of the replays", BUDGET_TYPE_A, BUDGET_NORMAL,
					   c->x.sem / mean, dof);
	row[ROW_REPEATABILITY].estimate = row[ROW_MEAN_X].estimate = ESTIMATE_SCATTER;
	row[ROW_MEAN_R] = budget_component("mean of the references", BUDGET_TYPE_A, BUDGET_NORMAL,
					   mean_r, c->r.n > 1 ? (double)(c->r.n - 1) : 1);
	const struct blank *blank = &c->blank;
	double zero = blank->status || blank->n < 2 ? 0 : blank->sd_ns / sqrt((double)blank->n);
	row[ROW_ZERO] = budget_component("mean of the blank replays", BUDGET_TYPE_A, BUDGET_NORMAL,
					 zero / mean, blank->n > 1 ? (double)(blank->n - 1) : 1);
	row[ROW_RESOLUTION] = budget_component("clock resolution", BUDGET_TYPE_B,
					       BUDGET_RECTANGULAR, step / mean, INFINITY);
	row[ROW_READ_COST] = budget_component("clock read cost", BUDGET_TYPE_B, BUDGET_RECTANGULAR,
					      cost / mean, INFINITY);
	row[ROW_CORRECTION] = budget_component(BUDGET_CORRECTION, BUDGET_TYPE_B, BUDGET_NORMAL,
					       corrected / mean, INFINITY);
	const double deviation = standard_share(r) * fabs(c->x.mean / mean - 1);
	row[ROW_STANDARD] = budget_component(BUDGET_DEVIATION, BUDGET_TYPE_B, BUDGET_RECTANGULAR,
					     deviation, INFINITY);
	b->status = budget_combine(row, N_ROWS, &total);
	if (!b->status)
		b->status = budget_expand(&total, 0.95, BUDGET_CONTINUOUS, &b->k95, &b->U95);
	if (b->status)
		return;
	struct sample_moments m;
	b->u_c = total.u_c;
	b->nu_eff = total.nu_eff;
	if (!sample_moments_spread(c->x.x, c->x.n, &m)) {
		b->nu_spread = spread_dof(row, total.nu_eff, spread_df(c->x.x, c->x.n, &m, 0));
		allow_hidden(b, row, c, e, &m);
	}
	as_program(
	    b, c, hypot(hypot(row[ROW_RESOLUTION].u, row[ROW_READ_COST].u), row[ROW_CORRECTION].u));
	for (size_t i = 0; i < N_ROWS; i++)
		if (!(c->single_reference && i == ROW_MEAN_R) && !(i == ROW_ZERO && zero <= 0) &&
		    !(i == ROW_CORRECTION && corrected <= 0) &&
		    !(i == ROW_STANDARD && deviation <= 0))
			row_set(&b->row[b->n_rows++], &row[i]);
}
