/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tendency of an inconclusive case. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "validate/analysis/tendency.h"

static struct component made(enum component_kind kind, double value, double half, double limit)
{
	return (struct component){.kind = kind,
				  .decision = DECISION_INCONCLUSIVE,
				  .estimate = {.value = value,
					       .lo90 = value - half,
					       .hi90 = value + half,
					       .lo95 = value - 1.2 * half,
					       .hi95 = value + 1.2 * half},
				  .limit = limit,
				  .accept_lo = NAN,
				  .accept_hi = NAN};
}

static void test_one_component(void **state)
{
	(void)state;
	static const struct {
		enum component_kind kind;
		double value, half, limit;
		bool impractical;
		enum tendency wanted;
	} row[] = {
	    {COMPONENT_BIAS, 0.08, 0.05, 0.10, false, TENDENCY_RIGHT},
	    {COMPONENT_BIAS, -0.08, 0.05, 0.10, false, TENDENCY_RIGHT},
	    {COMPONENT_BIAS, -0.12, 0.05, 0.10, false, TENDENCY_WRONG},
	    {COMPONENT_BIAS, 0.01, 0.15, 0.10, false, TENDENCY_NOISY},
	    {COMPONENT_BIAS, 0.12, 0.15, 0.10, false, TENDENCY_NOISY}, /* 0 is as likely */
	    {COMPONENT_BIAS, 0.30, 0.20, 0.10, false, TENDENCY_WRONG}, /* wide, but not 0 */
	    {COMPONENT_BIAS, 0.08, 0.05, 0.10, true, TENDENCY_NOISY},
	    {COMPONENT_REORDERING, 0.005, 0.008, 0.01, false, TENDENCY_RIGHT},
	    {COMPONENT_REORDERING, 0.02, 0.008, 0.01, false, TENDENCY_WRONG},
	    {COMPONENT_PRECISION, 1.5, 0.6, 2, false, TENDENCY_RIGHT},
	    /* 0.5/0.3 times the ideal is beyond 1.5 */
	    {COMPONENT_PRECISION, 0.3, 0.2, 1.5, false, TENDENCY_NOISY},
	    {COMPONENT_PRECISION, 2.2, 0.6, 2, false, TENDENCY_WRONG},
	    {COMPONENT_BIAS, 0.08, 0.05, NAN, false, TENDENCY_NONE},
	    {COMPONENT_BIAS, NAN, 0.05, 0.10, false, TENDENCY_NONE},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct cell c = {.verdict = VERDICT_INCONCLUSIVE};
		struct component k = made(row[i].kind, row[i].value, row[i].half, row[i].limit);
		k.impractical = row[i].impractical;
		if (component_tendency(&c, &k) != row[i].wanted)
			fail_msg("row %zu: tendency %d", i, component_tendency(&c, &k));
		k.decision = DECISION_ACCEPT;
		assert_int_equal(component_tendency(&c, &k), TENDENCY_NONE);
	}
}

/* The interval that decides is used, if there is one. */
static void test_the_interval_that_decides(void **state)
{
	(void)state;
	struct cell c = {.verdict = VERDICT_INCONCLUSIVE};
	struct component k = made(COMPONENT_BIAS, 0.01, 0.02, 0.10);
	assert_int_equal(component_tendency(&c, &k), TENDENCY_RIGHT);
	k.accept_lo = -0.12;
	k.accept_hi = 0.14;
	assert_int_equal(component_tendency(&c, &k), TENDENCY_NOISY);
}

/* If the program's own uncertainty exceeds the limit, an uncertainty beyond the limit is due to the
 * machine. */
static void test_uncertainty(void **state)
{
	(void)state;
	struct cell c = {.verdict = VERDICT_INCONCLUSIVE, .expanded = {.machine = 0.08}};
	struct component k = made(COMPONENT_UNCERTAINTY, 0.25, 0.1, 0.20);
	assert_int_equal(component_tendency(&c, &k), TENDENCY_WRONG);
	c.expanded.machine = 0.24;
	assert_int_equal(component_tendency(&c, &k), TENDENCY_NOISY);
}

static void test_case(void **state)
{
	(void)state;
	struct cell c = {.verdict = VERDICT_INCONCLUSIVE};
	for (int k = 0; k < COMPONENT_N; k++)
		c.component[k] = (struct component){.kind = (enum component_kind)k, .decision = DECISION_NOT_ASSESSED};
	assert_int_equal(cell_tendency(&c), TENDENCY_NONE);
	c.component[COMPONENT_BIAS] = made(COMPONENT_BIAS, 0.08, 0.05, 0.10);
	assert_int_equal(cell_tendency(&c), TENDENCY_RIGHT);
	/* an estimate that is not known can lie outside its limit */
	c.component[COMPONENT_LINEARITY] = made(COMPONENT_LINEARITY, 0.01, 0.05, 0.10);
	c.component[COMPONENT_LINEARITY].estimate.status = STAT_TOO_FEW;
	assert_int_equal(cell_tendency(&c), TENDENCY_NONE);
	c.component[COMPONENT_LINEARITY] = made(COMPONENT_LINEARITY, 0.01, 0.3, 0.10);
	assert_int_equal(cell_tendency(&c), TENDENCY_NOISY);
	c.component[COMPONENT_EXECUTION_TIME] = made(COMPONENT_EXECUTION_TIME, 0.2, 0.12, 0.10);
	assert_int_equal(cell_tendency(&c), TENDENCY_WRONG);
	c.component[COMPONENT_BIAS].differs = true; /* has precedence over "looks wrong" */
	assert_int_equal(component_tendency(&c, &c.component[COMPONENT_BIAS]), TENDENCY_DIFFERS);
	assert_int_equal(cell_tendency(&c), TENDENCY_DIFFERS);
	c.verdict = VERDICT_NOT_TRUSTED;
	assert_int_equal(cell_tendency(&c), TENDENCY_NONE);
}

/* One rejection decides a case, but an acceptance needs all components. */
static void test_further_replicates(void **state)
{
	(void)state;
	struct scenario scenario = {0};
	const struct protocol p = {.scenario = &scenario, .n_scenarios = 1};
	struct cell c = {.verdict = VERDICT_INCONCLUSIVE};
	struct component *bias = &c.component[COMPONENT_BIAS],
			 *tail = &c.component[COMPONENT_TAIL];
	for (int k = 0; k < COMPONENT_N; k++)
		c.component[k] = (struct component){.kind = (enum component_kind)k, .decision = DECISION_ACCEPT};
	*bias = made(COMPONENT_BIAS, 0.08, 0.05, 0.10);
	*tail = made(COMPONENT_TAIL, 0.2, 0.5, 0.25);
	assert_int_equal(cell_further(&p, &c, false), 0); /* unknown */
	bias->n_more = 20;
	tail->n_more = 30;
	assert_int_equal(cell_further(&p, &c, false), 30);
	tail->impractical = true;
	assert_int_equal(cell_further(&p, &c, false), FURTHER_IMPRACTICAL);
	bias->estimate.value = -0.14; /* a rejection is likely */
	assert_int_equal(cell_further(&p, &c, false), 20);
	tail->impractical = false;
	assert_int_equal(cell_further(&p, &c, false), 20);
	/* against a recording of another campaign, a deviation of the bias rejects nothing */
	scenario.trace = (char[]){"other.trace"};
	assert_int_equal(cell_further(&p, &c, false), 0);
	scenario.trace = NULL;
	/* a case that must not be trusted: a rejection decides it, and an acceptance does not */
	c.bar.code = REASON_REPLAYS_FAILED;
	assert_int_equal(cell_further(&p, &c, false), 20);
	bias->estimate.value = 0.08;
	assert_int_equal(cell_further(&p, &c, false), 0);
	c.bar.code = REASON_VERDICT_DEFERRED;
	assert_int_equal(cell_further(&p, &c, false), 30);
	c.bar.code = REASON_NONE;
	bias->estimate.value = -0.14;
	bias->impractical = true;
	assert_int_equal(cell_further(&p, &c, false), FURTHER_IMPRACTICAL);
	/* only more recordings decide */
	bias->impractical = false;
	bias->estimate.value = 0.08;
	bias->n_more = 0;
	bias->n_more_recorded = 35;
	assert_int_equal(cell_further(&p, &c, false), FURTHER_IMPRACTICAL);
	assert_int_equal(cell_further(&p, &c, true), 35);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_one_component), cmocka_unit_test(test_the_interval_that_decides),
	    cmocka_unit_test(test_uncertainty), cmocka_unit_test(test_case),
	    cmocka_unit_test(test_further_replicates)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
