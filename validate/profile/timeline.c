/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/timeline.h"

const char *const profile_kind_names[KIND_N + 1] = {"read", "write", "other", NULL};

#define WIDEN 10

void timeline_init(struct timeline *t, int64_t width_ns, size_t n_bins)
{
	*t = (struct timeline){
	    .width_ns = width_ns, .n_bins = n_bins, .bin = xcalloc(n_bins, sizeof *t->bin)};
}

void timeline_release(struct timeline *t)
{
	free(t->bin);
	*t = (struct timeline){0};
}

static int64_t floor_divide(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* Joins groups of `factor` bins, counted from time 0. `to` may equal `from`, because bins only move
 * to lower indices. */
static void bins_join(struct timeline *to, const struct timeline *from, int64_t factor)
{
	int64_t base = floor_divide(from->base + (int64_t)from->used_from, factor);
	size_t used_to = 0;
	for (size_t i = from->used_from; i < from->used_to; i++) {
		struct timeline_bin b = from->bin[i];
		if (to == from)
			memset(&to->bin[i], 0, sizeof b);
		size_t j = (size_t)(floor_divide(from->base + (int64_t)i, factor) - base);
		for (int k = 0; k < KIND_N; k++)
			to->bin[j].n[k] += b.n[k];
		for (int k = 0; k < KIND_OTHER; k++)
			to->bin[j].bytes[k] += b.bytes[k];
		used_to = j + 1;
	}
	to->base = base;
	to->used_from = 0;
	to->used_to = used_to;
	to->width_ns = from->width_ns * factor;
}

/* Moves the used bins to the middle, so that a trace in descending order does not move them for
 * each request. */
static void bins_center(struct timeline *t)
{
	size_t n = t->used_to - t->used_from, at = (t->n_bins - n) / 2;
	memmove(t->bin + at, t->bin + t->used_from, n * sizeof *t->bin);
	if (at > t->used_from)
		memset(t->bin + t->used_from, 0,
		       (at - t->used_from < n ? at - t->used_from : n) * sizeof *t->bin);
	else if (at + n > t->used_from)
		memset(t->bin + at + n, 0, (t->used_to - at - n) * sizeof *t->bin);
	else
		memset(t->bin + t->used_from, 0, n * sizeof *t->bin);
	t->base += (int64_t)t->used_from - (int64_t)at;
	t->used_from = at;
	t->used_to = at + n;
}

/* Makes room for bin number `k`; returns false if the bins must be widened first. */
static int make_room(struct timeline *t, int64_t k)
{
	if (t->used_from == t->used_to) {
		t->base = k;
		t->used_from = t->used_to = 0;
		return 1;
	}
	/* used: lo .. hi-1 */
	int64_t lo = t->base + (int64_t)t->used_from, hi = t->base + (int64_t)t->used_to;
	lo = k < lo ? k : lo;
	hi = k >= hi ? k + 1 : hi;
	if (hi - lo > (int64_t)t->n_bins / 2)
		return hi - lo <= (int64_t)t->n_bins && k >= t->base &&
		       k < t->base + (int64_t)t->n_bins;
	if (k < t->base || k >= t->base + (int64_t)t->n_bins)
		bins_center(t);
	return 1;
}

void timeline_seek(struct timeline *t, int64_t ns)
{
	int64_t k = floor_divide(ns, t->width_ns);
	while (!make_room(t, k)) {
		bins_join(t, t, WIDEN);
		k = floor_divide(ns, t->width_ns);
	}
	size_t i = (size_t)(k - t->base);
	if (t->used_from == t->used_to) {
		t->used_from = i;
		t->used_to = i + 1;
	}
	t->used_from = i < t->used_from ? i : t->used_from;
	t->used_to = i >= t->used_to ? i + 1 : t->used_to;
	t->current = &t->bin[i];
	t->current_ns = k * t->width_ns;
}

static uint64_t bytes_of(const struct timeline_bin *b)
{
	return b->bytes[KIND_READ] + b->bytes[KIND_WRITE];
}

static const struct timeline_bin *
largest_bin(const struct timeline *t, uint64_t (*value)(const struct timeline_bin *),
	    int64_t *begin_ns)
{
	const struct timeline_bin *best = NULL;
	for (size_t i = t->used_from; i < t->used_to; i++)
		if (!best || value(&t->bin[i]) > value(best))
			best = &t->bin[i];
	*begin_ns = best ? (t->base + (best - t->bin)) * t->width_ns : 0;
	return best;
}

const struct timeline_bin *timeline_busiest(const struct timeline *t, int64_t *begin_ns)
{
	return largest_bin(t, timeline_requests, begin_ns);
}

const struct timeline_bin *timeline_most_bytes(const struct timeline *t, int64_t *begin_ns)
{
	return largest_bin(t, bytes_of, begin_ns);
}

void timeline_widen(struct timeline *to, const struct timeline *from, int64_t width_ns)
{
	timeline_init(to, from->width_ns, from->n_bins);
	bins_join(to, from, width_ns % from->width_ns ? 1 : width_ns / from->width_ns);
}

/* Returns the next width for an axis: 1, 2, 5, 10, 20, ... */
static int64_t next_factor(int64_t factor)
{
	static const int64_t steps[] = {1, 2, 5};
	int64_t scale = 1;
	while (scale * 10 <= factor)
		scale *= 10;
	for (int i = 0; i < 3; i++)
		if (steps[i] * scale > factor)
			return steps[i] * scale;
	return 10 * scale;
}

void timeline_shrink(struct timeline *to, const struct timeline *from, size_t max_bins)
{
	int64_t factor = 1, lo = from->base + (int64_t)from->used_from,
		hi = from->base + (int64_t)from->used_to;
	while (hi > lo &&
	       floor_divide(hi - 1, factor) - floor_divide(lo, factor) >= (int64_t)max_bins)
		factor = next_factor(factor);
	timeline_init(to, from->width_ns, max_bins);
	bins_join(to, from, factor);
	to->n_bins = max_bins;
}
