/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time and space that a campaign is expected to need. Estimated before any measurement. */
#pragma once

#include "validate/protocol/protocol.h"

struct expected {
	/* seconds for each run: of the run itself, and in addition to it */
	double run_s, overhead_s;
	unsigned int n_calibrations;
	uint64_t n_runs; /* recordings, reruns and replays */
	uint64_t n_blanks; /* further replays without calls */
	double blank_s; /* time of these between the calls */
	double requests; /* per run, all threads */
	double recording_s; /* of a recording; 0: as a run */
	bool guessed; /* run_s and recording_s: the duration of a script or trace is unknown */
	uint64_t file_bytes;
};

/* Estimates one scenario. Errors: of the options of the workload, and of its files. */
int expected_scenario(const struct protocol *p, size_t i, struct expected *x, struct err *e);

struct expected_total { /* sums over all scenarios */
	/* seconds: of the whole plan; of recordings of parallel applications; of one pair of each
	 * scenario */
	double s, recordings_s, pair_s;
	double bank_bytes;
	uint64_t n_calibrations;
};

/* Number of pairs of each scenario that fit into the budget if no case is decided earlier. */
double expected_pairs(const struct protocol *p, const struct expected_total *t);
/* Checks that at least half of the smallest number of pairs fits into the budget, even if the runs
 * of unknown duration take no time. Does nothing without a budget. Errors: EINVAL with the time
 * that this number of pairs takes; those of expected_scenario. */
int expected_budget_check(const struct protocol *p, struct err *e);

/* Adds the expected times and sizes of one scenario to the total. */
void expected_add(struct expected_total *t, const struct protocol *p, const struct expected *x);
