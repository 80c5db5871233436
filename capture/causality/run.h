/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of a parallel application under the watchdog: its requests as a trace, and the observed
 * waits. */
#ifndef CAPTURE_CAUSALITY_RUN_H
#define CAPTURE_CAUSALITY_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/causality/watch.h"
#include "common/err.h"

struct run_config {
	char **command;
	/* NULL: none. before: shell command line, run first and not captured */
	const char *root, *scratch, *before;
	bool snapshot;	   /* record the files before their first use */
	const char *raw;   /* file of the capture */
	const char *log;   /* file of the application's output */
	struct watch_config watch;
};

struct run_result {
	struct watch *watch;	/* its threads and waits; freed by watch_close() */
	struct watch_outcome seen;
	int64_t took_ns;
	bool interrupted;	/* by a signal to this process: the run is discarded */
};

/* Runs the application once and leaves no process of it. Errors: ECHILD if it failed, with the
 * reason and the rank if known; EDEADLK if it got stuck, with each thread's state; EINTR after a
 * signal; of the capture. `r` must be released in any case. */
int run_once(const struct run_config *c, struct run_result *r, struct err *e);

#endif
