/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The self-test on the real machine: is the program in the replayer's place left alone, and is a
 * bad replayer found?
 *
 * Its unit is a campaign of the ordinary kind, with a reference bank, randomised blocks and
 * verdicts of its own. In an A/A campaign the program stands in the replayer's place; the verdict
 * is then made again many times with the labels "program" and "replayer" exchanged at random within
 * blocks. In a fault campaign every deliberate fault is a replayer, and all of them share the
 * program's runs; in a campaign of frauds the replayers make up their times (frauds.h). Each
 * campaign leaves one line of JSON in DIR/outcomes.jsonl; its results directory is removed, so that
 * an interrupted self-test goes on where it stopped. Source: doc/operating-characteristic.md. */
#ifndef VALIDATE_SELFTEST_MACHINE_H
#define VALIDATE_SELFTEST_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "validate/selftest/rate.h"

struct machine_options {
	const char *dir;  /* made where it is missing; everything is in it */
	const char *self; /* path of this program */
	const char *target; /* directory whose file system is measured; NULL: DIR */
	bool resume, quiet, keep; /* keep: the results directories of the campaigns */
	bool quick;		  /* small campaigns: two scenarios, the largest faults */
	/* campaigns: A/A; with the largest faults; of those, with all sizes */
	uint64_t n_aa, n_largest, n_all_sizes;
	uint64_t n_replicates, n_permutations, seed;
	int64_t run_ns; /* a run lasts at least this long */
};

/* Runs what is missing and adds the rates of all that was done. With -EINTR (Ctrl-C, SIGTERM) it
 * can be resumed. Errors: EEXIST where DIR has outcomes and `resume` is not set, EINVAL where they
 * are of other options. */
int machine_selftest(const struct machine_options *o, struct rates *rates, struct err *e);

/* Runs that are made, and about how long they take. */
void machine_expect(const struct machine_options *o, uint64_t *n_runs, double *seconds);

#endif
