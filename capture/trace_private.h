/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a readable format implements: struct trace is the first member of its own struct. Private to capture/. */
#ifndef CAPTURE_TRACE_PRIVATE_H
#define CAPTURE_TRACE_PRIVATE_H

#include "capture/object_table.h"
#include "capture/trace.h"
#include "capture/trace_meta.h"

struct trace_reader {
	/* As trace_next_batch(), whatever trace_next() may have left. */
	int (*next_batch)(struct trace *t, const struct trace_record **r, size_t *n, struct err *e);
	int (*rewind)(struct trace *t, struct err *e);
	const void *(*heap)(struct trace *t, uint32_t ref, size_t *len);
	void (*close)(struct trace *t); /* what is in its own struct, and that struct; trace_close() does the rest */
};

struct trace_format;

struct trace {
	const struct trace_reader *reader;
	const struct trace_format *format;
	struct meta_store meta;
	struct object_table objects;
	struct trace_health health;
	uint64_t n_records;
	bool n_records_known;
	const struct trace_record *pending; /* of a batch that trace_next() goes through */
	size_t n_pending;
};

void trace_base_init(struct trace *t, const struct trace_reader *reader);
void trace_base_release(struct trace *t);

/* Whether every field is such that a reader may return it: a known operation, times that can be subtracted. */
static inline bool record_is_sane(const struct trace_record *r)
{
	const uint64_t max = (uint64_t)TRACE_TIME_MAX;
#define TIME_SANE(t) ((uint64_t)(t) + max <= 2 * max || (t) == TIME_NONE)
	return (unsigned int)(r->op - 1) < OP_N - 1 && TIME_SANE(r->begin_ns) && TIME_SANE(r->end_ns) &&
	       TIME_SANE(r->intended_ns) && TIME_SANE(r->dispatch_ns);
#undef TIME_SANE
}

#endif
