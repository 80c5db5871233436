/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "validate/metrics/histogram.h"

#define RELATIVE (1.0 / 2048)

static uint64_t random_state;
static uint64_t draw(void) /* xorshift64* */
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 2685821657736338717ull;
}

/* A random value of any order of magnitude, each with the same probability. */
static int64_t draw_duration(void)
{
	return (int64_t)(draw() >> (1 + draw() % 63));
}

static int compare(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	return a < b ? -1 : a > b;
}

static void test_buckets_tile_the_range(void **state)
{
	(void)state;
	assert_int_equal(histogram_bucket(0), 0);
	assert_int_equal(histogram_bucket(2047), 2047);
	assert_int_equal(histogram_bucket(INT64_MAX), HISTOGRAM_MAX_BUCKETS - 1);
	/* at every power of two and its neighbours the bucket number grows by at most one */
	for (int k = 1; k < 63; k++) {
		uint64_t v = 1ull << k;
		uint32_t below = histogram_bucket(v - 1), at = histogram_bucket(v);
		assert_int_equal(at, below + 1);
		assert_true(histogram_bucket(v + 1) - at <= 1);
	}
	/* bucket b holds exactly the values nearest to its own value */
	for (uint32_t b = 1; b < HISTOGRAM_MAX_BUCKETS; b++) {
		double value = histogram_value(b);
		assert_true(value > histogram_value(b - 1));
		assert_int_equal(histogram_bucket((uint64_t)value), b);
	}
}

static void test_relative_error(void **state)
{
	(void)state;
	random_state = 1;
	for (int i = 0; i < 2000000; i++) {
		int64_t v = draw_duration();
		double back = histogram_value(histogram_bucket((uint64_t)v));
		if (v < 2048)
			assert_true(back == (double)v);
		else if (fabs(back - (double)v) > RELATIVE * (double)v)
			fail_msg("%lld is read back as %.17g", (long long)v, back);
	}
}

/* The smallest value such that at least p n values are not above it, from the sorted values. */
static int64_t exact_quantile(const int64_t *sorted, size_t n, size_t numerator, size_t denominator)
{
	size_t rank = (numerator * n + denominator - 1) / denominator;
	return sorted[rank ? rank - 1 : 0];
}

static void test_quantiles_against_sorted_values(void **state)
{
	(void)state;
	random_state = 2;
	for (int round = 0; round < 60; round++) {
		int64_t v[1000];
		size_t n = 1 + draw() % 1000;
		struct histogram h = {0};
		for (size_t i = 0; i < n; i++) {
			v[i] = draw_duration();
			histogram_add(&h, v[i]);
		}
		qsort(v, n, sizeof *v, compare);
		for (size_t thousandths = 0; thousandths <= 1000; thousandths++) {
			double got, exact = (double)exact_quantile(v, n, thousandths, 1000);
			assert_int_equal(
			    histogram_quantile(&h, (double)thousandths / 1000, &got, NULL), 0);
			if (fabs(got - exact) > RELATIVE * exact)
				fail_msg("n %zu, p %zu/1000: %.17g, exactly %.17g", n, thousandths,
					 got, exact);
		}
		double mean, exact_mean = 0;
		size_t cut = n / 10;
		for (size_t i = cut; i < n - cut; i++)
			exact_mean += (double)v[i] / (double)(n - 2 * cut);
		assert_int_equal(histogram_trimmed_mean(&h, 0.1, &mean, NULL), 0);
		if (fabs(mean - exact_mean) > 1.0001 * RELATIVE * exact_mean)
			fail_msg("n %zu: trimmed mean %.17g, exactly %.17g", n, mean, exact_mean);
		histogram_release(&h);
	}
}

static void test_small_cases(void **state)
{
	(void)state;
	struct histogram h;
	struct err e = ERR_INIT;
	double v;
	h = (struct histogram){0};
	assert_int_equal(histogram_quantile(&h, 0.5, &v, &e), -ENODATA);
	assert_int_equal(histogram_trimmed_mean(&h, 0.1, &v, &e), -ENODATA);
	histogram_add(&h, -5);
	assert_int_equal(histogram_quantile(&h, 0.5, &v, &e), -ENODATA);
	assert_int_equal(h.n, 0);
	assert_int_equal(h.n_negative, 1);
	for (int i = 1; i <= 10; i++)
		histogram_add(&h, 10 * i);
	assert_int_equal(histogram_quantile(&h, 0.5, &v, &e), 0); /* lower median */
	assert_true(v == 50);
	assert_int_equal(histogram_quantile(&h, 0.51, &v, &e), 0);
	assert_true(v == 60);
	assert_int_equal(histogram_quantile(&h, 0, &v, &e), 0);
	assert_true(v == 10);
	assert_int_equal(histogram_quantile(&h, 1, &v, &e), 0);
	assert_true(v == 100);
	assert_int_equal(histogram_trimmed_mean(&h, 0.1, &v, &e), 0);
	assert_true(v == 55);
	/* floor(4.9) from each end */
	assert_int_equal(histogram_trimmed_mean(&h, 0.49, &v, &e), 0);
	assert_true(v == 55);
	assert_int_equal(histogram_quantile(&h, 1.01, &v, &e), -EINVAL);
	assert_int_equal(histogram_quantile(&h, -0.1, &v, &e), -EINVAL);
	assert_int_equal(histogram_quantile(&h, NAN, &v, &e), -EINVAL);
	assert_int_equal(histogram_trimmed_mean(&h, 0.5, &v, &e), -EINVAL);
	assert_int_equal(histogram_count_above(&h, 50), 5);
	assert_int_equal(histogram_count_above(&h, 49.9), 6);
	assert_int_equal(histogram_count_above(&h, 1e18), 0);
	histogram_release(&h);
	/* 0.07 x 100 is 7.000000000000001 in floating point, but the result is the 7th value */
	for (int i = 1; i <= 100; i++)
		histogram_add(&h, i);
	assert_int_equal(histogram_quantile(&h, 0.07, &v, &e), 0);
	assert_true(v == 7);
	histogram_release(&h);
}

static void assert_same(const struct histogram *a, const struct histogram *b)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->n_negative, b->n_negative);
	for (uint32_t i = 0; i < HISTOGRAM_MAX_BUCKETS; i++) {
		uint64_t x = i < a->n_buckets ? a->count[i] : 0,
			 y = i < b->n_buckets ? b->count[i] : 0;
		assert_int_equal(x, y);
	}
}

static void test_merge_is_adding(void **state)
{
	(void)state;
	random_state = 3;
	for (int round = 0; round < 50; round++) {
		struct histogram a = {0}, b = {0}, all = {0};
		for (size_t i = draw() % 200; i--;) {
			int64_t v = draw_duration() - 10;
			histogram_add(&all, v);
			histogram_add(draw() % 3 ? &a : &b, v);
		}
		/* from the wider into the narrower histogram and back */
		struct histogram c = {0};
		histogram_merge(&c, &b);
		histogram_merge(&c, &a);
		histogram_merge(&a, &b);
		assert_same(&a, &all);
		assert_same(&c, &all);
		histogram_release(&a);
		histogram_release(&b);
		histogram_release(&c);
		histogram_release(&all);
	}
}

static void test_json_round_trip(void **state)
{
	(void)state;
	random_state = 4;
	for (int round = 0; round < 100; round++) {
		struct histogram a = {0}, b;
		struct err e = ERR_INIT;
		for (size_t i = draw() % 1000; i--;) /* a dense part and outliers */
			histogram_add(&a, draw() % 5 ? 500 + (int64_t)(draw() % 300)
						     : draw_duration() - 1);
		json_t *o = histogram_to_json(&a);
		char *text = json_dumps(o, 0);
		json_decref(o);
		o = json_loads(text, 0, NULL);
		assert_int_equal(histogram_from_json(&b, o, &e), 0);
		assert_same(&a, &b);
		free(text);
		json_decref(o);
		histogram_release(&a);
		histogram_release(&b);
	}
}

static void test_json_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {
	    "[]",
	    "{}",
	    "{\"n\": 1, \"negative\": 0}",
	    "{\"n\": 1, \"negative\": 0, \"buckets\": {}}",
	    "{\"n\": 1, \"negative\": -1, \"buckets\": [[5, 1]]}",
	    "{\"n\": 1.0, \"negative\": 0, \"buckets\": [[5, 1]]}",
	    "{\"n\": 2, \"negative\": 0, \"buckets\": [[5, 1]]}",
	    "{\"n\": 1, \"negative\": 0, \"buckets\": [5]}",
	    "{\"n\": 0, \"negative\": 0, \"buckets\": [[5]]}",
	    "{\"n\": 0, \"negative\": 0, \"buckets\": [[]]}",
	    "{\"n\": 1, \"negative\": 0, \"buckets\": [[-1, 1]]}",
	    "{\"n\": 1, \"negative\": 0, \"buckets\": [[55296, 1]]}",
	    "{\"n\": 2, \"negative\": 0, \"buckets\": [[55295, 1, 1]]}",
	    "{\"n\": 1, \"negative\": 0, \"buckets\": [[9223372036854775807, 1]]}",
	    "{\"n\": 2, \"negative\": 0, \"buckets\": [[5, 1], [5, 1]]}",
	    "{\"n\": 2, \"negative\": 0, \"buckets\": [[6, 1], [5, 1]]}",
	    "{\"n\": 1, \"negative\": 0, \"buckets\": [[5, 2, -1]]}",
	    "{\"n\": 1, \"negative\": 0, \"buckets\": [[5, \"1\"]]}",
	    "{\"n\": 1, \"negative\": 0, \"buckets\": [[5, 9223372036854775807, "
	    "9223372036854775807, 3]]}",
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct histogram h;
		struct err e = ERR_INIT;
		json_t *o = json_loads(bad[i], 0, NULL);
		assert_non_null(o);
		if (histogram_from_json(&h, o, &e) != -EINVAL)
			fail_msg("taken: %s", bad[i]);
		assert_string_not_equal(e.msg, "");
		assert_null(h.count);
		json_decref(o);
	}
	struct histogram h;
	assert_int_equal(histogram_from_json(&h, NULL, NULL), -EINVAL);
}

/* The size of summaries on disk: a run of a million short requests. */
static void test_json_is_small(void **state)
{
	(void)state;
	struct histogram h = {0};
	random_state = 5;
	/* about exponential around 600 ns, with a tail to 100 us */
	for (int i = 0; i < 1000000; i++)
		histogram_add(
		    &h, 450 +
			    (int64_t)(-100.0 *
				      log((double)(draw() >> 11) / 9007199254740992.0 + 1e-300)) +
			    (draw() % 1000 ? 0 : (int64_t)(draw() % 100000)));
	json_t *o = histogram_to_json(&h);
	char *text = json_dumps(o, JSON_COMPACT);
	assert_true(strlen(text) < 20000);
	free(text);
	json_decref(o);
	histogram_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_buckets_tile_the_range),
	    cmocka_unit_test(test_relative_error),
	    cmocka_unit_test(test_quantiles_against_sorted_values),
	    cmocka_unit_test(test_small_cases),
	    cmocka_unit_test(test_merge_is_adding),
	    cmocka_unit_test(test_json_round_trip),
	    cmocka_unit_test(test_json_refused),
	    cmocka_unit_test(test_json_is_small),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
