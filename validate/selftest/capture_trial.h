/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The self-test of capture on this machine: reference workloads, which stamp their requests, run
 * under each capture method and without capture, in random order.
 *
 * A run is a single command that starts every workload at one and at two threads, in random order,
 * so that a method starts only once. Each block has a run of each method and a run without capture.
 * A method that is not available (no privileges, no strace) is skipped, with the reason. */
#pragma once

#include "validate/selftest/capture_study.h"

enum { CAPTURE_N_METHODS = 3, CAPTURE_N_LEVELS = 2, CAPTURE_N_WORKLOADS = 6, CAPTURE_MIN_RUNS = 3 };

struct capture_method {
	const char *name;        /* "app", "vfs", "strace" */
	const char *captured_by; /* start of captured_by in the metadata of its traces */
};
extern const struct capture_method capture_methods[CAPTURE_N_METHODS + 1]; /* ends with name NULL */
extern const unsigned int capture_levels[CAPTURE_N_LEVELS];
extern const char *const capture_workload_names[CAPTURE_N_WORKLOADS + 1]; /* ends with NULL */

struct capture_trial_options {
	const char *self;    /* path of this program */
	/* a new directory is created in this directory and removed at the end: its file system is
	 * used */
	const char *target;
	const char *methods; /* names separated by commas; NULL: all */
	uint64_t n_runs, seed;
	bool quick, quiet;
};

struct capture_standing { /* status of a method, in the order of the table */
	bool tried;
	char left_out[300]; /* reason why the method was skipped; "": it was measured */
	double resolution_ns;
	uint64_t n_lost;
};

struct capture_trial {
	struct capture_study study;
	struct capture_standing method[CAPTURE_N_METHODS];
	uint64_t seed;
};

/* Runs the self-test. Errors: EINVAL for an unknown method or too few runs; ENOTSUP if no method is
 * available; EINTR; of a run, with the command's message. Ownership: capture_trial_release, also
 * after an error. */
int capture_trial_run(struct capture_trial *t, const struct capture_trial_options *o,
		      struct err *e);
void capture_trial_release(struct capture_trial *t);
