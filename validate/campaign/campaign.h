/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running a protocol: from the plan to a complete results directory. */
#ifndef VALIDATE_CAMPAIGN_H
#define VALIDATE_CAMPAIGN_H

#include <stdbool.h>
#include <stdio.h>

#include "common/err.h"
#include "validate/protocol/protocol.h"

struct campaign_options {
	const char *dir; /* results directory; must not exist or be empty unless `resume` */
	bool resume;
	int64_t budget_ns; /* instead of the protocol's; 0: the protocol's */
	/* of a dry run: a ratio, or a results directory in which it was measured; NULL: the default
	 * (chances.h) */
	const char *scatter;
	bool quiet;       /* no progress line */
	/* path of this program, by which its processes are called (/proc/self/exe resolved) */
	const char *self;
};

/* What would be done: runs, expected time and space, per scenario and replayer, and the chance to
 * decide; nothing is touched. Errors: EINVAL for a design that cannot decide anything, after all is
 * printed. */
int campaign_dry_run(const struct protocol *p, const struct campaign_options *o, FILE *out,
		     struct err *e);

/* Runs (or resumes) the campaign. Returns 0 when every planned run has an outcome, or the budget is
 * used, -EINTR after Ctrl-C or SIGTERM (resumable), -ECANCELED when a failed run stopped it as the
 * protocol says, or another negative errno. */
int campaign_run(const struct protocol *p, const struct campaign_options *o, struct err *e);

#endif
