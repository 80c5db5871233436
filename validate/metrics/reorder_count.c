/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/reorder_count.h"

#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"

void reorder_count_init(struct reorder_count *r, size_t max_gaps)
{
	memset(r, 0, sizeof *r);
	r->max_gaps = max_gaps;
}

void reorder_count_release(struct reorder_count *r)
{
	for (size_t i = 0; i < r->n_sequences; i++)
		free(r->sequence[i].gap);
	free(r->sequence);
	memset(r, 0, sizeof *r);
}

void reorder_count_new_sequence(struct reorder_count *r, uint32_t sequence)
{
	while (r->n_sequences <= sequence) {
		GROW(r->sequence, r->n_sequences, r->cap);
		memset(&r->sequence[r->n_sequences++], 0, sizeof *r->sequence);
	}
}

/* Removes the gaps that are filled; with `join`, makes one of every two that are not. */
static void tidy(struct reorder_count *r, struct reorder_sequence *s, bool join)
{
	size_t n = 0;
	bool half = false; /* the last gap kept waits for a partner */
	for (size_t i = s->from; i < s->n; i++) {
		struct reorder_gap g = s->gap[i];
		if (!g.n_missing)
			continue;
		if (join && half) {
			s->gap[n - 1].end = g.end;
			s->gap[n - 1].n_missing += g.n_missing;
			r->joined = true;
		} else {
			s->gap[n++] = g;
		}
		half = !half;
	}
	r->n_gaps -= s->n - s->from - n;
	s->from = 0;
	s->n = n;
}

void reorder_count_skip(struct reorder_count *r, struct reorder_sequence *s, uint32_t k)
{
	if (s->n == s->cap || r->n_gaps >= r->max_gaps) {
		tidy(r, s, false);
		if (r->n_gaps >= r->max_gaps && s->n > 1)
			tidy(r, s, true);
		/* or else tidying would not be paid for by what was added since */
		if (s->n >= s->cap / 2) {
			s->cap = s->cap ? 2 * s->cap : 16;
			s->gap = xreallocarray(s->gap, s->cap, sizeof *s->gap);
		}
	}
	s->gap[s->n++] =
	    (struct reorder_gap){.first = s->next, .end = k, .position = s->position, .n_missing = k - s->next};
	r->n_gaps++;
	s->next = k + 1;
}

void reorder_count_late(struct reorder_count *r, struct reorder_sequence *s, uint32_t k)
{
	r->total.n_reordered++;
	size_t lo = s->from, hi = s->n; /* the first gap that ends above k holds it */
	if (lo < hi && (int32_t)(s->gap[lo].end - k) > 0)
		hi = lo; /* mostly it is the oldest one */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if ((int32_t)(s->gap[mid].end - k) > 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	if (lo == s->n || !s->gap[lo].n_missing)
		return; /* a place seen before: not what the contract promises, and no extent can be
			   told */
	struct reorder_gap *g = &s->gap[lo];
	uint32_t extent = s->position - g->position;
	r->total.max_extent = extent > r->total.max_extent ? extent : r->total.max_extent;
	g->n_missing--;
	for (; s->from < s->n && !s->gap[s->from].n_missing; s->from++)
		r->n_gaps--;
	if (s->from == s->n)
		s->from = s->n = 0;
}
