/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Response times of a replay as the preloaded library measured them. If capture app measured the
 * program's times, the replay runs under the same library and gets the library's times as well. So
 * both include the cost of taking times.
 *
 * The replayer's trace identifies each request; the library's trace has the duration of each call.
 * For each operation, calls within the time of the replay are matched if both traces have the same
 * number: the k-th call with the k-th request, in the order of starts. Operations with different
 * numbers keep the replayer's times and are counted. Reasons for different numbers: calls that
 * bypass the C library, such as opens that are confined to the target directory; calls of the
 * replayer itself. */
#pragma once

#include "common/std.h"

struct observed {
	/* number of issued and completed requests; number of those with the library's time */
	uint64_t n_requests, n_observed;
	double own_mean_ns;		 /* mean response time by the replayer's own stamps */
};

/* Writes OUT: the replayer's trace OWN with the response times of SIDE, the library's trace of the
 * same process. Starts are those of OWN. Memory: 24 bytes per request of either trace. Errors: of
 * reading and writing; ENODATA for a trace without a request. */
int observed_write(const char *own, const char *side, const char *out, struct observed *o,
		   struct err *e);
