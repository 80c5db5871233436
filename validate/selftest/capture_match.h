/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests of a captured trace found again in the program's own trace of the same run.
 *
 * Both saw the same calls of the same threads, so that a pair agrees in thread, operation,
 * descriptor or last part of the path, offset and length where they are arguments, and result; and
 * it overlaps in time, for a captured call lies within the program's stamps. Of several that agree
 * the k-th goes with the k-th, but for those that lie apart in time. Times are compared on
 * CLOCK_MONOTONIC, or on the wall clock where the captured trace knows nothing else. */
#ifndef VALIDATE_SELFTEST_CAPTURE_MATCH_H
#define VALIDATE_SELFTEST_CAPTURE_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"

struct capture_pair {
	double difference_ns; /* response time, captured less own */
	double begin_ns;      /* begin, captured less own */
	double own_ns;        /* response time by the program's own stamps */
};

struct capture_op {        /* one operation */
	uint64_t n_own;    /* requests of the program's own trace */
	uint64_t n_missed; /* of those, not captured */
	uint64_t n_extra;  /* captured between the first begin and the last end of a thread's own
			      requests, and not made  by it */
	struct capture_pair *pair; /* [n]: the matched ones */
	size_t n, cap;
};

struct capture_match {
	struct capture_op op[OP_N];
	double resolution_ns; /* of the captured trace */
	uint64_t n_lost;      /* events that capture says it has lost */
};

/* What the page cache did is no call and left out. Zero-initialised by the caller, who may add
 * several pairs of traces. Errors: of reading either trace; EINVAL where the two have no clock in
 * common. Ownership: capture_match_release. */
int capture_match_add(struct capture_match *m, const char *own, const char *captured,
		      struct err *e);
void capture_match_release(struct capture_match *m);

#endif
