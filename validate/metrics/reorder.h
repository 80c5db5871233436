/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RFC 4737, all of its reordering metrics, of one sequence of arrivals held in memory.
 *
 * s[i] is the number (from 1, in the order of the reference) of the i-th arrival. An arrival whose number was seen
 * before is a duplicate: counted, then left out; positions are those of the n that remain. What was not received is no
 * reordering. Positions are counted from 1, as in the RFC. Source: RFC 4737 sections 3.3 to 5.
 * Time O(n log n). */
#ifndef VALIDATE_METRICS_REORDER_H
#define VALIDATE_METRICS_REORDER_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct reordered_arrival { /* singletons of one reordered arrival */
	uint64_t s;
	size_t i, j;          /* its position; that of the earliest arrival with a larger number: extent = i - j */
	int64_t late;         /* time(i) - time(j), 0 without times */
	uint64_t byte_offset; /* payload of the earlier arrivals with larger numbers, 0 without payloads */
	uint64_t run_length;  /* arrivals in order since the reordered one before (RFC 4737 5.4) */
};

struct reorder {
	size_t n, n_duplicates;
	uint64_t *s;                         /* [n], without duplicates */
	struct reordered_arrival *reordered; /* [n_reordered], in order of arrival */
	size_t n_reordered;
	size_t n_sequence_discontinuities; /* in order, but beyond the number expected; the first arrival may be one */
	uint64_t max_extent;
	double mean_extent; /* NaN without a reordered arrival */
	/* reordering-free runs: runs, arrivals in order, all arrivals, sum of squared run lengths */
	uint64_t runs_x, runs_a, runs_p, runs_q;
	size_t *discontinuity; /* [n_discontinuities], the distinct j, ascending: gaps are their differences */
	size_t n_discontinuities;
	size_t *n_preceding; /* [n]: how many arrivals just before have larger numbers: it is n-reordered up to that */
	size_t n_descents;   /* hfplayer's script: arrivals with a number not above the one before, duplicates kept */
};

/* `bytes` and `time` may be NULL. Numbers are 1 or more. Errors: EINVAL for a number 0. n = 0 is fine: everything is
 * empty. Ownership: reorder_release. */
int reorder_analyse(struct reorder *r, const uint64_t *s, const uint64_t *bytes, const int64_t *time, size_t n,
		    struct err *e);
void reorder_release(struct reorder *r);

/* How many arrivals are n-reordered (n >= 1): all of the n before have larger numbers. The degree is that over r->n. */
size_t reorder_n_reordered(const struct reorder *r, size_t n);

/* How far an order is from the reference's, in ways that tell one late request from one early one: distinct numbers
 * s[n]. */
struct order_distance {
	uint64_t inversions; /* pairs i < j with s[i] > s[j] */
	double kendall_tau;  /* 1 - 4 I / (n (n-1)); NaN for n < 2 */
	size_t lis_length;   /* longest increasing subsequence: n - lis requests would have to move */
	uint64_t footrule;   /* Spearman's: sum |rank of s[i] - i| */
};
struct order_distance order_distance(const uint64_t *s, size_t n);

#endif
