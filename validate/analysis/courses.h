/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A case over the time of its runs. Requests issued, requests in flight and bandwidth are those of
 * the pair of runs whose replay has the median execution time. The issue error, its distribution,
 * and the error against the rate are means over all runs. Shown, without confidence intervals. Only
 * timed replays have an issue error. */
#pragma once

#include "validate/evidence/cell.h"

/* class k: 2^k to 2^(k+1) requests/s; the first class also has all lower rates, and the last class
 * all higher rates */
#define COURSE_RATE_CLASSES 40

struct course_rate {
	double n_requests, issue_error_ns; /* per run; mean of those requests */
};

struct course { /* of the case at the same index */
	/* number of intervals; 0: the runs have no intervals, and only quantile_ns is set */
	size_t n;
	double width_s;
	/* [n], requests per second: of the recording, of the program that ran again, and of the
	 * replay. Then the replay's mean issue error, NaN in an interval without a timed request */
	double *recorded, *program, *replay, *issue_error_ns;
	/* [n], mean number of requests active; all 0 in results of earlier versions */
	double *in_flight_program, *in_flight_replay;
	/* [n], bytes per second; NULL if the runs do not record them, or if this is not a parallel
	 * application */
	double *bandwidth_program, *bandwidth_replay;
	bool timed; /* quantile_ns and rate are set */
	/* quantiles of the issue error, at 0 %, 1 % ... */
	double quantile_ns[SUMMARY_N_ISSUE_QUANTILES];
	/* intervals of all runs, grouped by their rate */
	struct course_rate rate[COURSE_RATE_CLASSES];
};

/* Fills a->course[a->n_cells]. Ownership: courses_release. */
void courses_compute(struct analysis *a);
void courses_release(struct analysis *a);
