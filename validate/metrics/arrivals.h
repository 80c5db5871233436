/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of a trace put in the order in which they began, by streaming. Ties are in the order in
 * which requests are given, or of `file_place` (struct arrivals, by_place).
 *
 * A replay trace is in the order of its input; its begins are nearly sorted, or not at all (order
 * `none`, a thread far ahead of another). Two ways, the caller tries the first and falls back on
 * the second, which needs a second pass over the trace:
 *
 * - ARRIVALS_WINDOW keeps a window of requests, gives away the earlier three quarters whenever it
 * is full, and grows with the disorder it sees. A request that began before one already given away
 * makes `late` true: what was given is then worthless.
 *
 * - ARRIVALS_RUNS sorts any trace: sorted runs, kept in memory up to a budget and in an unlinked
 * temporary file beyond it, merged at the end. O(n log n).
 *
 * Memory: 64 bytes a request of the largest window, and for runs the budget besides; see struct
 * arrivals_options. */
#ifndef VALIDATE_METRICS_ARRIVALS_H
#define VALIDATE_METRICS_ARRIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define ARRIVAL_NO_SEQUENCE UINT32_MAX

struct arrival {
	int64_t begin_ns, end_ns; /* end TIME_NONE: never ended */
	/* Position of the request among the issued ones of its sequence, counted from 0 in the
	 * order of the input; modulo 2^32, which is enough to compare requests less than 2^31
	 * apart. */
	uint32_t k_all, k_thread, k_object;
	/* which sequence; thread ARRIVAL_NO_SEQUENCE: an extra request, in none of them */
	uint32_t thread, object;
	uint32_t bytes;          /* payload, at most UINT32_MAX; not every user fills it in */
	uint32_t file_place;     /* in its file, modulo 2^32; used only with arrivals.by_place */
};

struct arrivals_sink {
	void *context;
	/* Gets the requests in order, some at a time. Returns 0 or a negative errno, which ends
	 * everything. */
	int (*take)(void *context, const struct arrival *a, size_t n, struct err *e);
};

enum arrivals_mode { ARRIVALS_WINDOW, ARRIVALS_RUNS };

struct arrivals_options {
	size_t window_min, window_max; /* requests: powers of two, 8 <= min <= max <= 2^20 */
	size_t memory_bytes;           /* of sorted runs, before they go to a file */
	const char *tmpdir;            /* NULL: $TMPDIR, else /var/tmp, else /tmp */
};
/* clang-format off */
#define ARRIVALS_DEFAULTS {1u << 16, 1u << 19, 64u << 20, NULL}
/* clang-format on */

struct arrivals_run;

struct arrivals { /* to be looked at only through the functions below */
	enum arrivals_mode mode;
	struct arrivals_options options;
	struct arrivals_sink sink;
	struct arrival *a; /* [window], n of them filled */
	size_t n, window;
	int64_t min_ns, max_ns; /* of their begins */
	bool unsorted;          /* some begin lies before an earlier one's */
	bool late;
	/* equal begins: in the order of file_place; set it after arrivals_init */
	bool by_place;
	int64_t given_ns;        /* begin and place of the last one given away */
	uint32_t given_place;
	uint64_t *key, *scratch; /* [key_cap], allocated when first needed */
	size_t key_cap;
	struct arrival *batch; /* small buffer of requests brought into order */
	struct arrivals_run *run;
	size_t n_runs, run_cap, memory_used;
	int fd; /* of the temporary file, -1 none */
	uint64_t file_bytes;
};

/* Errors: ENOMEM. Ownership: arrivals_release. */
int arrivals_init(struct arrivals *o, enum arrivals_mode mode,
		  const struct arrivals_options *options, struct arrivals_sink sink, struct err *e);
void arrivals_release(struct arrivals *o);

int arrivals_full(struct arrivals *o, struct err *e); /* arrivals_added's rare part */

/* Where to put the next request in the order of the file, to be followed by arrivals_added. Filled
 * in place: it is quicker than copying one just put together. */
static inline struct arrival *arrivals_next(struct arrivals *o)
{
	return &o->a[o->n];
}

/* Errors: ENOMEM, of the temporary file (ENOSPC), of the sink. */
static inline int arrivals_added(struct arrivals *o, struct err *e)
{
	int64_t begin_ns = o->a[o->n].begin_ns;
	o->unsorted |= begin_ns < o->max_ns || (o->by_place && begin_ns == o->max_ns);
	o->max_ns = begin_ns > o->max_ns ? begin_ns : o->max_ns;
	o->min_ns = begin_ns < o->min_ns ? begin_ns : o->min_ns;
	return ++o->n < o->window ? 0 : arrivals_full(o, e);
}

/* Gives away the rest. Afterwards `late` says whether the order given was right (always, with
 * ARRIVALS_RUNS). */
int arrivals_finish(struct arrivals *o, struct err *e);

/* Whether x is before y, both counted modulo 2^32. */
static inline bool arrivals_place_before(uint32_t x, uint32_t y)
{
	return (int32_t)(x - y) < 0;
}

/* --- private to arrivals.c and arrivals_runs.c --------------------------- */

#define ARRIVALS_BATCH 512u
/* Gives a[key[from..to-1]] (or a[from..to-1] where `key` is NULL) to the sink. */
int arrivals_give(struct arrivals *o, const uint64_t *key, size_t from, size_t to, struct err *e);
#define ARRIVALS_INDEX_BITS 20
#define ARRIVALS_INDEX(key) ((size_t)((key) & ((1u << ARRIVALS_INDEX_BITS) - 1)))
int arrivals_run_store(struct arrivals *o, const uint64_t *key,
		       struct err *e); /* the whole window as a sorted run */
int arrivals_runs_merge(struct arrivals *o, struct err *e);
void arrivals_runs_release(struct arrivals *o);

#endif
