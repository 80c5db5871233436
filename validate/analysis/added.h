/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases on a volume with a server's log: the time that program and replay add to the delivered
 * service. Equal requests get equal service times (microbench/volume/service.h), but not where
 * requests queue, and a server may be late. Subtracting the delivered service of the same run
 * removes both. */
#pragma once

#include "validate/analysis/analysis.h"

struct added_time { /* of the case with the same index */
	bool there;
	/* ns, means over the runs: delivered service, and response less delivered service */
	double delivered_program_ns, delivered_replay_ns;
	struct estimate program, replay;
	/* replay less program of a pair, relative to the program's mean response time: of the
	 * response time and of the added time */
	struct estimate response_difference, added_difference;
	/* width of the second interval over that of the first; NaN unknown */
	double width_ratio;
};

/* Fills a->added[a->n_cells]. Only pairs count in which the server served as many requests as the
 * run made. Ownership: free(a->added). */
void added_compute(struct analysis *a);
