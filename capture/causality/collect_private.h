/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluation of the options of a capture with causes. Private to capture/causality. */
#pragma once

#include "capture/causality/collect.h"
#include "capture/causality/watch.h"
#include "common/words.h"

/* One run of a parallel application under the watchdog. Its results are a trace of the requests,
 * and the observed waits. */
struct run_config {
	char **command;
	/* NULL: none. `before`: shell command line that runs first and is not captured */
	const char *root, *scratch, *before;
	bool snapshot;	   /* record files before their first use */
	const char *raw;   /* output file of the capture */
	const char *log;   /* file for the output of the application */
	struct watch_config watch;
	const struct words_list *hosts; /* hosts of the ranks; NULL: only this host */
	const char *launcher;		/* starts the agent on each host */
};

struct run_result {
	struct watch *watch; /* the watchdog with its threads and waits; freed by watch_close() */
	struct watch_outcome seen;
	int64_t took_ns;
	int64_t clock_bound_ns; /* largest error of the difference of two hosts' clocks */
	bool interrupted; /* a signal to this process interrupted the run, which is discarded */
};

/* Runs the application once and ends all its processes. Errors: ECHILD: the application failed; the
 * message has the reason and the rank if known; EDEADLK: it got stuck; the message has the state of
 * each thread; EINTR: a signal; of the capture. `r` must be released in any case. */
int run_once(const struct run_config *c, struct run_result *r, struct err *e);

/* Text of the command and of the options that all runs of a capture share. The caller frees. */
char *collect_what(const struct collect_config *c);
/* Parses the period; 0: auto. Errors: EINVAL, ERANGE: not a number; EINVAL: the number 0, or auto
 * without its further options. */
int collect_period(const struct collect_config *c, uint64_t *period, struct err *e);
