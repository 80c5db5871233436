/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The league table: the order of the replayers, the case that stands for a replayer, and the counts
 * of its runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "validate/analysis/league.h"

enum { MOST = 16 };

struct made { /* a campaign with only the data that the table reads */
	struct replayer replayer[MOST];
	struct cell cell[MOST];
	struct run run[MOST];
	struct results results;
	struct analysis a;
};

static void made_start(struct made *m, size_t n_replayers)
{
	*m = (struct made){.results = {.protocol = {.n_replayers = n_replayers, .replayer = m->replayer}, .run = m->run},
			   .a = {.cell = m->cell, .results = &m->results}};
}

static void component_set(struct cell *c, enum component_kind kind, double value, double limit)
{
	c->component[kind] = (struct component){
	    .kind = kind, .limit = limit, .estimate = {.status = STAT_OK, .value = value}};
}

static struct cell *cell_add(struct made *m, size_t replayer, enum verdict verdict, double bias)
{
	struct cell *c = &m->cell[m->a.n_cells++];
	*c = (struct cell){.replayer = replayer, .scenario = m->a.n_cells, .verdict = verdict};
	const struct estimate none = {.status = STAT_NOT_ASSESSED};
	c->concurrency.in_flight = c->concurrency.time = c->order.deciding = c->issue_error.p99 = none;
	for (int k = 0; k < COMPONENT_N; k++)
		c->component[k] = (struct component){.kind = (enum component_kind)k,
						     .decision = DECISION_NOT_ASSESSED,
						     .estimate = none,
						     .limit = NAN};
	if (!isnan(bias))
		component_set(c, COMPONENT_BIAS, bias, 0.1);
	return c;
}

static void run_add(struct made *m, int role, unsigned int block, enum run_state state,
		    double cpu_s, uint64_t n)
{
	struct run *r = &m->run[m->results.n_runs++];
	*r = (struct run){.role = role, .block = block, .state = state, .cpu_s = cpu_s, .has_summary = state == RUN_OK};
	r->summary.response.n = n;
}

static void assert_order(const struct made *m, const size_t *expected)
{
	for (size_t i = 0; i < m->a.n_league; i++)
		if (m->a.league[i].replayer != expected[i])
			fail_msg("place %zu is replayer %zu's, not %zu's", i,
				 m->a.league[i].replayer, expected[i]);
}

static void sorted_by_verdict(void **state)
{
	struct made m;
	(void)state;
	made_start(&m, 5);
	m.replayer[0].absent = (char *)"not found";
	/* 1 was never judged */
	cell_add(&m, 2, VERDICT_TRUSTED, 0.001);
	cell_add(&m, 2, VERDICT_NOT_TRUSTED, 0.001); /* one rejection is enough */
	cell_add(&m, 3, VERDICT_TRUSTED, 0.2);
	cell_add(&m, 3, VERDICT_INCONCLUSIVE, 0.2);
	cell_add(&m, 4, VERDICT_TRUSTED, 0.3);
	league_compute(&m.a);
	assert_int_equal(m.a.n_league, 5);
	assert_order(&m, (const size_t[]){4, 3, 2, 1, 0});
	assert_int_equal(m.a.league[0].verdict, VERDICT_TRUSTED);
	assert_int_equal(m.a.league[1].verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(m.a.league[2].verdict, VERDICT_NOT_TRUSTED);
	assert_true(!m.a.league[3].judged && !m.a.league[3].absent &&
		    isnan(m.a.league[3].mean_bias));
	assert_true(m.a.league[4].absent);
	free(m.a.league);
}

static void sorted_within_a_verdict(void **state)
{
	struct made m;
	(void)state;
	made_start(&m, 5);
	/* all inconclusive: replayer 0 is trusted in one of two cases, the others in none */
	for (size_t k = 0; k < 5; k++)
		cell_add(&m, k, VERDICT_INCONCLUSIVE,
			 k == 3   ? -0.02
			 : k == 1 ? 0.05
			 : k == 2 ? NAN
				  : 0.05);
	cell_add(&m, 0, VERDICT_TRUSTED, 0.9);
	league_compute(&m.a);
	/* then the smaller absolute bias; equal values in the order of the protocol; cases without
	 * a bias last */
	assert_order(&m, (const size_t[]){0, 3, 1, 4, 2});
	free(m.a.league);

	/* not trusted: replayer 0 in two of three cases, replayer 1 in one of three */
	made_start(&m, 2);
	for (int i = 0; i < 3; i++) {
		cell_add(&m, 0, i < 2 ? VERDICT_NOT_TRUSTED : VERDICT_INCONCLUSIVE, 0.01);
		cell_add(&m, 1, i < 1 ? VERDICT_NOT_TRUSTED : VERDICT_INCONCLUSIVE, 0.5);
	}
	league_compute(&m.a);
	assert_order(&m, (const size_t[]){1, 0});
	assert_int_equal(m.a.league[0].n_not_trusted, 1);
	assert_int_equal(m.a.league[1].n_inconclusive, 1);
	free(m.a.league);
}

/* A replay at full speed may have a small bias. Its other components are far outside of their
 * limits. */
static void ranked_by_all_components(void **state)
{
	struct made m;
	(void)state;
	made_start(&m, 3);
	struct cell *afap = cell_add(&m, 0, VERDICT_INCONCLUSIVE, 0.001),
		    *timed = cell_add(&m, 1, VERDICT_INCONCLUSIVE, 0.3),
		    *scattered = cell_add(&m, 2, VERDICT_INCONCLUSIVE, 0.3);
	component_set(afap, COMPONENT_EXECUTION_TIME, -0.9, 0.01); /* 90 limits, counted as 10 */
	component_set(timed, COMPONENT_EXECUTION_TIME, 0.005, 0.01);
	component_set(scattered, COMPONENT_EXECUTION_TIME, 0.005, 0.01);
	/* scatters less than the program: no deviation */
	component_set(timed, COMPONENT_PRECISION, 0.5, 2);
	component_set(scattered, COMPONENT_PRECISION, 3, 2);
	component_set(timed, COMPONENT_TAIL, 5, NAN); /* shown only */
	component_set(timed, COMPONENT_SHAPE, 5, 0);  /* likewise */
	component_set(timed, COMPONENT_FIDELITY, 0, 0);
	component_set(scattered, COMPONENT_FIDELITY, 0, 0);
	component_set(afap, COMPONENT_FIDELITY, 1, 0); /* none is allowed */
	league_compute(&m.a);
	assert_order(&m, (const size_t[]){1, 2, 0});
	assert_true(fabs(m.a.league[0].deviation - (3 + 0.5 + 0 + 0) / 4) < 1e-12);
	assert_true(fabs(m.a.league[1].deviation - (3 + 0.5 + 2 + 0) / 4) < 1e-12);
	assert_true(fabs(m.a.league[2].deviation - (0.01 + 10 + 10) / 3) < 1e-12);
	free(m.a.league);
}

static void largest_of_the_cases(void **state)
{
	struct made m;
	(void)state;
	made_start(&m, 1);
	cell_add(&m, 0, VERDICT_TRUSTED, 0.03)->concurrency.in_flight =
	    (struct estimate){.status = STAT_OK, .value = 0.5};
	cell_add(&m, 0, VERDICT_TRUSTED, -0.07)->concurrency.in_flight =
	    (struct estimate){.status = STAT_ZERO_VARIANCE, .value = -0.9};
	cell_add(&m, 0, VERDICT_TRUSTED, NAN)->concurrency.in_flight =
	    (struct estimate){.status = STAT_OK, .value = INFINITY};
	league_compute(&m.a);
	const struct league_row *row = m.a.league;
	assert_int_equal(row->worst[LEAGUE_BIAS], 1); /* the size counts */
	assert_int_equal(row->worst[LEAGUE_IN_FLIGHT], 1);
	assert_true(row->worst[LEAGUE_REORDERED] == LEAGUE_NO_CELL); /* no case has it */
	assert_true(fabs(row->mean_bias - 0.05) < 1e-12); /* of the two cases with a bias */
	free(m.a.league);
}

static void counts_of_cases_and_runs(void **state)
{
	struct made m;
	(void)state;
	made_start(&m, 2);
	struct cell *c = cell_add(&m, 1, VERDICT_NOT_TRUSTED, 0.01);
	c->n_lost = 3, c->n_extra = 4, c->n_mismatched = 5;
	cell_add(&m, 1, VERDICT_TRUSTED, 0.01)->n_lost = 8;
	run_add(&m, 1, 0, RUN_OK, 100, 1);	 /* block 0 is run and not used */
	run_add(&m, 1, 1, RUN_OK, 0.5, 100000);
	run_add(&m, 1, 2, RUN_OK, 1.5, 300000);
	run_add(&m, 1, 3, RUN_OK, 0, 1000);	 /* without a measured time */
	run_add(&m, 1, 4, RUN_FAILED, 9, 9);
	run_add(&m, ROLE_PROGRAM, 1, RUN_OK, 50, 7);
	run_add(&m, 0, 1, RUN_FAILED, 0, 0);
	league_compute(&m.a);
	const struct league_row *one = &m.a.league[0], *none = &m.a.league[1];
	assert_int_equal(one->replayer, 1);
	assert_int_equal(one->n_infidelities, 20);
	assert_int_equal(one->n_failed, 1);
	assert_true(fabs(one->cpu_per_request_ns - 5000) < 1e-9); /* 2 s for 400,000 */
	assert_true(!none->judged && none->n_failed == 1 && isnan(none->cpu_per_request_ns));
	free(m.a.league);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorted_by_verdict),
		cmocka_unit_test(sorted_within_a_verdict),
		cmocka_unit_test(ranked_by_all_components),
		cmocka_unit_test(largest_of_the_cases),
		cmocka_unit_test(counts_of_cases_and_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
