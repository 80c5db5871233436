/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The self-test by simulation: sizes of tests, coverage of intervals, wrong verdicts of the
 * whole rule. It uses no storage and no clock: equal seeds give equal numbers on any number of
 * processes. */
#pragma once

#include "validate/selftest/rate.h"

struct simulate_options {
	/* faultless campaigns, and trials of tests and intervals; other kinds have fewer */
	uint64_t n_campaigns;
	uint64_t seed;
	unsigned int n_processes; /* 0: one per CPU */
	bool quiet, quick;
};

/* Adds the rates. Errors: EINTR after Ctrl-C or SIGTERM; EIO if a simulating process failed; of the
 * system. */
int simulate_selftest(const struct simulate_options *o, struct rates *rates, struct err *e);
