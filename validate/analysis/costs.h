/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs of a replay that are not part of its requests (trace, preparation, memory, CPU time), and
 * its speed relative to the program. */
#pragma once

#include "validate/evidence/cell.h"

/* costs of the case with the same index; NaN unknown */
struct cost {
	double trace_bytes;  /* mean size of a recording */
	double n_requests;   /* mean per run */
	/* Anonymous memory of the replay while its requests run. Known only if the page cache has a
	 * budget. */
	double memory_bytes;
	/* Means over the runs with 95 % intervals, in ns: time of a process outside the measured
	 * region, and CPU time inside it. */
	struct estimate preparation_program, preparation_replay, cpu_program, cpu_replay;
	/* Of the whole process, including its start and the reading of the trace: CPU time in ns,
	 * resident memory in bytes. NOT_ASSESSED in results of earlier versions. */
	struct estimate process_cpu_program, process_cpu_replay, peak_program, peak_replay;
	struct estimate cpu_deviation; /* replay against program, relative */
	/* Mean response time by the replayer's stamps, if the stamps of the preloaded library
	 * decide; NOT_ASSESSED: the replayer's stamps decide. */
	struct estimate own;
	double observed_share; /* mean share of the replay's requests that the library observed */
	struct estimate speedup;       /* execution time of the program over that of the replay */
};

/* Fills a->cost[a->n_cells]. Ownership: free(a->cost). */
void costs_compute(struct analysis *a);
