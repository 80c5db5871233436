/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis of constructed summaries: which runs count, which decisions follow, and which data
 * are refused. No I/O, fixed seeds. */
#define REASONS_IN_WORDS
#include "reports/reasons.h"
#include "reports/table.h"
#include "tests/unit/validate/made_campaign.h"
#include "validate/analysis/analysis.h"
#include "validate/analysis/tendency.h"

/* --- verdicts ------------------------------------------------------------ */
static void test_faultless_is_trusted(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 2, 1, 30, 1);
	assert_int_equal(a.n_cells, 2);
	assert_int_equal(a.n_replicates, 30);
	assert_int_equal(a.look, 1);
	assert_true(a.level_accept == 0.05 && a.level_reject == 0.01);
	for (size_t i = 0; i < a.n_cells; i++) {
		const struct cell *cell = &a.cell[i];
		assert_int_equal(cell->n_pairs, 30);
		assert_int_equal(cell->x.n, 30); /* without block 0 */
		assert_between(-0.02, cell->bias.value, 0.02);
		assert_true(cell->bias.lo95 < cell->bias.lo90 && cell->bias.hi90 < cell->bias.hi95);
		/* all in proportion here */
		assert_true(fabs(cell->bias_trimmed.value - cell->bias.value) < 1e-12);
		assert_true(fabs(cell->bias_median.value - cell->bias.value) < 1e-12);
		assert_true(cell->correlation > 0.5);
		assert_true(cell->budget.status == STAT_OK);
		double share = 0;
		for (size_t k = 0; k < cell->budget.n_rows; k++)
			share += cell->budget.row[k].share;
		assert_between(1 - 1e-9, share, 1 + 1e-9);
		assert_int_equal(cell->verdict, VERDICT_TRUSTED);
		assert_int_equal(cell->component[COMPONENT_UNCERTAINTY].decision, DECISION_ACCEPT);
		assert_int_equal(cell->component[COMPONENT_CONCURRENCY].decision, DECISION_ACCEPT);
		assert_int_equal(cell->component[COMPONENT_IN_FLIGHT].decision, DECISION_ACCEPT);
		assert_int_equal(cell->component[COMPONENT_IN_FLIGHT_MAX].decision,
				 DECISION_ACCEPT);
		/* the lowest level has no lower level for a comparison */
		assert_int_equal(cell->component[COMPONENT_LINEARITY].decision,
				 i ? DECISION_ACCEPT : DECISION_NOT_APPLICABLE);
		assert_int_equal(cell->component[COMPONENT_ISSUE_ERROR].decision,
				 DECISION_NOT_APPLICABLE);
	}
	assert_int_equal(a.verdict, VERDICT_TRUSTED);
	assert_true(a.assessed[COMPONENT_BIAS] && a.assessed[COMPONENT_LINEARITY] &&
		    !a.assessed[COMPONENT_SHARE_LATE]);
	assert_true(analysis_is_settled(&a));
	/* bias, typical response, shape, tail, half, precision, time, order, uncertainty,
	 * concurrency, mean and maximum in flight of both, linearity of one */
	assert_int_equal(a.n_rejection_tests, 25);
	done(&c, &a);
}

/* Skipped requests are reported, and are no fault. */
static void test_skipped_is_not_judged(void **state)
{
	(void)state;
	const struct effect effect = {.sd_x = 0.01, .sd_r = 0.01, .n_skipped = 3};
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &effect, 1, 1, 20, 5);
	const struct component *fidelity = &a.cell[0].component[COMPONENT_FIDELITY];
	assert_int_equal(fidelity->decision, DECISION_ACCEPT);
	assert_int_equal(a.cell[0].n_skipped, 60);
	assert_int_equal(a.cell[0].n_lost, 0);
	assert_non_null(strstr(fidelity->reason, "skipped 60 other requests"));
	done(&c, &a);
}

/* Unreported failures do not count as no failures; an observed fault is rejected nevertheless. */
static void test_unreported_results_are_no_successes(void **state)
{
	(void)state;
	for (uint64_t n_lost = 0; n_lost < 2; n_lost++) {
		const struct effect effect = {
		    .sd_x = 0.01, .sd_r = 0.01, .n_results_unknown = N_REQUESTS, .n_lost = n_lost};
		struct campaign c;
		struct analysis a;
		analysed(&c, &a, &effect, 1, 1, 20, 5);
		const struct component *fidelity = &a.cell[0].component[COMPONENT_FIDELITY];
		assert_int_equal(fidelity->decision,
				 n_lost ? DECISION_REJECT : DECISION_INCONCLUSIVE);
		assert_int_equal(fidelity->n_more, 0);
		assert_int_equal(a.cell[0].n_results_unknown, 20 * N_REQUESTS);
		assert_non_null(
		    strstr(fidelity->reason, "The replayer reports no results for 100000 requests"));
		assert_int_equal(a.cell[0].verdict,
				 n_lost ? VERDICT_NOT_TRUSTED : VERDICT_INCONCLUSIVE);
		done(&c, &a);
	}
}

static void test_faults_are_rejected(void **state)
{
	(void)state;
	static const struct {
		struct effect effect;
		enum component_kind kind;
	} fault[] = {
	    {{.bias = 0.4, .sd_x = 0.01, .sd_r = 0.01, .common = 0.02}, COMPONENT_BIAS},
	    {{.bias = -0.4, .sd_x = 0.01, .sd_r = 0.01, .common = 0.02}, COMPONENT_BIAS},
	    {{.sd_x = 0.1, .sd_r = 0.01, .common = 0.01}, COMPONENT_PRECISION},
	    {{.sd_x = 0.01, .sd_r = 0.01, .reordered = 0.2}, COMPONENT_REORDERING},
	    {{.sd_x = 0.01, .sd_r = 0.01, .n_lost = 1}, COMPONENT_FIDELITY},
	};
	for (size_t i = 0; i < sizeof fault / sizeof *fault; i++) {
		struct campaign c;
		struct analysis a;
		analysed(&c, &a, &fault[i].effect, 1, 1, 20, 2 + i);
		assert_int_equal(a.cell[0].component[fault[i].kind].decision, DECISION_REJECT);
		assert_true(a.cell[0].component[fault[i].kind].p_reject_holm <= 0.01);
		assert_int_equal(a.cell[0].verdict, VERDICT_NOT_TRUSTED);
		assert_non_null(strstr(a.cell[0].verdict_reason, component_names[fault[i].kind]));
		assert_int_equal(a.verdict, VERDICT_NOT_TRUSTED);
		done(&c, &a);
	}
}

/* A good replayer keeps its verdict beside a bad replayer, and the campaign's verdict is the
 * worst. */
static void test_cells_are_separate(void **state)
{
	(void)state;
	const struct effect effect[] = {faultless, {.bias = 0.5, .sd_x = 0.01, .common = 0.02}};
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, effect, 1, 2, 30, 7);
	assert_int_equal(a.n_cells, 2);
	assert_int_equal(a.cell[0].verdict, VERDICT_TRUSTED);
	assert_int_equal(a.cell[1].verdict, VERDICT_NOT_TRUSTED);
	assert_int_equal(a.verdict, VERDICT_NOT_TRUSTED);
	assert_int_equal(a.n_trusted, 1);
	assert_int_equal(a.n_not_trusted, 1);
	done(&c, &a);

	/* the verdict of a replayer for comparison is shown, and does not count */
	gsl_rng *rng = generator(7);
	struct err e = ERR_INIT;
	campaign_make(&c, 1, 2, 30);
	c.results.protocol.replayer[1].comparison = true;
	campaign_fill(&c, effect, rng);
	assert_int_equal(analysis_compute(&a, &c.results, &e), 0);
	analysis_word(&a);
	assert_int_equal(a.cell[1].verdict, VERDICT_NOT_TRUSTED);
	assert_int_equal(a.verdict, VERDICT_TRUSTED);
	assert_int_equal(a.n_trusted, 1);
	assert_int_equal(a.n_not_trusted, 0);
	assert_int_equal(cells_counted(&a), 1);
	gsl_rng_free(rng);
	done(&c, &a);

	/* cells exist only for replayers that apply to the scenario */
	rng = generator(7);
	campaign_make(&c, 1, 2, 20);
	c.results.protocol.replayer[1].applies = xcalloc(1, sizeof(bool));
	campaign_fill(&c, effect, rng);
	assert_int_equal(analysis_compute(&a, &c.results, &e), 0);
	analysis_word(&a);
	assert_int_equal(a.n_cells, 1);
	gsl_rng_free(rng);
	done(&c, &a);
}

/* Few or noisy replicates: no verdict, but a number of further replicates that finally suffices. */
static void test_inconclusive_says_how_many_more(void **state)
{
	(void)state;
	const struct effect noisy = {.bias = 0.03, .sd_x = 0.2, .sd_r = 0.2};
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &noisy, 1, 1, 12, 3);
	const struct component *bias = &a.cell[0].component[COMPONENT_BIAS];
	assert_int_equal(a.cell[0].verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(bias->decision, DECISION_INCONCLUSIVE);
	assert_between(20, (double)bias->n_more, 10000);
	assert_int_equal(a.n_inconclusive, 1);
	assert_false(analysis_is_settled(&a));
	done(&c, &a);
}

/* Programs get an impractically large number of replicates; people read how much quieter the runs
 * would have to be. */
static void test_too_noisy_is_reported(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, 20, 9);
	c.results.protocol.accept.precision_ratio = 1e3;
	c.results.protocol.accept.uncertainty = NAN;
	for (unsigned int b = 1; b <= 20; b++) /* -9 % and noise of 40 % */
		run_find(&c, b, 0, 0)->summary.response.mean =
		    0.91 * exp(b % 2 ? 0.4 : -0.4) *
		    run_find(&c, b, 0, ROLE_PROGRAM)->summary.response.mean;
	again(&c, &a);
	const struct component *k = &a.cell[0].component[COMPONENT_BIAS];
	assert_int_equal(k->decision, DECISION_INCONCLUSIVE);
	assert_true(k->impractical && k->n_more > 1000);
	assert_non_null(strstr(k->reason, "±10 %"));
	assert_non_null(strstr(k->reason, "No practical number of replicates"));
	assert_non_null(strstr(k->reason, "the ratios scatter by 41 %"));
	assert_non_null(strstr(a.cell[0].verdict_reason, "No practical number of replicates"));
	assert_null(strstr(a.cell[0].verdict_reason, "probably"));
	done(&c, &a);

	/* exactly on the limit no number of replicates suffices */
	analysed(&c, &a, &faultless, 1, 1, 20, 9);
	for (unsigned int b = 1; b <= 20; b++)
		run_find(&c, b, 0, 0)->summary.response.mean =
		    (b % 2 ? 1.1 * 1.01 : 1.1 / 1.01) *
		    run_find(&c, b, 0, ROLE_PROGRAM)->summary.response.mean;
	again(&c, &a);
	k = &a.cell[0].component[COMPONENT_BIAS];
	assert_int_equal(k->decision, DECISION_INCONCLUSIVE);
	assert_true(k->impractical);

	/* a precision ratio too near its limit */
	c.results.protocol.accept.precision_ratio = a.cell[0].precision_ratio.value * 1.001;
	again(&c, &a);
	k = &a.cell[0].component[COMPONENT_PRECISION];
	assert_int_equal(k->decision, DECISION_INCONCLUSIVE);
	assert_true(k->impractical && strstr(k->reason, "too near the limit"));
	done(&c, &a);

	analysed(&c, &a, &faultless, 1, 1, 20, 3);
	c.results.protocol.accept.precision_ratio = 1e3;
	for (unsigned int b = 1; b <= 20; b++) /* (2.5 * 0.123 / (ln 1.1 - ln 1.05))^2 replicates */
		run_find(&c, b, 0, 0)->summary.response.mean =
		    1.05 * exp(b % 2 ? 0.12 : -0.12) *
		    run_find(&c, b, 0, ROLE_PROGRAM)->summary.response.mean;
	again(&c, &a);
	k = &a.cell[0].component[COMPONENT_BIAS];
	assert_int_equal(k->decision, DECISION_INCONCLUSIVE);
	assert_true(!k->impractical);
	assert_between(20, (double)k->n_more, 30);
	assert_non_null(
	    strstr(a.cell[0].verdict_reason, "more replicates would probably decide this case"));
	done(&c, &a);
}

/* Long sentences are truncated between characters. */
static void test_sentences_stay_text(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	static char reason[2][1000];
	for (size_t i = 0; i < 2; i++) {
		memset(reason[i], 'x', i);
		for (size_t at = i; at + 2 < sizeof reason[i]; at += 2)
			memcpy(reason[i] + at, "ä", 2);
	}
	for (size_t i = 0; i < 2; i++) {
		analysed(&c, &a, &faultless, 1, 1, 10, 9);
		struct run *run = run_find(&c, 2, 0, 0);
		run->state = RUN_FAILED;
		run->reason = reason[i];
		again(&c, &a);
		/* NULL if the text is not UTF-8 */
		json_t *text = json_string(a.cell[0].first_failure);
		assert_non_null(text);
		json_decref(text);
		size_t len = strlen(a.cell[0].first_failure);
		assert_true(len > 190 && len < sizeof a.cell[0].first_failure);
		assert_string_equal(a.cell[0].first_failure + len - 3, "...");
		done(&c, &a);
	}
}

/* A rejection at 5 % that Holm's correction withdraws is no rejection. */
static void test_holm_withdraws(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	unsigned int n_withdrawn = 0;
	for (unsigned long seed = 0; seed < 40; seed++) {
		const struct effect e = {.bias = 0.17, .sd_x = 0.08, .sd_r = 0.08};
		analysed(&c, &a, &e, 4, 1, 20, 100 + seed);
		for (size_t i = 0; i < a.n_cells; i++) {
			const struct component *k = &a.cell[i].component[COMPONENT_BIAS];
			if (!k->rejected_before_holm)
				continue;
			assert_int_equal(k->decision, k->p_reject_holm <= 0.01
							  ? DECISION_REJECT
							  : DECISION_INCONCLUSIVE);
			assert_true(k->p_reject_holm >= k->p_reject);
			n_withdrawn += k->decision == DECISION_INCONCLUSIVE;
			if (k->decision == DECISION_INCONCLUSIVE)
				assert_non_null(strstr(k->reason, "Holm"));
		}
		done(&c, &a);
	}
	assert_true(n_withdrawn > 10);
}

/* --- what prevents a verdict on a cell --------------------------------------- */
static void test_zero_variance_is_no_pass(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	const struct effect still = {0};
	analysed(&c, &a, &still, 1, 1, 20, 4);
	assert_int_equal(a.cell[0].bias.status, STAT_ZERO_VARIANCE);
	assert_int_equal(a.cell[0].f_test.status, STAT_ZERO_VARIANCE);
	assert_int_equal(a.cell[0].budget.status, STAT_ZERO_VARIANCE);
	assert_int_equal(a.cell[0].component[COMPONENT_BIAS].decision, DECISION_INCONCLUSIVE);
	assert_non_null(
	    strstr(a.cell[0].component[COMPONENT_PRECISION].reason, "all values are equal"));
	assert_int_equal(a.verdict, VERDICT_INCONCLUSIVE);
	/* no reordered request in any run is a count, not a missing scatter */
	assert_int_equal(a.cell[0].component[COMPONENT_REORDERING].decision, DECISION_ACCEPT);
	assert_true(a.cell[0].order.deciding.hi95 > 0 && a.cell[0].order.deciding.hi95 < 1e-3);
	done(&c, &a);
}

/* Ratios that differ only in their last bit do not vary: no interval, whatever the effect of
 * rounding. */
static void test_constant_ratio_is_no_pass(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, 20, 4);
	for (unsigned int b = 1; b <= 20; b++)
		run_find(&c, b, 0, 0)->summary.response.mean =
		    1.05 * run_find(&c, b, 0, ROLE_PROGRAM)->summary.response.mean;
	again(&c, &a);
	assert_int_equal(a.cell[0].bias.status, STAT_ZERO_VARIANCE);
	assert_int_equal(a.cell[0].component[COMPONENT_BIAS].decision, DECISION_INCONCLUSIVE);
	assert_int_equal(a.verdict, VERDICT_INCONCLUSIVE);
	done(&c, &a);
}

static void test_bad_references(void **state)
{
	(void)state;
	static const struct {
		double mean;
		enum stat_status status;
	} bad[] = {{0, STAT_ZERO_REFERENCE},
		   {-5, STAT_NEGATIVE_REFERENCE},
		   {INFINITY, STAT_NOT_FINITE},
		   {NAN, STAT_NOT_FINITE}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct campaign c;
		struct analysis a;
		analysed(&c, &a, &faultless, 1, 1, 20, 5);
		run_find(&c, 4, 0, ROLE_PROGRAM)->summary.response.mean = bad[i].mean;
		again(&c, &a);
		assert_int_equal(a.cell[0].bias.status, bad[i].status);
		assert_int_equal(a.cell[0].precision_ratio.status, bad[i].status);
		assert_int_equal(a.cell[0].paper[PAPER_TEXT].status, bad[i].status);
		assert_true(isnan(a.cell[0].bias.value) && isnan(a.cell[0].budget.U95));
		assert_int_equal(a.cell[0].verdict, VERDICT_INCONCLUSIVE);
		assert_non_null(strstr(a.cell[0].component[COMPONENT_BIAS].reason,
				       table_status_text(bad[i].status)));
		done(&c, &a);
	}
}

static void test_too_few(void **state)
{
	(void)state;
	for (unsigned int n = 1; n <= 3; n++) {
		struct campaign c;
		struct analysis a;
		analysed(&c, &a, &faultless, 1, 1, n, 6);
		assert_int_equal(a.cell[0].bias.status, n < 2 ? STAT_TOO_FEW : STAT_OK);
		assert_int_equal(a.cell[0].precision_ratio.status, n < 3 ? STAT_TOO_FEW : STAT_OK);
		assert_int_equal(a.verdict, VERDICT_INCONCLUSIVE);
		/* as many as accept a perfect replayer with probability 0.8; fewer would already
		 * give a number */
		if (n < 3)
			assert_between(
			    12, (double)a.cell[0].component[COMPONENT_PRECISION].n_more + n, 16);
		set_reordered(&c, n == 1 ? N_REQUESTS / 5 : 0, N_REQUESTS);
		again(&c, &a);
		assert_int_equal(a.cell[0].order.deciding.status, n < 2 ? STAT_TOO_FEW : STAT_OK);
		assert_int_equal(a.verdict, VERDICT_INCONCLUSIVE); /* nor is one run rejected */
		done(&c, &a);
	}
}

static void test_failed_runs_drop_their_pair(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	static char crashed[] = "killed by signal 11", full[] = "no space left";
	analysed(&c, &a, &faultless, 1, 1, 30, 8);
	double before = a.cell[0].x.mean;
	struct run *x = run_find(&c, 5, 0, 0), *r = run_find(&c, 9, 0, ROLE_PROGRAM);
	x->state = r->state = RUN_FAILED;
	x->reason = crashed;
	r->reason = full;
	again(&c, &a);
	assert_int_equal(a.cell[0].n_blocks, 30);
	assert_int_equal(a.cell[0].n_pairs, 28);
	assert_int_equal(a.cell[0].x.n, 28);
	assert_int_equal(a.cell[0].r.n, 28);
	assert_int_equal(a.cell[0].n_failed_replayer, 1);
	assert_int_equal(a.cell[0].n_failed_program, 1);
	assert_string_equal(a.cell[0].first_failure, "block 5, replayer: killed by signal 11");
	assert_true(a.cell[0].x.mean != before);
	/* a replay that sometimes crashes is not trusted because of its other runs */
	assert_int_equal(a.cell[0].component[COMPONENT_FIDELITY].decision, DECISION_INCONCLUSIVE);
	assert_int_equal(a.cell[0].verdict, VERDICT_INCONCLUSIVE);

	for (unsigned int b = 1; b <= 30; b++)
		run_find(&c, b, 0, 0)->state = RUN_FAILED;
	again(&c, &a);
	assert_int_equal(a.cell[0].n_pairs, 0);
	assert_int_equal(a.cell[0].bias.status, STAT_TOO_FEW);
	assert_int_equal(a.verdict, VERDICT_INCONCLUSIVE);
	done(&c, &a);
}

static void test_no_complete_block(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	struct err e = ERR_INIT;
	analysed(&c, &a, &faultless, 1, 1, 10, 9);
	analysis_release(&a);
	run_find(&c, 1, 0, 0)->state = RUN_PENDING;
	assert_int_equal(analysis_compute(&a, &c.results, &e), -ENODATA);
	analysis_release(&a);
	run_find(&c, 1, 0, 0)->state = RUN_OK;
	run_add(&c, 4000000000u, 0, 0); /* damage: no campaign has this many blocks */
	assert_int_equal(analysis_compute(&a, &c.results, &e), 0);
	analysis_word(&a);
	assert_int_equal(a.cell[0].n_pairs, 10);
	done(&c, &a);
}

/* --- looks --------------------------------------------------------------- */
static void set_looks(struct campaign *c, const unsigned int *look, unsigned int n)
{
	struct protocol *p = &c->results.protocol;
	memcpy(p->look, look, n * sizeof *look);
	p->n_looks = n;
	p->n_replicates_min = look[0];
	p->n_replicates_max = look[n - 1];
}

static void leave_pending_from(struct campaign *c, unsigned int block)
{
	for (size_t i = 0; i < c->results.n_runs; i++)
		c->results.run[i].state = c->results.run[i].block >= block ? RUN_PENDING : RUN_OK;
	c->results.finished = false;
}

static void test_looks(void **state)
{
	(void)state;
	static const unsigned int look[] = {10, 14, 20, 28, 40, 60};
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, 60, 10);
	set_looks(&c, look, 6);

	leave_pending_from(&c, 8); /* 7 done: no look reached */
	again(&c, &a);
	assert_int_equal(a.look, 0);
	assert_int_equal(a.n_replicates, 7);
	assert_int_equal(a.cell[0].verdict, VERDICT_INCONCLUSIVE);
	assert_true(isnan(a.cell[0].component[COMPONENT_BIAS].p_reject));
	assert_int_equal(a.cell[0].component[COMPONENT_BIAS].n_more, 3);
	assert_non_null(strstr(a.cell[0].verdict_reason, "first planned look"));
	assert_int_equal(a.cell[0].bias.status, STAT_OK); /* numbers are shown */

	/* 26 done: the look at 20 counts; blocks 21 to 26 are not used yet */
	leave_pending_from(&c, 27);
	again(&c, &a);
	assert_int_equal(a.look, 3);
	assert_int_equal(a.n_replicates, 20);
	assert_int_equal(a.cell[0].x.n, 20);
	assert_true(a.level_accept < 0.01 && a.level_reject < 1e-3);

	leave_pending_from(&c, 1000);
	again(&c, &a);
	assert_int_equal(a.look, 6);
	assert_int_equal(a.cell[0].x.n, 60);
	assert_between(0.03, a.level_accept, 0.05);
	assert_int_equal(a.cell[0].verdict, VERDICT_TRUSTED);
	assert_true(a.complete);
	done(&c, &a);
}

/* Looks and simulations need no intervals that are only shown: nothing else depends on these. */
static void test_verdicts_only(void **state)
{
	(void)state;
	const struct effect e = {.bias = 0.17, .sd_x = 0.05, .sd_r = 0.05};
	struct campaign c;
	struct analysis a;
	struct component all[COMPONENT_N];
	analysed(&c, &a, &e, 1, 1, 20, 4);
	const struct estimate bias = a.cell[0].bias;
	memcpy(all, a.cell[0].component, sizeof all);
	c.results.verdicts_only = true;
	again(&c, &a);
	for (int k = 0; k < COMPONENT_N; k++) {
		const struct component *one = &a.cell[0].component[k];
		assert_int_equal(one->decision, all[k].decision);
		assert_int_equal(one->n_more, all[k].n_more);
		assert_string_equal(one->reason, all[k].reason);
	}
	assert_true(a.cell[0].bias.value == bias.value && a.cell[0].bias.lo95 != bias.lo95);
	assert_between(0.9, (bias.hi95 - bias.lo95) / (a.cell[0].bias.hi95 - a.cell[0].bias.lo95),
		       1.1);
	done(&c, &a);
}

/* Further replicates are those to the first look whose level is likely to decide: at the next looks
 * the levels are lower than 5 %, so fewer replicates would not be enough. */
static void test_plan_ends_at_a_look(void **state)
{
	(void)state;
	static const unsigned int look[] = {10, 14, 20, 28, 40, 60};
	unsigned int n_at[4] = {0}; /* the looks at 28, 40 and 60, and more than 60 */
	for (unsigned long seed = 0; seed < 30; seed++) {
		struct campaign c;
		struct analysis a;
		const struct effect e = {.bias = 0.03, .sd_x = 0.07, .sd_r = 0.07};
		uint64_t alone;
		analysed(&c, &a, &e, 1, 1, 20, seed);
		alone = a.cell[0].component[COMPONENT_BIAS].n_more;
		set_looks(&c, look, 6);
		again(&c, &a);
		const struct component *k = &a.cell[0].component[COMPONENT_BIAS];
		assert_int_equal(a.look, 3);
		if (k->decision == DECISION_INCONCLUSIVE) {
			const uint64_t n = k->n_more;
			assert_true(n == 8 || n == 20 || n >= 40);
			assert_true(n >= alone);
			n_at[n == 8 ? 0 : n == 20 ? 1 : n == 40 ? 2 : 3]++;
		}
		done(&c, &a);
	}
	assert_true(n_at[1] > 0 && n_at[2] > 0 && n_at[3] > 0);
}

/* If planned looks are far apart, the first has no error probability to spend: nothing is decided,
 * and the reason is not bad data. */
static void test_early_look_decides_nothing(void **state)
{
	(void)state;
	static const unsigned int late[] = {200, 10000}, look_first = 10;
	for (size_t i = 0; i < 2; i++) {
		struct campaign c;
		struct analysis a;
		const struct effect bad = {.bias = 3, .sd_x = 0.01, .sd_r = 0.01};
		unsigned int look[] = {look_first, 14, late[i]};
		analysed(&c, &a, &bad, 1, 1, 12, 10);
		set_looks(&c, look, 3);
		again(&c, &a);
		assert_int_equal(a.look, 1);
		assert_true(a.level_accept < 1e-12);
		for (int k = COMPONENT_BIAS; k <= COMPONENT_REORDERING; k++) {
			const struct component *m = &a.cell[0].component[k];
			if (k == COMPONENT_OPERATION) /* these summaries have none */
				continue;
			assert_int_equal(m->decision, DECISION_INCONCLUSIVE);
			assert_non_null(strstr(m->reason, "A later look decides"));
			assert_null(strstr(m->reason, "out_of_range"));
			assert_true(m->n_more == 0 || m->n_more >= 4); /* the next look is at 14 */
		}
		assert_int_equal(a.n_rejection_tests, 0);
		done(&c, &a);
	}
}

/* --- other references, other roles --------------------------------------- */
static void test_single_reference(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	const struct effect e = {.sd_x = 0.01, .sd_r = 0.01};
	analysed(&c, &a, &e, 1, 1, 20, 11);
	c.results.protocol.reference = REFERENCE_TRACE;
	struct run *record = run_add(&c, 0, 0, ROLE_RECORD);
	record->bank = 7;
	summary_make(&record->summary, 1000, 1);
	for (unsigned int b = 1; b <= 20; b++)
		run_find(&c, b, 0, 0)->bank = 7;
	again(&c, &a);
	assert_true(a.cell[0].single_reference);
	assert_int_equal(a.cell[0].f_test.status, STAT_NOT_APPLICABLE);
	assert_int_equal(a.cell[0].component[COMPONENT_PRECISION].decision,
			 DECISION_NOT_APPLICABLE);
	assert_int_equal(a.cell[0].component[COMPONENT_BIAS].decision, DECISION_ACCEPT);
	assert_int_equal(a.cell[0].verdict, VERDICT_TRUSTED); /* of what could be assessed */
	bool warned = false;
	for (size_t i = 0; i < a.n_sources; i++)
		warned |=
		    a.source[i].warning && !strcmp(a.source[i].name, "scatter of the reference");
	assert_true(warned);

	/* two recordings: each counts once */
	record = run_add(&c, 0, 0, ROLE_RECORD);
	record->bank = 8;
	summary_make(&record->summary, 1004, 1);
	for (unsigned int b = 1; b <= 10; b++)
		run_find(&c, b, 0, 0)->bank = 8;
	again(&c, &a);
	assert_true(a.cell[0].single_reference);
	assert_int_equal(a.cell[0].x.n, 20);
	assert_true(a.cell[0].bias.df == 1);
	done(&c, &a);
}

/* Compared with a recording that the campaign did not make, times do not judge the replayer. Lost
 * requests do. */
static void test_old_recording(void **state)
{
	(void)state;
	static const struct effect slow = {.bias = 1, .sd_x = 0.01, .sd_r = 0.01},
				   loses = {.bias = 1, .sd_x = 0.01, .sd_r = 0.01, .n_lost = 1};
	/* of each replayer */
	const struct effect faultless_runs[] = {slow, slow}, losing_runs[] = {loses, slow};
	for (int lost = 0; lost < 2; lost++) {
		struct campaign c;
		struct analysis a;
		analysed(&c, &a, lost ? losing_runs : faultless_runs, 1, 2, 20, 11);
		c.results.protocol.reference = REFERENCE_TRACE;
		struct run *record = run_add(&c, 0, 0, ROLE_RECORD);
		record->bank = 7;
		summary_make(&record->summary, 1000, 1);
		for (unsigned int b = 1; b <= 20; b++)
			run_find(&c, b, 0, 0)->bank = run_find(&c, b, 0, 1)->bank = 7;
		again(&c, &a);
		/* the campaign's own recordings: they show the present machine */
		assert_int_equal(a.cell[0].verdict, VERDICT_NOT_TRUSTED);
		c.results.protocol.scenario[0].trace = "old.trace";
		c.results.protocol.replayer[1].control = true;
		again(&c, &a);
		const struct component *bias = &a.cell[0].component[COMPONENT_BIAS];
		assert_int_equal(bias->decision, DECISION_INCONCLUSIVE);
		assert_true(bias->differs && !bias->n_more);
		assert_non_null(strstr(bias->reason, "differs from the recording"));
		assert_int_equal(a.cell[0].verdict,
				 lost ? VERDICT_NOT_TRUSTED : VERDICT_INCONCLUSIVE);
		assert_int_equal(cell_tendency(&a.cell[0]),
				 lost ? TENDENCY_NONE : TENDENCY_DIFFERS);
		assert_int_equal(a.verdict, lost ? VERDICT_NOT_TRUSTED : VERDICT_INCONCLUSIVE);
		if (!lost) {
			assert_non_null(
			    strstr(a.cell[0].verdict_reason, "differ from the recording; its bias is +"));
			assert_non_null(
			    strstr(a.cell[0].verdict_reason, "that of the control replay ("));
			/* it is the control */
			assert_null(
			    strstr(a.cell[1].verdict_reason, "that of the control replay ("));
		}
		done(&c, &a);
	}
}

/* The program in the replayer's place replays nothing: order and fidelity do not apply, and do not
 * prevent a verdict. */
static void test_program_as_replayer(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, 30, 12);
	static char program[] = "program";
	for (unsigned int b = 0; b <= 30; b++)
		run_find(&c, b, 0, 0)->summary.has_input = false;
	c.results.protocol.replayer[0].engine = program;
	again(&c, &a);
	assert_int_equal(a.cell[0].component[COMPONENT_REORDERING].decision,
			 DECISION_NOT_APPLICABLE);
	assert_int_equal(a.cell[0].component[COMPONENT_FIDELITY].decision, DECISION_NOT_APPLICABLE);
	assert_int_equal(a.cell[0].verdict, VERDICT_TRUSTED);
	run_find(&c, 3, 0, 0)->state = RUN_FAILED;
	again(&c, &a);
	assert_int_equal(a.cell[0].verdict, VERDICT_INCONCLUSIVE);
	done(&c, &a);
}

/* If a replay's summary lacks the comparison with its input, order and fidelity are not left out,
 * even if only one of many lacks it. */
static void test_missing_comparison(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, 30, 12);
	run_find(&c, 7, 0, 0)->summary.has_input = false;
	again(&c, &a);
	assert_int_equal(a.cell[0].component[COMPONENT_REORDERING].decision, DECISION_INCONCLUSIVE);
	assert_int_equal(a.cell[0].component[COMPONENT_FIDELITY].decision, DECISION_INCONCLUSIVE);
	assert_non_null(strstr(a.cell[0].component[COMPONENT_FIDELITY].reason, "was not compared"));
	assert_int_equal(a.cell[0].verdict, VERDICT_INCONCLUSIVE);
	run_find(&c, 8, 0, 0)->summary.n_lost = 1; /* a known fault stays a fault */
	again(&c, &a);
	assert_int_equal(a.cell[0].verdict, VERDICT_NOT_TRUSTED);
	done(&c, &a);
}

/* All counts are included: of a replay whose program run failed, and sums beyond 64 bits. */
static void test_fidelity_counts_everything(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, 30, 17);
	run_find(&c, 4, 0, ROLE_PROGRAM)->state = RUN_FAILED;
	again(&c, &a);
	assert_int_equal(a.cell[0].component[COMPONENT_FIDELITY].decision, DECISION_ACCEPT);
	assert_int_equal(a.cell[0].n_requests, 30 * N_REQUESTS);
	run_find(&c, 4, 0, 0)->summary.n_mismatched = 3;
	again(&c, &a);
	assert_int_equal(a.cell[0].n_pairs, 29);
	assert_int_equal(a.cell[0].n_mismatched, 3);
	assert_int_equal(a.cell[0].component[COMPONENT_FIDELITY].decision, DECISION_REJECT);
	done(&c, &a);

	analysed(&c, &a, &faultless, 1, 1, 30, 17);
	for (unsigned int b = 1; b <= 30; b++) {
		struct run_summary *s = &run_find(&c, b, 0, 0)->summary;
		s->n_lost = s->n_extra = INT64_MAX; /* with 2 more the sum is 2^64 */
		s->n_mismatched = 2;
	}
	again(&c, &a);
	assert_int_equal(a.cell[0].component[COMPONENT_FIDELITY].decision, DECISION_REJECT);
	assert_true(a.cell[0].n_lost == UINT64_MAX);
	assert_non_null(strstr(a.cell[0].component[COMPONENT_FIDELITY].reason,
			       "18446744073709551615 lost"));
	done(&c, &a);
}

/* An equal share of reordered requests in all runs, for as many requests as real runs have. */
static void test_equal_reordering_in_all_runs(void **state)
{
	(void)state;
	static const struct {
		uint64_t n_reordered, n_received;
		enum decision decision;
	} alike[] = {{30000, 300000, DECISION_REJECT},
		     {1500, 300000, DECISION_ACCEPT},
		     {3000, 300000, DECISION_INCONCLUSIVE},
		     {0, UINT64_C(1) << 60, DECISION_ACCEPT},
		     {3000000, 10000000, DECISION_REJECT},
		     {UINT64_C(1) << 58, UINT64_C(1) << 60, DECISION_REJECT},
		     {5000, 5000, DECISION_REJECT},
		     {0, 5, DECISION_INCONCLUSIVE}};
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, 20, 18);
	for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
		set_reordered(&c, alike[i].n_reordered, alike[i].n_received);
		again(&c, &a);
		const struct component *k = &a.cell[0].component[COMPONENT_REORDERING];
		assert_int_equal(k->decision, alike[i].decision);
	}
	/* ln 0.05/ln 0.99 = 298.07 requests, 60 runs of 5 */
	assert_int_equal(a.cell[0].component[COMPONENT_REORDERING].n_more, 40);
	set_reordered(&c, 30000, 300000);
	again(&c, &a);
	assert_true(fabs(a.cell[0].order.deciding.lo95 - 0.0997600641274118) < 1e-10);
	assert_true(fabs(a.cell[0].order.deciding.hi95 - 0.100240321957258) < 1e-10);
	done(&c, &a);
}

/* Longer waits between requests with unchanged response times: execution time, not bias. */
static void test_schedule_apart_from_service(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, 30, 13);
	for (unsigned int b = 1; b <= 30; b++)
		run_find(&c, b, 0, 0)->summary.execution_ns *= 2;
	again(&c, &a);
	assert_int_equal(a.cell[0].component[COMPONENT_BIAS].decision, DECISION_ACCEPT);
	assert_int_equal(a.cell[0].component[COMPONENT_EXECUTION_TIME].decision, DECISION_REJECT);
	assert_between(0.95, a.cell[0].execution_schedule, 1.05);
	assert_between(-0.05, a.cell[0].execution_service, 0.05);
	assert_true(fabs(a.cell[0].execution_service + a.cell[0].execution_schedule -
			 a.cell[0].execution_time.value) < 1e-12);
	assert_non_null(strstr(a.cell[0].component[COMPONENT_EXECUTION_TIME].reason, "between requests"));
	/* requests without a response time, around a switch of slices, are no time between requests */
	const double service = a.cell[0].execution_service;
	for (unsigned int b = 1; b <= 30; b++) {
		struct run_summary *x = &run_find(&c, b, 0, 0)->summary;
		x->n_left_out = x->response.n / 10;
		x->response.n -= x->n_left_out;
	}
	again(&c, &a);
	assert_true(a.cell[0].execution_service == service);
	done(&c, &a);
}

/* Execution times: in the first n_far pairs one side takes twice as long, or, if `ratio` > 0, the
 * replay takes `ratio` times as long as the program. In the other pairs both are equal within 1
 * %. */
static void set_far(struct campaign *c, unsigned int n, unsigned int n_far, double ratio)
{
	for (unsigned int b = 1; b <= n; b++) {
		struct run_summary *x = &run_find(c, b, 0, 0)->summary,
				   *r = &run_find(c, b, 0, ROLE_PROGRAM)->summary;
		const bool far = b <= n_far;
		r->execution_ns = (int64_t)1000000000;
		x->execution_ns = (int64_t)(1e9 * exp(0.01 * sin(3.7 * b)));
		if (far && b % 2) /* a stall of the storage, in either role */
			r->execution_ns *= 2;
		else if (far)
			x->execution_ns *= 2;
		if (far && ratio > 0) {
			r->execution_ns = 1000000000;
			x->execution_ns = (int64_t)(1e9 * ratio);
		}
	}
}

/* Stalls of the storage in a few runs of both sides do not make the execution time inconclusive. */
static void test_execution_time_with_stalls(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, 20, 13);
	set_far(&c, 20, 5, 0);
	again(&c, &a);
	const struct component *k = &a.cell[0].component[COMPONENT_EXECUTION_TIME];
	assert_int_equal(k->decision, DECISION_ACCEPT);
	assert_between(-0.02, k->estimate.value, 0.02);
	assert_true(fabs(a.cell[0].execution_service + a.cell[0].execution_schedule -
			 k->estimate.value) < 1e-12);
	done(&c, &a);
}

/* A replay that deviates far in only some of its runs is never accepted. */
static void test_execution_time_sometimes_far_off(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, 40, 13);
	for (unsigned int n_far = 5; n_far <= 20; n_far++) {
		set_far(&c, 40, n_far, 10);
		again(&c, &a);
		assert_int_not_equal(a.cell[0].component[COMPONENT_EXECUTION_TIME].decision,
				     DECISION_ACCEPT);
		assert_int_not_equal(a.cell[0].verdict, VERDICT_TRUSTED);
	}
	set_far(&c, 40, 5, 10);
	again(&c, &a);
	assert_non_null(strstr(a.cell[0].component[COMPONENT_EXECUTION_TIME].reason, "deviate far"));
	done(&c, &a);
}

/* --- linearity, concurrency, sources ------------------------------------- */
static void test_linearity(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 4, 1, 20, 14);
	assert_int_equal(a.n_linearity, 1);
	assert_string_equal(a.linearity[0].name, "random-read pause=0");
	assert_int_equal(a.linearity[0].n_levels, 4);
	assert_int_equal(a.linearity[0].status, STAT_OK);
	assert_int_equal(a.linearity[0].lack_of_fit_status, STAT_OK);
	assert_between(-0.01, a.linearity[0].slope, 0.01);
	assert_int_equal(a.linearity[0].trend_status, STAT_TOO_FEW_FOR_ALPHA); /* 2/4! is 0.083 */
	assert_true(isnan(a.linearity[0].trend_p));
	/* 10 % more at each level: slope 0.1 and no lack of fit; the name and levels keep their
	 * order */
	for (unsigned int b = 1; b <= 20; b++)
		for (unsigned int s = 0; s < 4; s++)
			run_find(&c, b, s, 0)->summary.response.mean *= 1 + 0.1 * s;
	again(&c, &a);
	assert_between(0.09, a.linearity[0].slope, 0.11);
	assert_true(a.linearity[0].slope_p < 1e-6 && a.linearity[0].lack_of_fit_p > 1e-4);
	for (unsigned int l = 0; l < 4; l++)
		assert_int_equal(a.linearity[0].level[l].level, l + 1);
	done(&c, &a);

	analysed(&c, &a, &faultless, 2, 1, 20, 14);
	assert_int_equal(a.linearity[0].status, STAT_OK);
	assert_int_equal(a.linearity[0].lack_of_fit_status, STAT_TOO_FEW);
	/* the runs of the level with the strongest dependence are counted */
	for (unsigned int b = 1; b <= 20; b++) {
		run_find(&c, b, 0, 0)->summary.response.mean *= exp(0.05 * sin(0.3 * b));
		if (b > 12)
			run_find(&c, b, 1, 0)->state = RUN_FAILED;
	}
	again(&c, &a);
	assert_non_null(strstr(a.cell[1].component[COMPONENT_LINEARITY].reason, "20 runs count as"));
	done(&c, &a);

	analysed(&c, &a, &faultless, 5, 1, 20, 14);
	for (unsigned int b = 1; b <= 20; b++)
		for (unsigned int l = 0; l < 5; l++)
			run_find(&c, b, l, 0)->summary.response.mean *= 1 + 0.1 * l;
	again(&c, &a);
	assert_int_equal(a.linearity[0].trend_status, STAT_OK);
	assert_true(fabs(a.linearity[0].trend_p - 2.0 / 120) < 1e-15);
	done(&c, &a);
}

static void test_concurrency(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, 20, 15);
	assert_int_equal(a.cell[0].concurrency.cdf_time_x.n, N_LEVELS);
	assert_between(0.0999, a.cell[0].concurrency.cdf_time_x.p[0], 0.1001);
	assert_true(fabs(a.cell[0].concurrency.cdf_time_x.p[2] - 1) < 1e-12);
	assert_between(0, a.cell[0].concurrency.distance_time.value, 1e-4);
	assert_between(0.8999, a.cell[0].concurrency.mean_x, 0.9001);
	/* half the time at level 2 instead of 1 in the replays */
	for (unsigned int b = 1; b <= 20; b++) {
		int64_t *ns = run_find(&c, b, 0, 0)->summary.ns_at_level;
		ns[2] = ns[1] / 2;
		ns[1] -= ns[2];
	}
	again(&c, &a);
	assert_between(0.4499, a.cell[0].concurrency.distance_time.value, 0.4501);
	assert_true(a.cell[0].concurrency.distance_request.value == 0);
	assert_non_null(strstr(a.cell[0].component[COMPONENT_CONCURRENCY].reason,
			       "the share of the time with at most 1 request in flight is 100 % "
			       "for the program and 55 % for the replay. The shares differ by 0.45"));
	done(&c, &a);
}

static void test_sources(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, 20, 16);
	assert_between(0.005, a.between_process_cv, 0.05);
	c.results.protocol.target[0].cache_budget_bytes = 1 << 20;
	c.results.environment =
	    json_pack("{s:[{s:s,s:s,s:s},{s:i}]}", "replaced_or_skipped", "what", "drop_caches",
		      "why", "not root", "instead", "advice per file", "what", 3);
	again(&c, &a);
	bool budget = false, caches = false;
	for (size_t i = 0; i < a.n_sources; i++) {
		budget |= a.source[i].warning && !strcmp(a.source[i].name, "page-cache budget");
		caches |= a.source[i].warning && !strcmp(a.source[i].name, "drop_caches") &&
			  strstr(a.source[i].note, "advice");
	}
	assert_true(budget && caches);
	json_decref(c.results.environment);
	done(&c, &a);
}

/* The report on a captured program with cold files states whether metadata were cold. */
static void test_metadata_source(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	char trace[] = "a.trace";
	/* enum evict_method */
	const char *const expected[] = {"warm metadata", "warm metadata", "warm metadata",
					"cold metadata"};
	analysed(&c, &a, &faultless, 1, 1, 20, 16);
	for (int how = EVICT_AUTO; how <= EVICT_ALL; how++) {
		c.results.protocol.scenario[0].trace = trace;
		c.results.protocol.target[0].cache = CACHE_COLD;
		c.results.protocol.target[0].evict = how;
		again(&c, &a);
		c.results.protocol.scenario[0].trace = NULL;
		size_t n = 0;
		for (size_t i = 0; i < a.n_sources; i++)
			if (strstr(a.source[i].name, " metadata")) {
				assert_string_equal(a.source[i].name, expected[how]);
				assert_int_equal(!!a.source[i].warning, how != EVICT_ALL);
				n++;
			}
		assert_int_equal(n, 1);
	}
	done(&c, &a);
}

static const struct uncertainty_source *source_find(const struct analysis *a, const char *name)
{
	for (size_t i = 0; i < a->n_sources; i++)
		if (!strcmp(a->source[i].name, name))
			return &a->source[i];
	return NULL;
}

/* The threads of the program are pinned and those of a replayer are not, and vice versa. */
static void test_pinning_is_compared(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, 20, 16);
	struct scenario *s = &c.results.protocol.scenario[0];
	struct replayer *r = &c.results.protocol.replayer[0];
	struct setting *const scenarios = s->option, *const replayers = r->option;
	const size_t n_scenarios = s->n_options, n_replayers = r->n_options;
	struct setting yes = {(char[]){"pin"}, (char[]){"on"}},
		       no = {(char[]){"pin"}, (char[]){"no"}},
		       one = {(char[]){"cpus"}, (char[]){"0"}};
	struct {
		struct setting *program, *replayer;
		bool warned;
	} cases[] = {{NULL, NULL, false}, {&yes, NULL, true}, {NULL, &yes, true},
		     {&yes, &yes, false}, {&no, NULL, false}, {&yes, &no, true},
		     {&yes, &one, false}, {NULL, &one, true}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		s->option = cases[i].program;
		s->n_options = cases[i].program != NULL;
		r->option = cases[i].replayer;
		r->n_options = cases[i].replayer != NULL;
		again(&c, &a);
		const struct uncertainty_source *source = source_find(&a, "pinning");
		assert_int_equal(source && source->warning, cases[i].warned);
	}
	s->option = scenarios;
	s->n_options = n_scenarios;
	r->option = replayers;
	r->n_options = n_replayers;
	done(&c, &a);
}

/* A single trend at 0.01 among four cells is no warning: it is expected in every 25th campaign. */
static void test_drift_is_judged_over_all_cells(void **state)
{
	(void)state;
	unsigned int n_chance = 0, n_drift = 0;
	for (int step = 0; step < 40; step++) {
		struct campaign c;
		struct analysis a;
		analysed(&c, &a, &faultless, 4, 1, 20, 19);
		for (unsigned int b = 1; b <= 20; b++)
			run_find(&c, b, 0, 0)->summary.response.mean *= exp(0.0001 * step * b);
		again(&c, &a);
		double least = 1;
		for (size_t i = 0; i < a.n_cells; i++)
			least = fmin(least, a.cell[i].diagnostics.trend_p);
		bool warned = source_find(&a, "order and drift")->warning;
		assert_int_equal(warned, least <= 0.0025);
		n_chance += least <= 0.01 && !warned;
		n_drift += warned;
		done(&c, &a);
	}
	assert_true(n_chance > 0 && n_drift > 0);
}

/* A failed run of the program is missing in the cells of all replayers, but counts as one run. */
static void test_failed_runs_are_counted_once(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	const struct effect effect[] = {faultless, faultless, faultless};
	analysed(&c, &a, effect, 1, 3, 10, 20);
	assert_null(source_find(&a, "failed runs"));
	run_find(&c, 3, 0, ROLE_PROGRAM)->state = RUN_FAILED;
	run_find(&c, 0, 0, ROLE_PROGRAM)->state = RUN_FAILED; /* block 0 is never used */
	again(&c, &a);
	assert_non_null(source_find(&a, "failed runs"));
	assert_memory_equal(source_find(&a, "failed runs")->note, "1 run", 5);
	done(&c, &a);
}

/* --- simulations --------------------------------------------------------- */

/* The program compared with itself: wrong rejections in a whole campaign of 8 cells stay at or
 * below 1 %. */
static void test_false_rejections(void **state)
{
	(void)state;
	enum { N_CAMPAIGNS = 400 };
	const struct effect effect[] = {{.bias = 0.0999, .sd_x = 0.05, .sd_r = 0.05}, {.sd_x = 0.0999, .sd_r = 0.05}};
	unsigned int n_wrong = 0, n_trusted = 0;
	for (unsigned long seed = 0; seed < N_CAMPAIGNS; seed++) {
		struct campaign c;
		struct analysis a;
		/* at the limits themselves (bias +9.99 %, scatter 1.998 times), at which the
		 * probability of a wrong rejection is largest */
		analysed(&c, &a, effect, 4, 2, 12, 1000 + seed);
		n_wrong += a.n_not_trusted > 0;
		n_trusted += (unsigned int)a.n_trusted;
		done(&c, &a);
	}
	print_message("%u of %d campaigns at the limits wrongly rejected (1 %% allowed), %u of %d "
		      "cells accepted (5 %% "
		      "allowed)\n",
		      n_wrong, N_CAMPAIGNS, n_trusted, N_CAMPAIGNS * 8);
	/* at most 4 expected; P(more than 11) is 0.001 at exactly 1 % */
	assert_true(n_wrong <= 11);
	assert_true(n_trusted <= N_CAMPAIGNS * 8 * 6 / 100);
}

/* --- what prevents trust although everything is accepted --------------------- */
static void test_trust_is_barred(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, 20, 31);
	assert_int_equal(a.cell[0].verdict, VERDICT_TRUSTED);
	c.results.protocol.accept.precision_ratio = 5; /* fewer pairs are to suffice */
	c.results.protocol.accept.n_mismatched = UINT64_MAX; /* a failed replay still counts */
	run_find(&c, 3, 0, 0)->state = RUN_FAILED;
	again(&c, &a);
	assert_int_equal(a.cell[0].verdict, VERDICT_INCONCLUSIVE);
	assert_non_null(strstr(a.cell[0].verdict_reason, "1 of 20 replays failed"));
	run_find(&c, 3, 0, 0)->state = RUN_OK;
	for (unsigned int b = 1; b <= 3; b++) {
		again(&c, &a); /* up to two of 20 runs of the program: 10 % */
		assert_int_equal(a.cell[0].verdict, VERDICT_TRUSTED);
		run_find(&c, b, 0, ROLE_PROGRAM)->state = RUN_FAILED;
	}
	again(&c, &a);
	assert_int_equal(a.cell[0].verdict, VERDICT_INCONCLUSIVE);
	assert_non_null(strstr(a.cell[0].verdict_reason, "3 of 20 runs of the program failed"));
	done(&c, &a);
	analysed(&c, &a, &faultless, 1, 1, 20, 31);
	for (size_t i = 0; i < c.results.n_runs; i++)
		c.results.run[i].bank = 1;
	again(&c, &a);
	assert_int_equal(a.cell[0].verdict, VERDICT_INCONCLUSIVE);
	assert_non_null(strstr(a.cell[0].verdict_reason, "the same recording"));
	done(&c, &a);
}

/* Only the replayer itself takes the times: `times = self`, with no independent observer. */
static void test_own_stamps_bar_trust(void **state)
{
	(void)state;
	static const struct {
		const char *times;
		int observe;
		bool barred;
	} rows[] = {
	    {"self:csv(begin=1, end=2, unit=us)", OBSERVE_OWN, true},
	    {"self:csv(begin=1, end=2, unit=us)", OBSERVE_BLOCK, false},
	    {"self:csv(begin=1, end=2, unit=us)", OBSERVE_PRELOAD, true},
	    {"preload", OBSERVE_OWN, false},
	    {"preload", OBSERVE_PRELOAD, false},
	    {NULL, OBSERVE_OWN, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct campaign c;
		struct analysis a;
		analysed(&c, &a, &faultless, 1, 1, 20, 31);
		struct replayer *r = &c.results.protocol.replayer[0];
		char engine[] = "exec", key[] = "times", value[60];
		snprintf(value, sizeof value, "%s", rows[i].times ? rows[i].times : "");
		r->engine = engine;
		r->option = &(struct setting){.key = key, .value = value};
		r->n_options = rows[i].times != NULL;
		c.results.protocol.scenario[0].observe = rows[i].observe;
		again(&c, &a);
		if ((a.cell[0].verdict == VERDICT_INCONCLUSIVE) != rows[i].barred)
			fail_msg("row %zu: %s: %s", i, verdict_name(a.cell[0].verdict),
				 a.cell[0].verdict_reason);
		assert_int_equal(a.cell[0].bar.code == REASON_OWN_STAMPS, rows[i].barred);
		assert_int_equal(strstr(a.cell[0].verdict_reason,
					"stamps measure its response times (set times = preload, "
					"or observe = block)") != NULL, rows[i].barred);
		r->engine = NULL;
		r->option = NULL;
		r->n_options = 0;
		done(&c, &a);
	}
}

/* A run with an incomplete trace prevents trust in its own cell; if the run is of the program, in
 * every cell of the scenario. */
static void test_incomplete_traces_bar_trust(void **state)
{
	(void)state;
	const struct effect effect[] = {faultless, faultless};
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, effect, 1, 2, 30, 7);
	assert_int_equal(a.n_trusted, 2);
	run_find(&c, 3, 0, 1)->summary.n_events_lost = 2;
	again(&c, &a);
	assert_int_equal(a.cell[0].verdict, VERDICT_TRUSTED);
	assert_int_equal(a.cell[1].verdict, VERDICT_INCONCLUSIVE);
	assert_non_null(strstr(a.cell[1].verdict_reason, "capture lost 2 events"));
	run_find(&c, 3, 0, 1)->summary.n_events_lost = 0;
	run_find(&c, 4, 0, ROLE_PROGRAM)->summary.n_cut = 1;
	again(&c, &a);
	assert_int_equal(a.n_inconclusive, 2);
	assert_non_null(strstr(a.cell[0].verdict_reason,
			       "traces of 1 run are incomplete: they were made from an earlier "
			       "trace that was truncated"));
	run_find(&c, 4, 0, ROLE_PROGRAM)->summary.n_cut = 0;
	run_find(&c, 5, 0, 1)->summary.n_programs_unseen = 1;
	again(&c, &a);
	assert_int_equal(a.cell[0].verdict, VERDICT_TRUSTED);
	assert_int_equal(a.cell[1].verdict, VERDICT_INCONCLUSIVE);
	assert_non_null(
	    strstr(a.cell[1].verdict_reason,
		   "traces of 1 run are incomplete: the capture could not see all"));
	run_find(&c, 5, 0, 1)->summary.n_programs_unseen = 0;
	run_find(&c, 6, 0, ROLE_PROGRAM)->summary.n_requests_unseen = 3;
	again(&c, &a);
	assert_int_equal(a.n_inconclusive, 2);
	assert_int_equal(a.n_requests_unseen, 3);
	done(&c, &a);
}

/* The effect of a recording is in all pairs of its replays: 20 pairs of 5 recordings determine the
 * bias as well as 5 values. */
static void test_recordings_are_clusters(void **state)
{
	(void)state;
	unsigned int n_accepted = 0, n = 0;
	for (unsigned long seed = 0; seed < 100; seed++) {
		gsl_rng *rng = generator(500 + seed);
		struct campaign c;
		struct analysis a;
		double of_recording[5];
		for (size_t i = 0; i < 5; i++)
			of_recording[i] = gsl_ran_gaussian(rng, 0.03);
		analysed(&c, &a, &(struct effect){.bias = 0.1, .sd_x = 0.01, .sd_r = 0.01}, 1, 1, 20, 900 + seed);
		for (size_t i = 0; i < c.results.n_runs; i++) {
			struct run *run = &c.results.run[i];
			run->bank = run->block % 5;
			if (run->role == 0)
				run->summary.response.mean *= exp(of_recording[run->bank]);
		}
		again(&c, &a);
		n_accepted += a.cell[0].component[COMPONENT_BIAS].decision == DECISION_ACCEPT;
		n++;
		done(&c, &a);
		gsl_rng_free(rng);
	}
	print_message("%u of %u at the limit accepted\n", n_accepted, n);
	/* 5 % and 3.2 standard deviations; 25 % if pairs were taken as independent */
	assert_true(n_accepted <= n / 10);
}

/* --- a budget: each case has its own number of pairs ------------------------- */
static void test_budget(void **state)
{
	(void)state;
	static const unsigned int n_made[] = {12, 30, 5};
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 3, 1, 30, 41);
	struct protocol *p = &c.results.protocol;
	p->budget_ns = 1;
	p->n_replicates_min = 8;
	p->n_replicates_max = 60;
	for (size_t i = 0; i < c.results.n_runs; i++)
		if (c.results.run[i].block > n_made[c.results.run[i].scenario])
			c.results.run[i].state = RUN_PENDING;
	c.results.finished = false;
	again(&c, &a);
	assert_between(0.005, a.level_accept, 0.02);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(a.cell[i].n_pairs, n_made[i]);
		assert_true(a.cell[i].levels.span == log(60.0 / 8) &&
			    a.cell[i].levels.reject == 0.01);
		assert_int_equal(a.cell[i].component[COMPONENT_BIAS].decision,
				 i < 2 ? DECISION_ACCEPT : DECISION_INCONCLUSIVE);
	}
	/* of 12 and of 30 pairs */
	assert_int_equal(a.cell[1].component[COMPONENT_LINEARITY].decision, DECISION_ACCEPT);
	assert_int_equal(a.cell[1].verdict, VERDICT_TRUSTED);
	assert_int_equal(a.cell[2].verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(a.cell[2].component[COMPONENT_BIAS].n_more, 3);
	assert_true(isnan(a.cell[2].component[COMPONENT_BIAS].p_reject));
	done(&c, &a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_trust_is_barred),
	    cmocka_unit_test(test_incomplete_traces_bar_trust),
	    cmocka_unit_test(test_budget),
	    cmocka_unit_test(test_recordings_are_clusters),
	    cmocka_unit_test(test_faultless_is_trusted),
	    cmocka_unit_test(test_unreported_results_are_no_successes),
	    cmocka_unit_test(test_faults_are_rejected),
	    cmocka_unit_test(test_skipped_is_not_judged),
	    cmocka_unit_test(test_cells_are_separate),
	    cmocka_unit_test(test_inconclusive_says_how_many_more),
	    cmocka_unit_test(test_too_noisy_is_reported),
	    cmocka_unit_test(test_sentences_stay_text),
	    cmocka_unit_test(test_holm_withdraws),
	    cmocka_unit_test(test_zero_variance_is_no_pass),
	    cmocka_unit_test(test_constant_ratio_is_no_pass),
	    cmocka_unit_test(test_bad_references),
	    cmocka_unit_test(test_too_few),
	    cmocka_unit_test(test_failed_runs_drop_their_pair),
	    cmocka_unit_test(test_no_complete_block),
	    cmocka_unit_test(test_looks),
	    cmocka_unit_test(test_early_look_decides_nothing),
	    cmocka_unit_test(test_plan_ends_at_a_look),
	    cmocka_unit_test(test_verdicts_only),
	    cmocka_unit_test(test_single_reference),
	    cmocka_unit_test(test_old_recording),
	    cmocka_unit_test(test_program_as_replayer),
	    cmocka_unit_test(test_missing_comparison),
	    cmocka_unit_test(test_fidelity_counts_everything),
	    cmocka_unit_test(test_equal_reordering_in_all_runs),
	    cmocka_unit_test(test_schedule_apart_from_service),
	    cmocka_unit_test(test_execution_time_with_stalls),
	    cmocka_unit_test(test_execution_time_sometimes_far_off),
	    cmocka_unit_test(test_linearity),
	    cmocka_unit_test(test_concurrency),
	    cmocka_unit_test(test_sources),
	    cmocka_unit_test(test_metadata_source),
	    cmocka_unit_test(test_pinning_is_compared),
	    cmocka_unit_test(test_drift_is_judged_over_all_cells),
	    cmocka_unit_test(test_failed_runs_are_counted_once),
	    cmocka_unit_test(test_own_stamps_bar_trust),
	    cmocka_unit_test(test_false_rejections),
	};
	return cmocka_run_group_tests_name("analysis", tests, NULL, NULL);
}
