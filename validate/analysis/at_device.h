/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases that are observed at their device: the times of the stamps of program and replayer are
 * shown beside them. */
#pragma once

#include "validate/evidence/cell.h"

struct own_view { /* times by the stamps of the process itself, means over runs; NaN unknown */
	struct estimate response; /* ns */
	double in_flight, in_flight_max;
};

struct at_device { /* of the case with the same index */
	bool there;
	struct own_view program, replay;
	/* Share of the program's requests whose order at the device differs from the order of
	 * issue; NaN unknown. */
	double reordered_program;
	/* Replays: share of requests seen at the device, mean counts per run
	 * (metrics/observed_device.h). */
	double seen, n_split, n_extra, n_outside;
};

/* Fills a->device[a->n_cells]. Ownership: free(a->device). */
void at_device_compute(struct analysis *a);
