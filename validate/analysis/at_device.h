/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases that were observed at their device: what the program's and the replayer's own stamps say
 * beside it. */
#ifndef VALIDATE_ANALYSIS_AT_DEVICE_H
#define VALIDATE_ANALYSIS_AT_DEVICE_H

#include "validate/analysis/analysis.h"

struct own_view { /* by its own stamps, means over runs; NaN unknown */
	struct estimate response; /* ns */
	double in_flight, in_flight_max;
};

struct at_device { /* of the case at the same index */
	bool there;
	struct own_view program, replay;
	/* share of the program's requests, at the device against the order in which it asked; NaN
	 * unknown */
	double reordered_program;
	/* of the replays: share of the requests, mean counts a run (metrics/observed_device.h) */
	double seen, n_split, n_extra, n_outside;
};

/* Fills a->device[a->n_cells]. Ownership: free(a->device). */
void at_device_compute(struct analysis *a);

#endif
