/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Change points of a series: when and by how much the result of a replayer changed.
 *
 * Entries are examined in order. The present segment begins at the last change. For each split of
 * it, with at least 2 entries after and 6 before, a t statistic compares both parts. The largest
 * statistic, if beyond EVENTS_P, is a change at its split. The scale is Algorithm A (ISO 13528) on
 * the residuals of older entries. New values are limited to 3 scales from the median of their
 * segment, so a single deviating entry is an outlier and not a shift. A segment whose values fit a
 * ramp better than a step is a drift, dated at its start.
 *
 * A change that all entries together no longer show is removed. In simulations
 * (tests/unit/validate/test_history_events.c) 100 unchanged entries have less than 0.5 events, and
 * a shift of 2 standard deviations is found with its third entry in the median. Sources: Hawkins,
 * Qiu and Kang, The changepoint model for statistical process control (2003); the interval of a
 * change point is that of Hansen, Sample splitting and threshold estimation (2000). */
#pragma once

#include "common/std.h"

enum event_kind {
	EVENT_OUTLIER, /* one entry */
	EVENT_SHIFT,   /* lasting, at one level */
	EVENT_DRIFT,   /* lasting and growing */
	EVENT_N
};
/* Names: "outlier", "shift", "drift", NULL. */
extern const char *const event_kind_names[];

/* Indices are those of x. */
struct event {
	enum event_kind kind;
	/* first changed entry, and its 95 % interval; for an outlier: the entry */
	size_t onset, onset_lo, onset_hi;
	size_t found; /* entry with which it was found */
	size_t last;  /* last entry before the next change */
	/* change of x: for a shift relative to the level before; for a drift from its start to
	 * `last`; for an outlier relative to its segment */
	double change;
	double sd; /* standard error of `change` */
};

/* Finds the events of x[n], which must be finite. *event: in the order of onset; the caller frees
 * it; NULL: none. Returns their number. With fewer than EVENTS_MIN entries there are no events. */
#define EVENTS_MIN 8
size_t events_find(const double *x, size_t n, struct event **event);
