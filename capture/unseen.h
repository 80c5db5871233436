/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a capture says that it could not see: programs that it could not look into, and such as made
 * calls past the C library, or have the code for it. Then the trace is incomplete, and nobody knows
 * by how much. */
#ifndef CAPTURE_UNSEEN_H
#define CAPTURE_UNSEEN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"

/* The number of such programs, by a trace's extra metadata (capture app writes it); 0 where it says
 * nothing. */
uint64_t programs_unseen(const json_t *extra);
/* What else the capture counted that is not in the trace: rings of io_uring, calls and requests of
 * such rings, asynchronous requests, and 1 if it was interrupted. At most INT64_MAX. */
uint64_t requests_unseen(const json_t *extra);
uint64_t programs_unseen_of_text(const char *extra_json); /* NULL is fine */

/* The asynchronous requests of a trace, by its records. */
struct async_counts {
	uint64_t n_calls;	/* of io_submit and io_uring_enter that handed requests over */
	uint64_t n_handed_over; /* requests, by io_submit */
	uint64_t n_requests;	/* in the trace */
	uint64_t n_without_end; /* of those */
	bool has_ends;		/* a record has an end */
};

void async_counts_add(struct async_counts *a, const struct trace_record *r);
/* Calls that handed requests over, where no such request is in the trace. Else 0. */
uint64_t async_calls_unshown(const struct async_counts *a);
/* Requests that io_submit handed over and that are not in the trace, where others are. */
uint64_t async_requests_missing(const struct async_counts *a);
/* Requests whose results are not in the trace. 0 for a trace without ends of any request. */
uint64_t async_results_missing(const struct async_counts *a);

#endif
