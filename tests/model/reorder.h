/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All reordering metrics of RFC 4737 for one sequence of arrivals in memory: the streaming metrics
 * (validate/metrics/disorder.h) must agree with them.
 *
 * s[i] is the number (from 1, in the order of the reference) of the i-th arrival. An arrival whose
 * number occurred before is a duplicate: it is counted, then left out; positions are those of the n
 * remaining arrivals. A missing number is no reordering. Positions are counted from 1, as in the
 * RFC. Source: RFC 4737 sections 3.3 to 5. Time O(n log n). */
#pragma once

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/xalloc.h"

/* --- Fenwick's tree: sums of a prefix of an array that changes, both in O(log n) --- */

/* Returns places 0..n-1, all zero. The caller frees them. */
static inline uint64_t *fenwick_new(size_t n)
{
	return xcalloc(n + 1, sizeof(uint64_t));
}

static inline void fenwick_add(uint64_t *tree, size_t n, size_t place, uint64_t value)
{
	for (size_t i = place + 1; i <= n; i += i & -i)
		tree[i] += value;
}

/* Sum over the first `n_first` places. */
static inline uint64_t fenwick_sum(const uint64_t *tree, size_t n_first)
{
	uint64_t sum = 0;
	for (size_t i = n_first; i; i -= i & -i)
		sum += tree[i];
	return sum;
}

/* --- results -------------------------------------------------------------- */

struct reordered_arrival { /* singletons of one reordered arrival */
	uint64_t s;
	size_t i,
	    j; /* its position; that of the earliest arrival with a larger number: extent = i - j */
	int64_t late;         /* time(i) - time(j), 0 without times */
	uint64_t byte_offset; /* payload of the earlier arrivals with larger numbers, 0 without
				 payloads */
	/* arrivals in order since the previous reordered arrival (RFC 4737 5.4) */
	uint64_t run_length;
};

struct reorder {
	size_t n, n_duplicates;
	uint64_t *s;                         /* [n], without duplicates */
	struct reordered_arrival *reordered; /* [n_reordered], in order of arrival */
	size_t n_reordered;
	/* in order, but beyond the expected number; the first arrival may be discontinuous */
	size_t n_sequence_discontinuities;
	uint64_t max_extent;
	double mean_extent; /* NaN without a reordered arrival */
	/* reordering-free runs: runs, arrivals in order, all arrivals, sum of squared run lengths
	 */
	uint64_t runs_x, runs_a, runs_p, runs_q;
	size_t *discontinuity; /* [n_discontinuities], the distinct j, ascending: gaps are their
				  differences */
	size_t n_discontinuities;
	size_t *n_preceding; /* [n]: how many arrivals just before have larger numbers: it is
				n-reordered up to that */
	/* hfplayer's script: arrivals with a number not above the previous number, including
	 * duplicates */
	size_t n_descents;
};

/* Distances of an order from that of the reference. They distinguish one late request from one
 * early request. Distinct numbers s[n]. */
struct order_distance {
	uint64_t inversions; /* pairs i < j with s[i] > s[j] */
	double kendall_tau;  /* 1 - 4 I / (n (n-1)); NaN for n < 2 */
	size_t lis_length; /* longest increasing subsequence: n - lis requests would have to move */
	uint64_t footrule; /* Spearman's: sum |rank of s[i] - i| */
};

struct numbered {
	uint64_t s;
	size_t i;
};

static inline int compare_numbered(const void *x, const void *y)
{
	const struct numbered *a = x, *b = y;
	if (a->s != b->s)
		return a->s < b->s ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

static inline int compare_positions(const void *x, const void *y)
{
	size_t a = *(const size_t *)x, b = *(const size_t *)y;
	return a < b ? -1 : a > b;
}

/* Sets rank[i] of s[i] among the distinct numbers, from 0. Returns how many distinct numbers there
 * are. */
static inline size_t rank_numbers(const uint64_t *s, size_t n, size_t *rank)
{
	struct numbered *sorted = xreallocarray(NULL, n + 1, sizeof *sorted);
	for (size_t i = 0; i < n; i++)
		sorted[i] = (struct numbered){s[i], i};
	qsort(sorted, n, sizeof *sorted, compare_numbered);
	size_t distinct = 0;
	for (size_t i = 0; i < n; i++) {
		distinct += !i || sorted[i].s != sorted[i - 1].s;
		rank[sorted[i].i] = distinct - 1;
	}
	free(sorted);
	return distinct;
}

/* --- common data: the unique arrivals, with their attributes --------------- */

struct arrivals_kept {
	size_t *rank;    /* [n] among the numbers received */
	uint64_t *bytes; /* [n], all 0 without payloads */
	int64_t *time;   /* [n], all 0 without times */
};

static inline void drop_duplicates(struct reorder *r, struct arrivals_kept *k, const uint64_t *s,
				   const uint64_t *bytes, const int64_t *time, size_t n)
{
	size_t *rank = xreallocarray(NULL, n + 1, sizeof *rank);
	size_t distinct = rank_numbers(s, n, rank);
	unsigned char *seen = xcalloc(distinct + 1, 1);
	for (size_t i = 0; i < n; i++) {
		r->n_descents += i && s[i] <= s[i - 1];
		if (seen[rank[i]]++) {
			seen[rank[i]] = 1;
			r->n_duplicates++;
			continue;
		}
		k->rank[r->n] = rank[i];
		k->bytes[r->n] = bytes ? bytes[i] : 0;
		k->time[r->n] = time ? time[i] : 0;
		r->s[r->n++] = s[i];
	}
	free(seen);
	free(rank);
}

/* --- the metrics ---------------------------------------------------------- */

/* Smallest position with a larger number: running maxima ascend, so it is the first of them above
 * s. */
static inline size_t first_above(const struct numbered *maximum, size_t n, uint64_t s)
{
	size_t lo = 0, hi = n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (maximum[mid].s > s)
			hi = mid;
		else
			lo = mid + 1;
	}
	return maximum[lo].i;
}

static inline void find_reordered(struct reorder *r, const struct arrivals_kept *k)
{
	struct numbered *maximum =
	    xreallocarray(NULL, r->n + 1, sizeof *maximum); /* running maxima and their positions */
	uint64_t *sum_by_rank = fenwick_new(r->n), run = 0, total = 0, next = 1;
	double sum_of_extents = 0;
	size_t n_maxima = 0;
	for (size_t i = 0; i < r->n; i++) {
		uint64_t s = r->s[i];
		if (s >= next) {
			r->n_sequence_discontinuities += s > next;
			next = s + 1;
			maximum[n_maxima++] = (struct numbered){s, i + 1};
			run++;
			r->runs_a++;
		} else {
			size_t j = first_above(maximum, n_maxima, s);
			uint64_t larger = total - fenwick_sum(sum_by_rank, k->rank[i] + 1);
			r->reordered[r->n_reordered++] =
			    (struct reordered_arrival){.s = s,
						       .i = i + 1,
						       .j = j,
						       .late = k->time[i] - k->time[j - 1],
						       .byte_offset = larger,
						       .run_length = run};
			uint64_t extent = i + 1 - j;
			sum_of_extents += (double)extent;
			r->max_extent = extent > r->max_extent ? extent : r->max_extent;
			r->runs_q += run * run;
			r->runs_x++;
			run = 0;
		}
		fenwick_add(sum_by_rank, r->n, k->rank[i], k->bytes[i]);
		total += k->bytes[i];
	}
	r->runs_p = r->n;
	r->mean_extent = r->n_reordered ? sum_of_extents / (double)r->n_reordered : NAN;
	free(maximum);
	free(sum_by_rank);
}

static inline void find_discontinuities(struct reorder *r)
{
	for (size_t m = 0; m < r->n_reordered; m++)
		r->discontinuity[m] = r->reordered[m].j;
	qsort(r->discontinuity, r->n_reordered, sizeof *r->discontinuity, compare_positions);
	for (size_t m = 0; m < r->n_reordered; m++)
		if (!m || r->discontinuity[m] != r->discontinuity[m - 1])
			r->discontinuity[r->n_discontinuities++] = r->discontinuity[m];
}

/* Finds the distance to the nearest earlier arrival with a smaller number, by a stack of ascending
 * numbers. */
static inline void find_preceding(struct reorder *r)
{
	size_t *stack = xreallocarray(NULL, r->n + 1, sizeof *stack), depth = 0;
	for (size_t i = 0; i < r->n; i++) {
		while (depth && r->s[stack[depth - 1]] > r->s[i])
			depth--;
		r->n_preceding[i] = depth ? i - stack[depth - 1] - 1 : i;
		stack[depth++] = i;
	}
	free(stack);
}

/* `bytes` and `time` may be NULL. Numbers are 1 or more. Errors: EINVAL for a number 0. n = 0 is
 * fine: everything is empty. Ownership: reorder_release. */
static inline int reorder_analyse(struct reorder *r, const uint64_t *s, const uint64_t *bytes,
				  const int64_t *time, size_t n, struct err *e)
{
	memset(r, 0, sizeof *r);
	for (size_t i = 0; i < n; i++)
		if (!s[i])
			return err_set(e, EINVAL,
				       "arrival %zu has the number 0: numbers begin with 1", i + 1);
	r->s = xreallocarray(NULL, n + 1, sizeof *r->s);
	r->reordered = xreallocarray(NULL, n + 1, sizeof *r->reordered);
	r->discontinuity = xreallocarray(NULL, n + 1, sizeof *r->discontinuity);
	r->n_preceding = xreallocarray(NULL, n + 1, sizeof *r->n_preceding);
	struct arrivals_kept k = {xreallocarray(NULL, n + 1, sizeof *k.rank),
				  xreallocarray(NULL, n + 1, sizeof *k.bytes),
				  xreallocarray(NULL, n + 1, sizeof *k.time)};
	drop_duplicates(r, &k, s, bytes, time, n);
	find_reordered(r, &k);
	find_discontinuities(r);
	find_preceding(r);
	free(k.rank);
	free(k.bytes);
	free(k.time);
	return 0;
}

static inline void reorder_release(struct reorder *r)
{
	free(r->s);
	free(r->reordered);
	free(r->discontinuity);
	free(r->n_preceding);
	memset(r, 0, sizeof *r);
}

/* Number of n-reordered arrivals (n >= 1): all of the n arrivals before them have larger numbers.
 * The degree is this number divided by r->n. */
static inline size_t reorder_n_reordered(const struct reorder *r, size_t n)
{
	size_t count = 0;
	for (size_t i = 0; i < r->n; i++)
		count += r->n_preceding[i] >= n;
	return count;
}

/* --- distances of orders -------------------------------------------------- */

static inline size_t longest_increasing(const uint64_t *s, size_t n)
{
	uint64_t *tail = xreallocarray(
	    NULL, n + 1, sizeof *tail); /* smallest end of an increasing run of each length */
	size_t length = 0;
	for (size_t i = 0; i < n; i++) {
		size_t lo = 0, hi = length;
		while (lo < hi) {
			size_t mid = (lo + hi) / 2;
			if (tail[mid] < s[i])
				lo = mid + 1;
			else
				hi = mid;
		}
		tail[lo] = s[i];
		length += lo == length;
	}
	free(tail);
	return length;
}

static inline struct order_distance order_distance(const uint64_t *s, size_t n)
{
	struct order_distance d = {.lis_length = longest_increasing(s, n), .kendall_tau = NAN};
	size_t *rank = xreallocarray(NULL, n + 1, sizeof *rank);
	uint64_t *seen = fenwick_new(n);
	rank_numbers(s, n, rank);
	for (size_t i = 0; i < n; i++) {
		d.inversions += i - fenwick_sum(seen, rank[i] + 1);
		d.footrule += rank[i] > i ? rank[i] - i : i - rank[i];
		fenwick_add(seen, n, rank[i], 1);
	}
	if (n > 1)
		d.kendall_tau = 1 - 4 * (double)d.inversions / ((double)n * (double)(n - 1));
	free(rank);
	free(seen);
	return d;
}
