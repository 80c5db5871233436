/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The self-test by simulation: sizes of tests, coverage of intervals, and wrong verdicts by the
 * complete decision rule. It uses no storage and no clock: equal seeds give equal numbers with any
 * number of processes. */
#pragma once

#include "validate/selftest/rate.h"

struct simulate_options {
	/* number of faultless campaigns, and of trials of tests and intervals; other kinds of
	 * campaigns are fewer */
	uint64_t n_campaigns;
	uint64_t seed;
	unsigned int n_processes; /* 0: one per CPU */
	bool quiet, quick;
};

/* Adds the rates. Errors: EINTR after Ctrl-C or SIGTERM; EIO if a simulating process failed; from
 * the system. */
int simulate_selftest(const struct simulate_options *o, struct rates *rates, struct err *e);
