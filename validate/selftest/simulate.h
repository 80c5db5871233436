/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The self-test by simulation: sizes of tests, coverage of intervals, wrong verdicts of the whole
 * rule. No storage, no clock: the same seed gives the same numbers on any number of processes. */
#ifndef VALIDATE_SELFTEST_SIMULATE_H
#define VALIDATE_SELFTEST_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "validate/selftest/rate.h"

struct simulate_options {
	/* faultless ones; other kinds are fewer; tests and intervals are tried as often */
	uint64_t n_campaigns;
	uint64_t seed;
	unsigned int n_processes; /* 0: as many as processors */
	bool quiet, quick;
};

/* Adds the rates. Errors: EINTR after Ctrl-C or SIGTERM; EIO where a simulating process came to
 * harm; of the system. */
int simulate_selftest(const struct simulate_options *o, struct rates *rates, struct err *e);

#endif
