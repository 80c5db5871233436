/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/trace.h"
#include "tests/unit/validate/random.h"
#include "tests/model/concurrency.h"

enum { MAX_N = 60, MAX_TIME = 40 };

struct requests {
	int64_t begin[MAX_N], end[MAX_N];
	size_t n;
};

static bool is_active(const struct requests *q, size_t k, int64_t t)
{
	return q->begin[k] <= t && (q->end[k] == TIME_NONE || t < q->end[k]);
}

static size_t level_at(const struct requests *q, int64_t t)
{
	size_t level = 0;
	for (size_t k = 0; k < q->n; k++)
		level += is_active(q, k, t);
	return level;
}

/* The definition: requests in progress at its start that began before it, or at the same time and
 * earlier in the trace, plus itself. */
static size_t level_found(const struct requests *q, size_t i)
{
	size_t level = 1;
	for (size_t k = 0; k < q->n; k++) {
		bool earlier = q->begin[k] < q->begin[i] || (q->begin[k] == q->begin[i] && k < i);
		level += k != i && earlier && is_active(q, k, q->begin[i]);
	}
	return level;
}

static void span(const struct requests *q, int64_t *first, int64_t *last)
{
	*first = INT64_MAX;
	*last = INT64_MIN;
	for (size_t k = 0; k < q->n; k++) {
		int64_t end = q->end[k] == TIME_NONE ? q->begin[k] : q->end[k];
		*first = q->begin[k] < *first ? q->begin[k] : *first;
		*last = end > *last ? end : *last;
	}
}

static void check(const struct requests *q)
{
	struct concurrency_levels l;
	struct err e = ERR_INIT;
	int64_t ns_at[MAX_N + 1] = {0}, first, last;
	uint64_t requests_at[MAX_N + 1] = {0};
	size_t highest = 0;
	span(q, &first, &last);
	for (int64_t t = first; t < last; t++)
		ns_at[level_at(q, t)]++;
	assert_int_equal(concurrency_levels(&l, q->begin, q->end, q->n, &e), 0);
	for (size_t i = 0; i < q->n; i++) {
		size_t found = level_found(q, i);
		assert_int_equal(l.found[i], found);
		requests_at[found]++;
		highest = found > highest ? found : highest;
		if (q->end[i] == TIME_NONE || q->end[i] == q->begin[i]) {
			assert_true(isnan(l.lifetime[i]));
			continue;
		}
		double area = 0;
		for (int64_t t = q->begin[i]; t < q->end[i]; t++)
			area += (double)level_at(q, t);
		double expected = area / (double)(q->end[i] - q->begin[i]);
		assert_true(fabs(l.lifetime[i] - expected) < 1e-12 * expected);
	}
	assert_int_equal(l.total.highest, highest);
	assert_int_equal(l.total.first_ns, first);
	assert_int_equal(l.total.last_ns, last);
	assert_memory_equal(l.total.ns_at_level, ns_at, (q->n + 1) * sizeof *ns_at);
	assert_memory_equal(l.total.requests_at_level, requests_at,
			    (q->n + 1) * sizeof *requests_at);
	concurrency_levels_release(&l);
}

static void test_random_cases_by_definition(void **state)
{
	(void)state;
	struct random r = {11};
	for (int round = 0; round < 5000; round++) {
		struct requests q = {.n = 1 + random_below(&r, MAX_N)};
		/* narrow ranges have many equal times */
		int64_t range = 1 + (int64_t)random_below(&r, MAX_TIME);
		uint64_t longest = 1 + random_below(&r, MAX_TIME);
		bool unfinished = round % 4 == 0;
		for (size_t i = 0; i < q.n; i++) {
			q.begin[i] = (int64_t)random_below(&r, (uint64_t)range) - 10;
			q.end[i] = q.begin[i] + (int64_t)random_below(&r, longest + 1);
			if (unfinished && !random_below(&r, 8))
				q.end[i] = TIME_NONE;
		}
		check(&q);
	}
}

static void test_worked_cases(void **state)
{
	(void)state;
	const struct {
		struct requests q;
		int64_t ns_at[6];
		size_t found[5];
	} cases[] = {
	    {{{0, 5, 5, 20}, {10, 15, 8, 30}, 4}, {5, 20, 2, 3}, {1, 2, 3, 1}},
	    {{{0, 10, 20}, {10, 20, 30}, 3}, {0, 30}, {1, 1, 1}},
	    {{{0, 0, 0, 0}, {10, 10, 10, 10}, 4}, {0, 0, 0, 0, 10}, {1, 2, 3, 4}},
	    {{{0, 10, 15, 16, 50}, {100, 20, 18, 17, 60}, 5}, {0, 80, 17, 2, 1}, {1, 2, 3, 4, 2}},
	    {{{0, 5, 12}, {10, 5, 12}, 3}, {2, 10}, {1, 2, 1}},
	    {{{7}, {7}, 1}, {0}, {1}},
	};
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct concurrency_levels l;
		const struct requests *q = &cases[c].q;
		assert_int_equal(concurrency_levels(&l, q->begin, q->end, q->n, NULL), 0);
		assert_memory_equal(l.total.ns_at_level, cases[c].ns_at,
				    (q->n + 1) * sizeof(int64_t));
		assert_memory_equal(l.found, cases[c].found, q->n * sizeof(size_t));
		concurrency_levels_release(&l);
		check(q);
	}
}

static void test_levels_beyond_the_last(void **state)
{
	(void)state;
	struct concurrency c;
	concurrency_init(&c, 3);
	for (int64_t i = 0; i < 10; i++) { /* levels 1..10, one ns each, then down again */
		size_t found;
		assert_int_equal(concurrency_add(&c, i, 20 - i, &found, NULL), 0);
		assert_int_equal(found, i + 1);
	}
	concurrency_finish(&c);
	const int64_t ns_at[] = {0, 2, 2, 16};
	const uint64_t requests_at[] = {0, 1, 1, 8};
	assert_int_equal(c.highest, 3);
	assert_memory_equal(c.ns_at_level, ns_at, sizeof ns_at);
	assert_memory_equal(c.requests_at_level, requests_at, sizeof requests_at);
	concurrency_release(&c);
}

static void test_many_active_at_once(void **state)
{
	(void)state;
	struct random r = {13};
	struct concurrency c;
	concurrency_init(&c, 100000);
	for (int64_t i = 0; i < 100000; i++)
		assert_int_equal(concurrency_add(&c, i,
						 1000000 + (int64_t)random_below(&r, 1000000), NULL,
						 NULL),
				 0);
	concurrency_finish(&c);
	assert_int_equal(c.highest, 100000);
	int64_t sum = 0;
	for (size_t level = 1; level <= 100000; level++) {
		assert_int_equal(c.requests_at_level[level], 1);
		sum += c.ns_at_level[level];
	}
	assert_int_equal(sum, c.last_ns - c.first_ns);
	assert_int_equal(c.n_ends, 0);
	concurrency_release(&c);
}

static void test_refused(void **state)
{
	(void)state;
	struct concurrency c;
	struct concurrency_levels l;
	struct err e = ERR_INIT;
	int64_t begin[] = {5, 9}, end[] = {6, 8};
	assert_int_equal(concurrency_levels(&l, begin, end, 0, &e), -ENODATA);
	assert_int_equal(concurrency_levels(&l, begin, end, 2, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "ends before it begins"));
	concurrency_init(&c, 3);
	assert_int_equal(concurrency_add(&c, 10, 20, NULL, &e), 0);
	assert_int_equal(concurrency_add(&c, 9, 20, NULL, &e), -EINVAL);
	concurrency_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_cases_by_definition),
	    cmocka_unit_test(test_worked_cases),
	    cmocka_unit_test(test_levels_beyond_the_last),
	    cmocka_unit_test(test_many_active_at_once),
	    cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
