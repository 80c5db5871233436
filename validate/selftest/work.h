/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many independent trials on several processes. Every trial has random numbers of its own, so that
 * what is counted does not depend on how many processes there are. */
#ifndef VALIDATE_SELFTEST_WORK_H
#define VALIDATE_SELFTEST_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gsl/gsl_rng.h>

#include "common/err.h"

/* Makes one trial and adds to count[n_counts]. The context is each process's own copy: what it
 * remembers there stays from one of its trials to the next and must not change what is counted. */
typedef void trial_fn(void *context, gsl_rng *rng, uint64_t *count);

struct work {
	const char *what; /* shown while it goes on */
	trial_fn *trial;
	void *context;
	uint64_t n_trials, seed;
	size_t n_counts;
	unsigned int n_processes; /* 0: as many as processors that may be used */
	bool quiet;
};

/* count[n_counts] is set to the sums. Errors: EINTR after SIGINT, SIGTERM or SIGHUP, with no
 * process left behind; EIO where a process came to harm; of the system. */
int work_run(const struct work *w, uint64_t *count, struct err *e);

#endif
