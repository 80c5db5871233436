/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which requests of a trace a slice has, and what becomes of their times. */
#ifndef COMMANDS_SLICE_FILTER_H
#define COMMANDS_SLICE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"

struct slice_filter_config {
	int64_t begin_ns, end_ns; /* from the first request; end -1: no end */
	uint64_t n_skip, n_max;
	const char *processes, *threads, *objects, *operations; /* lists, or NULL */
	double scale;
	bool from_zero;
};

struct slice_filter;

/* Errors: EINVAL for what is no list of what it should be. Ownership: slice_filter_close, also after an error. */
int slice_filter_open(struct slice_filter **f, const struct slice_filter_config *c, struct err *e);
void slice_filter_close(struct slice_filter *f);

/* For the requests in order: 1 to keep it (its times may have been changed), 0 to leave it out, 2 when nothing more comes. */
int slice_filter_pass(struct slice_filter *f, const struct trace *t, struct trace_record *r);
/* Where an instant of the trace is in the slice; as it is while no request has passed, and beyond TRACE_TIME_MAX. */
int64_t slice_filter_time(const struct slice_filter *f, int64_t ns);
/* The instant of the trace that is time 0 of the slice, so far. */
int64_t slice_filter_zero(const struct slice_filter *f);
bool slice_filter_stopped(const struct slice_filter *f); /* before the end, as enough was written */

#endif
