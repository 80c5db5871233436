/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The correction of a captured trace's response times for the bias of capture, as it stands in the
 * trace's extra metadata
 * ("correction", doc/formats/trace.md). What it leaves is the uncertainty of a Type B component of
 * the mean response time. Source: GUM (JCGM 100) 3.2.4, 4.3, F.2.4.5. */
#ifndef VALIDATE_METRICS_CORRECTION_H
#define VALIDATE_METRICS_CORRECTION_H

#include <stdint.h>

#include <jansson.h>

#include "common/err.h"

struct correction {
	double mean_ns; /* taken off the mean response time; negative: added */
	double u_ns; /* its standard uncertainty: the operations' own, weighed by their requests and
		      * added, as one cause makes them err together */
	uint64_t n_corrected, n_clipped,
	    n_without; /* requests; clipped: would be below 0, and are 0; without: not calibrated */
};

/* New reference. */
json_t *correction_to_json(const struct correction *c);
/* Of extra metadata, from strangers: 1 and *c, or 0 where there is none. Errors: EINVAL for what is
 * no correction. */
int correction_from_json(struct correction *c, const json_t *extra, struct err *e);

#endif
