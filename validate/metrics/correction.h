/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Correction of a captured trace's response times for the bias of capture, as stored in the trace's
 * extra metadata ("correction", doc/formats/trace.md). Its remaining uncertainty is a Type B
 * component of the mean response time. Source: GUM (JCGM 100) 3.2.4, 4.3, F.2.4.5. */
#pragma once

#include <jansson.h>

#include "common/std.h"

struct correction {
	double mean_ns; /* subtracted from the mean response time; negative: added */
	/* standard uncertainty of mean_ns: the uncertainties of the operations, weighted by their
	 * requests and added linearly, because a common cause makes their errors equal in sign */
	double u_ns;
	uint64_t n_corrected, n_clipped,
	    /* numbers of requests; clipped: set to 0 because the corrected time would be negative;
	     * without: not calibrated */
	    n_without;
};

/* New reference. */
json_t *correction_to_json(const struct correction *c);
/* Reads the correction from untrusted extra metadata. Returns 1 and sets *c, or 0 if there is none.
 * Errors: EINVAL for an invalid correction. */
int correction_from_json(struct correction *c, const json_t *extra, struct err *e);
