/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluation of the options of a capture with causes. Private to capture/causality. */
#pragma once

#include "capture/causality/collect.h"
#include "capture/causality/watch.h"
#include "common/words.h"

/* One run of a parallel application under the watchdog: its requests as a trace, and the observed
 * waits. */
struct run_config {
	char **command;
	/* NULL: none. before: shell command line, run first and not captured */
	const char *root, *scratch, *before;
	bool snapshot;	   /* record the files before their first use */
	const char *raw;   /* file of the capture */
	const char *log;   /* file of the application's output */
	struct watch_config watch;
	const struct words_list *hosts; /* of the ranks; NULL: only this host */
	const char *launcher;		/* of the collector on each host */
};

struct run_result {
	struct watch *watch;	/* its threads and waits; freed by watch_close() */
	struct watch_outcome seen;
	int64_t took_ns;
	int64_t clock_bound_ns; /* largest error of a difference of the hosts' clocks */
	bool interrupted;	/* by a signal to this process: the run is discarded */
};

/* Runs the application once and leaves no process of it. Errors: ECHILD if it failed, with the
 * reason and the rank if known; EDEADLK if it got stuck, with each thread's state; EINTR after a
 * signal; of the capture. `r` must be released in any case. */
int run_once(const struct run_config *c, struct run_result *r, struct err *e);

/* The command and the options that all runs of a capture share, as text. The caller frees. */
char *collect_what(const struct collect_config *c);
/* 0: auto. Errors: EINVAL, ERANGE for text that is not a number; EINVAL for 0, and for auto without
 * its further options. */
int collect_period(const struct collect_config *c, uint64_t *period, struct err *e);
