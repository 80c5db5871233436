/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reordering: the fast computations compared with the definitions of RFC 4737, and the streaming
 * counts compared with both. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/validate/random.h"
#include "tests/model/reorder.h"
#include "validate/metrics/disorder.h"
#include "validate/metrics/summary.h"

enum { MAX_N = 80 };

struct sequence {
	uint64_t s[MAX_N], bytes[MAX_N];
	int64_t time[MAX_N];
	size_t n;
};

/* In order, then disturbed: a few swaps, a shuffle, losses, duplicates. */
static void draw_sequence(struct random *r, struct sequence *q)
{
	size_t n = random_below(r, MAX_N - 10),
	       n_swaps = random_below(r, 4) ? random_below(r, 6) : 5 * n;
	q->n = 0;
	for (size_t i = 0; i < n; i++)
		if (random_below(r, 12))
			q->s[q->n++] = i + 1;
	for (size_t i = 0; q->n && i < n_swaps; i++) {
		size_t a = random_below(r, q->n), b = random_below(r, q->n);
		uint64_t t = q->s[a];
		q->s[a] = q->s[b];
		q->s[b] = t;
	}
	for (size_t i = random_below(r, 3); q->n && i--;) {
		q->s[q->n] = q->s[random_below(r, q->n)];
		q->n++;
	}
	for (size_t i = 0; i < q->n; i++) {
		q->bytes[i] = random_below(r, 10000);
		q->time[i] = (i ? q->time[i - 1] : 0) + (int64_t)random_below(r, 1000);
	}
}

static size_t without_duplicates(const struct sequence *q, struct sequence *u)
{
	u->n = 0;
	for (size_t i = 0; i < q->n; i++) {
		bool seen = false;
		for (size_t j = 0; j < i; j++)
			seen |= q->s[j] == q->s[i];
		if (seen)
			continue;
		u->s[u->n] = q->s[i];
		u->bytes[u->n] = q->bytes[i];
		u->time[u->n++] = q->time[i];
	}
	return q->n - u->n;
}

/* Arrival i, by the definition of the RFC. */
static void check_reordered(const struct sequence *u, const struct reordered_arrival *a, size_t i,
			    uint64_t run)
{
	size_t j = 0;
	uint64_t bytes = 0;
	while (u->s[j] <= u->s[i])
		j++;
	for (size_t m = 0; m < i; m++)
		bytes += u->s[m] > u->s[i] ? u->bytes[m] : 0;
	assert_int_equal(a->s, u->s[i]);
	assert_int_equal(a->i, i + 1);
	assert_int_equal(a->j, j + 1);
	assert_int_equal(a->late, u->time[i] - u->time[j]);
	assert_int_equal(a->byte_offset, bytes);
	assert_int_equal(a->run_length, run);
}

static size_t n_preceding(const struct sequence *u, size_t i)
{
	size_t n = 0;
	while (n < i && u->s[i - n - 1] > u->s[i])
		n++;
	return n;
}

static void check_by_definition(const struct sequence *q, const struct reorder *r)
{
	struct sequence u;
	size_t n_reordered = 0, n_descents = 0, n_sequence_discontinuities = 0;
	uint64_t next = 1, run = 0, q_sum = 0;
	assert_int_equal(r->n_duplicates, without_duplicates(q, &u));
	assert_int_equal(r->n, u.n);
	for (size_t i = 0; i < u.n; i++) {
		assert_int_equal(r->n_preceding[i], n_preceding(&u, i));
		if (u.s[i] >= next) {
			n_sequence_discontinuities += u.s[i] != next;
			next = u.s[i] + 1;
			run++;
			continue;
		}
		assert_true(n_reordered < r->n_reordered);
		check_reordered(&u, &r->reordered[n_reordered++], i, run);
		q_sum += run * run;
		run = 0;
	}
	for (size_t i = 1; i < q->n; i++)
		n_descents += q->s[i] <= q->s[i - 1];
	assert_int_equal(r->n_reordered, n_reordered);
	assert_int_equal(r->n_sequence_discontinuities, n_sequence_discontinuities);
	assert_int_equal(r->n_descents, n_descents);
	assert_int_equal(r->runs_x, n_reordered);
	assert_int_equal(r->runs_a, u.n - n_reordered);
	assert_int_equal(r->runs_p, u.n);
	assert_int_equal(r->runs_q, q_sum);
}

static void test_random_sequences_by_definition(void **state)
{
	(void)state;
	struct random rnd = {17};
	for (int round = 0; round < 5000; round++) {
		struct sequence q;
		struct reorder r;
		draw_sequence(&rnd, &q);
		assert_int_equal(reorder_analyse(&r, q.s, q.bytes, q.time, q.n, NULL), 0);
		check_by_definition(&q, &r);
		reorder_release(&r);
	}
}

static void test_number_zero_refused(void **state)
{
	(void)state;
	struct reorder r;
	struct err e = ERR_INIT;
	const uint64_t s[] = {1, 0, 2};
	assert_int_equal(reorder_analyse(&r, s, NULL, NULL, 3, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "arrival 2"));
	reorder_release(&r);
}

/* --- streaming ----------------------------------------------------------- */

static const struct disorder_options counts = {DENSITY_UNBOUNDED, DENSITY_UNBOUNDED, true};

static struct reorder_summary finish(struct disorder *d)
{
	disorder_finish(d);
	struct reorder_summary r = {d->total.n_received, d->total.n_reordered, d->total.n_descents,
				    0};
	for (size_t i = 0; i < d->n_sequences; i++)
		if (d->sequence[i].max_extent > r.max_extent)
			r.max_extent = d->sequence[i].max_extent;
	disorder_release(d);
	return r;
}

static struct reorder_summary stream(const uint32_t *k, const uint32_t *sequence, size_t n)
{
	struct disorder d;
	disorder_init(&d, &counts);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(
		    disorder_add(&d, sequence ? sequence[i] : 0, k[i], 0, 0, NULL), 0);
	return finish(&d);
}

/* The same by the offline form, whose numbers begin with 1. */
static struct reorder_summary offline(const uint32_t *k, size_t n)
{
	struct reorder r;
	uint64_t *s = calloc(n + 1, sizeof *s);
	for (size_t i = 0; i < n; i++)
		s[i] = k[i] + 1u;
	assert_int_equal(reorder_analyse(&r, s, NULL, NULL, n, NULL), 0);
	struct reorder_summary t = {r.n, r.n_reordered, r.n_descents, r.max_extent};
	reorder_release(&r);
	free(s);
	return t;
}

static void draw_permutation(struct random *r, uint32_t *k, size_t n)
{
	size_t reach = 1 + random_below(r, random_below(r, 3) ? 10 : n + 1);
	bool shuffle = random_below(r, 5) > 0; /* else in order */
	for (size_t i = 0; i < n; i++)
		k[i] = (uint32_t)i;
	for (size_t i = 0; i < n && shuffle; i++) {
		size_t j = i + random_below(r, reach);
		if (j < n && random_below(r, 2)) {
			uint32_t t = k[i];
			k[i] = k[j];
			k[j] = t;
		}
	}
}

static void assert_same(struct reorder_summary a, struct reorder_summary b)
{
	assert_int_equal(a.n_received, b.n_received);
	assert_int_equal(a.n_reordered, b.n_reordered);
	assert_int_equal(a.n_descents, b.n_descents);
	assert_int_equal(a.max_extent, b.max_extent);
}

static void test_streaming_equals_offline(void **state)
{
	(void)state;
	struct random r = {19};
	for (int round = 0; round < 5000; round++) {
		uint32_t k[300];
		size_t n = random_below(&r, 300);
		draw_permutation(&r, k, n);
		assert_same(stream(k, NULL, n), offline(k, n));
	}
}

static void test_sequences_side_by_side(void **state)
{
	(void)state;
	struct random r = {29};
	for (int round = 0; round < 1000; round++) {
		enum { N_SEQUENCES = 5 };
		uint32_t part[N_SEQUENCES][60], at[N_SEQUENCES] = {0}, k[300], sequence[300];
		size_t n_part[N_SEQUENCES], n = 0, left = 0;
		struct reorder_summary sum = {0};
		for (int i = 0; i < N_SEQUENCES; i++) {
			n_part[i] = random_below(&r, 60);
			left += n_part[i];
			draw_permutation(&r, part[i], n_part[i]);
			struct reorder_summary one = offline(part[i], n_part[i]);
			sum.n_received += one.n_received;
			sum.n_reordered += one.n_reordered;
			sum.n_descents += one.n_descents;
			sum.max_extent =
			    one.max_extent > sum.max_extent ? one.max_extent : sum.max_extent;
		}
		while (left) {
			uint32_t i = (uint32_t)random_below(&r, N_SEQUENCES);
			if (at[i] == n_part[i])
				continue;
			sequence[n] = i;
			k[n++] = part[i][at[i]++];
			left--;
		}
		assert_same(stream(k, sequence, n), sum);
	}
}

static void test_places_wrap_around(void **state)
{
	(void)state;
	/* the sequence has 2^32 - 50 arrivals in order before these */
	struct random r = {31};
	for (int round = 0; round < 500; round++) {
		uint32_t k[100];
		struct disorder d;
		draw_permutation(&r, k, 100);
		disorder_init(&d, &counts);
		assert_int_equal(disorder_add(&d, 0, 0, 0, 0, NULL), 0);
		d.sequence[0].next = UINT32_MAX - 49;
		for (size_t i = 0; i < 100; i++)
			assert_int_equal(
			    disorder_add(&d, 0, k[i] + (UINT32_MAX - 49), 0, 0, NULL), 0);
		struct reorder_summary got = finish(&d);
		got.n_received -= UINT32_MAX - 49;
		assert_same(got, offline(k, 100));
	}
}

/* One thread far ahead of the other: every second place stays open for half of the trace. */
static void test_many_missing(void **state)
{
	(void)state;
	enum { HALF = 200000 };
	struct disorder d;
	disorder_init(&d, &counts);
	for (uint32_t i = 0; i < HALF; i++)
		assert_int_equal(disorder_add(&d, 0, 2 * i + 1, 0, 0, NULL), 0);
	for (uint32_t i = 0; i < HALF; i++)
		assert_int_equal(disorder_add(&d, 0, 2 * i, 0, 0, NULL), 0);
	struct reorder_summary got = finish(&d);
	assert_int_equal(got.n_reordered, HALF);
	assert_int_equal(got.n_descents, 1);
	/* each request finds its predecessors j * HALF arrivals back */
	assert_int_equal(got.max_extent, HALF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_sequences_by_definition),
	    cmocka_unit_test(test_number_zero_refused),
	    cmocka_unit_test(test_streaming_equals_offline),
	    cmocka_unit_test(test_sequences_side_by_side),
	    cmocka_unit_test(test_places_wrap_around),
	    cmocka_unit_test(test_many_missing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
