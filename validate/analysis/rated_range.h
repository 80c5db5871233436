/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rated range: how fast a program may be for a replayer still to be trusted.
 *
 * The cases of one replayer and one workload that differ in nothing but level, pause and speed
 * factor are put in the order of what they ask of it: by rate (requests per second of the program,
 * times the speed factor of a timed replay), and by gap (mean time of a thread between a request's
 * end and its next begin, divided by that factor). The rated range ends with the last case before
 * the first one that is not trusted: all that ask less are trusted too. Cases beyond it that are
 * trusted are counted, not included. */
#ifndef VALIDATE_ANALYSIS_RATED_RANGE_H
#define VALIDATE_ANALYSIS_RATED_RANGE_H

#include "validate/analysis/analysis.h"

#define RATED_NONE SIZE_MAX

struct rated_point {
	size_t cell;	 /* index */
	uint64_t level;
	double speed;	 /* factor of a timed replay, 1 of others */
	double rate;	 /* requests/s */
	/* at least 0; NaN: how many threads take turns with requests is not known */
	double gap_ns;
	enum verdict verdict;
};

struct rated_limit { /* along one axis; indices of points */
	/* furthest point up to which all are trusted; RATED_NONE: not even the easiest is */
	size_t last;
	size_t next;  /* the one after it; RATED_NONE: all are trusted, or gaps are not known */
	size_t n_beyond; /* trusted ones after that */
};

struct rated_range {
	char name[200]; /* workload and what else is fixed */
	char replayer[120];
	struct rated_point *point; /* owned; by rate, ascending */
	size_t n;
	struct rated_limit rate, gap; /* highest rate; shortest gap */
};

/* a->rated[a->n_rated], in the order of the cells, after the verdicts. Cells whose rate is not
 * known are left out. */
void rated_ranges_compute(struct analysis *a);
void rated_ranges_release(struct analysis *a);

#endif
