/* SPDX-License-Identifier: GPL-3.0-or-later */
/* long: 26 s */
/* The parts of the self-test: standings of rates, trials over processes, noise, and constructed
 * campaigns with the stated defect. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_errno.h>

#include "validate/analysis/analysis.h"
#include "validate/selftest/faults_sized.h"
#include "validate/selftest/noise.h"
#include "validate/selftest/rate.h"
#include "validate/selftest/simulate_private.h"
#include "validate/selftest/synthetic.h"
#include "validate/selftest/work.h"

static void assert_near(double a, double b, double tolerance)
{
	if (!(fabs(a - b) <= tolerance))
		fail_msg("%.9g is not within %.3g of %.9g", a, tolerance, b);
}

static enum standing standing_of(uint64_t k, uint64_t n, enum promise promise, double promised)
{
	struct rates rates = {0};
	struct rate *r = rate_add(&rates, "statistics", "g", "n", "c", k, n);
	r->promise = promise;
	r->promised = promised;
	enum standing s = rate_standing(r);
	rates_release(&rates);
	return s;
}

/* Clopper-Pearson: 59 of 59 is at least 0.9394 two-sided (0.025^(1/59)), 0 of 100 at most
 * 0.0362. */
static void test_standings(void **state)
{
	(void)state;
	struct rates rates = {0};
	struct rate *r = rate_add(&rates, "replay", "g", "n", "c", 59, 59);
	assert_near(r->lo, pow(0.025, 1.0 / 59), 1e-9);
	assert_near(r->hi, 1, 0);
	r = rate_add(&rates, "replay", "g", "n", "c", 0, 100);
	assert_near(r->hi, 1 - pow(0.025, 0.01), 1e-9);
	rates_release(&rates);
	assert_int_equal(standing_of(0, 1000, PROMISE_AT_MOST, 0.01), STANDING_SHOWN);
	assert_int_equal(standing_of(0, 100, PROMISE_AT_MOST, 0.01), STANDING_HOLDS);
	assert_int_equal(standing_of(10, 100, PROMISE_AT_MOST, 0.01), STANDING_BROKEN);
	assert_int_equal(standing_of(990, 1000, PROMISE_AT_LEAST, 0.95), STANDING_SHOWN);
	assert_int_equal(standing_of(19, 20, PROMISE_AT_LEAST, 0.95), STANDING_HOLDS);
	assert_int_equal(standing_of(800, 1000, PROMISE_AT_LEAST, 0.95), STANDING_BROKEN);
	assert_int_equal(standing_of(58, 59, PROMISE_ALWAYS, 0.9), STANDING_BROKEN);
	assert_int_equal(standing_of(59, 59, PROMISE_ALWAYS, 0.95), STANDING_SHOWN);
	assert_int_equal(standing_of(58, 58, PROMISE_ALWAYS, 0.95), STANDING_HOLDS);
	assert_int_equal(standing_of(1, 1, PROMISE_ALWAYS, 0.9), STANDING_HOLDS);
	assert_int_equal(standing_of(0, 0, PROMISE_ALWAYS, 0.9), STANDING_NONE);
	assert_int_equal(standing_of(1, 2, PROMISE_NONE, 0), STANDING_NONE);
}

static void count_trial(void *context, gsl_rng *rng, uint64_t *count)
{
	(void)context;
	count[0]++;
	count[1] += gsl_rng_get(rng) & 0xffff;
}

static void die_trial(void *context, gsl_rng *rng, uint64_t *count)
{
	(void)context, (void)rng, (void)count;
	_Exit(7);
}

static void test_work(void **state)
{
	(void)state;
	uint64_t first[2], count[2];
	struct err e = ERR_INIT;
	struct shared_work w = {.what = "test", .trial = count_trial, .n_trials = 1001, .seed = 5, .n_counts = 2, .n_processes = 1, .quiet = true};
	assert_int_equal(work_run(&w, first, &e), 0);
	assert_int_equal(first[0], 1001);
	for (w.n_processes = 2; w.n_processes <= 5; w.n_processes++) {
		assert_int_equal(work_run(&w, count, &e), 0);
		assert_int_equal(count[0], first[0]);
		assert_int_equal(count[1], first[1]);
	}
	w.seed = 6;
	assert_int_equal(work_run(&w, count, &e), 0);
	assert_int_not_equal(count[1], first[1]);
	w.trial = die_trial;
	assert_int_equal(work_run(&w, count, &e), -EIO);
}

/* Means and variances over many samples, and the requested lag-1 correlation. */
static void test_noise(void **state)
{
	(void)state;
	enum { N = 50, M = 4000 };
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 3);
	for (int kind = 0; kind < NOISE_N; kind++) {
		double x[N], sum = 0, squares = 0, lag = 0, below = 0;
		for (int j = 0; j < M; j++) {
			noise_draw(kind, rng, x, N);
			for (int i = 0; i < N; i++) {
				sum += x[i];
				squares += x[i] * x[i];
				below += x[i] <= 0.5;
				lag += i > 0 ? x[i] * x[i - 1] : 0;
			}
		}
		double variance = kind == NOISE_SESSION ? 1.25 : 1;
		assert_near(sum / N / M, 0, 0.03);
		assert_near(squares / N / M, variance, kind == NOISE_T3 ? 0.2 : 0.03);
		assert_near(lag / (N - 1) / M,
			    kind == NOISE_AR3   ? 0.3
			    : kind == NOISE_AR6 ? 0.6
			    : kind == NOISE_AR8 ? 0.8
						: variance - 1,
			    0.03);
		if (kind <= NOISE_T3)
			assert_near(below / N / M, noise_below(kind, 0.5), 0.005);
	}
	gsl_rng_free(rng);
}

static const struct cell *cell_of(const struct analysis *a, size_t scenario, size_t replayer)
{
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].scenario == scenario && a->cell[i].replayer == replayer)
			return &a->cell[i];
	fail_msg("no cell %zu/%zu", scenario, replayer);
	return NULL;
}

/* Every component has a defect. The mean over campaigns of the estimate by which the component is
 * judged, in units of its limit, shows that the defect has its nominal size, as the promise
 * requires. Two levels of one workload, because linearity has no defect at level 1. */
static void test_synthetic_defects(void **state)
{
	(void)state;
	enum { M = 40, N_SCENARIOS = 2 };
	struct synthetic s;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 13);
	synthetic_init_of(&s, N_SCENARIOS, SYNTHETIC_BLOCKS);
	for (enum component_kind k = 0; k < COMPONENT_N; k++) {
		const struct defect defect = {k, 1};
		double ratio = 0;
		for (int i = 0; i < M; i++) {
			struct analysis a;
			struct err e = ERR_INIT;
			synthetic_draw(&s, SCATTER_NORMAL, &defect, rng);
			assert_int_equal(analysis_compute(&a, &s.results, &e), 0);
			assert_int_equal(a.n_cells, N_SCENARIOS * SYNTHETIC_REPLAYERS);
			const struct component *c = &cell_of(&a, 1, 0)->component[k];
			assert_int_equal(c->estimate.status, STAT_OK);
			/* the limit of fidelity is 0: one request */
			const double limit = k == COMPONENT_FIDELITY ? 1 : c->limit;
			ratio += fabs(c->estimate.value) / limit / M;
			analysis_release(&a);
		}
		/* U is wider than 1.96 u_c, because u_c is estimated from 20 runs only */
		assert_near(ratio, k == COMPONENT_UNCERTAINTY ? 1.06 : 1,
			    k == COMPONENT_PRECISION ? 0.12 : 0.06);
	}
	synthetic_release(&s);
	gsl_rng_free(rng);
}

static bool is_same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static void campaigns_are_same(struct synthetic *a, struct synthetic *b)
{
	SCOPED(analysis_release) struct analysis x = {0}, y = {0};
	assert_int_equal(analysis_compute(&x, &a->results, NULL), 0);
	assert_int_equal(analysis_compute(&y, &b->results, NULL), 0);
	assert_int_equal(x.n_cells, y.n_cells);
	for (size_t i = 0; i < x.n_cells; i++) {
		assert_int_equal(x.cell[i].verdict, y.cell[i].verdict);
		for (enum component_kind k = 0; k < COMPONENT_N; k++) {
			const struct component *c = &x.cell[i].component[k],
					       *d = &y.cell[i].component[k];
			assert_int_equal(c->decision, d->decision);
			assert_true(is_same(c->estimate.value, d->estimate.value));
		}
	}
}

/* A process draws several campaigns with different defects and numbers of pairs. Each campaign is
 * the same as that of a process that draws nothing else. */
static void test_synthetic_draws(void **state)
{
	(void)state;
	enum { N_SCENARIOS = 2 };
	struct synthetic used;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	synthetic_init_of(&used, N_SCENARIOS, SYNTHETIC_BLOCKS);
	for (enum component_kind k = 0; k < COMPONENT_N; k++) {
		struct synthetic fresh;
		const struct defect before = {k, 1}, defect = {(k + 5) % (COMPONENT_N + 1), 1};
		const enum scatter scatter = (enum scatter)(k % SCATTER_N);
		synthetic_draw(&used, (enum scatter)((k + 2) % SCATTER_N), &before, rng);
		synthetic_made_until(&used, SYNTHETIC_BLOCKS / 2);
		synthetic_init_of(&fresh, N_SCENARIOS, SYNTHETIC_BLOCKS);
		gsl_rng_set(rng, k + 1);
		synthetic_draw(&used, scatter, &defect, rng);
		gsl_rng_set(rng, k + 1);
		synthetic_draw(&fresh, scatter, &defect, rng);
		synthetic_made_until(&used, SYNTHETIC_BLOCKS);
		synthetic_made_until(&fresh, SYNTHETIC_BLOCKS);
		campaigns_are_same(&used, &fresh);
		synthetic_release(&fresh);
	}
	synthetic_release(&used);
	gsl_rng_free(rng);
}

/* The rates of each part do not depend on the number of processes. The trials of the other parts,
 * verdicts and looks, are synthetic campaigns. */
static void test_parts_over_processes(void **state)
{
	(void)state;
	static int (*const parts[])(const struct simulate_options *o, struct rates *rates,
				    struct err *e) = {simulate_frauds, simulate_accept,
						      simulate_tests, simulate_intervals,
						      simulate_compare};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		/* the first and the last part make one trial of ten campaigns */
		const bool few = i && i + 1 < sizeof parts / sizeof *parts;
		struct simulate_options o = {.n_campaigns = few ? 4 : 10, .seed = 2, .n_processes = 1, .quiet = true, .quick = true};
		struct rates one = {0}, three = {0};
		struct err e = ERR_INIT;
		assert_int_equal(parts[i](&o, &one, &e), 0);
		o.n_processes = 3;
		assert_int_equal(parts[i](&o, &three, &e), 0);
		assert_true(one.n > 0);
		assert_int_equal(one.n, three.n);
		for (size_t k = 0; k < one.n; k++) {
			assert_int_equal(one.rate[k].k, three.rate[k].k);
			assert_int_equal(one.rate[k].n, three.rate[k].n);
		}
		rates_release(&one);
		rates_release(&three);
	}
}

/* No replayer has a defect: most are trusted, none is rejected. A defect of 3 limits: none is
 * trusted. */
static void test_synthetic_verdicts(void **state)
{
	(void)state;
	struct synthetic s;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 12);
	synthetic_init(&s);
	size_t n_trusted = 0, n_not = 0;
	for (int i = 0; i < 10; i++) {
		struct analysis a;
		struct err e = ERR_INIT;
		synthetic_draw(&s, SCATTER_NORMAL, &(struct defect){.kind = COMPONENT_N}, rng);
		assert_int_equal(analysis_compute(&a, &s.results, &e), 0);
		n_trusted += a.n_trusted;
		n_not += a.n_not_trusted;
		analysis_release(&a);
		synthetic_draw(&s, SCATTER_NORMAL, &(struct defect){COMPONENT_BIAS, 3}, rng);
		assert_int_equal(analysis_compute(&a, &s.results, &e), 0);
		for (size_t j = 0; j < a.n_cells; j++)
			if (a.cell[j].replayer == 0)
				assert_int_equal(a.cell[j].verdict, VERDICT_NOT_TRUSTED);
		analysis_release(&a);
	}
	assert_true(n_trusted > 10 * 16 / 2);
	assert_int_equal(n_not, 0);
	synthetic_release(&s);
	gsl_rng_free(rng);
}

static void test_fault_options(void **state)
{
	(void)state;
	static const struct {
		const char *fault;
		unsigned int size;
		const char *option;
	} expected[] = {
		{"delay", 0, "delay:7000ns"},	      {"delay", 2, "delay:70000ns"},  {"proportional", 1, "proportional:30%"},
		{"lost", 2, "lost:10%"},	      {"swap", 0, "swap:1%"},	      {"serialise", 2, "serialise"},
		{"stall", 2, "stall:500000ns/1000us"}, {"drift", 1, "drift:3%"},
	};
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		const struct sized_fault *f = sized_faults;
		char text[80];
		while (f->name && strcmp(f->name, expected[i].fault))
			f++;
		assert_non_null(f->name);
		sized_fault_option(f, expected[i].size, 70000, text, sizeof text);
		assert_string_equal(text, expected[i].option);
	}
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(test_standings),
		cmocka_unit_test(test_work),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_synthetic_defects),
		cmocka_unit_test(test_synthetic_verdicts),
		cmocka_unit_test(test_synthetic_draws),
		cmocka_unit_test(test_parts_over_processes),
		cmocka_unit_test(test_fault_options),
	};
	gsl_set_error_handler_off();
	return cmocka_run_group_tests_name("self-test", all, NULL, NULL);
}
