/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases on a volume with a server's log: the time that program and replay add to the delivered
 * service. Equal requests get equal service times (microbench/volume/service.h), except where
 * requests queue. Moreover, a server may be late. Subtracting the delivered service of the same run
 * removes both effects. */
#pragma once

#include "validate/evidence/cell.h"

struct added_time { /* of the case with the same index */
	bool there;
	/* in ns, means over the runs: delivered service; response time minus delivered service */
	double delivered_program_ns, delivered_replay_ns;
	struct estimate program, replay;
	/* replay minus program in a pair, relative to the program's mean response time: difference
	 * of the response times, and difference of the added times */
	struct estimate response_difference, added_difference;
	/* width of the interval of added_difference over that of response_difference; NaN
	 * unknown */
	double width_ratio;
};

/* Fills a->added[a->n_cells]. A pair counts only if the server served as many requests as each run
 * made. Ownership: free(a->added). */
void added_compute(struct analysis *a);
