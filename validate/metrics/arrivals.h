/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts the requests of a trace by start time while they are read. Requests with equal starts keep
 * the order in which they are added, or the order of `file_place` (struct arrivals, by_place).
 *
 * A replay trace is in the order of its input. Its starts are nearly sorted, or not sorted at all
 * (order `none`, or if one thread is far ahead of another). There are two modes. The caller tries
 * the first mode; if it fails, the caller uses the second, which needs a second pass over the
 * trace:
 *
 * - ARRIVALS_WINDOW keeps a window of requests. When the window is full, it passes the earlier
 *   three quarters to the sink. The window grows with the disorder that it finds. A request that
 *   began before a request that was already passed on sets `late`: then the output is wrong and
 *   must be discarded.
 *
 * - ARRIVALS_RUNS sorts any trace. Sorted runs are kept in memory up to a budget and further runs
 *   in an unlinked temporary file. They are merged at the end. O(n log n).
 *
 * Memory: 52 bytes per request of the largest window; for runs also the budget of struct
 * arrivals_options. */
#pragma once

#include "common/std.h"

#define ARRIVAL_NO_SEQUENCE UINT32_MAX

struct arrival {
	int64_t begin_ns, end_ns; /* end TIME_NONE: no end is known */
	/* Position of the request among the issued requests of its sequence, from 0, in the order
	 * of the input, modulo 2^32. Positions of compared requests must differ by less than
	 * 2^31. */
	uint32_t k_all, k_thread, k_object;
	/* number of the sequence; thread ARRIVAL_NO_SEQUENCE: an extra request, which belongs to no
	 * sequence */
	uint32_t thread, object;
	uint32_t bytes;          /* payload, at most UINT32_MAX; some callers do not set it */
	/* record number in the file, modulo 2^32; used only with arrivals.by_place */
	uint32_t file_place;
};

struct arrivals_sink {
	void *context;
	/* Receives the requests in order, several at a time. Returns 0, or a negative errno, which
	 * stops the sort. */
	int (*take)(void *context, const struct arrival *a, size_t n, struct err *e);
};

enum arrivals_mode { ARRIVALS_WINDOW, ARRIVALS_RUNS };

struct arrivals_options {
	size_t window_min, window_max; /* requests: powers of two, 8 <= min <= max <= 2^20 */
	/* limit of sorted runs in memory; further runs go to a file */
	size_t memory_bytes;
	const char *tmpdir;            /* NULL: $TMPDIR, else /var/tmp, else /tmp */
};
/* clang-format off */
#define ARRIVALS_DEFAULTS {1u << 16, 1u << 19, 64u << 20, NULL}
/* clang-format on */

struct arrivals_run;

struct arrivals { /* private: use only the functions below */
	enum arrivals_mode mode;
	struct arrivals_options options;
	struct arrivals_sink sink;
	struct arrival *a; /* [window]; n entries are filled */
	size_t n, window;
	int64_t max_ns;         /* of their starts */
	bool unsorted;          /* some request begins before an earlier record */
	bool late;
	/* requests with equal starts are in the order of file_place; set it after arrivals_init */
	bool by_place;
	int64_t given_ns;        /* start and place of the last request passed to the sink */
	uint32_t given_place;
	uint32_t *order;         /* [window] places in the window, to be sorted */
	struct arrival *batch; /* buffer of requests in sorted order */
	struct arrivals_run *run;
	size_t n_runs, run_cap, memory_used;
	int fd; /* temporary file; -1: none */
	uint64_t file_bytes;
};

/* Initialises the sort. Errors: ENOMEM. Ownership: arrivals_release. */
int arrivals_init(struct arrivals *o, enum arrivals_mode mode,
		  const struct arrivals_options *options, struct arrivals_sink sink, struct err *e);
void arrivals_release(struct arrivals *o);

/* slow path of arrivals_added: the window is full */
int arrivals_full(struct arrivals *o, struct err *e);

/* Returns the slot for the next request in the order of the file. The caller fills it in place,
 * which is faster than a copy, and then calls arrivals_added. */
static inline struct arrival *arrivals_next(struct arrivals *o)
{
	return &o->a[o->n];
}

/* Adds the request in that slot. Errors: ENOMEM, ENOSPC and other errors of the temporary file,
 * errors of the sink. */
static inline int arrivals_added(struct arrivals *o, struct err *e)
{
	int64_t begin_ns = o->a[o->n].begin_ns;
	o->unsorted |= begin_ns < o->max_ns || (o->by_place && begin_ns == o->max_ns);
	o->max_ns = begin_ns > o->max_ns ? begin_ns : o->max_ns;
	return ++o->n < o->window ? 0 : arrivals_full(o, e);
}

/* Passes the remaining requests to the sink. Afterwards `late` says whether the output is wrong
 * (never with ARRIVALS_RUNS). */
int arrivals_finish(struct arrivals *o, struct err *e);

/* Whether x is before y, both counted modulo 2^32. */
static inline bool arrivals_place_before(uint32_t x, uint32_t y)
{
	return (int32_t)(x - y) < 0;
}

/* --- private to arrivals.c and arrivals_runs.c --------------------------- */

#define ARRIVALS_BATCH 512u
/* Passes a[order[from..to-1]] (or a[from..to-1] if `order` is NULL) to the sink. */
int arrivals_give(struct arrivals *o, const uint32_t *order, size_t from, size_t to, struct err *e);

/* Stores the whole window as a sorted run. */
int arrivals_run_store(struct arrivals *o, const uint32_t *order, struct err *e);
int arrivals_runs_merge(struct arrivals *o, struct err *e);
void arrivals_runs_release(struct arrivals *o);
