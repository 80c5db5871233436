/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reordering measured while requests arrive, compared with the same metrics of sequences in memory,
 * which are tested against the definitions of the RFCs: random sequences, several at a time, with
 * losses. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/xalloc.h"
#include "tests/unit/validate/random.h"
#include "validate/metrics/disorder.h"
#include "tests/model/density.h"
#include "tests/model/reorder.h"

struct made { /* a sequence: the arrivals, in their order */
	uint64_t *s, *bytes, n, n_sent;
	int64_t *time;
	uint32_t *k;   /* [n] places of the arrivals */
	uint32_t *lost_at; /* [n_lost] next number at each loss, ascending */
	size_t n_lost;
	size_t n_added, n_told;
};

/* In order, then disturbed: swaps near and far, a moved block, a shuffle. */
static void disturb(struct random *r, struct made *m)
{
	size_t kind = random_below(r, 5),
	       n_swaps = kind == 4 ? 4 * m->n : random_below(r, 1 + m->n / 4);
	for (size_t i = 0; m->n && i < n_swaps && kind; i++) {
		size_t a = random_below(r, m->n),
		       b = kind == 1 ? a + random_below(r, 8) : random_below(r, m->n);
		b = b < m->n ? b : m->n - 1;
		uint64_t t = m->s[a];
		m->s[a] = m->s[b];
		m->s[b] = t;
	}
	if (kind == 2 && m->n > 3) { /* the first request last, or the last one first */
		size_t a = random_below(r, m->n);
		uint64_t t = m->s[a];
		memmove(m->s + a, m->s + a + 1, (m->n - a - 1) * sizeof *m->s);
		m->s[m->n - 1] = t;
	}
}

static int compare_u64(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
	return a < b ? -1 : a > b;
}

static void make(struct random *r, struct made *m, size_t n_max, bool losses)
{
	memset(m, 0, sizeof *m);
	m->n_sent = random_below(r, n_max);
	m->s = xcalloc(m->n_sent + 1, sizeof *m->s);
	m->bytes = xcalloc(m->n_sent + 1, sizeof *m->bytes);
	m->time = xcalloc(m->n_sent + 1, sizeof *m->time);
	m->k = xcalloc(m->n_sent + 1, sizeof *m->k);
	m->lost_at = xcalloc(m->n_sent + 1, sizeof *m->lost_at);
	for (uint64_t i = 0; i < m->n_sent; i++) {
		if (losses && !random_below(r, 7))
			m->lost_at[m->n_lost++] = (uint32_t)m->n;
		else
			m->s[m->n++] = i + 1;
	}
	uint64_t *sorted = xcalloc(m->n + 1, sizeof *sorted);
	memcpy(sorted, m->s, m->n * sizeof *sorted);
	disturb(r, m);
	for (size_t i = 0; i < m->n; i++) {
		const uint64_t *at = bsearch(&m->s[i], sorted, m->n, sizeof *sorted, compare_u64);
		m->k[i] = (uint32_t)(at - sorted);
		m->bytes[i] = random_below(r, 3) ? 4096 : random_below(r, 100000);
		m->time[i] = (i ? m->time[i - 1] : -500) + (int64_t)random_below(r, 1000);
	}
	free(sorted);
}

static void made_release(struct made *m)
{
	free(m->s);
	free(m->bytes);
	free(m->time);
	free(m->k);
	free(m->lost_at);
}

/* The next arrival of a sequence, after the losses that must be known by then, or further
 * losses. */
static void add_next(struct random *r, struct disorder *d, uint32_t sequence, struct made *m)
{
	size_t i = m->n_added++;
	uint64_t known = (i > m->k[i] ? i : m->k[i]) + random_below(r, 4) * random_below(r, 40);
	while (m->n_told < m->n_lost && m->lost_at[m->n_told] <= known)
		disorder_lost(d, sequence, m->lost_at[m->n_told++]);
	assert_int_equal(disorder_add(d, sequence, m->k[i], m->time[i], m->bytes[i], NULL), 0);
}

static int64_t sum_of(const struct distribution *d)
{
	return (int64_t)d->sum.sum;
}

/* Adds a sequence to the totals; `t` has the expected values of the sequences before it. */
struct expected {
	uint64_t n_received, n_lost, n_reordered, n_sequence_discontinuities, n_descents,
	    n_discontinuities, n_gaps;
	uint64_t x, a, q, inversions, n_pairs, n_moves, footrule, n_displaced, displacement_sum,
	    n_late, n_occupancies;
	uint64_t occupancy_sum, n_occupied, max_extent, preceding[4], max_preceding;
	int64_t extent, late, bytes, gap;
};

static void expect_densities(struct expected *t, const struct made *m,
			     const struct disorder_options *o)
{
	int64_t *d = xcalloc(m->n + 1, sizeof *d);
	uint64_t *b = xcalloc(m->n + 1, sizeof *b);
	size_t n;
	assert_int_equal(density_displacements(m->s, m->n, o->dt, d, &n, NULL), 0);
	t->n_displaced += n;
	for (size_t i = 0; i < n; i++) {
		t->displacement_sum += (uint64_t)llabs((long long)d[i]);
		t->n_late += d[i] > 0;
	}
	assert_int_equal(density_occupancies(m->s, m->n, o->bt, b, &n, NULL), 0);
	t->n_occupancies += n;
	for (size_t i = 0; i < n; i++) {
		t->occupancy_sum += b[i];
		t->n_occupied += b[i] > 0;
	}
	free(d);
	free(b);
}

static void expect(struct expected *t, const struct made *m, const struct disorder_options *o)
{
	struct reorder r;
	assert_int_equal(reorder_analyse(&r, m->s, m->bytes, m->time, m->n, NULL), 0);
	struct order_distance d = order_distance(r.s, r.n);
	t->n_received += r.n;
	t->n_lost += m->n_lost;
	t->n_reordered += r.n_reordered;
	t->n_sequence_discontinuities += r.n_sequence_discontinuities;
	t->n_descents += r.n_descents;
	t->n_discontinuities += r.n_discontinuities;
	t->x += r.runs_x;
	t->a += r.runs_a;
	t->q += r.runs_q;
	t->inversions += d.inversions;
	t->n_pairs += r.n ? r.n * (r.n - 1) / 2 : 0;
	t->n_moves += r.n - d.lis_length;
	t->footrule += d.footrule;
	t->max_extent = r.max_extent > t->max_extent ? r.max_extent : t->max_extent;
	for (size_t i = 0; i < r.n_reordered; i++) {
		t->extent += (int64_t)(r.reordered[i].i - r.reordered[i].j);
		t->late += r.reordered[i].late;
		t->bytes += (int64_t)r.reordered[i].byte_offset;
	}
	for (size_t i = 1; i < r.n_discontinuities; i++, t->n_gaps++)
		t->gap += (int64_t)(r.discontinuity[i] - r.discontinuity[i - 1]);
	for (size_t n = 1; n < 4; n++)
		t->preceding[n] += reorder_n_reordered(&r, n);
	for (size_t i = 0; i < r.n; i++)
		t->max_preceding =
		    r.n_preceding[i] > t->max_preceding ? r.n_preceding[i] : t->max_preceding;
	reorder_release(&r);
	expect_densities(t, m, o);
}

static uint64_t preceded_by(const struct disorder_total *t, uint64_t n)
{
	uint64_t count = 0;
	for (uint32_t b = (uint32_t)n; b < t->preceding.n_buckets; b++)
		count += t->preceding.count[b];
	return count;
}

static void check(const struct disorder_total *t, const struct expected *x, bool bounded)
{
	assert_int_equal(t->n_received, x->n_received);
	assert_int_equal(t->runs_p, x->n_received);
	assert_int_equal(t->n_lost, x->n_lost);
	assert_int_equal(t->n_reordered, x->n_reordered);
	assert_int_equal(t->n_sequence_discontinuities, x->n_sequence_discontinuities);
	assert_int_equal(t->n_descents, x->n_descents);
	assert_int_equal(t->n_discontinuities, x->n_discontinuities);
	assert_int_equal(t->runs_x, x->x);
	assert_int_equal(t->runs_a, x->a);
	assert_int_equal(t->runs_q, x->q);
	assert_int_equal(t->inversions, x->inversions);
	assert_int_equal(t->n_pairs, x->n_pairs);
	assert_int_equal(t->n_moves, x->n_moves);
	assert_int_equal(t->footrule, x->footrule);
	assert_int_equal(t->extent.sum.n, x->n_reordered);
	assert_int_equal(sum_of(&t->extent), x->extent);
	assert_int_equal(t->extent.sum.n ? t->extent.sum.max : 0, x->max_extent);
	assert_int_equal(sum_of(&t->late_ns), x->late);
	assert_int_equal(sum_of(&t->byte_offset), x->bytes);
	assert_int_equal(t->gap.sum.n, x->n_gaps);
	assert_int_equal(sum_of(&t->gap), x->gap);
	for (size_t n = 1; n < 4; n++)
		assert_int_equal(preceded_by(t, n), x->preceding[n]);
	assert_int_equal(t->max_preceding, x->max_preceding);
	assert_int_equal(t->n_displaced, x->n_displaced);
	assert_int_equal(t->displacement_sum, x->displacement_sum);
	assert_int_equal(t->displaced_late.n, x->n_late);
	assert_int_equal(t->needs_bt, x->n_lost && !bounded);
	if (t->needs_bt)
		return;
	assert_int_equal(t->n_occupancies, x->n_occupancies);
	assert_int_equal(t->occupancy_sum, x->occupancy_sum);
	assert_int_equal(t->occupied.n, x->n_occupied);
}

enum { MAX_SEQUENCES = 4 };

static void run_case(struct random *r, size_t n_max)
{
	struct disorder_options o = {random_below(r, 3) ? DENSITY_UNBOUNDED : random_below(r, 20),
				     random_below(r, 2) ? DENSITY_UNBOUNDED : random_below(r, 20)};
	struct made m[MAX_SEQUENCES];
	struct expected x = {0};
	struct disorder d;
	size_t n = 1 + random_below(r, MAX_SEQUENCES), left = 0;
	bool losses = random_below(r, 2);
	disorder_init(&d, &o);
	for (size_t i = 0; i < n; i++) {
		make(r, &m[i], n_max, losses);
		left += m[i].n;
	}
	while (left) {
		size_t i = random_below(r, n);
		if (m[i].n_added == m[i].n)
			continue;
		add_next(r, &d, (uint32_t)i, &m[i]);
		left--;
	}
	for (size_t i = 0; i < n; i++) {
		while (m[i].n_told < m[i].n_lost)
			disorder_lost(&d, (uint32_t)i, m[i].lost_at[m[i].n_told++]);
		expect(&x, &m[i], &o);
		made_release(&m[i]);
	}
	disorder_finish(&d);
	check(&d.total, &x, o.bt != DENSITY_UNBOUNDED);
	disorder_release(&d);
}

static void test_short_sequences(void **state)
{
	(void)state;
	struct random r = {4737};
	for (int i = 0; i < 8000; i++)
		run_case(&r, 30);
}

static void test_long_sequences(void **state)
{
	(void)state;
	struct random r = {5236};
	for (int i = 0; i < 100; i++)
		run_case(&r, 6000);
}

/* Windows that grow through every level of the sums. */
static void test_wide_windows(void **state)
{
	(void)state;
	struct random r = {99};
	for (int i = 0; i < 3; i++)
		run_case(&r, 60000);
}

static void test_twice_the_same_place(void **state)
{
	(void)state;
	struct disorder d;
	struct disorder_options o = {DENSITY_UNBOUNDED, DENSITY_UNBOUNDED};
	disorder_init(&d, &o);
	assert_int_equal(disorder_add(&d, 0, 0, 0, 1, NULL), 0);
	assert_int_equal(disorder_add(&d, 0, 1, 0, 1, NULL), 0);
	assert_int_equal(disorder_add(&d, 0, 0, 0, 1, NULL), -EINVAL);
	assert_int_equal(disorder_add(&d, 0, 3, 0, 1, NULL), 0);
	assert_int_equal(disorder_add(&d, 0, 3, 0, 1, NULL), -EINVAL);
	disorder_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_short_sequences),
	    cmocka_unit_test(test_long_sequences),
	    cmocka_unit_test(test_wide_windows),
	    cmocka_unit_test(test_twice_the_same_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
