/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rated range: the fastest program for which a replayer is still trusted.
 *
 * The cases of one replayer and workload that differ only in level, pause and speed factor are
 * sorted by demand. Rate: requests per second of the program, times the speed factor of a timed
 * replay. Gap: mean time of a thread between the end of a request and its next start, divided by
 * the factor. The range ends with the last case before the first case that is not trusted. Trusted
 * cases after it are counted, but not included. */
#pragma once

#include "validate/evidence/cell.h"

#define RATED_NONE SIZE_MAX

struct rated_point {
	size_t cell;	 /* index */
	uint64_t level;
	double speed;	 /* factor of a timed replay; else 1 */
	double rate;	 /* requests/s */
	/* >= 0; NaN: the number of threads is unknown */
	double gap_ns;
	enum verdict verdict;
};

struct rated_limit { /* along one axis; indices of points */
	/* last point up to which all points are trusted; RATED_NONE: the least demanding point is
	 * not trusted */
	size_t last;
	/* the point after `last`; RATED_NONE: all points are trusted, or gaps are unknown */
	size_t next;
	size_t n_beyond; /* trusted points after that */
};

struct rated_range {
	char name[200]; /* workload and fixed factors */
	char replayer[120];
	struct rated_point *point; /* owned; ascending by rate */
	size_t n;
	struct rated_limit rate, gap; /* highest rate; shortest gap */
};

/* Sets a->rated[a->n_rated] in the order of the cells. Cells without a known rate are left out.
 * Call it after the verdicts. */
void rated_ranges_compute(struct analysis *a);
void rated_ranges_release(struct analysis *a);
