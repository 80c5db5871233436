/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run made in slices: program and replayer run alternately, and each is paused while the other
 * runs.
 *
 * Active time is CLOCK_MONOTONIC without the pauses. It stands still before the first slice,
 * between slices and after the last one, so that differences of active times hold no pause. */
#pragma once

#include "common/std.h"

struct trace_record;

struct slice {
	int64_t open_ns;  /* the process is allowed to run; CLOCK_MONOTONIC, as the next two */
	int64_t close_ns; /* it is asked to stop: open_ns <= close_ns */
	/* all its threads have stopped: close_ns <= quiet_ns <= open_ns of the next slice */
	int64_t quiet_ns;
};

struct slices {
	struct slice *slice; /* slice[n], ascending */
	size_t n;
	/* after open_ns of every slice but the first: caches and processors settle, >= 0 */
	int64_t settle_ns;
};

/* Errors: EINVAL for no slice, times that are not ascending, a negative settling time; with the
 * number of the slice. */
int slices_check(const struct slices *s, struct err *e);

/* The active time of a trace's times. */
struct slice_clock {
	const struct slices *slices; /* borrowed */
	int64_t epoch_ns;	     /* CLOCK_MONOTONIC at time 0 of the trace */
	int64_t *active_ns;	     /* [slices->n]: of the slices before each one */
	size_t last;		     /* slice found last: where the next search begins */
};

/* Errors: of slices_check. Ownership: slice_clock_release. */
int slice_clock_init(struct slice_clock *c, const struct slices *s, int64_t epoch_ns,
		     struct err *e);
void slice_clock_release(struct slice_clock *c);

/* Active time at `ns` of the trace, counted from the begin of the first slice; 0 before,
 * monotone. */
int64_t slice_clock_active_ns(struct slice_clock *c, int64_t ns);

/* Maps the times of *x to active time in *y, which may be x; unknown times stay unknown. Returns
 * whether the request counts in response times: false if it began and ended, and [begin, end]
 * does not lie inside [open_ns + settle_ns, close_ns] of one slice ([open_ns, close_ns] of the
 * first one). A record that ends before it begins stays as it is, for its reader to report, and
 * counts. */
bool slice_clock_map(struct slice_clock *c, const struct trace_record *x, struct trace_record *y);
