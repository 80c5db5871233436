/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An analysis built by hand for the tests of the report forms: plausible numbers from a fixed
 * generator, and a set of unusual numbers. Tests include this file; it is not compiled by
 * itself. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "validate/evidence/cell.h"

enum fixture_kind {
	FIXTURE_QUICK,   /* 4 workloads x 2 levels x 2 replayers */
	/* hostile names, NaN, infinities, failed runs, and every kind of problem */
	FIXTURE_AWKWARD,
	FIXTURE_EMPTY,   /* no cell at all */
	FIXTURE_GRID,    /* 192 cells: 4 workloads x 4 levels x 3 pauses x 4 replayers */
	FIXTURE_TRUSTED, /* one scenario, one replayer, no problem */
};

struct fixture {
	struct results results;
	struct analysis analysis;
	uint64_t random;
	uint32_t n_blocks;
};

static double fixture_uniform(struct fixture *f)
{
	f->random = f->random * 6364136223846793005u + 1442695040888963407u;
	return (double)(f->random >> 11) / 0x1p53;
}

static double fixture_normal(struct fixture *f)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += fixture_uniform(f);
	return sum;
}

static struct setting *fixture_settings(size_t *n, const char *a, const char *b)
{
	struct setting *s = xcalloc(2, sizeof *s);
	s[0] = (struct setting){xstrdup("block-size"), xstrdup(a)};
	s[1] = (struct setting){xstrdup("option"), xstrdup(b)};
	*n = 2;
	return s;
}

static const char *const fixture_workloads[] = {"random-read", "random-write", "sequential-read",
						"sequential-write"};

static void fixture_scenario(struct protocol *p, const char *workload, uint64_t level,
			     const char *pause, size_t group)
{
	p->scenario = xreallocarray(p->scenario, p->n_scenarios + 1, sizeof *p->scenario);
	struct scenario *s = &p->scenario[p->n_scenarios++];
	*s =
	    (struct scenario){.workload = xstrdup(workload), .type = xstrdup(workload), .level = level, .group = group};
	s->name =
	    *pause ? xasprintf("%s level=%llu pause=%s", workload, (unsigned long long)level, pause)
		   : xasprintf("%s level=%llu", workload, (unsigned long long)level);
	s->option = fixture_settings(&s->n_options, "4096", "5000 requests");
}

static void fixture_replayer(struct protocol *p, const char *name, const char *engine,
			     bool total_order, bool timed)
{
	p->replayer = xreallocarray(p->replayer, p->n_replayers + 1, sizeof *p->replayer);
	struct replayer *r = &p->replayer[p->n_replayers++];
	*r = (struct replayer){.name = xstrdup(name),
			       .section = xstrdup("event"),
			       .engine = xstrdup(engine),
			       .total_order = total_order,
			       .timed = timed};
	r->option = fixture_settings(&r->n_options, "none", engine);
	r->applies = xcalloc(p->n_scenarios, sizeof *r->applies);
	for (size_t i = 0; i < p->n_scenarios; i++)
		r->applies[i] = true;
}

static struct estimate fixture_estimate(double value, double se)
{
	return (struct estimate){
	    STAT_OK,           value, value - 1.73 * se, value + 1.73 * se, value - 2.09 * se,
	    value + 2.09 * se, 19};
}

static struct estimate fixture_no_estimate(enum stat_status s)
{
	return (struct estimate){s, NAN, NAN, NAN, NAN, NAN, NAN};
}

static struct sample fixture_sample(struct fixture *f, size_t n, double mean, double cv)
{
	struct sample s = {.n = n, .x = xcalloc(n, sizeof *s.x), .min = INFINITY, .max = -INFINITY};
	double sum = 0, squares = 0;
	for (size_t i = 0; i < n; i++) {
		s.x[i] = mean * (1 + cv * fixture_normal(f));
		sum += s.x[i];
		s.min = fmin(s.min, s.x[i]);
		s.max = fmax(s.max, s.x[i]);
	}
	s.mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (s.x[i] - s.mean) * (s.x[i] - s.mean);
	s.sd = sqrt(squares / (double)(n - 1));
	s.cv = s.sd / s.mean;
	s.sem = s.sd / sqrt((double)n);
	s.median = s.mean;
	return s;
}

static struct cdf fixture_cdf(size_t n, double low)
{
	struct cdf c = {n, xcalloc(n, sizeof *c.p)};
	for (size_t i = 0; i < n; i++)
		c.p[i] = i + 1 == n ? 1
			 : i == 0   ? low / 4
				    : low + (1 - low) * (double)i / (double)n;
	return c;
}

static void fixture_component(struct cell *c, enum component_kind k, enum decision d,
			      struct estimate e, double limit, const char *reason)
{
	struct component *p = &c->component[k];
	*p = (struct component){
	    .kind = k, .decision = d, .estimate = e, .limit = limit, .p_reject = NAN, .p_reject_holm = NAN,
	    .lag1 = 0.05, .n_effective = 15.2, .accept_lo = e.lo90, .accept_hi = e.hi90, .dependent = d == DECISION_INCONCLUSIVE};
	snprintf(p->reason, sizeof p->reason, "%s", reason);
	if (d == DECISION_REJECT) {
		p->p_reject = 1e-6;
		p->p_reject_holm = 3e-5;
		p->rejected_before_holm = true;
	}
	if (d == DECISION_INCONCLUSIVE)
		p->n_more = 12;
}

static void fixture_bias(struct cell *c, double bias, double se)
{
	char reason[200];
	struct estimate e = fixture_estimate(bias, se);
	enum decision d = e.lo90 >= -0.1 && e.hi90 <= 0.1 ? DECISION_ACCEPT
			  : e.lo95 > 0.1 || e.hi95 < -0.1 ? DECISION_REJECT
							  : DECISION_INCONCLUSIVE;
	snprintf(reason, sizeof reason, "%s %% interval %+.1f .. %+.1f %% %s ±10 %%",
		 d == DECISION_ACCEPT ? "90" : "95", 100 * (d == DECISION_ACCEPT ? e.lo90 : e.lo95),
		 100 * (d == DECISION_ACCEPT ? e.hi90 : e.hi95),
		 d == DECISION_ACCEPT   ? "lies inside"
		 : d == DECISION_REJECT ? "lies outside"
					: "reaches beyond");
	c->bias = e;
	c->bias_independent = fixture_estimate(bias, se * 1.1);
	c->bias_median = fixture_estimate(bias * 0.9, se * 0.8);
	c->bias_trimmed = fixture_estimate(bias * 0.95, se * 0.85);
	fixture_component(c, COMPONENT_BIAS, d, e, 0.1, reason);
}

static void fixture_precision(struct cell *c, double ratio)
{
	char reason[200];
	double lo = ratio * 0.72, hi = ratio * 1.39;
	enum decision d = hi <= 2  ? DECISION_ACCEPT
			  : lo > 2 ? DECISION_REJECT
				   : DECISION_INCONCLUSIVE;
	snprintf(reason, sizeof reason,
		 "the one-sided 95 %% %s limit of the precision ratio, %.2f, %s 2",
		 d == DECISION_REJECT ? "lower" : "upper", d == DECISION_REJECT ? lo : hi,
		 d == DECISION_ACCEPT ? "is at most" : "exceeds");
	c->precision_ratio =
	    (struct estimate){STAT_OK, ratio, lo, hi, ratio * 0.65, ratio * 1.5, 18};
	c->precision_independent = c->precision_ratio;
	c->precision_lower95 = lo;
	c->precision_upper95 = hi;
	c->f_test.ratio = ratio * ratio;
	c->f_test.critical = 2.168;
	c->f_test.p = exp(-ratio * ratio);
	c->f_test.p_two_sided = fmin(1, 2 * c->f_test.p);
	c->f_test.ci_lo = c->f_test.ratio * 0.4;
	c->f_test.ci_hi = c->f_test.ratio * 2.5;
	fixture_component(c, COMPONENT_PRECISION, d, c->precision_ratio, 2, reason);
}

static void fixture_budget(struct cell *c)
{
	static const char *const source[] = {"repeatability", "mean of the replays",
					     "mean of the program", "clock resolution"};
	struct budget *b = &c->budget;
	double u[] = {c->x.cv, c->x.cv / 4.47, c->r.cv / 4.47, 0.0004};
	double square = 0;
	b->n_rows = 4;
	for (size_t i = 0; i < 4; i++)
		square += u[i] * u[i];
	for (size_t i = 0; i < 4; i++)
		b->row[i] = (struct budget_row){source[i],
						i < 3 ? "normal" : "rectangular",
						i < 3 ? 'A' : 'B',
						i < 3 ? u[i] : u[i] * sqrt(12),
						i < 3 ? 1 : sqrt(12),
						1,
						u[i],
						i < 3 ? 19 : INFINITY,
						u[i] * u[i] / square};
	b->u_c = sqrt(square);
	b->nu_eff = 20.7;
	b->k95 = 2.08;
	b->U95 = b->k95 * b->u_c;
	b->nu_spread = 18;
	b->nu_spread_upper = 5;
	b->u_c_upper = b->u_c * 1.02;
	b->u_c_program = b->u_c * 0.97;
	b->nu_spread_program = 7;
	c->expanded = (struct expanded){b->U95, 0.97 * b->U95, sqrt(1 - 0.97 * 0.97) * b->U95};
	b->monte_carlo =
	    (struct propagation){STAT_OK, 200000, -1.01 * b->U95, 1.01 * b->U95, 0.005, true};
	for (int m = 0; m < PAPER_MODE_N; m++)
		c->paper[m] = (struct paper_uncertainty){
		    STAT_OK,       100 * c->x.cv * 1.3, 100 * c->r.cv,       100 * c->x.cv * 1.6,
		    100 * c->x.cv, 100 * c->x.cv * 1.9, 100 * c->x.cv * 3.8, 100 * c->x.cv * 5.7};
}

/* Two sessions of equal size, and the chart of the pairs. */
static void fixture_sessions(struct fixture *f, struct cell *c)
{
	struct session_study *s = &c->sessions;
	*s = (struct session_study){.n_sessions = 2,
				    .session = xcalloc(2, sizeof *s->session),
				    .s_r = 0.03,
				    .s_L = 0.01,
				    .s_R = 0.0316,
				    .cochran = {.statistic = 0.55, .critical_5 = 0.8,
						.critical_1 = 0.9},
				    .grubbs.status = STAT_TOO_FEW};
	for (size_t i = 0; i < 2; i++)
		s->session[i] = (struct session_group){.n = f->n_blocks / 2, .mean = 1.01, .sd = 0.03, .h = NAN, .k = 1.04};
	c->control = (struct control_chart){.center = 0.01,
					    .lower = -0.09,
					    .upper = 0.11,
					    .mr_bar = 0.03,
					    .mr_upper = 0.11,
					    .n_out = 1,
					    .d = {.n = c->x.n, .x = xcalloc(c->x.n, sizeof(double)), .min = -0.08, .max = 0.12}};
	for (size_t i = 0; i < c->x.n; i++)
		c->control.d.x[i] = c->x.x[i] / c->r.x[i] - 1;
}

static void fixture_parts(struct component *c, size_t n, const char *const *label, double value,
			  double se)
{
	c->part = xcalloc(n, sizeof *c->part);
	c->n_parts = n;
	for (size_t i = 0; i < n; i++) {
		snprintf(c->part[i].label, sizeof c->part[i].label, "%s", label[i]);
		c->part[i].estimate = fixture_estimate(value / (double)(i + 1), se);
	}
}

static void fixture_distribution(struct fixture *f, struct cell *c)
{
	static const char *const quantile[] = {"50 % quantile", "90 % quantile", "99.9 % quantile"},
				 *const half[] = {"first half", "second half"};
	double value = 0.01 * fixture_normal(f);
	fixture_component(c, COMPONENT_TYPICAL, DECISION_ACCEPT, fixture_estimate(value, 0.002),
			  0.1, "within the limits of ±10 %");
	fixture_component(c, COMPONENT_SHAPE, DECISION_ACCEPT, fixture_estimate(0.02, 0.01), 0.1,
			  "50 % quantile +0.020, within the limits of ±0.1");
	fixture_parts(&c->component[COMPONENT_SHAPE], 3, quantile, 0.02, 0.01);
	fixture_component(c, COMPONENT_TAIL, DECISION_ACCEPT, fixture_estimate(4 * value, 0.03),
			  0.25, "within the limits of ±25 %");
	fixture_component(c, COMPONENT_OPERATION, DECISION_NOT_APPLICABLE,
			  fixture_no_estimate(STAT_NOT_APPLICABLE), 0.15,
			  "all requests have the same operation: the component \"bias\" judges them");
	fixture_component(c, COMPONENT_HALF, DECISION_ACCEPT, fixture_estimate(value, 0.01), 0.15,
			  "within the limits of ±15 %");
	fixture_parts(&c->component[COMPONENT_HALF], 2, half, value, 0.01);
}

static void fixture_rest(struct fixture *f, struct cell *c, uint64_t level, bool timed)
{
	double share = level > 1 ? 0.0004 * (double)level : 0;
	c->execution_time = fixture_estimate(0.002 * fixture_normal(f), 0.001);
	c->execution_service = 0.0012;
	c->execution_schedule = -0.0003;
	fixture_component(c, COMPONENT_EXECUTION_TIME, DECISION_ACCEPT, c->execution_time, 0.01,
			  "90 % interval lies inside ±1 %");
	c->order.deciding = c->order.thread = c->order.object = fixture_estimate(0, 0);
	c->order.all = fixture_estimate(share, share / 10);
	c->order.n_received = c->n_requests = 100000 * level;
	c->order.n_reordered = (uint64_t)(share * 1e5);
	c->order.n_descents = c->order.n_reordered / 2;
	fixture_distribution(f, c);
	fixture_component(c, COMPONENT_REORDERING, DECISION_ACCEPT, c->order.deciding, 0.01,
			  "none of the requests was reordered");
	fixture_component(c, COMPONENT_FIDELITY, DECISION_ACCEPT, fixture_estimate(0, 0), 0,
			  "nothing lost, extra or mismatched");
	for (int k = COMPONENT_UNCERTAINTY; k < COMPONENT_N; k++)
		fixture_component(c, k, DECISION_NOT_ASSESSED,
				  fixture_no_estimate(STAT_NOT_ASSESSED), NAN, "not assessed yet");
	fixture_component(c, COMPONENT_UNCERTAINTY, DECISION_ACCEPT,
			  fixture_estimate(c->budget.U95, c->budget.U95 / 5), 0.2,
			  "U within the limit of 20 %");
	fixture_component(c, COMPONENT_CONCURRENCY, DECISION_ACCEPT, fixture_estimate(0.028, 0.004),
			  0.1, "0.028 by time, within the limit of 0.1");
	fixture_component(c, COMPONENT_IN_FLIGHT, DECISION_ACCEPT, fixture_estimate(-0.02, 0.004),
			  0.1, "within the limits of ±10 %");
	fixture_component(c, COMPONENT_IN_FLIGHT_MAX, DECISION_ACCEPT, fixture_estimate(0, 0), 0.25,
			  "alike in all pairs");
	if (level > 1)
		fixture_component(c, COMPONENT_LINEARITY, DECISION_ACCEPT,
				  fixture_estimate(0.01, 0.012), 0.1,
				  "the bias changes by +1 %, within the limits of ±10 %");
	else
		fixture_component(c, COMPONENT_LINEARITY, DECISION_NOT_APPLICABLE,
				  fixture_no_estimate(STAT_NOT_APPLICABLE), 0.1,
				  "the scenario has no lower level to compare with");
	c->concurrency.cdf_time_x = fixture_cdf(level + 2, 0.1);
	c->concurrency.cdf_time_r = fixture_cdf(level + 2, 0.13);
	c->concurrency.cdf_request_x = fixture_cdf(level + 1, 0.2);
	c->concurrency.cdf_request_r = fixture_cdf(level + 1, 0.22);
	c->concurrency.distance_time = fixture_estimate(0.031, 0.004);
	c->concurrency.distance_request = fixture_estimate(0.022, 0.003);
	c->concurrency.time = fixture_estimate(0.028, 0.004);
	c->concurrency.request = fixture_estimate(0.02, 0.003);
	c->concurrency.in_flight = fixture_estimate(-0.02, 0.004);
	c->concurrency.in_flight_max = fixture_estimate(0, 0);
	c->concurrency.max_x = c->concurrency.max_r = (double)level;
	c->issue_error.late =
	    timed ? fixture_estimate(0.0013, 0.0002) : fixture_no_estimate(STAT_NOT_APPLICABLE);
	c->permutation_p_above = 0.9;
	c->permutation_p_below = 0.003;
	for (int k = 0; k < QUANTILES_N; k++) {
		c->quantile_bias[k] = fixture_estimate(0.01 * k, 0.004);
		c->quantile_extrapolated[k] = k == 3;
	}
	c->ks_distance = 0.034;
	c->wasserstein = 0.021;
	fixture_sessions(f, c);
	c->concurrency.mean_x = 0.92 * (double)level;
	c->concurrency.mean_r = 0.94 * (double)level;
	c->issue_error.p50 = timed ? fixture_estimate(34 + 5 * fixture_normal(f), 4)
				   : fixture_no_estimate(STAT_NOT_APPLICABLE);
	c->issue_error.p99 = timed ? fixture_estimate(190 + 20 * fixture_normal(f), 22)
				   : fixture_no_estimate(STAT_NOT_APPLICABLE);
	c->issue_error.cpu_delayed =
	    timed ? fixture_estimate(0.012, 0.004) : fixture_no_estimate(STAT_NOT_APPLICABLE);
	c->issue_error.others_p99 =
	    timed ? fixture_estimate(61, 8) : fixture_no_estimate(STAT_NOT_ASSESSED);
	c->issue_error.max = timed ? 412345 : NAN;
	c->issue_error.share_late = timed ? 0.0013 : NAN;
	c->schedule_error = fixture_estimate(1234, 300);
	c->diagnostics.lag1 = 0.1 * fixture_normal(f);
	c->diagnostics.n_effective = 15.2;
	c->diagnostics.runs_p = 0.4;
	c->diagnostics.trend_p = 0.7;
	c->brown_forsythe_p = 0.31;
	c->levene_p = 0.29;
	c->welch_p = 0.02;
	c->shapiro_p_x = 0.5;
	c->shapiro_p_r = 0.00002;
	c->diagnostics.off_cpu_x = 0.012;
	c->diagnostics.off_cpu_r = 0.010;
	c->diagnostics.stolen_x = 0.001;
	c->diagnostics.stolen_r = 0.0012;
	c->diagnostics.faults_x = 0.0004;
	c->diagnostics.faults_r = 0.0003;
	c->diagnostics.resident_x = 0.0;
	c->diagnostics.resident_r = 0.0;
}

static void fixture_verdict(struct cell *c)
{
	c->verdict = VERDICT_TRUSTED;
	snprintf(c->verdict_reason, sizeof c->verdict_reason,
		 "every assessed component is inside its limit");
	for (int k = 0; k < COMPONENT_N; k++)
		if (c->component[k].decision == DECISION_INCONCLUSIVE &&
		    c->verdict == VERDICT_TRUSTED) {
			c->verdict = VERDICT_INCONCLUSIVE;
			snprintf(c->verdict_reason, sizeof c->verdict_reason, "%s: %s",
				 component_names[k], c->component[k].reason);
		}
	for (int k = 0; k < COMPONENT_N; k++)
		if (c->component[k].decision == DECISION_REJECT &&
		    c->verdict != VERDICT_NOT_TRUSTED) {
			c->verdict = VERDICT_NOT_TRUSTED;
			snprintf(c->verdict_reason, sizeof c->verdict_reason, "%s: %s",
				 component_names[k], c->component[k].reason);
		}
}

static void fixture_cell(struct fixture *f, size_t scenario, size_t replayer)
{
	struct analysis *a = &f->analysis;
	const struct scenario *s = &f->results.protocol.scenario[scenario];
	const struct replayer *r = &f->results.protocol.replayer[replayer];
	a->cell = xreallocarray(a->cell, a->n_cells + 1, sizeof *a->cell);
	struct cell *c = &a->cell[a->n_cells++];
	*c = (struct cell){.scenario = scenario, .replayer = replayer, .n_blocks = f->n_blocks, .n_pairs = f->n_blocks};
	bool write = strstr(s->type, "write");
	bool random = !strncmp(s->type, "random", 6);
	double mean = (random ? 2400 : 900) * (write ? 1.7 : 1) * (1 + 0.2 * (double)s->level);
	double bias = 0.008 * fixture_normal(f) + (replayer == 1 && write ? 0.04 : 0) +
		      (replayer == 2 ? 0.07 : 0) + (replayer == 3 ? 0.6 * (double)s->level : 0);
	size_t n = f->n_blocks;
	c->r = fixture_sample(f, n, mean, 0.03);
	c->x = fixture_sample(f, n, mean * (1 + bias), 0.031);
	c->r_median = fixture_sample(f, n, mean * 0.8, 0.02);
	c->x_median = fixture_sample(f, n, mean * 0.8 * (1 + bias), 0.02);
	c->r_p99 = fixture_sample(f, n, mean * 4, 0.1);
	c->x_p99 = fixture_sample(f, n, mean * 4.2, 0.1);
	c->r_trimmed = fixture_sample(f, n, mean * 0.9, 0.02);
	c->x_trimmed = fixture_sample(f, n, mean * 0.9 * (1 + bias), 0.02);
	c->r_time = fixture_sample(f, n, 2.1e8, 0.02);
	c->x_time = fixture_sample(f, n, 2.1e8, 0.02);
	c->r_rate = fixture_sample(f, n, 5e5, 0.02);
	c->x_rate = fixture_sample(f, n, 5e5, 0.02);
	c->correlation = 0.12;
	fixture_bias(c, bias, 0.009);
	fixture_precision(c, 0.8 + 0.5 * fixture_uniform(f) +
				 (replayer == 1 && s->level == 2 && !random ? 0.7 : 0));
	fixture_budget(c);
	fixture_rest(f, c, s->level, r->timed);
	fixture_verdict(c);
}

static void fixture_linearity(struct fixture *f, size_t group, size_t replayer, const char *name)
{
	struct analysis *a = &f->analysis;
	a->linearity = xreallocarray(a->linearity, a->n_linearity + 1, sizeof *a->linearity);
	struct linearity *l = &a->linearity[a->n_linearity++];
	*l = (struct linearity){.group = group,
				.replayer = replayer,
				.slope = 0.002,
				.slope_se = 0.0031,
				.slope_p = 0.52,
				.intercept = 0.004};
	snprintf(l->name, sizeof l->name, "%s", name);
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct scenario *s = &f->results.protocol.scenario[a->cell[i].scenario];
		if (s->group != group || a->cell[i].replayer != replayer)
			continue;
		l->level = xreallocarray(l->level, l->n_levels + 1, sizeof *l->level);
		l->level[l->n_levels++] =
		    (struct linearity_level){s->level, i, a->cell[i].x.cv, a->cell[i].bias.value};
	}
	l->lack_of_fit_status = l->n_levels < 3 ? STAT_TOO_FEW : STAT_OK;
	l->lack_of_fit_f = 1.1;
	l->lack_of_fit_p = 0.34;
}

static void fixture_run(struct fixture *f, uint32_t block, uint32_t scenario, int32_t role,
			double mean)
{
	struct results *r = &f->results;
	if (r->n_runs % 64 == 0)
		r->run = xreallocarray(r->run, r->n_runs + 64, sizeof *r->run);
	struct run *u = &r->run[r->n_runs];
	*u = (struct run){.id = (uint32_t)r->n_runs,
			  .block = block,
			  .position = (uint32_t)r->n_runs % 7,
			  .scenario = scenario,
			  .role = role,
			  .state = RUN_OK,
			  .started_ns = 1700000000000000000 + (int64_t)r->n_runs * 1100000000,
			  .preparation_s = 0.4,
			  .run_s = 0.21,
			  .residency = {16 << 20, 4096 * (uint64_t)(role + 2), 0, true},
			  .cgroup_limit_bytes = 24 << 20,
			  .cgroup_peak_bytes = 23 << 20,
			  .has_summary = true};
	u->summary.response = (struct moments){100000, mean, mean / 3, mean / 4, mean * 90};
	u->summary.response_median = mean * 0.9;
	u->summary.response_p99 = mean * 3;
	u->summary.execution_ns = 210000000;
	r->n_runs++;
}

static void fixture_runs(struct fixture *f)
{
	const struct analysis *a = &f->analysis;
	for (uint32_t b = 0; b <= f->n_blocks; b++)
		for (size_t i = 0; i < a->n_cells; i++) {
			const struct cell *c = &a->cell[i];
			size_t k = b ? b - 1 : 0;
			bool first = i == 0 || a->cell[i - 1].scenario != c->scenario;
			if (b == 0 && first)
				fixture_run(f, 0, (uint32_t)c->scenario, ROLE_RECORD, c->r.mean);
			if (first)
				fixture_run(f, b, (uint32_t)c->scenario, ROLE_PROGRAM,
					    k < c->r.n ? c->r.x[k] : NAN);
			fixture_run(f, b, (uint32_t)c->scenario, (int32_t)c->replayer,
				    k < c->x.n ? c->x.x[k] : NAN);
		}
}

static void fixture_sources(struct fixture *f, size_t from)
{
	static const struct uncertainty_source sources[] = {
	    {"workload", "offsets and sizes of the requests", "seeded alike in program and replay",
	     false, false},
	    {"workload", "load level", "a factor of the design", false, false},
	    {"trace replayer", "repeatability", "scatter of the replay from run to run", true,
	     false},
	    {"trace replayer", "order and timing policy", "a factor of the design", false, false},
	    {"trace replayer", "waiting and hand-over between threads", "part of the bias", true,
	     false},
	    {"testbed", "other load on the machine",
	     "interleaving and randomised order spread it over all", false, false},
	    {"testbed", "page cache before a run",
	     "caches could not be dropped without privilege; posix_fadvise per file was used "
	     "instead",
	     false, true},
	    {"testbed", "placement of buffers", "fixed alike for program and replay", false, false},
	    {"reference", "repeatability of the program",
	     "scatter of the mean of the program's runs", true, false},
	    {"clock", "resolution", "2 ns, rectangular", true, false},
	    {"clock", "cost of reading", "31 ns in every response time, alike on both sides", false,
	     false},
	    {"procedure", "scratch directory",
	     "traces are written to the same device as the target", false, true},
	    {"procedure", "order of the runs", "randomised within blocks", false, false},
	};
	struct analysis *a = &f->analysis;
	size_t n = sizeof sources / sizeof sources[0];
	a->source = xcalloc(n - from, sizeof *a->source);
	a->n_sources = n - from;
	memcpy(a->source, sources + from, (n - from) * sizeof *a->source);
}

static void fixture_protocol(struct fixture *f)
{
	struct protocol *p = &f->results.protocol;
	*p = (struct protocol){.path = xstrdup("protocol.conf"),
			       .title = xstrdup("Quick look at the event engine"),
			       .n_replicates_min = f->n_blocks,
			       .n_replicates_max = f->n_blocks,
			       .look = {f->n_blocks},
			       .n_looks = 1,
			       .seed = 42,
			       .min_duration_ns = 200000000,
			       .timeout_ns = 60000000000,
			       .settle_ns = 50000000};
	p->accept = accept_defaults;
	p->target = xcalloc(1, sizeof *p->target);
	p->target[0] = (struct target){.name = xstrdup("here"), .dir = NULL, .cache_budget_bytes = 16 << 20};
	p->n_targets = 1;
}

#define FIXTURE_HOSTILE                                                                                                \
	"<script>alert('x')</script> & \"q\" `touch pwned` $(id) %d #1_{x}^2~\\input{/etc/passwd}, a;b\n=cmd|' /C "    \
	"calc'!A0 \x1b[31m"                                                                                            \
	" \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80 \xff\xfe \xe2\x80\xae end"

static void fixture_awkward(struct fixture *f)
{
	struct analysis *a = &f->analysis;
	struct protocol *p = &f->results.protocol;
	struct cell *c = a->cell;
	free(p->title);
	p->title = xstrdup("Title " FIXTURE_HOSTILE);
	free(p->scenario[0].name);
	p->scenario[0].name = xstrdup(FIXTURE_HOSTILE);
	free(p->replayer[0].name);
	p->replayer[0].name = xstrdup("=1+1,\"@" FIXTURE_HOSTILE);
	free(p->scenario[1].name);
	p->scenario[1].name =
	    xasprintf("a-very-long-name-%0300d level=2 with=blanks and=more of=them", 7);
	snprintf(c[0].verdict_reason, sizeof c[0].verdict_reason, "%s", FIXTURE_HOSTILE);
	snprintf(c[0].first_failure, sizeof c[0].first_failure, "exit status 3: %s",
		 FIXTURE_HOSTILE);
	c[0].n_failed_replayer = 3;
	c[0].n_failed_program = 1;
	c[0].n_lost = 5;
	c[0].n_skipped = 4;
	c[0].n_mismatched = 7;
	c[0].bias = fixture_no_estimate(STAT_ZERO_REFERENCE);
	fixture_component(&c[0], COMPONENT_BIAS, DECISION_INCONCLUSIVE, c[0].bias, 0.1,
			  FIXTURE_HOSTILE);
	c[0].precision_ratio = fixture_no_estimate(STAT_ZERO_VARIANCE);
	fixture_component(&c[0], COMPONENT_PRECISION, DECISION_INCONCLUSIVE, c[0].precision_ratio,
			  2, "zero variance");
	fixture_component(&c[0], COMPONENT_FIDELITY, DECISION_REJECT, fixture_estimate(12, 0), 0,
			  "12 requests lost or mismatched");
	c[0].r.mean = 0;
	c[0].r.sd = NAN;
	c[0].r.status = STAT_TOO_FEW;
	c[0].correlation = NAN;
	c[0].budget.status = STAT_ZERO_REFERENCE;
	c[0].concurrency.mean_x = INFINITY;
	c[1].bias.value = INFINITY;
	c[1].bias.hi90 = c[1].bias.hi95 = INFINITY;
	c[1].x.mean = 1e300;
	c[1].precision_upper95 = INFINITY;
	c[1].precision_ratio.hi95 = INFINITY;
	c[1].execution_time.value = -0.0;
	c[1].budget.row[0].u = NAN;
	c[1].issue_error.max = -INFINITY;
	free(c[1].concurrency.cdf_time_x.p);
	c[1].concurrency.cdf_time_x = (struct cdf){0, NULL};
	free(c[2].x.x);
	c[2].x = (struct sample){.status = STAT_TOO_FEW,
				 .mean = NAN,
				 .sd = NAN,
				 .cv = NAN,
				 .sem = NAN,
				 .median = NAN,
				 .min = NAN,
				 .max = NAN};
	c[2].n_pairs = 0;
	fixture_verdict(&c[0]);
	snprintf(a->source[0].name, sizeof a->source[0].name, "%.60s", FIXTURE_HOSTILE);
	snprintf(a->source[0].note, sizeof a->source[0].note, "%s", FIXTURE_HOSTILE);
	a->source[0].warning = true;
	f->results.run[5].state = RUN_FAILED;
	f->results.run[5].has_summary = false;
	f->results.run[5].reason = xstrdup(FIXTURE_HOSTILE);
	f->results.run[6].state = RUN_PENDING;
	f->results.run[6].has_summary = false;
	f->results.run[6].started_ns = 0;
	f->results.n_damaged_journal_lines = 2;
	f->results.finished = a->complete = false;
	a->n_events_lost = 77;
	a->between_process_cv = NAN;
	a->linearity[0].status = STAT_NOT_FINITE;
	a->linearity[0].level[0].relative_bias = NAN;
	json_object_set_new(f->results.environment, "hostile </script>",
			    json_string("<img src=x onerror=alert(1)>"));
}

static void fixture_environment(struct fixture *f)
{
	f->results.environment =
	    json_pack("{s:{s:s,s:i,s:I,s:b}, s:{s:s}, s:s, s:{s:s,s:f}, s:[s,s], s:n}", "machine",
		      "cpu_model", "Example CPU @ 2.33GHz", "n_cpus_online", 2, "memory_bytes",
		      (json_int_t)25769803776, "virtual", 1, "kernel", "release", "6.1.0-13-amd64",
		      "file_system", "ext4 on /dev/vda1", "clock", "source", "tsc", "read_cost_ns",
		      31.5, "tools", "gnuplot", "fio", "nothing");
}

static void fixture_count(struct analysis *a)
{
	a->verdict = a->n_cells ? VERDICT_TRUSTED : VERDICT_INCONCLUSIVE;
	for (size_t i = 0; i < a->n_cells; i++) {
		a->n_trusted += a->cell[i].verdict == VERDICT_TRUSTED;
		a->n_not_trusted += a->cell[i].verdict == VERDICT_NOT_TRUSTED;
		a->n_inconclusive += a->cell[i].verdict == VERDICT_INCONCLUSIVE;
	}
	if (a->n_inconclusive)
		a->verdict = VERDICT_INCONCLUSIVE;
	if (a->n_not_trusted)
		a->verdict = VERDICT_NOT_TRUSTED;
}

static void fixture_fill_protocol(struct fixture *f, enum fixture_kind kind)
{
	struct protocol *p = &f->results.protocol;
	static const char *const pauses[] = {"0", "10us", "50us"};
	size_t n_pauses = kind == FIXTURE_GRID ? 3 : 1;
	uint64_t n_levels = kind == FIXTURE_GRID ? 4 : 2;
	if (kind == FIXTURE_TRUSTED) {
		fixture_scenario(p, "random-read", 2, "", 0);
		fixture_replayer(p, "event", "event", true, false);
		return;
	}
	for (size_t w = 0; w < 4; w++)
		for (size_t k = 0; k < n_pauses; k++)
			for (uint64_t l = 1; l <= n_levels; l++)
				fixture_scenario(p, fixture_workloads[w], l,
						 kind == FIXTURE_GRID ? pauses[k] : "",
						 w * n_pauses + k);
	fixture_replayer(p, "event order=temporal", "event", true, false);
	fixture_replayer(p, "event order=fs", "event", false, kind == FIXTURE_AWKWARD);
	if (kind == FIXTURE_GRID) {
		fixture_replayer(p, "event order=fs timing=timestamp", "event", false, true);
		fixture_replayer(p, "coordinator", "coordinator", true, false);
	}
}

static void fixture_make(struct fixture *f, enum fixture_kind kind)
{
	*f = (struct fixture){.random = 12345, .n_blocks = 20};
	struct analysis *a = &f->analysis;
	struct protocol *p = &f->results.protocol;
	fixture_protocol(f);
	fixture_environment(f);
	a->results = &f->results;
	f->results.dir = xstrdup("/nowhere");
	f->results.report_in = f->results.dir;
	f->results.finished = a->complete = true;
	a->n_rejection_tests = 64;
	a->look = 1;
	a->n_replicates = f->n_blocks;
	a->level_accept = 0.05;
	a->level_reject = 0.01;
	a->between_process_cv = 0.031;
	for (int k = 0; k < COMPONENT_N; k++)
		a->assessed[k] = k != COMPONENT_ISSUE_ERROR && k != COMPONENT_SHARE_LATE;
	if (kind != FIXTURE_EMPTY) {
		fixture_fill_protocol(f, kind);
		for (size_t s = 0; s < p->n_scenarios; s++)
			for (size_t r = 0; r < p->n_replayers; r++)
				fixture_cell(f, s, r);
		for (size_t s = 0; kind != FIXTURE_TRUSTED && s < p->n_scenarios; s++)
			for (size_t r = 0; p->scenario[s].level == 1 && r < p->n_replayers; r++)
				fixture_linearity(f, p->scenario[s].group, r,
						  kind == FIXTURE_GRID ? p->scenario[s].name
								       : p->scenario[s].workload);
		fixture_runs(f);
	}
	fixture_sources(f, 0);
	if (kind == FIXTURE_AWKWARD)
		fixture_awkward(f);
	fixture_count(a);
}

static void fixture_free_settings(struct setting *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(s[i].key);
		free(s[i].value);
	}
	free(s);
}

static void fixture_release_protocol(struct protocol *p)
{
	for (size_t i = 0; i < p->n_scenarios; i++) {
		free(p->scenario[i].name);
		free(p->scenario[i].workload);
		free(p->scenario[i].type);
		fixture_free_settings(p->scenario[i].option, p->scenario[i].n_options);
	}
	for (size_t i = 0; i < p->n_replayers; i++) {
		free(p->replayer[i].name);
		free(p->replayer[i].section);
		free(p->replayer[i].engine);
		free(p->replayer[i].applies);
		fixture_free_settings(p->replayer[i].option, p->replayer[i].n_options);
	}
	free(p->target[0].name);
	free(p->target);
	free(p->scenario);
	free(p->replayer);
	free(p->title);
	free(p->path);
}

static void fixture_release(struct fixture *f)
{
	struct analysis *a = &f->analysis;
	for (size_t i = 0; i < a->n_cells; i++) {
		struct cell *c = &a->cell[i];
		struct sample *s[] = {&c->x,      &c->r,      &c->x_median,  &c->r_median,
				      &c->x_p99,  &c->r_p99,  &c->x_trimmed, &c->r_trimmed,
				      &c->x_time, &c->r_time, &c->x_rate,    &c->r_rate};
		struct cdf *d[] = {&c->concurrency.cdf_time_x, &c->concurrency.cdf_time_r,
				   &c->concurrency.cdf_request_x, &c->concurrency.cdf_request_r};
		for (size_t k = 0; k < sizeof s / sizeof s[0]; k++)
			free(s[k]->x);
		for (size_t k = 0; k < sizeof d / sizeof d[0]; k++)
			free(d[k]->p);
		for (size_t k = 0; k < COMPONENT_N; k++)
			free(c->component[k].part);
		free(c->sessions.session);
		free(c->control.d.x);
	}
	for (size_t i = 0; i < a->n_linearity; i++)
		free(a->linearity[i].level);
	for (size_t i = 0; i < f->results.n_runs; i++)
		free(f->results.run[i].reason);
	free(a->cell);
	free(a->linearity);
	free(a->source);
	free(f->results.run);
	free(f->results.dir);
	json_decref(f->results.environment);
	fixture_release_protocol(&f->results.protocol);
}
