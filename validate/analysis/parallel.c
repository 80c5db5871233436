/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/analysis/parallel.h"

#include "validate/analysis/analysis_private.h"
#include "validate/analysis/measure_values.h"
#include "validate/protocol/selector.h"
#include "validate/stats/distributions.h"

#define CONFIDENCE 0.95

bool parallel_same_family(const struct scenario *a, const struct scenario *b)
{
	const struct scenario_parallel *x = &a->parallel, *y = &b->parallel;
	const bool same_compute = x->compute == y->compute ||
				  (x->compute && y->compute && !strcmp(x->compute, y->compute));
	return scenario_same_application(a, b) && !strcmp(a->workload, b->workload) && a->target ==
		b->target && x->period == y->period && x->n_throttled == y->n_throttled &&
		same_compute && fabs(x->error - y->error) < 1e-12;
}

/* --- cases --------------------------------------------------------------- */

static struct estimate over_runs(const struct run **runs, size_t n,
				 double (*value)(const struct run_summary *s))
{
	SCOPED_FREE double *x = values_of(runs, n, value);
	return estimate_of_mean(x, n);
}

SUMMARY_VALUE(running_ns, (double)s->execution_ns)
SUMMARY_VALUE(run_bandwidth,
	s->execution_ns > 0 ? (double)s->n_bytes / ((double)s->execution_ns * 1e-9) : NAN)

/* Combines the standard error of an estimate with the clock's step at both ends of two runs
 * (rectangular distribution). */
static void error_expand(struct parallel_case *c, const struct measure_runs *m)
{
	double step = 0;
	c->u = c->k = c->U = NAN;
	double k;
	if (c->error.status || !(c->program.value > 0) ||
	    t_quantile(0.5 + CONFIDENCE / 2, c->error.df, &k))
		return;
	for (size_t i = 0; i < m->n; i++)
		step = fmax(step, fmax(m->x[i]->summary.clock_resolution_ns,
				       m->r[i]->summary.clock_resolution_ns));
	const double type_a = (c->error.hi95 - c->error.lo95) / 2 / k,
		     type_b = 2 * step / sqrt(3) / c->program.value;
	c->k = k;
	c->u = hypot(type_a, type_b);
	c->U = k * c->u;
}

static void case_compute(struct parallel_case *c, const struct analysis *a, size_t cell,
			 const struct measure_runs *m)
{
	*c = (struct parallel_case){.cell = cell};
	c->program = over_runs(m->r, m->n, running_ns);
	c->replay = over_runs(m->x, m->n, running_ns);
	c->error = measure_estimate(MEASURE_PERCENT_ERROR, NULL, m);
	c->bandwidth_program = over_runs(m->r, m->n, run_bandwidth);
	c->bandwidth_replay = over_runs(m->x, m->n, run_bandwidth);
	c->tracing_time = measure_value(MEASURE_TRACING_TIME, NULL, m);
	c->tracing_increase = measure_value(MEASURE_TRACING_INCREASE, NULL, m);
	if (m->n && m->recording[0] && m->recording[0]->summary.causality.n_nodes)
		c->recording = &m->recording[0]->summary.causality;
	error_expand(c, m);
	(void)a;
}

/* --- nodes --------------------------------------------------------------- */

/* Some of the nodes of an application: those for which has[number] is true. */
struct node_group {
	bool *has;
	uint64_t n; /* numbers */
};

static bool group_has(const struct node_group *g, const struct node_summary *s)
{
	return s->node < g->n && g->has[s->node];
}

static double group_requests(const struct run_summary *s, const struct node_group *g)
{
	double n = 0;
	for (uint64_t i = 0; i < s->n_nodes; i++)
		n += group_has(g, &s->node[i]) ? (double)s->node[i].response.n : 0;
	return n > 0 ? n : NAN;
}

static double group_response(const struct run_summary *s, const struct node_group *g)
{
	double sum = 0;
	for (uint64_t i = 0; i < s->n_nodes; i++)
		if (group_has(g, &s->node[i]))
			sum += s->node[i].response.mean * (double)s->node[i].response.n;
	return sum / group_requests(s, g);
}

static double group_busy(const struct run_summary *s, const struct node_group *g)
{
	double most = NAN;
	for (uint64_t i = 0; i < s->n_nodes; i++)
		if (group_has(g, &s->node[i]))
			most = fmax(most, (double)s->node[i].busy_ns * 1e-9);
	return most;
}

/* Returns a number of a group in each run; NaN if its nodes made no request. */
static double *group_values(const struct run *const *runs, size_t n, const struct node_group *g,
			    double (*value)(const struct run_summary *s,
					    const struct node_group *g))
{
	double *x = xcalloc(n + 1, sizeof *x);
	for (size_t i = 0; i < n; i++)
		x[i] = value(&runs[i]->summary, g);
	return x;
}

static double mean_of(const struct run *const *runs, size_t n, const struct node_group *g,
		      double (*value)(const struct run_summary *s, const struct node_group *g))
{
	SCOPED_FREE double *x = group_values(runs, n, g, value);
	return plain_mean(x, n);
}

static double share_relative(double d)
{
	return expm1(d);
}

/* Uncertainty of a single replay relative to the program: from its scatter, and from that of the
 * two means. */
static double node_uncertainty(const double *x, const double *r, size_t n)
{
	struct sample_moments mx, mr;
	double k;
	if (sample_moments_spread(x, n, &mx) || sample_moments_spread(r, n, &mr) ||
	    !(mr.mean > 0) || t_quantile(0.5 + CONFIDENCE / 2, (double)(n - 1), &k))
		return NAN;
	const double u2 = mx.sd * mx.sd * (1 + 1 / (double)n) + mr.sd * mr.sd / (double)n;
	return k * sqrt(u2) / mr.mean;
}

/* Sets the members of one node, which are also those of a host. */
static void group_compute(struct parallel_node *o, const struct node_group *g,
			  const struct measure_runs *m)
{
	struct t_estimate t = {0}, wide;
	struct serial serial;
	SCOPED_FREE double *x = group_values(m->x, m->n, g, group_response),
			   *r = group_values(m->r, m->n, g, group_response);
	SCOPED_FREE double *d = xcalloc(m->n + 1, sizeof *d);
	o->program = estimate_of_mean(r, m->n);
	o->replay = estimate_of_mean(x, m->n);
	enum stat_status s = m->n < 2 ? STAT_TOO_FEW : log_ratios(r, x, m->n, d);
	s = s ? s : dependent_mean(d, m->n, &t, &wide, &serial);
	o->bias = estimate_of_t(s, &t, share_relative);
	o->U = node_uncertainty(x, r, m->n);
	o->n_requests = mean_of(m->r, m->n, g, group_requests);
	o->busy_program_s = mean_of(m->r, m->n, g, group_busy);
	o->busy_replay_s = mean_of(m->x, m->n, g, group_busy);
}

static void host_compute(struct parallel_host *o, size_t cell, const char *host,
			 const struct run_summary *s, struct node_group *g,
			 const struct measure_runs *m)
{
	struct parallel_node all = {.cell = cell};
	*o = (struct parallel_host){.cell = cell, .host = host};
	for (uint64_t i = 0; i < s->n_nodes; i++) {
		g->has[s->node[i].node] = !strcmp(s->node[i].host, host);
		o->n_nodes += g->has[s->node[i].node];
	}
	group_compute(&all, g, m);
	o->n_requests = all.n_requests;
	o->program = all.program;
	o->replay = all.replay;
	o->bias = all.bias;
	o->U = all.U;
	o->busy_program_s = all.busy_program_s;
	o->busy_replay_s = all.busy_replay_s;
}

static void nodes_compute(struct parallel_analysis *p, size_t *cap, size_t *cap_hosts, size_t cell,
			  const struct measure_runs *m)
{
	const struct run_summary *s = m->n ? &m->r[0]->summary : NULL;
	if (!s || !s->n_nodes)
		return;
	struct node_group g = {.n = s->node[s->n_nodes - 1].node + 1};
	SCOPED_FREE bool *has = g.has = xcalloc(g.n, sizeof *g.has);
	for (uint64_t i = 0; i < s->n_nodes; i++) {
		has[s->node[i].node] = true;
		GROW(p->node, p->n_nodes, *cap);
		struct parallel_node *o = &p->node[p->n_nodes++];
		*o = (struct parallel_node){.cell = cell, .node = s->node[i].node};
		group_compute(o, &g, m);
		has[s->node[i].node] = false;
	}
	for (uint64_t i = 0; i < s->n_nodes; i++) {
		uint64_t k = 0;
		while (k < i && strcmp(s->node[k].host, s->node[i].host))
			k++;
		if (k < i || !*s->node[i].host)
			continue;
		GROW(p->host, p->n_hosts, *cap_hosts);
		host_compute(&p->host[p->n_hosts++], cell, s->node[i].host, s, &g, m);
	}
}

/* --- worst cases --------------------------------------------------------- */

static void worst_add(struct parallel_worst *w, const struct parallel_case *c)
{
	w->n_cells++;
	w->tracing_time = fmax(w->tracing_time, c->tracing_time);
	w->tracing_increase = fmax(w->tracing_increase, c->tracing_increase);
	if (!estimate_is_known(&c->error) ||
	    (w->cell != PARALLEL_NO_CELL && fabs(c->error.value) <= w->size.value))
		return;
	w->cell = c->cell;
	w->size = measure_size(&c->error);
}

static const struct published_value *published_find(const struct analysis *a, size_t cell)
{
	const struct protocol *p = &a->results->protocol;
	for (size_t i = 0; i < p->n_published; i++) {
		const struct published_value *v = &p->published[i];
		if ((v->measure == MEASURE_PERCENT_ERROR ||
		     v->measure == MEASURE_PERCENT_ERROR_MAGNITUDE) &&
		    selector_fits_scenario(&v->scenario, p, cell_scenario(a, cell)) &&
		    selector_fits_replayer(&v->replayer, &p->replayer[a->cell[cell].replayer]))
			return v;
	}
	return NULL;
}

static void worst_compute(struct parallel_analysis *p, const struct analysis *a)
{
	size_t cap = 0;
	for (size_t i = 0; i < p->n_cases; i++) {
		const struct cell *c = &a->cell[p->of_case[i].cell];
		size_t k = 0;
		for (; k < p->n_worst; k++) {
			const struct cell *other = &a->cell[p->worst[k].first];
			if (other->replayer == c->replayer &&
			    parallel_same_family(cell_scenario(a, p->worst[k].first),
						 cell_scenario(a, p->of_case[i].cell)))
				break;
		}
		if (k == p->n_worst) {
			APPEND(p->worst, p->n_worst, cap,
				(struct parallel_worst){.cell = PARALLEL_NO_CELL,
				.first = p->of_case[i].cell,
				.size = estimate_none(STAT_NOT_ASSESSED),
				.published = published_find(a, p->of_case[i].cell),
				.tracing_time = NAN, .tracing_increase = NAN});
		}
		worst_add(&p->worst[k], &p->of_case[i]);
	}
}

static void sum_compute(struct parallel_sum *s, const struct parallel_analysis *p,
			const struct analysis *a, size_t replayer)
{
	double sizes = 0, worst = 0;
	*s = (struct parallel_sum){.replayer = replayer, .worst = PARALLEL_NO_CELL};
	for (size_t i = 0; i < p->n_cases; i++)
		if (a->cell[p->of_case[i].cell].replayer == replayer &&
		    estimate_is_known(&p->of_case[i].error)) {
			sizes += fabs(p->of_case[i].error.value);
			s->n_cells++;
		}
	for (size_t i = 0; i < p->n_worst; i++) {
		const struct parallel_worst *w = &p->worst[i];
		if (w->cell == PARALLEL_NO_CELL || a->cell[w->cell].replayer != replayer)
			continue;
		worst += w->size.value;
		s->n_worst++;
		if (s->worst == PARALLEL_NO_CELL || w->size.value > p->worst[s->worst].size.value)
			s->worst = i;
	}
	s->mean_size = s->n_cells ? sizes / (double)s->n_cells : NAN;
	s->mean_worst_size = s->n_worst ? worst / (double)s->n_worst : NAN;
}

/* --- all cells ----------------------------------------------------------- */

void parallel_compute(struct analysis *a)
{
	const size_t n_replayers = a->results->protocol.n_replayers;
	size_t cap = 0, cap_nodes = 0, cap_hosts = 0;
	struct parallel_analysis *p = xcalloc(1, sizeof *p);
	for (size_t i = 0; i < a->n_cells; i++) {
		SCOPED(measure_runs_release) struct measure_runs m = {0};
		if (!cell_scenario(a, i)->parallel.is)
			continue;
		measure_runs_of_cell(&m, a, i);
		GROW(p->of_case, p->n_cases, cap);
		case_compute(&p->of_case[p->n_cases++], a, i, &m);
		nodes_compute(p, &cap_nodes, &cap_hosts, i, &m);
	}
	if (!p->n_cases) {
		free(p);
		return;
	}
	worst_compute(p, a);
	p->sum = xcalloc(n_replayers + 1, sizeof *p->sum);
	for (size_t i = 0; i < n_replayers; i++) {
		sum_compute(&p->sum[p->n_sums], p, a, i);
		p->n_sums += p->sum[p->n_sums].n_cells > 0;
	}
	a->parallel = p;
}

void parallel_release(struct analysis *a)
{
	if (!a->parallel)
		return;
	FREE_EACH(a->parallel->of_case, a->parallel->worst, a->parallel->node, a->parallel->host,
		  a->parallel->sum, a->parallel);
	a->parallel = NULL;
}
