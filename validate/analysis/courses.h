/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A case over the time of its runs: requests issued, requests in flight and bandwidth of the pair
 * of runs whose replay has the median execution time; issue error, its distribution, and the error
 * against the rate as means over all runs. Shown, without confidence intervals. Only timed
 * replays have an issue error. */
#pragma once

#include "validate/analysis/analysis.h"

/* class k: 2^k to 2^(k+1) requests/s; the first has all below, the last all above */
#define COURSE_RATE_CLASSES 40

struct course_rate {
	double n_requests, issue_error_ns; /* per run; mean of those requests */
};

struct course { /* of the case at the same index */
	/* intervals; 0: the runs do not have them, and there is quantile_ns alone */
	size_t n;
	double width_s;
	/* [n], requests per second: the recording, the program run again, the replay; and the
	 * replay's mean issue error, NaN in an interval without a timed request */
	double *recorded, *program, *replay, *issue_error_ns;
	/* [n], mean number of requests active; all 0 in results of earlier versions */
	double *in_flight_program, *in_flight_replay;
	/* [n], bytes per second; NULL where the runs do not tell, or of no parallel application */
	double *bandwidth_program, *bandwidth_replay;
	bool timed; /* the next two hold something */
	double quantile_ns[SUMMARY_N_ISSUE_QUANTILES]; /* of the issue error, at 0 %, 1 % ... */
	struct course_rate rate[COURSE_RATE_CLASSES];  /* intervals of all runs, by their rate */
};

/* Fills a->course[a->n_cells]. Ownership: courses_release. */
void courses_compute(struct analysis *a);
void courses_release(struct analysis *a);
