/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts what a capture could not record: programs that it could not observe, and programs that
 * make system calls outside the C library or contain code for that. Such a trace is incomplete by
 * an unknown amount. */
#pragma once

#include <jansson.h>

#include "capture/format.h"

enum unseen_kind {
	UNSEEN_REQUESTS, /* requests are missing */
	UNSEEN_FILES,	 /* a property of files is unknown */
	UNSEEN_CODE, /* code was not searched for calls that the capture method does not record */
};

/* A count of things that are missing in a trace. The extra metadata (`capture`) contain it, and the
 * notes of the reader that finds it. */
struct unseen_fact {
	const char *key;
	size_t note;	 /* offset of a uint64_t in struct trace_notes; SIZE_MAX: none */
	enum unseen_kind kind;
	const char *text;
	const char *advice; /* advice in the note; NULL: none */
};
extern const struct unseen_fact unseen_facts[]; /* ends with a NULL key */
/* Value of a key of `capture`; 0 if the key is absent. */
uint64_t unseen_count(const json_t *capture, const char *key);
/* Adds the counts of a reader's notes to `capture`. Returns whether any count is above 0. */
bool unseen_notes_add(json_t *capture, const struct trace_notes *n);
/* Adds n to the count `key` of `capture`, an object in the extra metadata. */
void unseen_count_add(json_t *extra, const char *key, uint64_t n);
/* Adds all counts of `capture` that concern incomplete traces from `from_extra` (may be NULL), but
 * no names. */
void unseen_add(json_t *extra, const json_t *from_extra);

/* Number of programs that could not be observed completely, from a trace's extra metadata (capture
 * app writes it). 0 if it is absent. */
uint64_t programs_unseen(const json_t *extra);
/* Number of other things that the capture counted but that are missing in the trace: io_uring
 * instances, their calls and requests, asynchronous requests, the unseen_facts of incomplete
 * traces, and 1 if the capture was interrupted. At most INT64_MAX. */
uint64_t requests_unseen(const json_t *extra);
uint64_t programs_unseen_of_text(const char *extra_json); /* `extra_json` may be NULL */

/* Text that lists the kinds of requests that the recording method never records; it follows "not
 * visible to this method: ". Such requests may be missing without any sign. NULL: no such kinds,
 * because the program recorded its own requests. At most UNSEEN_SCOPE_BYTES with its NUL. */
#define UNSEEN_SCOPE_BYTES 160
const char *unseen_scope(const struct trace_meta *meta);

/* Asynchronous requests of a trace, counted from its records. */
struct async_counts {
	uint64_t n_calls;	/* io_submit and io_uring_enter calls that submitted requests */
	uint64_t n_handed_over; /* requests submitted by io_submit */
	uint64_t n_requests;	/* asynchronous requests in the trace */
	uint64_t n_without_end; /* number of these requests without an end */
	bool has_ends;		/* at least one record has an end */
};

/* Counts the next record of a trace. */
void async_counts_add(struct async_counts *a, const struct trace_record *r);
/* Number of calls that submitted requests, if the trace has no asynchronous request; otherwise
 * 0. */
uint64_t async_calls_unshown(const struct async_counts *a);
/* Number of requests that io_submit submitted but that are missing, if the trace has other
 * asynchronous requests. */
uint64_t async_requests_missing(const struct async_counts *a);
/* Number of requests without a result. 0 for a trace in which no request has an end. */
uint64_t async_results_missing(const struct async_counts *a);
