/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals of a run compared with a plain count, for every length and order; distance and
 * correlation compared with values computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "validate/metrics/pace.h"

static void test_against_a_plain_count(void **state)
{
	(void)state;
	enum { N = 3000 };
	static int64_t begin[N], late[N];
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct random rnd = {seed};
		struct pace_tally t = {0};
		int64_t origin = (int64_t)random_below(&rnd, 1000000) - 500000;
		int64_t span = 1 + (int64_t)random_below(&rnd, 1ull << (10 + seed));
		for (int i = 0; i < N; i++) {
			begin[i] = origin + (i ? (int64_t)random_below(&rnd, (uint64_t)span) : 0);
			late[i] = (int64_t)random_below(&rnd, 2000) - 500;
			pace_add(&t, begin[i], i % 3 != 0, begin[i] - late[i]);
		}
		const struct pace *p = &t.pace;
		assert_true(p->width_ns >= PACE_FIRST_WIDTH_NS &&
			    !(p->width_ns & (p->width_ns - 1)));
		assert_true(p->n >= 1 && p->n <= PACE_MAX);
		/* no wider than needed, except by chance */
		assert_true(p->width_ns == PACE_FIRST_WIDTH_NS || p->n > PACE_MAX / 4);
		for (uint32_t k = 0; k < p->n; k++) {
			uint64_t n = 0, timed = 0;
			double sum = 0;
			for (int i = 0; i < N; i++)
				if ((begin[i] - origin) / p->width_ns == k) {
					n++;
					timed += i % 3 != 0;
					sum += i % 3 ? (double)late[i] : 0;
				}
			assert_int_equal(p->requests[k], n);
			assert_int_equal(p->timed[k], timed);
			assert_true(fabs(p->issue_error[k] - sum) < 1e-6);
		}
	}
}

/* The time that requests spend in each interval, compared with sums over the requests; time beyond
 * the intervals is left out. */
static void test_active(void **state)
{
	(void)state;
	enum { N = 400 };
	static int64_t begin[N], end[N];
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct random rnd = {seed};
		struct pace_tally t = {0};
		for (int i = 0; i < N; i++) {
			begin[i] = i ? (int64_t)random_below(&rnd, 1ull << (14 + seed % 20)) : 0;
			end[i] = begin[i] + (int64_t)random_below(&rnd, 1ull << (8 + seed % 20));
			pace_add(&t, begin[i], false, 0);
			pace_active(&t, begin[i], end[i], 4096);
		}
		const struct pace *p = &t.pace;
		/* later requests may have been beyond them while there were fewer, narrower
		 * intervals */
		for (uint32_t k = 0; k < p->n - 1; k++) {
			int64_t from = k * p->width_ns, to = from + p->width_ns, least = 0,
				most = 0;
			for (int i = 0; i < N; i++) {
				int64_t a = begin[i] > from ? begin[i] : from,
					b = end[i] < to ? end[i] : to;
				most += b > a ? b - a : 0;
				least +=
				    b > a && end[i] < PACE_FIRST_WIDTH_NS * PACE_MAX ? b - a : 0;
			}
			if (p->active_ns[k] < (double)least - 1e-3 ||
			    p->active_ns[k] > (double)most + 1e-3)
				fail_msg("seed %d, interval %u: %g, not %lld to %lld", (int)seed, k,
					 p->active_ns[k], (long long)least, (long long)most);
		}
	}
}

static void test_before_the_first_counts_as_the_first(void **state)
{
	(void)state;
	struct pace_tally t = {0};
	pace_add(&t, 100, false, 0);
	pace_add(&t, -(1ll << 60), false, 0);
	pace_add(&t, 1ll << 60, false, 0);
	assert_int_equal(t.pace.requests[0], 2);
	assert_int_equal(t.pace.requests[t.pace.n - 1], 1);
	assert_true(t.pace.n <= PACE_MAX && t.pace.n > PACE_MAX / 4);
}

static void test_distance(void **state)
{
	(void)state;
	struct pace a = {.width_ns = 65536, .n = 4, .requests = {10, 0, 10, 0}};
	struct pace b = {.width_ns = 131072, .n = 2, .requests = {10, 10}}, none = {0};
	assert_true(fabs(pace_distance(&a, &b)) < 1e-12); /* the same at the wider width */
	assert_int_equal(a.n, 4);			   /* and unchanged */
	b.requests[0] = 30;
	assert_true(fabs(pace_distance(&a, &b) - 0.25) < 1e-12); /* 1/2, 1/2 against 3/4, 1/4 */
	assert_true(fabs(pace_distance(&b, &a) - 0.25) < 1e-12);
	struct pace c = {.width_ns = 65536, .n = 4, .requests = {0, 5, 0, 5}};
	assert_true(fabs(pace_distance(&a, &c) - 1) < 1e-12);
	assert_true(isnan(pace_distance(&a, &none)) && isnan(pace_distance(&none, &a)));
}

static void test_correlation(void **state)
{
	(void)state;
	struct pace p = {.width_ns = 65536,
			 .n = 5,
			 .requests = {1, 2, 3, 4, 9},
			 .timed = {1, 2, 3, 4, 0}, /* the last has nothing timed */
			 .issue_error = {10, 40, 90, 4000, 7}};
	/* means 10, 20, 30, 1000: equal ranks */
	assert_true(fabs(pace_error_correlation(&p) - 1) < 1e-12);
	/* means 10, 20, 30, 1: ranks 2, 3, 4, 1 */
	p.issue_error[3] = 4;
	/* 1 - 6 sum d^2/(n (n^2 - 1)) with d = -1, -1, -1, 3 */
	assert_true(fabs(pace_error_correlation(&p) - (1 - 6 * 12 / 60.0)) < 1e-12);
	p.timed[0] = 0;
	assert_true(isnan(pace_error_correlation(&p)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_active),
	    cmocka_unit_test(test_against_a_plain_count),
	    cmocka_unit_test(test_before_the_first_counts_as_the_first),
	    cmocka_unit_test(test_distance),
	    cmocka_unit_test(test_correlation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
