/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The densities of RFC 5236, compared with its algorithms written with plain lists, and with its
 * worked examples. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/validate/random.h"
#include "tests/model/density.h"
#include "tests/model/reorder.h"

enum { MAX_N = 60 };

struct list {
	uint64_t x[2 * MAX_N];
	size_t n;
};

static bool list_has(const struct list *l, uint64_t x)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->x[i] == x)
			return true;
	return false;
}

static void list_remove(struct list *l, uint64_t x)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->x[i] == x) {
			memmove(&l->x[i], &l->x[i + 1], (l->n - i - 1) * sizeof *l->x);
			l->n--;
			return;
		}
}

static void draw(struct random *r, struct list *q)
{
	size_t n = 1 + random_below(r, MAX_N - 10),
	       n_swaps = random_below(r, 3) ? random_below(r, 6) : 3 * n;
	q->n = 0;
	for (size_t i = 0; i < n; i++)
		if (random_below(r, 9))
			q->x[q->n++] = i + 1;
	for (size_t i = 0; q->n && i < n_swaps; i++) {
		size_t a = random_below(r, q->n), b = random_below(r, q->n);
		uint64_t t = q->x[a];
		q->x[a] = q->x[b];
		q->x[b] = t;
	}
	for (size_t i = random_below(r, 4); q->n && i--; q->n++)
		q->x[q->n] = q->x[random_below(r, q->n)];
}

static void occupancies_by_definition(const struct list *q, uint64_t bt, struct list *b)
{
	struct list held = {.n = 0};
	uint64_t expected = 1;
	b->n = 0;
	for (size_t i = 0; i < q->n; i++) {
		uint64_t s = q->x[i];
		if (s < expected || list_has(&held, s))
			continue;
		if (s != expected && held.n < bt) {
			held.x[held.n++] = s;
		} else {
			while (s != expected && !list_has(&held, expected))
				expected++;
			while (s == expected || list_has(&held, expected))
				list_remove(&held, expected++);
		}
		b->x[b->n++] = held.n;
	}
}

static bool list_has_above(const struct list *l, uint64_t x)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->x[i] >= x)
			return true;
	return false;
}

/* Section 4.2 of the RFC. The RFC leaves a case open: if no later number exists to which the index
 * could advance, the earliest arrival of the window is lost. */
static void displacements_by_definition(const struct list *q, uint64_t dt, int64_t *d, size_t *n)
{
	struct list unique = {.n = 0}, window = {.n = 0}, buffer = {.n = 0};
	size_t next = 0;
	uint64_t index = 1;
	for (size_t i = 0; i < q->n; i++)
		if (!list_has(&unique, q->x[i]))
			unique.x[unique.n++] = q->x[i];
	while (window.n < dt + 1 && next < unique.n)
		window.x[window.n++] = unique.x[next++];
	*n = 0;
	while (window.n) {
		bool found = list_has_above(&window, index) || list_has_above(&buffer, index);
		if (found && !list_has(&window, index) && !list_has(&buffer, index)) {
			index++;
			continue;
		}
		uint64_t s = window.x[0];
		int64_t displacement = (int64_t)(index - s);
		list_remove(&window, s);
		if (found && (uint64_t)llabs(displacement) <= dt) {
			d[(*n)++] = displacement;
			list_remove(&buffer, index);
			if (displacement < 0)
				buffer.x[buffer.n++] = s;
			index++;
		}
		if (next < unique.n)
			window.x[window.n++] = unique.x[next++];
	}
}

static void test_random_sequences(void **state)
{
	(void)state;
	struct random r = {20080601};
	for (int round = 0; round < 20000; round++) {
		struct list q, expected;
		uint64_t b[2 * MAX_N],
		    bt = random_below(&r, 5) ? random_below(&r, 12) : DENSITY_UNBOUNDED;
		int64_t d[2 * MAX_N], wanted[2 * MAX_N];
		uint64_t dt = random_below(&r, 14);
		size_t n, n_wanted;
		draw(&r, &q);
		assert_int_equal(density_occupancies(q.x, q.n, bt, b, &n, NULL), 0);
		occupancies_by_definition(&q, bt, &expected);
		assert_int_equal(n, expected.n);
		assert_memory_equal(b, expected.x, n * sizeof *b);
		assert_int_equal(density_displacements(q.x, q.n, dt, d, &n, NULL), 0);
		displacements_by_definition(&q, dt, wanted, &n_wanted);
		assert_int_equal(n, n_wanted);
		assert_memory_equal(d, wanted, n * sizeof *d);
	}
}

static void test_a_threshold_beyond_all_is_none(void **state)
{
	(void)state;
	struct random r = {42};
	for (int round = 0; round < 2000; round++) {
		struct list q;
		int64_t d[2 * MAX_N], all[2 * MAX_N];
		size_t n, n_all;
		draw(&r, &q);
		assert_int_equal(density_displacements(q.x, q.n, 2 * MAX_N, d, &n, NULL), 0);
		assert_int_equal(
		    density_displacements(q.x, q.n, DENSITY_UNBOUNDED, all, &n_all, NULL), 0);
		assert_int_equal(n, n_all);
		assert_memory_equal(d, all, n * sizeof *d);
	}
}

static void test_an_arrival_beyond_the_threshold_is_lost(void **state)
{
	(void)state;
	const uint64_t s[] = {2, 3, 4, 5, 6, 7, 8, 1};
	int64_t d[8];
	size_t n;
	assert_int_equal(density_displacements(s, 8, 2, d, &n, NULL), 0);
	assert_int_equal(n, 7); /* 1 has no index: the others are on time */
	for (size_t i = 0; i < n; i++)
		assert_int_equal(d[i], 0);
	assert_int_equal(density_displacements(s, 8, 7, d, &n, NULL), 0);
	assert_int_equal(n, 8);
	assert_int_equal(d[7], 7);
	assert_int_equal(d[0], -1);
}

static void test_limits(void **state)
{
	(void)state;
	const uint64_t far[] = {UINT64_MAX, 1, UINT64_MAX - 1, 2}, zero[] = {1, 0};
	uint64_t b[4];
	int64_t d[4];
	size_t n;
	assert_int_equal(density_occupancies(far, 4, DENSITY_UNBOUNDED, b, &n, NULL), 0);
	assert_int_equal(n, 4);
	assert_int_equal(b[3], 2);
	assert_int_equal(density_occupancies(far, 0, 3, b, &n, NULL), 0);
	assert_int_equal(n, 0);
	assert_int_equal(density_occupancies(zero, 2, 3, b, &n, NULL), -EINVAL);
	assert_int_equal(density_displacements(zero, 2, 3, d, &n, NULL), -EINVAL);
	assert_int_equal(density_displacements(far, 4, DENSITY_MAX_DT + 1, d, &n, NULL), -EINVAL);
	/* with a threshold of 0 no arrival is held: every step forward counts as a loss */
	const uint64_t swapped[] = {2, 1, 4, 3};
	assert_int_equal(density_occupancies(swapped, 4, 0, b, &n, NULL), 0);
	assert_int_equal(n, 2);
	assert_int_equal(b[0] + b[1], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_sequences),
	    cmocka_unit_test(test_a_threshold_beyond_all_is_none),
	    cmocka_unit_test(test_an_arrival_beyond_the_threshold_is_lost),
	    cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
