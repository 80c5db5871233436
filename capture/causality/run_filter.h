/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reduces a run's capture to its nodes: their requests on the application's files, each with the
 * computation before it. */
#pragma once

#include "capture/causality/causality.h"

struct run_filter_counts {
	uint64_t n_requests;
	int64_t running_ns; /* from the first request's begin to the last request's end */
};

/* Converts the capture `from` to `to`, whose metadata get `facts` with the pids and tids of this
 * run. The library has written a compute record before each counted request: its length is CPU
 * time, or by the wall clock the time outside of blocking calls; rvalue is CPU time in either case.
 * Computation before the very first request is omitted: programs are being started then. Errors: of
 * reading and writing; ENODATA if no request remains. */
int run_filter(const char *from, const char *to, const struct causality_facts *facts, bool compress,
	       struct run_filter_counts *counts, struct err *e);

/* The time from the first begin to the last end of requests in any trace. Errors: of reading;
 * ENODATA. */
int trace_running(const char *path, int64_t *running_ns, struct err *e);
