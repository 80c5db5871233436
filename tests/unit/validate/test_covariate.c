/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/validate/made_campaign.h"
#include "validate/analysis/analysis.h"
#include "validate/evidence/covariate.h"
#include "validate/stats/generator.h"

static void assert_close(double a, double b)
{
	if (!(fabs(a - b) < 1e-9))
		fail_msg("%.12g, not %.12g", a, b);
}

static double mean(const double *x, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (double)n;
}

static void remove_from(const struct covariate_slope *s, const struct covariate_cell *c, double *d)
{
	const struct covariate_effect k = {STAT_OK, s->slope, s->se, s->r_squared, c->stretch};
	covariate_remove(&k, c->z, d, c->n);
}

/* Least squares with a constant for each cell, solved in rational arithmetic. */
static void test_two_cells(void **state)
{
	(void)state;
	const double z1[] = {0.05, -0.08, 0.12, 0.01, 0.2, -0.03},
		     z2[] = {-0.1, 0.04, 0.02, -0.06, 0.09};
	double d1[] = {0.062, -0.031, 0.118, 0.029, 0.171, 0.021},
	       d2[] = {-0.083, 0.015, 0.006, -0.049, 0.061};
	struct covariate_cell cell[] = {{6, z1, d1, 0}, {5, z2, d2, 0}};
	struct covariate_slope s;
	assert_int_equal(covariate_fit(cell, 2, &s), STAT_OK);
	remove_from(&s, &cell[0], d1);
	remove_from(&s, &cell[1], d2);
	assert_close(s.slope, 0.7160754318871159);
	assert_close(s.se, 0.02312596811660385);
	assert_close(mean(d1, 6), 0.02944327223174645);
	assert_close(mean(d2, 5), -0.008567849136225767);
	assert_close(cell[0].stretch, sqrt(1.1602268231570618 * 9 / 8));
	assert_close(cell[1].stretch, sqrt(1.0002637478570486 * 9 / 8));
	assert_true(s.r_squared > 0.98 && s.r_squared < 1);
}

static void test_refused(void **state)
{
	(void)state;
	const double z[] = {0.1, 0.1, 0.1}, odd[] = {0.1, NAN, 0.2};
	double d[] = {0.01, 0.02, 0.03};
	struct covariate_slope s;
	struct covariate_cell same = {3, z, d, 0}, unknown = {3, odd, d, 0}, few = {2, z, d, 0};
	assert_int_equal(covariate_fit(&same, 1, &s), STAT_ZERO_VARIANCE);
	assert_int_equal(covariate_fit(&unknown, 1, &s), STAT_NOT_FINITE);
	assert_int_equal(covariate_fit(&few, 1, &s), STAT_TOO_FEW);
	assert_close(d[0] + d[1] + d[2], 0.06);
	assert_close(same.stretch, 1);
}

static void test_value_of_a_pair(void **state)
{
	(void)state;
	const struct run x = {.others_share = 0.3, .stolen_share = 0.1}, r = {.others_share = 0.2, .stolen_share = 0}, old = {.others_share = NAN};
	assert_close(covariate_of_pair(&x, &r), log(1.4 / 1.2));
	assert_true(isnan(covariate_of_pair(&x, &old)));
}

/* The load of other programs causes 70 % of the scatter: the covariate removes it, and the interval
 * has its stated coverage. */
static void test_narrows_and_covers(void **state)
{
	(void)state;
	struct generator g;
	generator_seed(&g, 7, 0);
	enum { N = 16, TRIALS = 4000 };
	size_t n_covered = 0;
	double raw = 0, left = 0;
	for (int t = 0; t < TRIALS; t++) {
		double z[N], d[N], before = 0, after = 0;
		for (int i = 0; i < N; i++) {
			z[i] = 0.1 * generator_normal(&g);
			d[i] = 0.02 + 0.7 * z[i] + 0.03 * generator_normal(&g);
		}
		const double m0 = mean(d, N);
		for (int i = 0; i < N; i++)
			before += (d[i] - m0) * (d[i] - m0);
		struct covariate_cell cell = {N, z, d, 0};
		struct covariate_slope s;
		assert_int_equal(covariate_fit(&cell, 1, &s), STAT_OK);
		remove_from(&s, &cell, d);
		const double m = mean(d, N);
		for (int i = 0; i < N; i++)
			after += (d[i] - m) * (d[i] - m);
		/* t of 0.975 with 15 degrees of freedom, as for independent values */
		n_covered += fabs(m - 0.02) <= 2.131449546 * sqrt(after / (N - 1) / N);
		raw += before;
		left += after;
	}
	assert_true(left < 0.2 * raw);
	assert_true(n_covered > 0.94 * TRIALS && n_covered < 0.963 * TRIALS);
}

/* Other programs slow runs down: with the covariate the intervals of response and execution time
 * are narrower for the same runs. */
static void test_in_a_campaign(void **state)
{
	(void)state;
	const struct effect effect = {.bias = 0.02, .sd_x = 0.01, .sd_r = 0.01};
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double width[2], time_width[2], slope = NAN;
	for (int with = 0; with < 2; with++) {
		struct campaign c;
		struct analysis a;
		struct err e = ERR_INIT;
		gsl_rng_set(rng, 11);
		campaign_make(&c, 1, 1, 16);
		campaign_fill(&c, &effect, rng);
		for (size_t i = 0; i < c.results.n_runs; i++) {
			struct run *r = &c.results.run[i];
			r->others_share = 0.3 * gsl_rng_uniform(rng);
			r->summary.response.mean *= pow(1 + r->others_share, 0.8);
			r->summary.execution_ns = (int64_t)((double)r->summary.execution_ns *
							    pow(1 + r->others_share, 0.8));
		}
		c.results.protocol.covariate = with ? COVARIATE_OTHERS : COVARIATE_NONE;
		assert_int_equal(analysis_compute(&a, &c.results, &e), 0);
		const struct cell *cell = &a.cell[0];
		width[with] = cell->bias.hi95 - cell->bias.lo95;
		time_width[with] = cell->execution_time.hi95 - cell->execution_time.lo95;
		assert_int_equal(cell->covariate_response.status,
				 with ? STAT_OK : STAT_NOT_ASSESSED);
		if (with)
			slope = cell->covariate_response.slope;
		analysis_release(&a);
		campaign_release(&c);
	}
	gsl_rng_free(rng);
	assert_true(width[1] < 0.4 * width[0] && time_width[1] < 0.4 * time_width[0]);
	assert_true(fabs(slope - 0.8) < 0.15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_two_cells),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_value_of_a_pair),
	    cmocka_unit_test(test_narrows_and_covers),
	    cmocka_unit_test(test_in_a_campaign),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
