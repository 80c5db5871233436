/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of a parallel application under the watchdog: its requests as a trace, and the edges that
 * were seen. */
#ifndef CAPTURE_CAUSALITY_RUN_H
#define CAPTURE_CAUSALITY_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/causality/watch.h"
#include "common/err.h"

struct run_config {
	char **command;
	/* NULL: none. before: a shell's command line, run first and not captured */
	const char *root, *scratch, *before;
	bool snapshot;	   /* with how the files are before they are used first */
	const char *raw;   /* where the capture goes */
	const char *log;   /* where the application's output goes */
	struct watch_config watch;
};

struct run_result {
	struct watch *watch;	/* its threads and waits; watch_close() */
	struct watch_outcome seen;
	int64_t took_ns;
	bool interrupted;	/* by a signal to this process: the run does not count */
};

/* Runs it once, and leaves no process of it. Errors: ECHILD where the application failed, saying
 * how, and which rank where that is known; EDEADLK where it got stuck, and who stood where; EINTR
 * where a signal asked to end; of capturing. What `r` holds must be released in any case. */
int run_once(const struct run_config *c, struct run_result *r, struct err *e);

#endif
