/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many requests a run issued over its time, and how late they were: intervals of equal width,
 * which doubles whenever there would be more than PACE_MAX of them, so that a run of any length
 * takes the same place.
 *
 * Time counts from the begin of the first request that is added; what began before that is counted
 * in the first interval. */
#ifndef VALIDATE_METRICS_PACE_H
#define VALIDATE_METRICS_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_MAX 256
/* 2^16: every width is a power of two, so that two runs can be brought to one */
#define PACE_FIRST_WIDTH_NS 65536

struct pace { /* all zero: empty */
	int64_t width_ns; /* 0: empty */
	uint32_t n;	  /* intervals up to the last with a request */
	uint64_t requests[PACE_MAX];
	uint64_t timed[PACE_MAX];      /* of these, with an intended time */
	double issue_error[PACE_MAX]; /* sum of begin - intended of those, ns */
	/* time that requests spent in the interval, all together: over its width, their mean number
	 */
	double active_ns[PACE_MAX];
	double moved[PACE_MAX];	      /* bytes, those of a request spread evenly over its time */
};

struct pace_tally { /* while requests are added */
	struct pace pace;
	int64_t origin_ns;
};

/* Makes the intervals `factor` times as wide (a power of two). */
void pace_widen(struct pace *p, uint64_t factor);
void pace_make_room(struct pace_tally *t, uint64_t ns); /* pace_add's rare part */

/* A request that begins at `begin_ns`; `timed`: it was to be issued at `intended_ns`. Instants
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

/* A request that was added, once its end and the bytes that it moved are known. What lies beyond
 * the intervals that there are, and before the first, is left out. */
void pace_active(struct pace_tally *t, int64_t begin_ns, int64_t end_ns, double bytes);

/* Share of the requests that lie in other intervals in one than in the other: half the sum of the
 * differences of the shares, 0 (alike) to 1. Intervals are widened until both runs have the same
 * and at most PACE_COARSE of them: what is moved by less than such a part of the run is in time.
 * NaN where either is empty. */
#define PACE_COARSE 32
double pace_distance(const struct pace *a, const struct pace *b);

/* Spearman's rank correlation, over the intervals with a timed request, of their rate and their
 * mean issue error; mean ranks for ties. NaN below 4 intervals, or where either does not vary. */
double pace_error_correlation(const struct pace *p);

#endif
