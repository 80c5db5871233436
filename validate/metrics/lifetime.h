/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mean concurrency level over the life of each request, N_k = (1 / (e - b)) * integral of N(t) from
 * b to e. It is undefined for requests of length zero or without an end. Source: metrology paper,
 * figure 5. Time: O(log m) per request, m the largest level. Memory: 40 bytes per active
 * request. */
#pragma once

#include "common/std.h"

struct lifetime_request {
	int64_t end_ns, begin_ns;
	__int128 area_before; /* integral of the level up to the request's start, in ns */
};

struct lifetime { /* all zero: empty */
	struct lifetime_request *heap; /* [n] by end */
	size_t n, cap;
	uint64_t n_unfinished;
	int64_t now_ns;
	__int128 area;
	uint64_t n_defined;
	double sum, lost_digits; /* sum of the means, with compensation (Kahan) */
};

void lifetime_release(struct lifetime *l);
/* Adds the next request in the order of starts; end TIME_NONE: active until the end of the
 * trace. */
void lifetime_add(struct lifetime *l, int64_t begin_ns, int64_t end_ns);
/* Ends the input. Returns the mean over the requests for which the level is defined; NaN if there
 * are none. */
double lifetime_finish(struct lifetime *l);
