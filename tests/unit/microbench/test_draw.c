/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "microbench/draw.h"

enum { N = 20000 };
static uint32_t a[N], b[N];
static uint64_t x[N], y[N];

static void the_same_seed_gives_the_same_blocks(void **state)
{
	(void)state;
	draw_blocks(a, N, 4096, 42, 1);
	draw_blocks(b, N, 4096, 42, 1);
	assert_memory_equal(a, b, sizeof a);
	/* a shorter run has the same first requests */
	memset(b, 0, sizeof b);
	draw_blocks(b, 100, 4096, 42, 1);
	assert_memory_equal(a, b, 100 * sizeof *a);
}

static size_t n_equal(void)
{
	size_t n = 0;
	for (size_t i = 0; i < N; i++)
		n += a[i] == b[i];
	return n;
}

static void other_seeds_and_threads_give_other_blocks(void **state)
{
	(void)state;
	draw_blocks(a, N, 1 << 20, 42, 0);
	draw_blocks(b, N, 1 << 20, 42, 1);
	assert_true(n_equal() < 10);
	draw_blocks(b, N, 1 << 20, 43, 0);
	assert_true(n_equal() < 10);
	/* the same value of seed + thread, reached by changes in both directions, gives different
	 * draws */
	draw_blocks(a, N, 1 << 20, 42, 1);
	draw_blocks(b, N, 1 << 20, 43, 0);
	assert_true(n_equal() < 10);
	/* all 64 bits of the seed count */
	draw_blocks(b, N, 1 << 20, 42 + (1ull << 40), 1);
	assert_true(n_equal() < 10);
}

static void blocks_are_uniform(void **state)
{
	(void)state;
	enum { N_BLOCKS = 100 };
	unsigned int count[N_BLOCKS] = {0};
	double chi2 = 0, expected = (double)N / N_BLOCKS;
	draw_blocks(a, N, N_BLOCKS, 7, 0);
	for (size_t i = 0; i < N; i++) {
		assert_in_range(a[i], 0, N_BLOCKS - 1);
		count[a[i]]++;
	}
	for (size_t i = 0; i < N_BLOCKS; i++)
		chi2 += (count[i] - expected) * (count[i] - expected) / expected;
	/* chi-squared with 99 degrees of freedom: 0.0005 and 0.9995 quantiles */
	assert_true(chi2 > 58.6 && chi2 < 151.9);
}

static void the_extremes_of_a_range(void **state)
{
	(void)state;
	draw_blocks(a, 1000, 1, 7, 0);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(a[i], 0);
	uint32_t highest = 0;
	draw_blocks(a, 1000, UINT32_MAX, 7, 0);
	for (size_t i = 0; i < 1000; i++)
		highest = a[i] > highest ? a[i] : highest;
	assert_true(highest > 0xf0000000u && highest < UINT32_MAX);
}

static void moments(double *mean, double *sd)
{
	double sum = 0, squares = 0;
	for (size_t i = 0; i < N; i++)
		sum += (double)x[i];
	*mean = sum / N;
	for (size_t i = 0; i < N; i++)
		squares += ((double)x[i] - *mean) * ((double)x[i] - *mean);
	*sd = sqrt(squares / (N - 1));
}

/* Each distribution has the requested mean, and the standard deviation of its kind. Tolerances are
 * five standard errors. */
static void pauses_have_their_moments(void **state)
{
	(void)state;
	static const struct {
		enum think_kind kind;
		double sd, sd_tolerance; /* relative to the mean */
	} kinds[] = {
	    {THINK_FIXED, 0, 0},
	    {THINK_EXPONENTIAL, 1, 0.05},
	    {THINK_LOGNORMAL, 1, 0.2},
	    {THINK_UNIFORM, 0.57735, 0.02},
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		double mean, sd;
		draw_think(x, N, kinds[i].kind, 50000, 11, 2);
		moments(&mean, &sd);
		assert_true(fabs(mean / 50000 - 1) <= 5 * kinds[i].sd / sqrt(N));
		assert_true(fabs(sd / 50000 - kinds[i].sd) <= kinds[i].sd_tolerance);
	}
}

static void uniform_pauses_end_at_twice_the_mean(void **state)
{
	(void)state;
	uint64_t highest = 0;
	draw_think(x, N, THINK_UNIFORM, 1000, 3, 0);
	for (size_t i = 0; i < N; i++)
		highest = x[i] > highest ? x[i] : highest;
	assert_in_range(highest, 1990, 2000);
}

static void pauses_depend_on_the_seed(void **state)
{
	(void)state;
	draw_think(x, N, THINK_EXPONENTIAL, 1000000, 3, 0);
	draw_think(y, N, THINK_EXPONENTIAL, 1000000, 3, 0);
	assert_memory_equal(x, y, sizeof x);
	draw_think(y, N, THINK_EXPONENTIAL, 1000000, 3, 1);
	assert_memory_not_equal(x, y, 10 * sizeof *x);
	draw_think(x, N, THINK_LOGNORMAL, 0, 3, 0); /* no pause: no logarithm of 0 */
	assert_int_equal(x[N - 1], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_same_seed_gives_the_same_blocks),
	    cmocka_unit_test(other_seeds_and_threads_give_other_blocks),
	    cmocka_unit_test(blocks_are_uniform),
	    cmocka_unit_test(the_extremes_of_a_range),
	    cmocka_unit_test(pauses_have_their_moments),
	    cmocka_unit_test(uniform_pauses_end_at_twice_the_mean),
	    cmocka_unit_test(pauses_depend_on_the_seed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
