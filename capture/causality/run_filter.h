/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reduces the capture of a run to its nodes: their requests on the application's files, each with
 * the computation before it. */
#pragma once

#include "capture/causality/causality.h"

struct run_filter_counts {
	uint64_t n_requests;
	int64_t running_ns; /* from the start of the first request to the end of the last request */
};

/* Converts the capture `from` to `to`, whose metadata contain `facts` with the pids and tids of
 * this run. The library has written a compute record before each counted request. Its length is CPU
 * time or, by the wall clock, the time outside blocking calls; rvalue is CPU time in both cases.
 * Computation before the very first request is omitted, because programs are being started then.
 * Errors: of reading and writing; ENODATA: no request remains. */
int run_filter(const char *from, const char *to, const struct causality_facts *facts, bool compress,
	       struct run_filter_counts *counts, struct err *e);

/* Time from the start of the first request to the end of the last request in any trace. Errors: of
 * reading; ENODATA. */
int trace_running(const char *path, int64_t *running_ns, struct err *e);
