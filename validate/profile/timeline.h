/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests and bytes by start time, in bins that become ten times as wide when there are too many:
 * memory is constant for any length. Bin i covers [(base + i) width, (base + i + 1) width) of the
 * trace's time. */
#pragma once

#include "common/std.h"

enum profile_kind { KIND_READ, KIND_WRITE, KIND_OTHER, KIND_N };
extern const char *const profile_kind_names[KIND_N + 1]; /* "read", "write", "other", NULL */

struct timeline_bin {
	uint64_t n[KIND_N];
	uint64_t bytes[KIND_OTHER]; /* moved by reads; by writes */
};

struct timeline {
	int64_t width_ns;
	int64_t base;		  /* number of bin[0], counted from time 0 */
	/* [n_bins]; only [used_from, used_to) may be non-empty */
	struct timeline_bin *bin;
	size_t n_bins, used_from, used_to;
	/* the bin that was used last; it begins at current_ns */
	struct timeline_bin *current;
	int64_t current_ns;
};

/* Initialises the timeline: n_bins >= 20, width_ns > 0. Ownership: timeline_release. */
void timeline_init(struct timeline *t, int64_t width_ns, size_t n_bins);
void timeline_release(struct timeline *t);

/* slow path of timeline_at() */
void timeline_seek(struct timeline *t, int64_t ns);

/* Returns the bin of an instant, |ns| <= TRACE_TIME_MAX. Borrowed until the next call. */
static inline struct timeline_bin *timeline_at(struct timeline *t, int64_t ns)
{
	if (__builtin_expect(!t->current || (uint64_t)(ns - t->current_ns) >= (uint64_t)t->width_ns,
			     0))
		timeline_seek(t, ns);
	return t->current;
}

static inline uint64_t timeline_requests(const struct timeline_bin *b)
{
	return b->n[KIND_READ] + b->n[KIND_WRITE] + b->n[KIND_OTHER];
}

/* Return the bin with the most requests (the first of several) or the most bytes; NULL if empty.
 * *begin_ns: its start. */
const struct timeline_bin *timeline_busiest(const struct timeline *t, int64_t *begin_ns);
const struct timeline_bin *timeline_most_bytes(const struct timeline *t, int64_t *begin_ns);

/* Makes a copy with bins of `width_ns`, if that is a multiple of the present width; otherwise with
 * the present width. Ownership: timeline_release(). */
void timeline_widen(struct timeline *to, const struct timeline *from, int64_t width_ns);
/* Copies the used bins into at most max_bins bins, whose width is a multiple of the present width,
 * for a plot. Ownership: timeline_release(). */
void timeline_shrink(struct timeline *to, const struct timeline *from, size_t max_bins);
