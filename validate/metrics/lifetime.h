/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mean level of concurrency over each request's own life, N_k = (1 / (e - b)) * integral of
 * N(t) from b to e, while the requests begin. Requests of length zero and without an end have none.
 * Source: metrology paper, figure 5. O(log m) a request, m the largest level; memory 40 bytes for
 * each request active at one time. */
#ifndef VALIDATE_METRICS_LIFETIME_H
#define VALIDATE_METRICS_LIFETIME_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct lifetime_request {
	int64_t begin_ns, end_ns;
	__int128 area_before; /* integral of the level up to its begin, ns */
};

struct lifetime { /* all zero: empty */
	struct lifetime_request *heap; /* [n] by end */
	size_t n, cap;
	uint64_t n_unfinished;
	int64_t now_ns;
	__int128 area;
	uint64_t n_defined;
	double sum, lost_digits; /* of the means over life, summed with compensation */
};

void lifetime_release(struct lifetime *l);
/* The next request in the order of begins; end TIME_NONE: active to the end. Errors: ENOMEM. */
int lifetime_add(struct lifetime *l, int64_t begin_ns, int64_t end_ns, struct err *e);
/* After the last. Returns the mean over the requests that have one, NaN for none. */
double lifetime_finish(struct lifetime *l);

#endif
