/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the simulated self-test share. */
#ifndef VALIDATE_SELFTEST_SIMULATE_PRIVATE_H
#define VALIDATE_SELFTEST_SIMULATE_PRIVATE_H

#include "validate/selftest/simulate.h"
#include "validate/selftest/work.h"

#define PART_STATISTICS "statistics"

/* simulate_verdicts.c: campaigns through the whole analysis. */
int simulate_verdicts(const struct simulate_options *o, struct rates *rates, struct err *e);
/* simulate_looks.c: campaigns that look after every pair. */
int simulate_looks(const struct simulate_options *o, struct rates *rates, struct err *e);
/* simulate_frauds.c: replayers whose mean is right and whose single requests are made up. */
int simulate_frauds(const struct simulate_options *o, struct rates *rates, struct err *e);
/* simulate_accept.c: how often each way of accepting accepts what lies at a limit, by the number of
 * replicates. */
int simulate_accept(const struct simulate_options *o, struct rates *rates, struct err *e);
/* simulate_tests.c: how often each test rejects what is true. */
int simulate_tests(const struct simulate_options *o, struct rates *rates, struct err *e);
/* simulate_compare.c: versions that did not change called worse, and what size of change is
 * found. */
int simulate_compare(const struct simulate_options *o, struct rates *rates, struct err *e);
/* simulate_intervals.c: how often each interval covers what is true. */
int simulate_intervals(const struct simulate_options *o, struct rates *rates, struct err *e);

/* A work with the options' seed (made its own by `stream`) and processes. */
struct work simulate_work(const struct simulate_options *o, const char *what, trial_fn *trial,
			  void *context, uint64_t n_trials, size_t n_counts, uint64_t stream);

#endif
