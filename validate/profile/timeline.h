/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests and bytes by the time at which they began, in bins that widen tenfold whenever there are
 * too many of them: memory is the same however long the trace. Bin i covers [(base + i) width,
 * (base + i + 1) width) of the trace's own time. */
#ifndef VALIDATE_PROFILE_TIMELINE_H
#define VALIDATE_PROFILE_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

enum profile_kind { KIND_READ, KIND_WRITE, KIND_OTHER, KIND_N };
extern const char *const profile_kind_names[KIND_N + 1]; /* "read", "write", "other", NULL */

struct timeline_bin {
	uint64_t n[KIND_N];
	uint64_t bytes[KIND_OTHER]; /* moved by reads and by writes */
};

struct timeline {
	int64_t width_ns;
	int64_t base;		  /* number of bin[0], counted from time 0 */
	struct timeline_bin *bin; /* [n_bins], those of [used_from, used_to) may hold something */
	size_t n_bins, used_from, used_to;
	struct timeline_bin *current; /* the one asked for last, which begins here: */
	int64_t current_ns;
};

/* n_bins >= 20, width_ns > 0. Ownership: timeline_release. */
void timeline_init(struct timeline *t, int64_t width_ns, size_t n_bins);
void timeline_release(struct timeline *t);

void timeline_seek(struct timeline *t, int64_t ns); /* timeline_at's rare part */

/* The bin of an instant, |ns| <= TRACE_TIME_MAX. Borrowed until the next call. */
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

/* The bin with the most requests, the first of equals, or with the most bytes; NULL for an empty
 * timeline. *begin_ns: when it begins. */
const struct timeline_bin *timeline_busiest(const struct timeline *t, int64_t *begin_ns);
const struct timeline_bin *timeline_most_bytes(const struct timeline *t, int64_t *begin_ns);

/* A copy with bins of `width_ns`, a multiple of what they were; of the same width where it is none.
 * Ownership: as below. */
void timeline_widen(struct timeline *to, const struct timeline *from, int64_t width_ns);
/* A copy with at most max_bins bins, used ones only, whose width is a whole multiple of what it
 * was: for a plot. Ownership: timeline_release. */
void timeline_shrink(struct timeline *to, const struct timeline *from, size_t max_bins);

#endif
