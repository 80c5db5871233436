/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many independent trials on several processes. Every trial has separate random numbers, so the
 * counts do not depend on the number of processes. */
#pragma once

#include <gsl/gsl_rng.h>

#include "common/std.h"

/* Makes a trial and adds to count[n_counts]. Each process has a separate copy of the context. It
 * stays from trial to trial, but must not influence the counts. */
typedef void trial_fn(void *context, gsl_rng *rng, uint64_t *count);

struct shared_work {
	const char *what; /* shown as progress */
	trial_fn *trial;
	void *context;
	uint64_t n_trials, seed;
	size_t n_counts;
	unsigned int n_processes; /* 0: one per permitted CPU */
	bool quiet;
};

/* Sets count[n_counts] to the sums. Errors: EINTR after SIGINT, SIGTERM or SIGHUP, with no process
 * left; EIO if a process failed; from the system. */
int work_run(const struct shared_work *w, uint64_t *count, struct err *e);
