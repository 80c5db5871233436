/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a replay costs beside the requests: trace, preparation, memory, CPU time; and how fast it is
 * against the program. */
#ifndef VALIDATE_ANALYSIS_COSTS_H
#define VALIDATE_ANALYSIS_COSTS_H

#include "validate/analysis/analysis.h"

struct cost {		     /* of the case at the same index; NaN unknown */
	double trace_bytes;  /* of a recording, mean */
	double n_requests;   /* a run, mean */
	/* anonymous memory of the replay while its requests run; known where the page cache has a
	 * budget */
	double memory_bytes;
	/* means over the runs with 95 % intervals: ns of a process beside the measured region, of
	 * CPU in the region */
	struct estimate preparation_program, preparation_replay, cpu_program, cpu_replay;
	/* the same of the whole process, with its start and the reading of the trace: ns; bytes of
	 * resident memory; NOT_ASSESSED in results of earlier versions */
	struct estimate process_cpu_program, process_cpu_replay, peak_program, peak_replay;
	struct estimate cpu_deviation; /* of the replay from the program, relative */
	/* mean response time by the replayer's own stamps, where the preloaded library's decide;
	 * NOT_ASSESSED: its own do */
	struct estimate own;
	double observed_share; /* of its requests that the library saw, mean */
	struct estimate speedup;       /* execution time of the program over that of the replay */
};

/* Fills a->cost[a->n_cells]. Ownership: free(a->cost). */
void costs_compute(struct analysis *a);

#endif
