/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error rates that validate stats --judge promises, by simulation with fixed seeds: of replays
 * exactly at a limit it accepts at most one in 20, for any scatter of the runs, and of replays well
 * inside most. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_rng.h>

#include "validate/columns/comparison_private.h"
#include "validate/selftest/noise.h"

enum { N = 20, TRIALS = 250 };
#define SPREAD 0.05
/* more of 250 by chance once in 1000, if exactly 5 % is right */
#define MOST_ACCEPTED 24

struct kind {
	const char *name;
	enum noise noise;
	bool outliers; /* one in 20 ten times as far */
};

static const struct kind kinds[] = {
    {"normal", NOISE_NORMAL, false}, {"t3", NOISE_T3, false},	  {"lognormal", NOISE_LOGNORMAL, false},
    {"outliers", NOISE_NORMAL, true}, {"AR 0.6", NOISE_AR6, false}, {"AR 0.8", NOISE_AR8, false},
};

static void fill(const struct kind *k, gsl_rng *rng, double *x)
{
	noise_draw(k->noise, rng, x, N);
	for (size_t i = 0; i < N && k->outliers; i++)
		x[i] *= gsl_rng_uniform(rng) < 0.05 ? 10 : 1;
}

struct accepted {
	unsigned int bias, precision;
};

/* Replays that are slower by the factor `bias`, with `ratio` times the scatter. */
static struct accepted accepted_of(const struct kind *k, bool paired, double bias, double ratio)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	const struct comparison_plan plan = {.alpha = 0.05, .limit_bias_pct = 10, .limit_precision = 2, .paired = paired};
	struct accepted n = {0};
	gsl_rng_set(rng, 7);
	for (int trial = 0; trial < TRIALS; trial++) {
		double r[N], x[N];
		fill(k, rng, r);
		fill(k, rng, x);
		for (size_t i = 0; i < N; i++) {
			r[i] = paired ? exp(SPREAD * r[i]) : 1 + SPREAD * r[i];
			x[i] = bias * (paired ? exp(ratio * SPREAD * x[i])
					      : 1 + ratio / bias * SPREAD * x[i]);
		}
		struct column_sample ref = {.unit = {r, N}}, rep = {.unit = {x, N}};
		struct comparison c = {.ref = &ref, .rep = &rep, .paired = paired};
		assert_int_equal(sample_moments(r, N, &ref.unit_m), STAT_OK);
		assert_int_equal(sample_moments(x, N, &rep.unit_m), STAT_OK);
		answer_bias(&c, &plan);
		answer_precision(&c, &plan);
		n.bias += c.bias_decision == DECIDED_ACCEPT;
		n.precision += c.precision_decision == DECIDED_ACCEPT;
	}
	gsl_rng_free(rng);
	return n;
}

static void test_at_the_limit(void **state)
{
	(void)state;
	for (int paired = 0; paired < 2; paired++)
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
			struct accepted n = {accepted_of(&kinds[i], paired, 1.1, 1).bias,
					     accepted_of(&kinds[i], paired, 1, 2).precision};
			print_message("%s, %s: bias %.1f %%, precision %.1f %%\n",
				      paired ? "pairs" : "groups", kinds[i].name,
				      100.0 * n.bias / TRIALS, 100.0 * n.precision / TRIALS);
			if (n.bias > MOST_ACCEPTED || n.precision > MOST_ACCEPTED)
				fail_msg("%s, %s: of %d at the limit %u accepted for bias, %u for "
					 "precision",
					 paired ? "pairs" : "groups", kinds[i].name, TRIALS, n.bias,
					 n.precision);
		}
}

static void test_well_inside(void **state)
{
	(void)state;
	for (int paired = 0; paired < 2; paired++) {
		struct accepted n = accepted_of(&kinds[0], paired, 1, 0.8);
		if (n.bias < 0.95 * TRIALS || n.precision < 0.8 * TRIALS)
			fail_msg("of %d well inside %u accepted for bias, %u for precision", TRIALS,
				 n.bias, n.precision);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_at_the_limit),
					   cmocka_unit_test(test_well_inside)};
	gsl_set_error_handler_off();
	return cmocka_run_group_tests_name("promises about columns", tests, NULL, NULL);
}
