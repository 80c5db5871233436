/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the simulated self-test. */
#pragma once

#include "validate/selftest/simulate.h"
#include "validate/selftest/work.h"

#define PART_STATISTICS "statistics"

/* simulate_verdicts.c: simulates campaigns through the whole analysis. */
int simulate_verdicts(const struct simulate_options *o, struct rates *rates, struct err *e);
/* simulate_looks.c: simulates campaigns with a look after every pair. */
int simulate_looks(const struct simulate_options *o, struct rates *rates, struct err *e);
/* simulate_frauds.c: simulates replayers with the right mean and invented requests. */
int simulate_frauds(const struct simulate_options *o, struct rates *rates, struct err *e);
/* simulate_accept.c: finds the acceptance rate of each method at a limit, by the number of
 * replicates. */
int simulate_accept(const struct simulate_options *o, struct rates *rates, struct err *e);
/* simulate_tests.c: finds the rejection rate of each test for true hypotheses. */
int simulate_tests(const struct simulate_options *o, struct rates *rates, struct err *e);
/* simulate_compare.c: finds how often unchanged versions are called worse, and the detectable size
 * of a change. */
int simulate_compare(const struct simulate_options *o, struct rates *rates, struct err *e);
/* simulate_intervals.c: finds the coverage of each interval. */
int simulate_intervals(const struct simulate_options *o, struct rates *rates, struct err *e);

/* Makes trials with the options' seed (separated by `stream`) and number of processes. Sets
 * count[n_counts] to the sums. Errors: those of work_run(). */
int simulate_trials(const struct simulate_options *o, const char *what, trial_fn *trial,
		    void *context, uint64_t n_trials, size_t n_counts, uint64_t stream,
		    uint64_t *count, struct err *e);
