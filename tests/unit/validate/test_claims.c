/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares measures and their intervals with other computations; findings that hold, findings that
 * hold in the other direction, and findings that the data do not decide. */
#include "made_campaign.h"

#include "validate/analysis/analysis.h"
#include "validate/analysis/claims.h"
#include "validate/analysis/measure_values.h"
#include "validate/evidence/evidence.h"
#include "validate/protocol/selector.h"
#include "validate/stats/mean_difference.h"

static struct setting *setting_make(const char *key, const char *value)
{
	struct setting *s = xcalloc(1, sizeof *s);
	*s = (struct setting){xstrdup(key), xstrdup(value)};
	return s;
}

static void settings_free(struct protocol *p)
{
	for (size_t i = 0; i < p->n_replayers; i++) {
		free(p->replayer[i].option->key);
		free(p->replayer[i].option->value);
		free(p->replayer[i].option);
		free(p->replayer[i].section);
		free(p->replayer[i].engine);
	}
}

/* Replayers 0 and 1 have the orders fs and temporal of engine `a`, replayers 2 and 3 those of
 * engine `b`. */
static void campaign_of_four(struct campaign *c, const struct effect *effect, size_t n_scenarios,
			     unsigned int n_blocks, unsigned long seed)
{
	gsl_rng *rng = generator(seed);
	campaign_make(c, n_scenarios, 4, n_blocks);
	for (size_t i = 0; i < 4; i++) {
		struct replayer *r = &c->results.protocol.replayer[i];
		r->section = xstrdup(i < 2 ? "one" : "two");
		r->engine = xstrdup(i < 2 ? "a" : "b");
		r->option = setting_make("order", i % 2 ? "temporal" : "fs");
		r->n_options = 1;
	}
	campaign_fill(c, effect, rng);
	gsl_rng_free(rng);
}

static void claim_make(struct claim *k, enum measure m, const char *replayer, const char *than,
		       double limit, int direction)
{
	struct err e = ERR_INIT;
	*k = (struct claim){.name = "it", .text = "it", .source = "there", .measure = m, .limit = limit, .direction = direction,
			    .margin = 0.1};
	assert_int_equal(selector_parse(&k->replayer, replayer, &e), 0);
	if (than)
		assert_int_equal(selector_parse(&k->than, than, &e), 0);
}

static void claim_done(struct claim *k)
{
	selector_release(&k->replayer);
	selector_release(&k->than);
}

static enum claim_outcome outcome(struct campaign *c, struct claim *k, size_t n_wanted)
{
	struct analysis a;
	struct err e = ERR_INIT;
	c->results.protocol.claim = k;
	c->results.protocol.n_claims = 1;
	assert_int_equal(analysis_compute(&a, &c->results, &e), 0);
	assert_int_equal(analysis_describe(&a, NULL), 0);
	assert_int_equal(a.n_claims, 1);
	assert_int_equal(a.claim[0].n, n_wanted);
	enum claim_outcome o = a.claim[0].outcome;
	analysis_release(&a);
	c->results.protocol.claim = NULL;
	c->results.protocol.n_claims = 0;
	return o;
}

static void check_row(struct campaign *c, struct claim *k, size_t n_wanted, size_t row,
		      enum claim_outcome wanted)
{
	enum claim_outcome o = outcome(c, k, n_wanted);
	if (o != wanted)
		fail_msg("row %zu: %s instead of %s", row, claim_outcome_names[o],
			 claim_outcome_names[wanted]);
	claim_done(k);
}

static const struct effect biased[] = {{.bias = 0.5, .sd_x = 0.02, .sd_r = 0.02, .common = 0.05},
				       {.bias = 0.5, .sd_x = 0.02, .sd_r = 0.02, .common = 0.05},
				       {.bias = -0.1, .sd_x = 0.02, .sd_r = 0.02, .common = 0.05},
				       {.bias = -0.1, .sd_x = 0.02, .sd_r = 0.02, .common = 0.05}};

/* Counts that are equal in all runs have no scatter and so no interval; if they are large enough,
 * they decide. */
static void test_equal_counts(void **state)
{
	(void)state;
	static const struct {
		unsigned int n_blocks;
		uint64_t lost;
		double limit;
		int direction;
		enum claim_outcome wanted;
	} rows[] = {
	    {10, 10, 0, CLAIM_LARGER, CLAIM_CONFIRMED},	      {10, 0, 0, CLAIM_LARGER, CLAIM_INCONCLUSIVE},
	    {10, 0, 0, CLAIM_ALIKE, CLAIM_CONFIRMED},	      {10, 500, 0, CLAIM_ALIKE, CLAIM_NOT_CONFIRMED},
	    {10, 10, 0.5, CLAIM_LARGER, CLAIM_NOT_CONFIRMED}, {5, 10, 0, CLAIM_LARGER, CLAIM_INCONCLUSIVE}, /* 2^-4 */
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct campaign c;
		struct claim k;
		campaign_of_four(&c, biased, 1, rows[i].n_blocks, 12);
		for (size_t run = 0; run < c.results.n_runs; run++)
			if (c.results.run[run].role >= 0) {
				c.results.run[run].summary.n_input = 1000;
				c.results.run[run].summary.n_lost = rows[i].lost;
			}
		claim_make(&k, MEASURE_LOST, "engine=a order=fs", NULL, rows[i].limit,
			   rows[i].direction);
		check_row(&c, &k, 1, i, rows[i].wanted);
		settings_free(&c.results.protocol);
		campaign_release(&c);
	}
}

/* Deviations of 22 and -18 %, which cancel: the size of their mean is not known within 10 %,
 * although it is the same if any of them is left out. */
static void test_sizes_near_nothing(void **state)
{
	(void)state;
	static const struct {
		double limit;
		int direction;
		enum claim_outcome wanted;
	} rows[] = {{0.1, CLAIM_SMALLER, CLAIM_INCONCLUSIVE},
		    {0.3, CLAIM_SMALLER, CLAIM_CONFIRMED},
		    {0.001, CLAIM_LARGER, CLAIM_INCONCLUSIVE}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct campaign c;
		struct claim k;
		campaign_of_four(&c, biased, 1, 10, 12);
		for (size_t run = 0; run < c.results.n_runs; run++) {
			struct run *r = &c.results.run[run];
			r->summary.execution_ns =
			    r->role < 0 ? 1000000000
					: llround(1e9 * exp(r->block % 2 ? 0.2 : -0.2));
		}
		claim_make(&k, MEASURE_IOPS_MAGNITUDE, "engine=a order=fs", NULL, rows[i].limit,
			   rows[i].direction);
		check_row(&c, &k, 1, i, rows[i].wanted);
		settings_free(&c.results.protocol);
		campaign_release(&c);
	}
}

static void test_findings(void **state)
{
	(void)state;
	static const struct {
		enum measure m;
		const char *replayer, *than;
		double limit;
		int direction;
		size_t n;
		enum claim_outcome wanted;
	} rows[] = {
	    {MEASURE_BIAS_MAGNITUDE, "engine=a", "engine=b", NAN, CLAIM_LARGER, 4, CLAIM_CONFIRMED},
	    {MEASURE_BIAS_MAGNITUDE, "engine=b", "engine=a", NAN, CLAIM_LARGER, 4, CLAIM_NOT_CONFIRMED},
	    {MEASURE_BIAS_MAGNITUDE, "engine=b", "engine=a", NAN, CLAIM_SMALLER, 4, CLAIM_CONFIRMED},
	    {MEASURE_BIAS, "engine=b", NULL, 0, CLAIM_SMALLER, 4, CLAIM_CONFIRMED},
	    {MEASURE_BIAS, "engine=a", NULL, 0, CLAIM_SMALLER, 4, CLAIM_NOT_CONFIRMED},
	    {MEASURE_BIAS, "engine=a order=fs", NULL, 0.5, CLAIM_ALIKE, 2, CLAIM_CONFIRMED},
	    {MEASURE_BIAS, "engine=a order=fs", NULL, 0, CLAIM_ALIKE, 2, CLAIM_NOT_CONFIRMED},
	    {MEASURE_RESPONSE_TIME, "engine=a order=fs", "engine=a order=temporal", NAN, CLAIM_ALIKE, 2, CLAIM_CONFIRMED},
	    {MEASURE_RESPONSE_TIME, "engine=a order=fs", "engine=a order=temporal", NAN, CLAIM_LARGER, 2, CLAIM_INCONCLUSIVE},
	    {MEASURE_UNCERTAINTY, "engine=a", "engine=b", NAN, CLAIM_LARGER, 4, CLAIM_CONFIRMED},
	    {MEASURE_ISSUE_ERROR, "engine=a", "engine=b", NAN, CLAIM_LARGER, 4, CLAIM_INCONCLUSIVE}, /* no timed replay */
	    {MEASURE_SHARE_LATE, "engine=a", "engine=b", NAN, CLAIM_LARGER, 4, CLAIM_INCONCLUSIVE},
	    {MEASURE_F_RATIO, "engine=b", NULL, 15.21, CLAIM_SMALLER, 4, CLAIM_INCONCLUSIVE}, /* the tests find nothing */
	    {MEASURE_BIAS, "engine=c", NULL, 0, CLAIM_LARGER, 0, CLAIM_NOT_ASSESSED},
	    {MEASURE_BIAS, "engine=a", "engine=c", NAN, CLAIM_LARGER, 0, CLAIM_NOT_ASSESSED},
	    /* another engine, which the finding does not name */
	    {MEASURE_BIAS, "one order=fs", "two", NAN, CLAIM_LARGER, 0, CLAIM_NOT_ASSESSED},
	};
	struct campaign c;
	campaign_of_four(&c, biased, 2, 20, 12);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct claim k;
		claim_make(&k, rows[i].m, rows[i].replayer, rows[i].than, rows[i].limit,
			   rows[i].direction);
		check_row(&c, &k, rows[i].n, i, rows[i].wanted);
	}
	settings_free(&c.results.protocol);
	campaign_release(&c);
}

/* A published critical value decides nothing: an F of about 9 from 20 runs is below 15.21 and far
 * above the correct critical value. */
static void test_published_critical_value(void **state)
{
	(void)state;
	static const struct effect scatter[4] = {{.sd_x = 0.06, .sd_r = 0.02}, {.sd_x = 0.06, .sd_r = 0.02},
						 {.sd_x = 0.02, .sd_r = 0.02}, {.sd_x = 0.02, .sd_r = 0.02}};
	static const struct {
		const char *replayer;
		unsigned int n_blocks;
		int direction;
		enum claim_outcome wanted;
	} rows[] = {
	    {"engine=a order=fs", 20, CLAIM_SMALLER, CLAIM_NOT_CONFIRMED},
	    {"engine=a order=fs", 20, CLAIM_LARGER, CLAIM_CONFIRMED},
	    /* not significant, but so few runs show nothing */
	    {"engine=b order=fs", 10, CLAIM_SMALLER, CLAIM_INCONCLUSIVE},
	    /* shown to be within twice the program's scatter */
	    {"engine=b order=fs", 60, CLAIM_SMALLER, CLAIM_CONFIRMED},
	    {"engine=b order=fs", 2, CLAIM_SMALLER, CLAIM_INCONCLUSIVE},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct campaign c;
		struct claim k;
		campaign_of_four(&c, scatter, 1, rows[i].n_blocks, 12);
		claim_make(&k, MEASURE_F_RATIO, rows[i].replayer, NULL, 15.21, rows[i].direction);
		check_row(&c, &k, 1, i, rows[i].wanted);
		settings_free(&c.results.protocol);
		campaign_release(&c);
	}
}

static void test_f_test_of_a_claim(void **state)
{
	(void)state;
	static const struct effect scatter[4] = {{.sd_x = 0.06, .sd_r = 0.02}, {.sd_x = 0.06, .sd_r = 0.02},
						 {.sd_x = 0.02, .sd_r = 0.02}, {.sd_x = 0.02, .sd_r = 0.02}};
	struct campaign c;
	struct claim k;
	struct analysis a;
	struct err e = ERR_INIT;
	campaign_of_four(&c, scatter, 1, 10, 12);
	claim_make(&k, MEASURE_F_RATIO, "engine=a order=fs", NULL, 15.21, CLAIM_SMALLER);
	c.results.protocol.claim = &k;
	c.results.protocol.n_claims = 1;
	assert_int_equal(analysis_compute(&a, &c.results, &e), 0);
	assert_int_equal(analysis_describe(&a, NULL), 0);
	const struct claim_result *r = &a.claim[0];
	const struct claim_comparison *q = &r->comparison[0];
	assert_true(fabs(q->f_critical - 3.178893) < 1e-6);
	assert_true(q->f_p == a.cell[q->cell].f_test.p);
	assert_true(q->value.value == a.cell[q->cell].f_test.ratio);
	assert_true(r->n_significant == (q->f_p <= 0.05) && r->n_significant == 1);
	assert_true(r->n_above_published == (q->value.value > 15.21));
	analysis_release(&a);
	c.results.protocol.claim = NULL;
	c.results.protocol.n_claims = 0;
	claim_done(&k);
	settings_free(&c.results.protocol);
	campaign_release(&c);
}

/* The upper limit is within the limit on the precision ratio, but the F test finds more scatter:
 * this does not confirm the finding. Significance comes from one draw, scaled. */
static void test_significant_and_within_the_limit(void **state)
{
	(void)state;
	bool seen[2] = {false};
	for (double sd = 0.02; sd < 0.03; sd += 0.00025) {
		const struct effect scatter[4] = {{.sd_x = sd, .sd_r = 0.02}, {.sd_x = sd, .sd_r = 0.02},
						  {.sd_x = sd, .sd_r = 0.02}, {.sd_x = sd, .sd_r = 0.02}};
		struct campaign c;
		struct claim k;
		struct analysis a;
		struct err e = ERR_INIT;
		campaign_of_four(&c, scatter, 1, 60, 12);
		claim_make(&k, MEASURE_F_RATIO, "engine=a order=fs", NULL, 15.21, CLAIM_SMALLER);
		c.results.protocol.claim = &k;
		c.results.protocol.n_claims = 1;
		assert_int_equal(analysis_compute(&a, &c.results, &e), 0);
		assert_int_equal(analysis_describe(&a, NULL), 0);
		const struct claim_comparison *q = &a.claim[0].comparison[0];
		if (q->difference.lo95 < 0 && q->difference.hi95 <= 3) {
			const bool significant = q->f_p <= 0.05;
			assert_int_equal(q->outcome,
					 significant ? CLAIM_INCONCLUSIVE : CLAIM_CONFIRMED);
			seen[significant] = true;
		}
		analysis_release(&a);
		c.results.protocol.claim = NULL;
		c.results.protocol.n_claims = 0;
		claim_done(&k);
		settings_free(&c.results.protocol);
		campaign_release(&c);
	}
	assert_true(seen[false] && seen[true]);
}

/* Two replicates do not determine the scatter of scatters: they confirm nothing, however large a
 * difference looks. */
static void test_too_few(void **state)
{
	(void)state;
	struct campaign c;
	struct claim k;
	campaign_of_four(&c, biased, 1, 2, 5);
	claim_make(&k, MEASURE_BIAS_MAGNITUDE, "engine=a", "engine=b", NAN, CLAIM_LARGER);
	assert_int_equal(outcome(&c, &k, 2), CLAIM_INCONCLUSIVE);
	claim_done(&k);
	settings_free(&c.results.protocol);
	campaign_release(&c);
}

/* If nothing differs, few campaigns confirm or contradict a difference: at most 5 % each, because
 * the intervals hold simultaneously. */
static void test_false_findings(void **state)
{
	(void)state;
	enum { N = 200 };
	static const struct effect same[4] = {{.bias = 0.05, .sd_x = 0.02, .sd_r = 0.02, .common = 0.05},
					      {.bias = 0.05, .sd_x = 0.02, .sd_r = 0.02, .common = 0.05},
					      {.bias = 0.05, .sd_x = 0.02, .sd_r = 0.02, .common = 0.05},
					      {.bias = 0.05, .sd_x = 0.02, .sd_r = 0.02, .common = 0.05}};
	static const enum measure measures[] = {MEASURE_BIAS_MAGNITUDE, MEASURE_RESPONSE_TIME,
						MEASURE_UNCERTAINTY};
	int n_wrong[3] = {0};
	for (unsigned long seed = 1; seed <= N; seed++) {
		struct campaign c;
		campaign_of_four(&c, same, 1, 10, seed);
		for (int i = 0; i < 3; i++) {
			struct claim k;
			claim_make(&k, measures[i], "engine=a order=fs", "engine=b order=fs", NAN,
				   CLAIM_LARGER);
			enum claim_outcome o = outcome(&c, &k, 1);
			n_wrong[i] += o == CLAIM_CONFIRMED || o == CLAIM_NOT_CONFIRMED;
			claim_done(&k);
		}
		settings_free(&c.results.protocol);
		campaign_release(&c);
	}
	/* 5 % of 200, plus three standard deviations of that count */
	for (int i = 0; i < 3; i++)
		if (n_wrong[i] > 20)
			fail_msg("%s: %d of %d wrong", measure_info[measures[i]].name, n_wrong[i],
				 N);
}

/* The jackknife interval of a mean of logarithms equals the t-interval of that mean. */
static void test_bias_interval_is_that_of_t(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	struct measure_runs m;
	struct effect e = faultless;
	e.bias = 0.07;
	analysed(&c, &a, &e, 1, 1, 17, 3);
	measure_runs_collect(&m, &c.results, 0, 0, 17);
	assert_int_equal(m.n, 17);
	struct estimate got = measure_estimate(MEASURE_BIAS, NULL, &m);
	assert_int_equal(got.status, STAT_OK);
	assert_true(fabs(got.value - a.cell[0].bias.value) < 1e-12);
	double d[17];
	struct t_estimate mean;
	for (size_t i = 0; i < 17; i++)
		d[i] = log(a.cell[0].x.x[i] / a.cell[0].r.x[i]);
	assert_int_equal(mean_test(d, 17, &mean), STAT_OK);
	const struct estimate t = estimate_of_t(STAT_OK, &mean, expm1);
	assert_true(fabs(got.lo90 - t.lo90) < 1e-12);
	assert_true(fabs(got.hi90 - t.hi90) < 1e-12);
	assert_true(fabs(got.lo95 - t.lo95) < 1e-12);
	assert_true(fabs(got.hi95 - t.hi95) < 1e-12);
	/* and of times: the ratio of the means */
	assert_true(fabs(measure_value(MEASURE_RESPONSE_TIME, NULL, &m) - a.cell[0].x.mean) < 1e-9);
	assert_true(fabs(measure_value(MEASURE_UNCERTAINTY, NULL, &m) -
			 a.cell[0].paper[PAPER_TABLES].U2_pct / 100) < 1e-12);
	assert_true(fabs(measure_value(MEASURE_F_RATIO, NULL, &m) - a.cell[0].f_test.ratio) <
		    1e-12);
	assert_true(fabs(measure_value(MEASURE_CV, NULL, &m) - a.cell[0].x.cv) < 1e-12);
	measure_runs_release(&m);
	done(&c, &a);
}

/* Requests alternately 4 us early and 2 us late: in the mean 1 us early, and sqrt((16 + 4) / 2) us
 * from their times. */
static void test_issue_error(void **state)
{
	(void)state;
	struct campaign c;
	struct measure_runs m;
	campaign_of_four(&c, biased, 1, 10, 12);
	for (size_t run = 0; run < c.results.n_runs; run++) {
		struct run_summary *s = &c.results.run[run].summary;
		s->has_issue_error = true;
		s->issue_error = (struct moments){.n = 8, .mean = -1000, .sd = sqrt(9e6 * 8 / 7), .min = -4000, .max = 2000};
	}
	measure_runs_collect(&m, &c.results, 0, 0, 10);
	assert_true(fabs(measure_value(MEASURE_ISSUE_ERROR, NULL, &m) + 1000) < 1e-9);
	assert_true(fabs(measure_value(MEASURE_ISSUE_ERROR_RMS, NULL, &m) - sqrt(1e7)) < 1e-9);
	measure_runs_release(&m);
	settings_free(&c.results.protocol);
	campaign_release(&c);
}

/* In flight: the program has 1 for nine tenths of the time, the replay 2 for half of that. */
static void test_in_flight(void **state)
{
	(void)state;
	struct campaign c;
	struct measure_runs m;
	struct claim k;
	campaign_of_four(&c, biased, 1, 10, 12);
	for (size_t run = 0; run < c.results.n_runs; run++) {
		struct run_summary *s = &c.results.run[run].summary;
		if (c.results.run[run].role < 0)
			continue;
		s->ns_at_level[2] = s->execution_ns / 20 * 9;
		s->ns_at_level[1] = s->execution_ns - s->ns_at_level[0] - s->ns_at_level[2];
	}
	measure_runs_collect(&m, &c.results, 0, 0, 10);
	assert_int_equal(m.n, 10);
	assert_true(fabs(measure_value(MEASURE_IN_FLIGHT, NULL, &m) - 0.5) < 1e-4);
	assert_true(fabs(measure_value(MEASURE_IN_FLIGHT_MAX, NULL, &m) - 1) < 1e-12);
	assert_true(fabs(measure_value(MEASURE_CONCURRENCY, NULL, &m) - 0.45) < 1e-4);
	measure_runs_release(&m);
	claim_make(&k, MEASURE_CONCURRENCY, "engine=a order=fs", NULL, 0.1, CLAIM_LARGER);
	assert_int_equal(outcome(&c, &k, 1), CLAIM_CONFIRMED);
	claim_done(&k);
	/* as many in every run */
	claim_make(&k, MEASURE_IN_FLIGHT_MAX, "engine=a order=fs", NULL, 1.5, CLAIM_LARGER);
	assert_int_equal(outcome(&c, &k, 1), CLAIM_NOT_CONFIRMED);
	claim_done(&k);
	settings_free(&c.results.protocol);
	campaign_release(&c);
}

static void test_selectors(void **state)
{
	(void)state;
	struct selector s;
	struct err e = ERR_INIT;
	struct target target = {.name = (char *)"disk"};
	struct protocol p = {.target = &target, .n_targets = 1};
	struct setting option[] = {{(char *)"level", (char *)"2"},
				   {(char *)"block-size", (char *)"4K"}};
	struct scenario scenario = {.workload = (char *)"reads", .type = (char *)"random-read", .option = option, .n_options = 2};
	static const struct {
		const char *text;
		bool fits;
	} rows[] = {{"reads", true},
		    {"writes", false},
		    {"type=random-read level=2", true},
		    {"level=1", false},
		    {"reads block_size=4K", true},
		    {"pause=1us", false},
		    {"target=disk reads", true},
		    {"target=other", false}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(selector_parse(&s, rows[i].text, &e), 0);
		if (selector_fits_scenario(&s, &p, &scenario) != rows[i].fits)
			fail_msg("%s", rows[i].text);
		selector_release(&s);
	}
	static const char *const bad[] = {
	    "", "  ", "level=", "=2", "level=1 level=2", "reads writes"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(selector_parse(&s, bad[i], &e), -EINVAL);
}

static void test_values_with_units(void **state)
{
	(void)state;
	static const struct {
		enum measure m;
		const char *text;
		double value; /* NaN: refused */
	} rows[] = {{MEASURE_RESPONSE_TIME, "10.2 us", 10200},
		    {MEASURE_RESPONSE_TIME, "15 min", 9e11},
		    {MEASURE_RESPONSE_TIME, "0", 0},
		    {MEASURE_RESPONSE_TIME, "10", NAN},
		    {MEASURE_RESPONSE_TIME, "inf us", NAN},
		    {MEASURE_BIAS, "-59.1 %", -0.591},
		    {MEASURE_BIAS, "0.1", 0.1},
		    {MEASURE_F_RATIO, "15.21", 15.21},
		    {MEASURE_F_RATIO, "15.21 us", NAN},
		    {MEASURE_TRACE_SIZE, "334 MB", 334e6}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		double v = NAN;
		struct err e = ERR_INIT;
		int ret = measure_value_parse(rows[i].m, rows[i].text, &v, &e);
		if (isnan(rows[i].value)
			? ret == 0
			: ret || fabs(v - rows[i].value) > 1e-9 * fabs(rows[i].value))
			fail_msg("%s: %d, %.17g", rows[i].text, ret, v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_equal_counts),
	    cmocka_unit_test(test_sizes_near_nothing),
	    cmocka_unit_test(test_findings),
	    cmocka_unit_test(test_published_critical_value),
	    cmocka_unit_test(test_f_test_of_a_claim),
	    cmocka_unit_test(test_significant_and_within_the_limit),
	    cmocka_unit_test(test_too_few),
	    cmocka_unit_test(test_false_findings),
	    cmocka_unit_test(test_bias_interval_is_that_of_t),
	    cmocka_unit_test(test_issue_error),
	    cmocka_unit_test(test_in_flight),
	    cmocka_unit_test(test_selectors),
	    cmocka_unit_test(test_values_with_units),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
