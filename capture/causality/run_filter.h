/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run's capture leaves of the nodes: their requests on the application's files, each behind
 * what was computed before it. */
#ifndef CAPTURE_CAUSALITY_RUN_FILTER_H
#define CAPTURE_CAUSALITY_RUN_FILTER_H

#include "capture/causality/causality.h"
#include "common/err.h"

struct run_filter_counts {
	uint64_t n_requests;
	int64_t running_ns; /* from the first request's begin to the last one's end */
};

/* From the capture `from` to `to`, whose metadata gets `facts` (the nodes' pids and tids are those
 * of this run). The library has written a compute before each request that counts, whose length is
 * CPU time; by the clock it is what passed without the calls that wait, and CPU time is in rvalue
 * in any case. What was computed before the first request of all is left out: programs are being
 * started then. Errors: of reading and writing; ENODATA where no request is left. */
int run_filter(const char *from, const char *to, const struct causality_facts *facts, bool compress,
	       struct run_filter_counts *counts, struct err *e);

/* From the first begin of a request to the last end in any trace. Errors: of reading; ENODATA. */
int trace_running(const char *path, int64_t *running_ns, struct err *e);

#endif
