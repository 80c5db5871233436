/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Type-P-Reordered counted while the requests arrive, for one sequence or for many side by side
 * (one per thread, one per object). The rest of RFC 4737: disorder.h.
 *
 * Each request carries its place k = 0, 1, 2, ... in its sequence in the order of the input,
 * without gaps and each once, modulo 2^32. Source: RFC 4737 sections 3.3 (Type-P-Reordered) and 4.2
 * (extent).
 *
 * Time O(1) a request in order, O(log g) a reordered one, g the gaps open: places skipped by an
 * arrival and not yet filled. Memory 16 bytes a gap, at most REORDER_MAX_GAPS of them for one
 * struct: beyond, neighbouring gaps are joined, and the extent of a request that falls into a
 * joined one is counted from the earlier: `joined` says that max_extent is an upper bound then. The
 * counts stay exact. */
#ifndef VALIDATE_METRICS_REORDER_COUNT_H
#define VALIDATE_METRICS_REORDER_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "validate/metrics/summary.h"

#define REORDER_MAX_GAPS (1u << 20)

struct reorder_gap { /* places first .. end-1 were skipped by the arrival numbered `position` */
	uint32_t first, end, position, n_missing;
};

struct reorder_sequence {
	uint32_t next;           /* NextExp: one above the highest place seen */
	uint32_t position;       /* arrivals so far: the number of the next one */
	uint32_t previous;       /* place of the one before; at first 0, which nothing lies below */
	struct reorder_gap *gap; /* [from..n-1] are open, ascending */
	size_t from, n, cap;
};

struct reorder_count {
	struct reorder_sequence *sequence; /* [n_sequences] */
	size_t n_sequences, cap;
	size_t n_gaps, max_gaps;
	bool joined;
	struct reorder_summary total; /* over all sequences */
};

void reorder_count_init(struct reorder_count *r, size_t max_gaps); /* REORDER_MAX_GAPS */
void reorder_count_release(struct reorder_count *r);

/* reorder_count_add's rare parts. */
void reorder_count_new_sequence(struct reorder_count *r, uint32_t sequence);
void reorder_count_skip(struct reorder_count *r, struct reorder_sequence *s, uint32_t k);
void reorder_count_late(struct reorder_count *r, struct reorder_sequence *s, uint32_t k);

/* The next arrival: place k of the given sequence. */
static inline void reorder_count_add(struct reorder_count *r, uint32_t sequence, uint32_t k)
{
	if (__builtin_expect(sequence >= r->n_sequences, 0))
		reorder_count_new_sequence(r, sequence);
	struct reorder_sequence *s = &r->sequence[sequence];
	r->total.n_received++;
	if (__builtin_expect(k == s->next, 1)) {
		s->next = k + 1;
	} else {
		if ((int32_t)(k - s->next) > 0)
			reorder_count_skip(r, s, k);
		else
			reorder_count_late(r, s, k);
		/* hfplayer's script compares with the request before, reordered or not */
		r->total.n_descents += (int32_t)(k - s->previous) < 0;
	}
	s->previous = k;
	s->position++;
}

#endif
