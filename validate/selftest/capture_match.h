/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matches the requests of a captured trace with those of the program's own trace of the same run.
 *
 * Both traces contain the same calls of the same threads. A pair has the same thread, operation,
 * descriptor or last part of the path, offset and length (if they are arguments) and result. It
 * overlaps in time, because a captured call is within the program's stamps. Of several equal calls
 * the k-th matches the k-th, except for calls far apart in time. Times are compared on
 * CLOCK_MONOTONIC, or on the wall clock if the captured trace has no other clock. */
#pragma once

#include "capture/trace.h"

struct capture_pair {
	double difference_ns; /* response time, captured minus own */
	double begin_ns;      /* start, captured minus own */
	double own_ns;        /* response time by the program's own stamps */
};

struct capture_op {        /* one operation */
	uint64_t n_own;    /* number of requests in the program's own trace */
	uint64_t n_missed; /* of these, not captured */
	/* number of requests that were captured within the time span of a thread's own requests but
	 * that the program did not make */
	uint64_t n_extra;
	struct capture_pair *pair; /* [n]: the matched ones */
	size_t n, cap;
};

struct capture_match {
	struct capture_op op[OP_N];
	double resolution_ns; /* of the captured trace */
	uint64_t n_lost;      /* number of events that the capture reports as lost */
};

/* Adds a pair of traces. Page-cache records are not calls and are ignored. The caller
 * zero-initialises `m`. Errors: of reading either trace; EINVAL if the traces have no clock in
 * common. Ownership: capture_match_release. */
int capture_match_add(struct capture_match *m, const char *own, const char *captured,
		      struct err *e);
void capture_match_release(struct capture_match *m);
