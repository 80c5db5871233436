/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts requests by their starts. Every code path (window, merge of threads, insertion, radix sort,
 * hours apart, runs in memory and in a file) is compared with a plain stable sort. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/validate/random.h"
#include "validate/metrics/arrivals.h"

struct list {
	struct arrival *a;
	size_t n, cap, fail_at;
};

static int take(void *context, const struct arrival *a, size_t n, struct err *e)
{
	struct list *l = context;
	assert_true(n > 0 && l->n + n <= l->cap);
	memcpy(l->a + l->n, a, n * sizeof *a);
	l->n += n;
	return l->fail_at && l->n >= l->fail_at ? err_set(e, EINVAL, "enough") : 0;
}

static int compare(const void *x, const void *y)
{
	const struct arrival *a = x, *b = y;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return a->k_all < b->k_all ? -1 : a->k_all > b->k_all;
}

/* Starts of a replay of several threads: each ascending, drifting apart by up to `drift`; `noise`
 * disturbs each start. */
static void draw(struct random *r, struct arrival *a, size_t n, uint64_t drift, uint64_t noise,
		 int64_t gap)
{
	int64_t offset[12] = {0};
	size_t n_threads = 1 + random_below(r, 12);
	for (size_t t = 0; t < n_threads; t++)
		offset[t] = (int64_t)random_below(r, drift + 1);
	for (size_t i = 0; i < n; i++) {
		size_t t = random_below(r, n_threads);
		int64_t begin =
		    (int64_t)i * gap + offset[t] + (int64_t)random_below(r, noise + 1) - 1000;
		a[i] = (struct arrival){.begin_ns = begin,
					.end_ns = begin + (int64_t)random_below(r, 100),
					.k_all = (uint32_t)i,
					.thread = (uint32_t)t};
	}
}

static int add(struct arrivals *o, const struct arrival *a, struct err *e)
{
	*arrivals_next(o) = *a;
	return arrivals_added(o, e);
}

/* True if the given order is valid and equals that of a sort. */
static bool order_is_right(const struct arrival *a, size_t n, enum arrivals_mode mode,
			   struct arrivals_options options, bool *used_file)
{
	struct arrivals o;
	struct err e = ERR_INIT;
	struct list l = {.a = calloc(n + 1, sizeof *l.a), .cap = n};
	struct arrival *sorted = calloc(n + 1, sizeof *sorted);
	assert_int_equal(arrivals_init(&o, mode, &options, (struct arrivals_sink){&l, take}, &e),
			 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(add(&o, &a[i], &e), 0);
	assert_int_equal(arrivals_finish(&o, &e), 0);
	bool right = !o.late;
	if (used_file)
		*used_file = o.fd >= 0;
	arrivals_release(&o);
	if (right) {
		memcpy(sorted, a, n * sizeof *a);
		qsort(sorted, n, sizeof *sorted, compare);
		assert_int_equal(l.n, n);
		for (size_t i = 0; i < n; i++)
			if (memcmp(&sorted[i], &l.a[i], sizeof *sorted))
				fail_msg("place %zu of %zu: request %u instead of %u", i, n,
					 l.a[i].k_all, sorted[i].k_all);
	}
	free(sorted);
	free(l.a);
	return right;
}

enum { MAX_N = 3000 };

static void test_window(void **state)
{
	(void)state;
	struct random r = {37};
	size_t n_right = 0, n_late = 0;
	struct arrival *a = calloc(MAX_N, sizeof *a);
	for (int round = 0; round < 600; round++) {
		size_t n = random_below(&r, MAX_N), window = 8u << random_below(&r, 7);
		struct arrivals_options options = {window, window << random_below(&r, 3), 0, NULL};
		draw(&r, a, n, random_below(&r, 200), random_below(&r, 60),
		     (int64_t)random_below(&r, 4));
		bool right = order_is_right(a, n, ARRIVALS_WINDOW, options, NULL);
		n_right += right;
		n_late += !right;
		if (n < window) /* all of it in one window */
			assert_true(right);
	}
	free(a);
	assert_true(n_right > 60 && n_late > 60); /* both outcomes occurred */
}

/* Input that is in order, or alternates a little, needs no second pass, however long it is. */
static void test_window_holds_small_disorder(void **state)
{
	(void)state;
	struct random r = {41};
	struct arrival *a = calloc(100 * MAX_N, sizeof *a);
	for (int round = 0; round < 6; round++) {
		draw(&r, a, 100 * MAX_N, 40, 20, 10);
		assert_true(order_is_right(a, 100 * MAX_N, ARRIVALS_WINDOW,
					   (struct arrivals_options){64, 64, 0, NULL}, NULL));
	}
	/* a drift that grows slowly beyond the first window: the window grows with it */
	for (size_t i = 0; i < 100 * MAX_N; i++) {
		int64_t ahead = i % 2 ? (int64_t)(i / 100) : 0;
		a[i] = (struct arrival){.begin_ns = (int64_t)i + ahead, .end_ns = INT64_MAX, .k_all = (uint32_t)i};
	}
	assert_true(order_is_right(a, 100 * MAX_N, ARRIVALS_WINDOW,
				   (struct arrivals_options){64, 1u << 16, 0, NULL}, NULL));
	assert_false(order_is_right(a, 100 * MAX_N, ARRIVALS_WINDOW,
				    (struct arrivals_options){64, 64, 0, NULL}, NULL));
	free(a);
}

static void test_runs(void **state)
{
	(void)state;
	struct random r = {43};
	struct arrival *a = calloc(MAX_N, sizeof *a);
	size_t n_file = 0, n_memory = 0;
	for (int round = 0; round < 500; round++) {
		size_t n = random_below(&r, MAX_N);
		struct arrivals_options options = {8, 8u << random_below(&r, 8),
						   random_below(&r, 3) * 20000, NULL};
		draw(&r, a, n, random_below(&r, 8000), random_below(&r, 2) * random_below(&r, 5000),
		     (int64_t)random_below(&r, 4));
		bool used_file;
		assert_true(order_is_right(a, n, ARRIVALS_RUNS, options, &used_file));
		n_file += used_file;
		n_memory += !used_file;
	}
	free(a);
	assert_true(n_file > 60 && n_memory > 60);
}

/* Runs far longer than a batch and a read buffer, interleaved and one after the other. */
static void test_long_runs_in_a_file(void **state)
{
	(void)state;
	struct random r = {47};
	enum { N = 200000 };
	struct arrival *a = calloc(N, sizeof *a);
	for (size_t i = 0; i < N; i++)
		a[i] =
		    (struct arrival){.begin_ns = (int64_t)(i % 50000) * 7, .end_ns = INT64_MAX, .k_all = (uint32_t)i};
	bool used_file;
	assert_true(order_is_right(a, N, ARRIVALS_RUNS,
				   (struct arrivals_options){8, 1u << 14, 0, NULL}, &used_file));
	assert_true(used_file);
	draw(&r, a, N, 1u << 30, 1u << 30, 1);
	assert_true(order_is_right(a, N, ARRIVALS_RUNS,
				   (struct arrivals_options){8, 1u << 14, 1u << 21, NULL},
				   &used_file));
	assert_true(used_file);
	assert_true(order_is_right(a, N, ARRIVALS_WINDOW,
				   (struct arrivals_options){1u << 18, 1u << 18, 0, NULL}, NULL));
	free(a);
}

/* Beyond the range of times that a sorting key holds beside the index: five hours and more within
 * one window. */
static void test_hours_apart(void **state)
{
	(void)state;
	struct random r = {53};
	struct arrival a[2000];
	for (int round = 0; round < 15; round++) {
		for (uint32_t i = 0; i < 2000; i++)
			a[i] =
			    (struct arrival){.begin_ns = ((int64_t)random_below(&r, 1000) - 500) * (INT64_C(1) << 51),
					     .end_ns = INT64_MAX,
					     .k_all = i};
		assert_true(order_is_right(a, 2000, ARRIVALS_RUNS,
					   (struct arrivals_options){8, 512, 1u << 20, NULL},
					   NULL));
	}
}

static void test_no_place_for_a_file(void **state)
{
	(void)state;
	struct arrivals o;
	struct err e = ERR_INIT;
	struct list l = {0};
	struct arrivals_options options = {8, 8, 0, "/proc/nonexistent/directory"};
	struct arrival a = {.end_ns = 1};
	int rc = arrivals_init(&o, ARRIVALS_RUNS, &options, (struct arrivals_sink){&l, take}, &e);
	for (int i = 0; i < 8 && !rc; i++)
		rc = add(&o, &a, &e);
	assert_int_equal(rc, -ENOENT);
	assert_non_null(strstr(e.msg, "/proc/nonexistent/directory"));
	assert_non_null(strstr(e.msg, "TMPDIR"));
	arrivals_release(&o);
}

static void test_sink_ends_it(void **state)
{
	(void)state;
	enum { N = 5000 };
	struct random r = {59};
	struct arrival *a = calloc(N, sizeof *a);
	draw(&r, a, N, 100, 0, 1);
	for (int mode = ARRIVALS_WINDOW; mode <= ARRIVALS_RUNS; mode++) {
		struct arrivals o;
		struct err e = ERR_INIT;
		struct list l = {.a = calloc(N, sizeof *l.a), .cap = N, .fail_at = 1000};
		struct arrivals_options options = {1024, 1024, 1u << 20, NULL};
		int rc = arrivals_init(&o, mode, &options, (struct arrivals_sink){&l, take}, &e);
		for (size_t i = 0; i < N && !rc; i++)
			rc = add(&o, &a[i], &e);
		rc = rc ? rc : arrivals_finish(&o, &e);
		assert_int_equal(rc, -EINVAL);
		assert_string_equal(e.msg, "enough");
		arrivals_release(&o);
		free(l.a);
	}
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_window),       cmocka_unit_test(test_window_holds_small_disorder),
	    cmocka_unit_test(test_runs),         cmocka_unit_test(test_long_runs_in_a_file),
	    cmocka_unit_test(test_hours_apart),  cmocka_unit_test(test_no_place_for_a_file),
	    cmocka_unit_test(test_sink_ends_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
