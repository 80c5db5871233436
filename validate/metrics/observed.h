/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A replay as the preloaded library saw it: where the program's times were taken by capture app, a
 * replay that ran under the same library is told by its times, too, so that what taking them costs
 * is in both.
 *
 * The replayer's own trace says which request is which; the library's says how long each call took.
 * Calls of one kind that lie within the time of the replay are the requests of that kind where both
 * are equally many, the k-th of the one the k-th of the other in the order of their begins. Kinds
 * of which the library saw more or fewer (calls made past the C library, as of the opens that are
 * confined to the target directory; calls of the replayer's own) keep the replayer's times, and are
 * counted. */
#ifndef VALIDATE_METRICS_OBSERVED_H
#define VALIDATE_METRICS_OBSERVED_H

#include <stdint.h>

#include "common/err.h"

struct observed {
	uint64_t n_requests, n_observed; /* issued and ended; of these, told by the library */
	double own_mean_ns;		 /* mean response time by the replayer's own stamps */
};

/* Writes OUT: the replayer's trace OWN with response times from SIDE, the library's trace of the
 * same process. Begins stay the replayer's. Memory: 24 bytes a request of either. Errors: of
 * reading and writing; ENODATA for a trace without a request. */
int observed_write(const char *own, const char *side, const char *out, struct observed *o,
		   struct err *e);

#endif
