/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The self-test on the real machine: a faultless replayer must not be rejected, and faults must be
 * found.
 *
 * Its unit is an ordinary campaign with a reference bank, randomised blocks and verdicts. In an A/A
 * campaign the program runs in place of the replayer; the verdict is repeated many times with the
 * labels "program" and "replayer" exchanged at random within blocks. In a fault campaign every
 * deliberate fault is a replayer, and all share the program's runs. In a campaign of frauds the
 * replayers invent their times (frauds.h). Each campaign appends a line of JSON to
 * DIR/outcomes.jsonl, and its results directory is removed. So an interrupted self-test can
 * continue. Source: doc/operating-characteristic.md. */
#pragma once

#include "validate/selftest/rate.h"

struct machine_options {
	const char *dir;  /* contains all files of the self-test; created if missing */
	const char *self; /* path of this program */
	const char *target; /* directory whose file system is measured; NULL: DIR */
	bool resume, quiet, keep; /* keep: do not remove the results directories of the campaigns */
	bool quick;		  /* small campaigns: two scenarios, the largest faults */
	/* numbers of campaigns: A/A; with the largest faults; those of the latter with all sizes */
	uint64_t n_aa, n_largest, n_all_sizes;
	uint64_t n_replicates, n_permutations, seed;
	int64_t run_ns; /* minimum duration of a run */
};

/* Runs the missing campaigns and adds the rates of all campaigns. After -EINTR (Ctrl-C, SIGTERM) it
 * can be resumed. Errors: EEXIST if DIR has outcomes and `resume` is not set; EINVAL if they have
 * other options; those of the campaigns. */
int machine_selftest(const struct machine_options *o, struct rates *rates, struct err *e);

/* Estimates the number of runs, and their approximate time. */
void machine_expect(const struct machine_options *o, uint64_t *n_runs, double *seconds);
