/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run in slices: program and replayer run alternately, and each is paused while the other runs.
 *
 * Active time is CLOCK_MONOTONIC without the pauses. It does not advance before the first slice,
 * between slices and after the last slice, so that differences of active times contain no pause. */
#pragma once

#include "common/std.h"

struct trace_record;

struct slice {
	/* the process may run from this time; CLOCK_MONOTONIC, as the next two members */
	int64_t open_ns;
	int64_t close_ns; /* time at which it is asked to stop: open_ns <= close_ns */
	/* time at which all its threads have stopped: close_ns <= quiet_ns <= open_ns of the next
	 * slice */
	int64_t quiet_ns;
};

struct slices {
	struct slice *slice; /* slice[n], ascending */
	size_t n;
	/* time after open_ns in which caches and CPUs settle, for every slice except the first; >=
	 * 0 */
	int64_t settle_ns;
};

/* Checks the slices. Errors: EINVAL if there is no slice, if times are not ascending, or for a
 * negative settling time; with the number of the slice. */
int slices_check(const struct slices *s, struct err *e);

/* Converts the times of a trace to active time. */
struct slice_clock {
	const struct slices *slices; /* borrowed */
	int64_t epoch_ns;	     /* CLOCK_MONOTONIC at time 0 of the trace */
	int64_t *active_ns;	     /* [slices->n]: active time of the slices before each slice */
	/* the slice that was found last, where the next search begins */
	size_t last;
};

/* Initialises the clock. Errors: those of slices_check. Ownership: slice_clock_release. */
int slice_clock_init(struct slice_clock *c, const struct slices *s, int64_t epoch_ns,
		     struct err *e);
void slice_clock_release(struct slice_clock *c);

/* Returns the active time at `ns` of the trace, counted from the start of the first slice; 0 before
 * it. Monotone. */
int64_t slice_clock_active_ns(struct slice_clock *c, int64_t ns);

/* Converts the times of *x to active time in *y, which may be x; unknown times stay unknown.
 * Returns whether the request counts in response times. It does not if it began and ended, and
 * [begin, end] is not inside [open_ns + settle_ns, close_ns] of one slice ([open_ns, close_ns] of
 * the first slice). A record that ends before it begins is not changed, so that its reader can
 * report it, and counts. */
bool slice_clock_map(struct slice_clock *c, const struct trace_record *x, struct trace_record *y);
