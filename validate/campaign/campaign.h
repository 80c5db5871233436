/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a protocol: from the plan to a complete results directory. */
#pragma once

#include <jansson.h>

#include "validate/protocol/protocol.h"

struct campaign_options {
	/* results directory; unless `resume`, it must be empty or not exist */
	const char *dir;
	bool resume;
	int64_t budget_ns; /* replaces the protocol's budget; 0: use that of the protocol */
	bool quiet;       /* no progress line */
	/* called at the end with the use of time (time_use.h); NULL: not called */
	void (*time_print)(const json_t *time);
	/* path of this program, for its child processes (/proc/self/exe resolved) */
	const char *self;
};

/* Runs or resumes the campaign. Returns 0 if every planned run has an outcome or the budget is
 * used. Errors: -EINTR after Ctrl-C or SIGTERM (resumable); -ECANCELED if a failed run stopped it
 * as the protocol requires; other negative errno. */
int campaign_run(const struct protocol *p, const struct campaign_options *o, struct err *e);

/* Checks that the results directory `dir` does not exist or is empty. Errors: EEXIST; others of the
 * system. */
int results_dir_check_empty(const char *dir, struct err *e);

/* Checks, before anything starts, that the results directory `dir` can be made or is empty, and
 * that the directories of targets exist and can be written, also the queue settings of their
 * devices. Changes nothing. Errors: EEXIST for a results directory with files; others of the
 * system. */
int directories_possible(const struct protocol *p, const char *dir, struct err *e);

/* Checks, before anything starts, that this user may start processes as `scheduler` and `cpus` say,
 * and may evict the page cache as `evict` says. `self`: path of this program. Errors: of the
 * system. */
int privileges_possible(const struct protocol *p, const char *self, struct err *e);

/* Checks, before anything starts, that the launchers of parallel applications and replays exist,
 * and that hosts share the scratch directory. `with_default`: also the launcher of ranks without
 * key `launcher`. Errors: ENOENT, with the packages to install; EINVAL without key `scratch`. */
int launchers_possible(const struct protocol *p, bool with_default, struct err *e);
