/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests issued and their issue errors over the time of a run, in intervals of equal width. The
 * width doubles if there would be more than PACE_MAX intervals, so the size is constant.
 *
 * Time counts from the start of the first request that is added. Requests that begin earlier count
 * in the first interval. */
#pragma once

#include "common/std.h"

#define PACE_MAX 256
/* 2^16: every width is a power of two, so two runs can be converted to the same width */
#define PACE_FIRST_WIDTH_NS 65536

struct pace { /* all zero: empty */
	int64_t width_ns; /* 0: empty */
	uint64_t n;	  /* number of intervals up to the last interval with a request */
	uint64_t requests[PACE_MAX];
	uint64_t timed[PACE_MAX];      /* number of those requests that have an intended time */
	double issue_error[PACE_MAX]; /* sum of start - intended, ns */
	/* total time of requests in the interval; divided by the width it is the mean number of
	 * active requests */
	double active_ns[PACE_MAX];
	/* bytes moved; those of a request are spread evenly over its time */
	double moved[PACE_MAX];
};

struct pace_tally { /* while requests are added */
	struct pace pace;
	int64_t origin_ns;
};

/* Widens the intervals by `factor`, a power of two. */
void pace_widen(struct pace *p, uint64_t factor);
void pace_make_room(struct pace_tally *t, uint64_t ns); /* slow path of pace_add */

/* Adds a request that begins at `begin_ns`; `timed`: with the intended time `intended_ns`. Times
 * within +-2^61. */
static inline void pace_add(struct pace_tally *t, int64_t begin_ns, bool timed, int64_t intended_ns)
{
	struct pace *p = &t->pace;
	if (__builtin_expect(!p->width_ns, 0)) {
		p->width_ns = PACE_FIRST_WIDTH_NS;
		t->origin_ns = begin_ns;
	}
	uint64_t ns = begin_ns > t->origin_ns ? (uint64_t)(begin_ns - t->origin_ns) : 0;
	if (__builtin_expect(ns >= (uint64_t)p->width_ns * PACE_MAX, 0))
		pace_make_room(t, ns);
	uint32_t i = (uint32_t)(ns / (uint64_t)p->width_ns);
	p->n = i >= p->n ? i + 1 : p->n;
	p->requests[i]++;
	p->timed[i] += timed;
	if (timed)
		p->issue_error[i] += (double)(begin_ns - intended_ns);
}

/* Adds the end and the bytes of an added request. Time before the first interval and after the last
 * is ignored. */
void pace_active(struct pace_tally *t, int64_t begin_ns, int64_t end_ns, double bytes);

/* Returns the share of the requests that are in other intervals: half the sum of the differences of
 * the shares, 0 (equal) to 1. Intervals are widened until both runs have the same width and at most
 * PACE_COARSE intervals, so smaller shifts do not count. NaN if either run is empty. */
#define PACE_COARSE 32
double pace_distance(const struct pace *a, const struct pace *b);

/* Returns Spearman's rank correlation between request rate and mean issue error, over the intervals
 * with a timed request; equal values get mean ranks. NaN with fewer than 4 intervals, or if either
 * quantity does not vary. */
double pace_error_correlation(const struct pace *p);
