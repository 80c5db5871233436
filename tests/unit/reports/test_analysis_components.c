/* SPDX-License-Identifier: GPL-3.0-or-later */
/* long: 14 s */
/* The components of a verdict, one by one: what accepts them, what rejects them, and what switches
 * them off. No I/O, fixed seeds. */
#define REASONS_IN_WORDS
#include "reports/reasons.h"
#include "reports/words.h"
#include "tests/unit/validate/made_campaign.h"
#include "validate/analysis/analysis.h"

enum { N = 20 };

static const struct component *component_of(const struct analysis *a, size_t cell,
					    enum component_kind k)
{
	return &a->cell[cell].component[k];
}

static void assert_decision(const struct analysis *a, enum component_kind k, enum decision d)
{
	const struct component *c = component_of(a, 0, k);
	if (c->decision != d)
		fail_msg("%s is %s, not %s: %s", component_names[k], decision_name(c->decision),
			 decision_name(d), c->reason);
}

/* Makes the replays timed replays, with these issue errors. */
static void set_issue_error(struct campaign *c, double p99_ns, double share_late)
{
	c->results.protocol.replayer[0].timed = true;
	for (unsigned int b = 1; b <= c->n_blocks; b++) {
		struct run_summary *s = &run_find(c, b, 0, 0)->summary;
		double wobble = 1 + 0.01 * (b % 5);
		s->has_issue_error = true;
		s->issue_error = (struct moments){.n = N_REQUESTS, .mean = p99_ns / 3, .sd = p99_ns / 3, .max = p99_ns * 2};
		s->issue_error_p50 = p99_ns / 4;
		s->issue_error_p99 = p99_ns * wobble;
		s->share_late = share_late * wobble;
	}
}

/* A share of the time at level 1 moves to level 2. */
static void set_overlap(struct campaign *c, int role, double share)
{
	for (unsigned int b = 1; b <= c->n_blocks; b++) {
		struct run_summary *s = &run_find(c, b, 0, role)->summary;
		int64_t all = s->ns_at_level[1] + s->ns_at_level[2];
		s->ns_at_level[2] = (int64_t)((double)all * fmin(1, share * (1 + 0.002 * (b % 7))));
		s->ns_at_level[1] = all - s->ns_at_level[2];
	}
}

/* --- accepted, rejected -------------------------------------------------- */
static void test_timed_replays(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, N, 1);
	assert_decision(&a, COMPONENT_ISSUE_ERROR, DECISION_NOT_APPLICABLE);
	assert_decision(&a, COMPONENT_SHARE_LATE, DECISION_NOT_APPLICABLE);
	set_issue_error(&c, 8000, 0.02);
	again(&c, &a);
	assert_decision(&a, COMPONENT_ISSUE_ERROR, DECISION_NOT_ASSESSED); /* no limit: shown */
	assert_decision(&a, COMPONENT_SHARE_LATE, DECISION_NOT_ASSESSED);
	assert_between(8000, component_of(&a, 0, COMPONENT_ISSUE_ERROR)->estimate.value, 8400);
	assert_int_equal(a.cell[0].verdict, VERDICT_TRUSTED);
	c.results.protocol.accept.issue_error_ns = 10000;
	c.results.protocol.accept.share_late = 0.03;
	again(&c, &a);
	assert_decision(&a, COMPONENT_ISSUE_ERROR, DECISION_ACCEPT);
	assert_decision(&a, COMPONENT_SHARE_LATE, DECISION_ACCEPT);
	assert_true(a.assessed[COMPONENT_ISSUE_ERROR] && a.assessed[COMPONENT_SHARE_LATE]);
	c.results.protocol.accept.issue_error_ns = 7000;
	c.results.protocol.accept.share_late = 0.01;
	again(&c, &a);
	assert_decision(&a, COMPONENT_ISSUE_ERROR, DECISION_REJECT);
	assert_decision(&a, COMPONENT_SHARE_LATE, DECISION_REJECT);
	assert_int_equal(a.cell[0].verdict, VERDICT_NOT_TRUSTED);
	done(&c, &a);
}

static void test_in_flight_and_concurrency(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, N, 2);
	set_overlap(&c, ROLE_PROGRAM, 0.5);
	set_overlap(&c, 0, 0.5);
	again(&c, &a);
	assert_decision(&a, COMPONENT_CONCURRENCY, DECISION_ACCEPT);
	assert_decision(&a, COMPONENT_IN_FLIGHT, DECISION_ACCEPT);
	assert_decision(&a, COMPONENT_IN_FLIGHT_MAX, DECISION_ACCEPT);
	assert_true(a.cell[0].concurrency.max_x == 2);
	/* serialised: one at a time */
	set_overlap(&c, 0, 0);
	again(&c, &a);
	assert_decision(&a, COMPONENT_CONCURRENCY, DECISION_REJECT);
	assert_decision(&a, COMPONENT_IN_FLIGHT, DECISION_REJECT);
	assert_decision(&a, COMPONENT_IN_FLIGHT_MAX, DECISION_REJECT);
	assert_between(-0.51, component_of(&a, 0, COMPONENT_IN_FLIGHT_MAX)->estimate.value, -0.49);
	assert_between(0.44, a.cell[0].concurrency.time.value, 0.47);
	/* counted when requests arrive, both sides have the same load */
	assert_between(0, a.cell[0].concurrency.request.value, 1e-9);
	c.results.protocol.accept.concurrency_by = CONCURRENCY_BY_REQUEST;
	again(&c, &a);
	assert_decision(&a, COMPONENT_CONCURRENCY, DECISION_ACCEPT);
	c.results.protocol.accept.concurrency_by = CONCURRENCY_BY_BOTH;
	again(&c, &a);
	assert_decision(&a, COMPONENT_CONCURRENCY, DECISION_REJECT);
	done(&c, &a);
}

/* U beyond the limit counts against the replayer only if the program itself has a smaller U. */
static void test_uncertainty(void **state)
{
	(void)state;
	const struct effect quiet = {.sd_x = 0.01, .sd_r = 0.01}, noisy = {.sd_x = 0.4, .sd_r = 0.4},
			    fault = {.sd_x = 0.5, .sd_r = 0.005}, border = {.sd_x = 0.095, .sd_r = 0.095};
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &quiet, 1, 1, N, 3);
	assert_decision(&a, COMPONENT_UNCERTAINTY, DECISION_ACCEPT);
	const struct component *u = component_of(&a, 0, COMPONENT_UNCERTAINTY);
	assert_true(u->estimate.lo95 < u->estimate.lo90 && u->estimate.lo90 < u->estimate.value);
	assert_true(u->estimate.value < u->estimate.hi90 && u->estimate.hi90 < u->estimate.hi95);
	done(&c, &a);
	analysed(&c, &a, &noisy, 1, 1, N, 3);
	assert_decision(&a, COMPONENT_UNCERTAINTY, DECISION_NOT_APPLICABLE);
	assert_non_null(
	    strstr(component_of(&a, 0, COMPONENT_UNCERTAINTY)->reason,
		   "the machine may prevent a smaller U"));
	struct strbuf text = STRBUF_INIT;
	words_add_uncertainty(&text, a.cell, 1);
	const char *limit = strstr(text.s, "The upper confidence limit of their uncertainty is ");
	assert_non_null(limit);
	assert_true(strtod(strpbrk(limit, "0123456789"), NULL) >
		    100 * a.cell[0].expanded.machine);
	strbuf_release(&text);
	assert_true(a.cell[0].expanded.U95 > 0.5 && a.cell[0].expanded.machine > 0.5);
	assert_true(a.cell[0].expanded.own <= a.cell[0].expanded.U95);
	done(&c, &a);
	analysed(&c, &a, &fault, 1, 1, N, 3);
	assert_decision(&a, COMPONENT_UNCERTAINTY, DECISION_REJECT);
	done(&c, &a);
	analysed(&c, &a, &border, 1, 1, N, 3);
	assert_decision(&a, COMPONENT_UNCERTAINTY, DECISION_NOT_APPLICABLE);
	done(&c, &a);
	const struct effect worse = {.sd_x = 0.095, .sd_r = 0.03};
	analysed(&c, &a, &worse, 1, 1, N, 3);
	assert_decision(&a, COMPONENT_UNCERTAINTY, DECISION_INCONCLUSIVE);
	assert_true(a.cell[0].expanded.machine < a.cell[0].expanded.own);
	done(&c, &a);
}

/* A bias within its limit can take U, which includes it, beyond the limit of U. */
static void test_uncertainty_with_bias(void **state)
{
	(void)state;
	const struct effect biased = {.bias = 0.08, .sd_x = 0.02, .sd_r = 0.02};
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &biased, 1, 1, N, 4);
	c.results.protocol.accept.uncertainty = 0.095;
	again(&c, &a);
	assert_decision(&a, COMPONENT_UNCERTAINTY, DECISION_ACCEPT);
	double apart = component_of(&a, 0, COMPONENT_UNCERTAINTY)->estimate.value;
	c.results.protocol.accept.uncertainty_bias = UNCERTAINTY_BIAS_ADDED;
	again(&c, &a);
	assert_decision(&a, COMPONENT_UNCERTAINTY, DECISION_INCONCLUSIVE);
	assert_between(0.07, component_of(&a, 0, COMPONENT_UNCERTAINTY)->estimate.value - apart,
		       0.09);
	c.results.protocol.accept.uncertainty = 0.25;
	again(&c, &a);
	assert_decision(&a, COMPONENT_UNCERTAINTY, DECISION_ACCEPT);
	c.results.protocol.accept.uncertainty = 0.05;
	again(&c, &a);
	/* the program itself is not shown to be within the limit */
	assert_decision(&a, COMPONENT_UNCERTAINTY, DECISION_NOT_APPLICABLE);
	done(&c, &a);
}

/* A replayer is linear up to a level, and stays trusted below that level. */
static void test_linearity_up_to_a_level(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 4, 1, N, 5);
	assert_decision(&a, COMPONENT_LINEARITY, DECISION_NOT_APPLICABLE);
	for (size_t i = 1; i < 4; i++)
		assert_int_equal(component_of(&a, i, COMPONENT_LINEARITY)->decision,
				 DECISION_ACCEPT);
	c.results.protocol.accept.bias = 0.9;
	c.results.protocol.accept.execution_time = 0.9;
	for (unsigned int b = 1; b <= N; b++) {
		run_find(&c, b, 2, 0)->summary.response.mean *= 1.03;
		run_find(&c, b, 3, 0)->summary.response.mean *= 1.5;
	}
	again(&c, &a);
	assert_int_equal(component_of(&a, 1, COMPONENT_LINEARITY)->decision, DECISION_ACCEPT);
	assert_int_equal(component_of(&a, 2, COMPONENT_LINEARITY)->decision, DECISION_ACCEPT);
	assert_int_equal(component_of(&a, 3, COMPONENT_LINEARITY)->decision, DECISION_REJECT);
	assert_int_equal(a.cell[2].verdict, VERDICT_TRUSTED);
	assert_int_equal(a.cell[3].verdict, VERDICT_NOT_TRUSTED);
	done(&c, &a);
	/* a bend that does not move the ends is a lack of fit */
	analysed(&c, &a, &faultless, 3, 1, N, 5);
	c.results.protocol.accept.bias = 0.9;
	for (unsigned int b = 1; b <= N; b++)
		run_find(&c, b, 1, 0)->summary.response.mean *= 1.4;
	again(&c, &a);
	assert_int_equal(component_of(&a, 2, COMPONENT_LINEARITY)->decision, DECISION_REJECT);
	assert_non_null(strstr(component_of(&a, 2, COMPONENT_LINEARITY)->reason, "off the straight "
		"line"));
	/* another group has no lower level */
	for (size_t i = 0; i < 3; i++)
		c.results.protocol.scenario[i].group = i;
	again(&c, &a);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(component_of(&a, i, COMPONENT_LINEARITY)->decision,
				 DECISION_NOT_APPLICABLE);
	done(&c, &a);
}

/* --- limits and options -------------------------------------------------- */

/* A component without a limit is shown, and does not affect the verdict. */
static void test_no_limit(void **state)
{
	(void)state;
	const struct effect bad = {.bias = 0.5, .sd_x = 0.3, .sd_r = 0.01, .reordered = 0.3, .n_lost = 7};
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &bad, 2, 1, N, 6);
	assert_int_equal(a.n_not_trusted, 2);
	struct accept_limits *l = &c.results.protocol.accept;
	*l = (struct accept_limits){.bias = NAN,
				    .precision_ratio = NAN,
				    .uncertainty = NAN,
				    .reordered = NAN,
				    .execution_time = NAN,
				    .execution_time_timed = NAN,
				    .typical = NAN,
				    .shape = NAN,
				    .tail = NAN,
				    .operation = NAN,
				    .half = NAN,
				    .concurrency = NAN,
				    .n_mismatched = UINT64_MAX,
				    .linearity = NAN,
				    .in_flight = NAN,
				    .in_flight_max = NAN,
				    .issue_error_ns = -1,
				    .share_late = NAN,
				    .repeatability = NAN,
				    .guard_band = NAN};
	again(&c, &a);
	for (int k = 0; k < COMPONENT_N; k++) {
		const struct component *p = component_of(&a, 1, k);
		assert_true(p->decision == DECISION_NOT_ASSESSED ||
			    p->decision == DECISION_NOT_APPLICABLE);
		assert_true(p->reason[0]);
		assert_false(a.assessed[k]);
	}
	assert_int_equal(component_of(&a, 1, COMPONENT_BIAS)->estimate.status, STAT_OK);
	assert_int_equal(a.n_rejection_tests, 0);
	assert_int_equal(a.cell[0].verdict, VERDICT_INCONCLUSIVE); /* nothing was judged */
	/* without a limit on the bias no case is trusted, even if all other components are
	 * accepted */
	l->concurrency = 0.1;
	again(&c, &a);
	assert_int_equal(a.cell[0].verdict, VERDICT_INCONCLUSIVE);
	assert_non_null(strstr(a.cell[0].verdict_reason,
			       "within the limits, but not trusted: the protocol sets no limit for "
			       "the bias"));
	l->bias = 0.9;
	again(&c, &a);
	assert_int_equal(a.cell[0].verdict, VERDICT_TRUSTED);
	done(&c, &a);
}

static void test_guard_band(void **state)
{
	(void)state;
	const struct effect near = {.bias = 0.07, .sd_x = 0.03, .sd_r = 0.03};
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &near, 1, 1, N, 7);
	assert_decision(&a, COMPONENT_BIAS, DECISION_ACCEPT);
	assert_null(strstr(component_of(&a, 0, COMPONENT_BIAS)->reason, "guard"));
	double p = component_of(&a, 0, COMPONENT_BIAS)->p_reject;
	c.results.protocol.accept.guard_band = 3;
	again(&c, &a);
	assert_decision(&a, COMPONENT_BIAS, DECISION_INCONCLUSIVE);
	assert_non_null(strstr(component_of(&a, 0, COMPONENT_BIAS)->reason, "probability that this"));
	assert_true(component_of(&a, 0, COMPONENT_BIAS)->p_reject == p);
	/* a guard band never makes acceptance easier */
	c.results.protocol.accept.guard_band = 0.01;
	c.results.protocol.accept.bias = a.cell[0].bias.value + 1e-3;
	again(&c, &a);
	assert_decision(&a, COMPONENT_BIAS, DECISION_INCONCLUSIVE);
	done(&c, &a);
}

static void test_repeatability_of_a_single_reference(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	struct err e = ERR_INIT;
	gsl_rng *rng = generator(8);
	campaign_make(&c, 1, 1, N);
	campaign_fill(&c, &faultless, rng);
	gsl_rng_free(rng);
	struct run *record = run_add(&c, 0, 0, ROLE_RECORD);
	summary_make(&record->summary, 1000, 1);
	record->bank = 0;
	for (size_t i = 0; i < c.results.n_runs; i++)
		c.results.run[i].bank = 0;
	c.results.protocol.reference = REFERENCE_TRACE;
	assert_int_equal(analysis_compute(&a, &c.results, &e), 0);
	analysis_word(&a);
	assert_decision(&a, COMPONENT_PRECISION, DECISION_NOT_APPLICABLE);
	c.results.protocol.accept.repeatability = 0.08;
	again(&c, &a);
	assert_decision(&a, COMPONENT_PRECISION, DECISION_ACCEPT);
	assert_true(component_of(&a, 0, COMPONENT_PRECISION)->limit == 0.08);
	c.results.protocol.accept.repeatability = 0.005;
	again(&c, &a);
	assert_decision(&a, COMPONENT_PRECISION, DECISION_REJECT);
	done(&c, &a);
}

/* Large percentages are printed without an exponent. */
static void test_numbers_are_readable(void **state)
{
	(void)state;
	const struct effect slow = {.bias = 30, .sd_x = 0.01, .sd_r = 0.01};
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &slow, 1, 1, N, 13);
	const char *reason = component_of(&a, 0, COMPONENT_BIAS)->reason;
	assert_decision(&a, COMPONENT_BIAS, DECISION_REJECT);
	assert_null(strstr(reason, "e+"));
	assert_true(!strncmp(reason, "+30", 3) || !strncmp(reason, "+29", 3)); /* +3000 % */
	done(&c, &a);
}

/* --- beside the verdict -------------------------------------------------- */

/* The replay is slower after the program than before it: the budget shows this effect
 * separately. */
static void test_order_in_the_block(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, N, 9);
	for (unsigned int b = 1; b <= N; b++) {
		run_find(&c, b, 0, ROLE_PROGRAM)->position = 1;
		run_find(&c, b, 0, 0)->position = b % 2 ? 0 : 2;
	}
	again(&c, &a);
	const struct budget *k = &a.cell[0].budget;
	assert_string_equal(k->row[1].source, "order in the block");
	assert_true(k->row[1].u == 0 && k->row[0].nu == N - 1);
	for (unsigned int b = 2; b <= N; b += 2)
		run_find(&c, b, 0, 0)->summary.response.mean *= 1.3;
	again(&c, &a);
	k = &a.cell[0].budget;
	assert_between(0.15, k->row[1].u, 0.25); /* 0.3/sqrt 2 */
	assert_true(k->row[0].nu == N - 2 && k->row[1].nu == 1);
	assert_between(0.01, k->row[0].u, 0.05);
	double share = 0;
	for (size_t i = 0; i < k->n_rows; i++)
		share += k->row[i].share;
	assert_between(1 - 1e-9, share, 1 + 1e-9);
	done(&c, &a);
}

/* A trace whose response times were corrected for the bias of capture: the remaining bias is a
 * normal Type B component. */
static void test_correction_of_capture(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, N, 9);
	double before = a.cell[0].budget.u_c;
	for (size_t i = 0; i < a.cell[0].budget.n_rows; i++)
		assert_string_not_equal(a.cell[0].budget.row[i].source, "correction of capture");
	double u_ns = 0.2 * a.cell[0].r.mean;
	for (unsigned int b = 1; b <= N; b++)
		run_find(&c, b, 0, ROLE_PROGRAM)->summary.correction_u_ns = u_ns;
	again(&c, &a);
	const struct budget *k = &a.cell[0].budget;
	const struct budget_row *row = &k->row[k->n_rows - 1];
	assert_string_equal(row->source, "correction of capture");
	assert_string_equal(row->distribution, "normal");
	assert_true(row->type == 'B');
	assert_between(0.2 - 1e-12, row->u, 0.2 + 1e-12);
	assert_between(hypot(before, 0.2) - 1e-9, k->u_c, hypot(before, 0.2) + 1e-9);
	bool named = false;
	for (size_t i = 0; i < a.n_sources; i++)
		named |=
		    a.source[i].in_budget && !strcmp(a.source[i].name, "correction of capture");
	assert_true(named);
	analysis_propagate(&a);
	assert_between(0.97 * k->U95, k->monte_carlo.hi, 1.03 * k->U95);
	done(&c, &a);
}

static void test_monte_carlo_beside(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, N, 10);
	struct budget *b = &a.cell[0].budget;
	assert_int_equal(b->monte_carlo.status, STAT_NOT_ASSESSED);
	analysis_propagate(&a);
	assert_int_equal(b->monte_carlo.status, STAT_OK);
	assert_between(0.97 * b->U95, b->monte_carlo.hi, 1.03 * b->U95);
	assert_between(0.97 * b->U95, -b->monte_carlo.lo, 1.03 * b->U95);
	assert_true(b->monte_carlo.adequate);
	/* The mean of the replays comes from their scatter: the degrees of freedom are slightly
	 * more than n - 1 */
	double s = b->row[0].share + b->row[2].share, other = 1 - s;
	assert_string_equal(b->row[2].source, "mean of the replays");
	assert_true(b->row[0].estimate && b->row[0].estimate == b->row[2].estimate);
	assert_between((N - 1) / (s * s + other * other) * 0.999, b->nu_eff,
		       (N - 1) / (s * s) * 1.001);
	double hi = b->monte_carlo.hi;
	analysis_propagate(&a); /* equal seeds give equal numbers */
	assert_true(b->monte_carlo.hi == hi);
	done(&c, &a);
	analysed(&c, &a, &faultless, 1, 1, 1, 10);
	analysis_propagate(&a);
	assert_true(a.cell[0].budget.monte_carlo.status != STAT_OK);
	done(&c, &a);
}

static void test_sessions(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, N, 11);
	const struct session_study *s = &a.cell[0].sessions;
	assert_int_equal(s->status, STAT_NOT_APPLICABLE);
	c.results.protocol.n_sessions = 5;
	again(&c, &a);
	s = &a.cell[0].sessions;
	assert_int_equal(s->status, STAT_OK);
	assert_int_equal(s->n_sessions, 5);
	size_t n = 0;
	for (size_t i = 0; i < 5; i++)
		n += s->session[i].n;
	assert_int_equal(n, N);
	assert_true(s->s_R >= s->s_r &&
		    fabs(s->s_R * s->s_R - s->s_r * s->s_r - s->s_L * s->s_L) < 1e-12);
	/* the last session of a resumed campaign was on another day */
	c.results.protocol.n_sessions = 0;
	for (unsigned int b = 1; b <= N; b++) {
		struct run *run = run_find(&c, b, 0, 0);
		run->session = (b - 1) / 4;
		if (b > 16)
			run->summary.response.mean *= 1.5;
	}
	again(&c, &a);
	s = &a.cell[0].sessions;
	assert_int_equal(s->n_sessions, 5);
	assert_true(s->s_L > 0.15 && s->grubbs.status == STAT_OK);
	assert_int_equal(s->grubbs.group, 4);
	assert_int_equal(s->grubbs.class, OUTLIER_OUTLIER);
	assert_int_equal(a.cell[0].x.n, N); /* marked, not dropped */
	done(&c, &a);
}

static void test_chart_and_quantiles(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, N, 12);
	const struct cell *cell = &a.cell[0];
	assert_int_equal(cell->control.status, STAT_OK);
	assert_int_equal(cell->control.d.n, N);
	assert_true(cell->control.n_out == 0);
	for (unsigned int b = 1; b <= N; b++) {
		struct run_summary *x = &run_find(&c, b, 0, 0)->summary,
				   *r = &run_find(&c, b, 0, ROLE_PROGRAM)->summary;
		r->response_p90 = r->response.mean * 2;
		x->response_p90 = x->response.mean * 2;
		r->response_p999 = r->response.mean * 5;
		x->response_p999 = x->response.mean * 10;
		r->response_histogram = (struct histogram){0};
		x->response_histogram = (struct histogram){0};
		histogram_add(&r->response_histogram, 1000);
		histogram_add(&x->response_histogram, b % 2 ? 1000 : 1500);
	}
	run_find(&c, 9, 0, 0)->summary.response.mean *= 2;
	again(&c, &a);
	assert_int_equal(analysis_describe(&a, NULL), 0);
	cell = &a.cell[0];
	assert_int_equal(cell->control.n_out, 1);
	assert_true(cell->control.n_mr_out >= 1);
	assert_between(-0.02, cell->quantile_bias[1].value, 0.02);
	assert_between(0.95, cell->quantile_bias[3].value, 1.05);
	assert_false(cell->quantile_extrapolated[3]); /* 5000 requests */
	assert_true(fabs(cell->ks_distance - 0.5) < 1e-12);
	assert_between(0.2499, cell->wasserstein * cell->r.mean / 1000, 0.2501);
	for (unsigned int b = 1; b <= N; b++) {
		histogram_release(&run_find(&c, b, 0, 0)->summary.response_histogram);
		histogram_release(&run_find(&c, b, 0, ROLE_PROGRAM)->summary.response_histogram);
	}
	done(&c, &a);
}

/* --- simulations --------------------------------------------------------- */

/* Logarithms of runs: normal, one run in twenty far off, heavy-tailed, or skewed. */
static double draw(gsl_rng *rng, int shape)
{
	if (shape == 1)
		return gsl_ran_gaussian(rng, gsl_rng_uniform(rng) < 0.05 ? 8 : 1);
	if (shape == 2)
		return gsl_ran_tdist(rng, 3);
	if (shape == 3)
		return gsl_ran_exponential(rng, 1);
	return gsl_ran_gaussian(rng, 1);
}

static void fill_shaped(struct campaign *c, gsl_rng *rng, int shape, double sd_x, double sd_r)
{
	for (unsigned int b = 0; b <= c->n_blocks; b++)
		for (size_t s = 0; s < c->results.protocol.n_scenarios; s++) {
			summary_make(&run_add(c, b, s, ROLE_PROGRAM)->summary,
				     1000 * exp(sd_r * draw(rng, shape)), 1);
			replay_make(run_add(c, b, s, 0), 1000 * exp(sd_x * draw(rng, shape)),
				    &faultless);
		}
}

struct count {
	unsigned int accepted, rejected, wrong_campaigns;
};

static struct count simulate(int shape, double sd_x, double sd_r, unsigned int n_campaigns,
			     unsigned long seed)
{
	struct count n = {0};
	gsl_rng *rng = generator(seed);
	for (unsigned int i = 0; i < n_campaigns; i++) {
		struct campaign c;
		struct analysis a;
		struct err e = ERR_INIT;
		campaign_make(&c, 4, 1, N);
		fill_shaped(&c, rng, shape, sd_x, sd_r);
		assert_int_equal(analysis_compute(&a, &c.results, &e), 0);
		analysis_word(&a);
		n.wrong_campaigns += a.n_not_trusted > 0;
		for (size_t k = 0; k < a.n_cells; k++) {
			n.accepted +=
			    component_of(&a, k, COMPONENT_PRECISION)->decision == DECISION_ACCEPT;
			n.rejected += component_of(&a, k, COMPONENT_PRECISION)->p_reject <= 0.01;
		}
		done(&c, &a);
	}
	gsl_rng_free(rng);
	return n;
}

/* The program in the replayer's place, for every distribution of the runs: of 400 campaigns only
 * as many are rejected as chance explains. */
static void test_identical_is_not_rejected(void **state)
{
	(void)state;
	unsigned int n_wrong = 0;
	for (int shape = 0; shape < 4; shape++) {
		struct count n = simulate(shape, 0.03, 0.03, 100, 20 + (unsigned int)shape);
		print_message("shape %d: %u of 100 campaigns rejected, %u of 400 cells at 0.01, "
			      "%u accepted\n",
			      shape, n.wrong_campaigns, n.rejected, n.accepted);
		/* at most 1 expected; P(more than 4) is 0.003 at exactly 1 % */
		assert_true(n.wrong_campaigns <= 4);
		assert_true(n.rejected <= 9); /* 4 expected at most at 0.01 */
		n_wrong += n.wrong_campaigns;
	}
	/* at most 4 expected; P(more than 10) is 0.003 at exactly 1 % */
	assert_true(n_wrong <= 10);
}

/* Exactly at the limit, with twice the scatter: seldom accepted. */
static void test_at_the_limit_is_seldom_accepted(void **state)
{
	(void)state;
	for (int shape = 0; shape < 4; shape++) {
		struct count n = simulate(shape, 0.02, 0.01, 100, 30 + (unsigned int)shape);
		print_message("shape %d: %u of 400 cells at the limit accepted\n", shape,
			      n.accepted);
		assert_true(n.accepted <= 33); /* at most 20 expected, plus 3 standard errors */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_timed_replays),
	    cmocka_unit_test(test_in_flight_and_concurrency),
	    cmocka_unit_test(test_uncertainty),
	    cmocka_unit_test(test_uncertainty_with_bias),
	    cmocka_unit_test(test_linearity_up_to_a_level),
	    cmocka_unit_test(test_no_limit),
	    cmocka_unit_test(test_guard_band),
	    cmocka_unit_test(test_repeatability_of_a_single_reference),
	    cmocka_unit_test(test_numbers_are_readable),
	    cmocka_unit_test(test_order_in_the_block),
	    cmocka_unit_test(test_correction_of_capture),
	    cmocka_unit_test(test_monte_carlo_beside),
	    cmocka_unit_test(test_sessions),
	    cmocka_unit_test(test_chart_and_quantiles),
	    cmocka_unit_test(test_identical_is_not_rejected),
	    cmocka_unit_test(test_at_the_limit_is_seldom_accepted),
	};
	return cmocka_run_group_tests_name("analysis components", tests, NULL, NULL);
}
