/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error rate of a comparison of shapes, simulated with a fixed seed: 20 pairs of one scenario,
 * the twelve quantiles drawn independently, which is the worst case for a family of tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>

#include "common/xalloc.h"
#include "validate/compare/compare.h"

#define N_PAIRS 20
#define N_TRIALS 400
#define SD 0.04 /* of a difference of shares, from run to run */
#define LIMIT 0.10

struct made { /* one side */
	struct baseline b;
	struct baseline_case c;
	unsigned int block[N_PAIRS];
	double value[COLUMN_N][N_PAIRS];
};

static uint64_t requests[1] = {1};
static struct baseline_scenario scenario = {.name = (char *)"reads", .requests = requests, .n_requests = 1};

/* Only the shape is judged. */
static void side_init(struct made *m)
{
	*m = (struct made){.c = {.replayer = (char *)"event", .settings = (char *)"", .n = N_PAIRS, .block = m->block}};
	m->b = (struct baseline){.source = (char *)"made up", .limits = compare_defaults, .scenario = &scenario, .n_scenarios = 1,
				 .cell = &m->c, .n_cells = 1};
	struct compare_limits *l = &m->b.limits;
	l->response_time = l->typical_response = l->tail = l->median = l->p90 = l->p99 = l->p999 =
	    NAN;
	l->execution_time = l->in_flight = l->precision_ratio = l->reordered = l->concurrency = NAN;
	l->n_mismatched = UINT64_MAX;
	for (unsigned int i = 0; i < N_PAIRS; i++)
		m->block[i] = i + 1;
	for (size_t k = 0; k < COLUMN_N; k++) {
		m->c.column[k] = m->value[k];
		for (size_t i = 0; i < N_PAIRS; i++)
			m->value[k][i] = k == COLUMN_MISMATCHED ? 0 : 1000;
	}
}

/* shift: of the first n_shifted quantiles */
static void side_draw(struct made *m, double shift, size_t n_shifted, gsl_rng *rng)
{
	for (size_t k = 0; k < SHAPE_N_QUANTILES; k++)
		for (size_t i = 0; i < N_PAIRS; i++)
			m->value[COLUMN_SHAPE + k][i] =
			    (k < n_shifted ? shift : 0) +
			    gsl_ran_gaussian_ziggurat(rng, SD * M_SQRT1_2);
}

struct outcome {
	unsigned int n[CHANGE_NOT_JUDGED + 1];
};

static struct outcome simulate(double was, double is, size_t n_shifted)
{
	struct made *m = xcalloc(2, sizeof *m);
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct outcome all = {{0}};
	gsl_rng_set(rng, 19);
	side_init(&m[0]);
	side_init(&m[1]);
	for (int i = 0; i < N_TRIALS; i++) {
		struct campaign_change c;
		side_draw(&m[0], was, n_shifted, rng);
		side_draw(&m[1], is, n_shifted, rng);
		assert_int_equal(
		    compare_compute(&c, &m[0].b, &m[1].b, &(struct compare_options){0}, NULL), 0);
		const struct aspect_change *a = &c.cell[0].aspect[ASPECT_SHAPE];
		assert_int_equal(a->status, STAT_OK);
		assert_int_equal(c.cell[0].word, a->word);
		if (a->word == CHANGE_WORSE && n_shifted == 1)
			assert_true(a->quantile <= shape_quantile[0]);
		all.n[a->word]++;
		campaign_change_release(&c);
	}
	gsl_rng_free(rng);
	free(m);
	return all;
}

/* Three standard errors of the promise. */
static void assert_rate(const char *what, unsigned int n, double promised)
{
	const double most = N_TRIALS * promised + 3 * sqrt(N_TRIALS * promised * (1 - promised));
	if (n > most)
		fail_msg("%s: %u of %u, promised %g", what, n, N_TRIALS, promised);
}

static void test_unchanged(void **state)
{
	(void)state;
	const struct outcome o = simulate(0, 0, 0);
	assert_rate("a version that did not change called worse or better",
		    o.n[CHANGE_WORSE] + o.n[CHANGE_BETTER], 0.01);
	assert_true(o.n[CHANGE_SAME] > 0.95 * N_TRIALS);
}

static void test_at_the_limit(void **state)
{
	(void)state;
	const struct outcome one = simulate(0, LIMIT, 1),
			     all = simulate(0, LIMIT, SHAPE_N_QUANTILES);
	assert_rate("one quantile at the limit called the same", one.n[CHANGE_SAME], 0.05);
	assert_rate("one quantile at the limit called worse", one.n[CHANGE_WORSE], 0.05);
	assert_rate("all quantiles at the limit called the same", all.n[CHANGE_SAME], 0.05);
	assert_rate("all quantiles at the limit called worse", all.n[CHANGE_WORSE], 0.05);
}

/* Farther from the program is worse, nearer is better; equally far on the other side is neither. */
static void test_beyond_the_limit(void **state)
{
	(void)state;
	const struct outcome worse = simulate(0, 2 * LIMIT, 1), better = simulate(2 * LIMIT, 0, 1),
			     crossed = simulate(-LIMIT, LIMIT, 1);
	assert_true(worse.n[CHANGE_WORSE] > 0.95 * N_TRIALS && !worse.n[CHANGE_SAME] &&
		    !worse.n[CHANGE_BETTER]);
	assert_true(better.n[CHANGE_BETTER] > 0.95 * N_TRIALS && !better.n[CHANGE_SAME] &&
		    !better.n[CHANGE_WORSE]);
	assert_int_equal(crossed.n[CHANGE_INCONCLUSIVE], N_TRIALS);
}

/* Numbers that an earlier version did not store are not judged. */
static void test_unrecorded(void **state)
{
	(void)state;
	struct made *m = xcalloc(2, sizeof *m);
	struct campaign_change c;
	side_init(&m[0]);
	side_init(&m[1]);
	for (size_t k = COLUMN_X_TAIL; k < COLUMN_N; k++)
		for (size_t i = 0; i < N_PAIRS; i++)
			m[0].value[k][i] = NAN;
	m[1].b.limits.tail = 0.25;
	m[1].b.limits.response_time = 0.05;
	for (size_t i = 0; i < N_PAIRS; i++)
		m[1].value[COLUMN_X_MEAN][i] += i % 2 ? 1 : -1;
	assert_int_equal(compare_compute(&c, &m[0].b, &m[1].b, &(struct compare_options){0}, NULL),
			 0);
	assert_int_equal(c.cell[0].aspect[ASPECT_SHAPE].word, CHANGE_NOT_JUDGED);
	assert_int_equal(c.cell[0].aspect[ASPECT_TAIL].word, CHANGE_NOT_JUDGED);
	assert_int_equal(c.cell[0].word, CHANGE_SAME);
	campaign_change_release(&c);
	free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_unchanged),
	    cmocka_unit_test(test_at_the_limit),
	    cmocka_unit_test(test_beyond_the_limit),
	    cmocka_unit_test(test_unrecorded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
