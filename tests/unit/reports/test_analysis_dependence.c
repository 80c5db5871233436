/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs that depend on earlier runs: whether the same numbers are accepted may depend on their
 * order, but whether they are rejected does not, and the reason states the dependence. No I/O,
 * fixed seeds. */
#define REASONS_IN_WORDS
#include "reports/reasons.h"
#include "tests/unit/validate/made_campaign.h"

enum { N = 20 };

/* Deviations of the pairs with amplitude `size`, which rise and fall once over the campaign; or the
 * same values, but in steps of seven. */
static void set_ratios(struct campaign *c, double bias, double size, bool ordered)
{
	for (unsigned int b = 1; b <= N; b++) {
		unsigned int at = ordered ? b - 1 : (b - 1) * 7 % N;
		double r = 100000 * exp(0.01 * sin(3.7 * b)),
		       factor = exp(log1p(bias) + size * sin(2 * M_PI * at / N));
		struct run_summary *x = &run_find(c, b, 0, 0)->summary,
				   *y = &run_find(c, b, 0, ROLE_PROGRAM)->summary;
		y->response.mean = r;
		x->response.mean = r * factor;
		x->execution_ns = (int64_t)(1e9 * factor);
		y->execution_ns = 1000000000;
	}
}

static void compute(struct campaign *c, struct analysis *a, double bias, double size, bool ordered)
{
	set_ratios(c, bias, size, ordered);
	again(c, a);
}

static void test_order_decides(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, N, 1);
	c.results.protocol.accept.precision_ratio = NAN; /* only the replays rise and fall */
	compute(&c, &a, 0, 0.1, false);
	struct component apart = a.cell[0].component[COMPONENT_BIAS];
	assert_int_equal(apart.decision, DECISION_ACCEPT);
	assert_false(apart.dependent);
	assert_true(apart.lag1 < 0.2 && apart.n_effective > 12);
	assert_between(
	    0.9, (apart.accept_hi - apart.accept_lo) / (apart.estimate.hi90 - apart.estimate.lo90),
	    1.5);
	compute(&c, &a, 0, 0.1, true);
	const struct component *k = &a.cell[0].component[COMPONENT_BIAS];
	assert_int_equal(k->decision, DECISION_INCONCLUSIVE);
	assert_true(k->dependent);
	assert_true(k->lag1 > 0.8 && k->n_effective < 3);
	assert_true(k->accept_lo < -0.1 || k->accept_hi > 0.1);
	assert_non_null(strstr(k->reason, "independent"));
	assert_non_null(strstr(k->reason, "20 runs count as little more than one run"));
	assert_non_null(strstr(k->reason, "no interval, so inconclusive"));
	assert_null(strstr(k->reason, "e+")); /* as the interval would be */
	assert_non_null(strstr(a.cell[0].verdict_reason,
			       "would be accepted if the runs were known to be independent"));
	assert_true(k->n_more > 20 || k->impractical);
	/* the interval for independent runs is shown unchanged */
	assert_between(apart.estimate.lo90 - 1e-9, k->estimate.lo90, apart.estimate.lo90 + 1e-9);
	assert_between(apart.estimate.hi95 - 1e-9, k->estimate.hi95, apart.estimate.hi95 + 1e-9);
	assert_between(k->n_effective - 1e-9, a.cell[0].diagnostics.n_effective,
		       k->n_effective + 1e-9);
	done(&c, &a);
}

/* Some dependence: an interval that can be interpreted, and the equivalent number of independent
 * runs. */
static void test_interval_is_shown_if_there_is_one(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, N, 1);
	for (unsigned int b = 1; b <= N; b++)
		run_find(&c, b, 0, 0)->summary.response.mean =
		    run_find(&c, b, 0, ROLE_PROGRAM)->summary.response.mean * 1.1 *
		    exp(0.1 * sin(1.3 * b));
	again(&c, &a);
	const struct component *k = &a.cell[0].component[COMPONENT_BIAS];
	assert_int_equal(k->decision, DECISION_INCONCLUSIVE);
	assert_true(k->lag1 > 0.1 && k->n_effective > 3);
	assert_non_null(strstr(k->reason, "90 % interval"));
	assert_non_null(strstr(k->reason, "20 runs count as"));
	done(&c, &a);
}

/* Dependence does not change the requirements for a rejection. */
static void test_rejection_is_the_same(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &faultless, 1, 1, N, 2);
	compute(&c, &a, 0.5, 0.1, false);
	struct component apart = a.cell[0].component[COMPONENT_BIAS];
	assert_int_equal(apart.decision, DECISION_REJECT);
	compute(&c, &a, 0.5, 0.1, true);
	const struct component *k = &a.cell[0].component[COMPONENT_BIAS];
	assert_int_equal(k->decision, DECISION_REJECT);
	assert_between(0.999 * apart.p_reject, k->p_reject, 1.001 * apart.p_reject);
	done(&c, &a);
}

/* Further replicates: more are needed if each counts less. */
static void test_further(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	uint64_t more[2];
	for (int drifting = 0; drifting < 2; drifting++) {
		analysed(&c, &a, &faultless, 1, 1, N, 3);
		for (unsigned int b = 1; b <= N; b++) {
			double step = drifting ? (b - 1) % 10 < 5 ? 0.1 : -0.1 : b % 2 ? 0.1 : -0.1;
			run_find(&c, b, 0, 0)->summary.response.mean =
			    run_find(&c, b, 0, ROLE_PROGRAM)->summary.response.mean * 1.07 *
			    exp(step);
		}
		again(&c, &a);
		const struct component *k = &a.cell[0].component[COMPONENT_BIAS];
		assert_int_equal(k->decision, DECISION_INCONCLUSIVE);
		more[drifting] = k->n_more;
		done(&c, &a);
	}
	assert_true(more[0] > 0);
	assert_true(more[1] > 2 * more[0]);
}

/* A bias that moves from the limit outwards: first the 90 % interval lies beyond the limits, then the
 * component is rejected. Between the two, the reason states what the rejection lacks. */
static void test_interval_alone_does_not_reject(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	unsigned int n_between = 0;
	analysed(&c, &a, &faultless, 1, 1, N, 1);
	for (double bias = 0.1; bias < 0.2; bias += 0.002) {
		compute(&c, &a, bias, 0.05, false);
		const struct component *k = &a.cell[0].component[COMPONENT_BIAS];
		const bool between =
		    k->decision == DECISION_INCONCLUSIVE && !k->rejected_before_holm &&
		    k->accept_lo > 0.1;
		assert_int_equal(between, !!strstr(k->reason, "the rejection test is stricter than the test behind this interval"));
		n_between += between;
	}
	assert_true(n_between > 0);
	done(&c, &a);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(test_order_decides),
		cmocka_unit_test(test_interval_is_shown_if_there_is_one),
		cmocka_unit_test(test_interval_alone_does_not_reject),
		cmocka_unit_test(test_rejection_is_the_same),
		cmocka_unit_test(test_further),
	};
	gsl_set_error_handler_off();
	return cmocka_run_group_tests_name("dependent runs", all, NULL, NULL);
}
