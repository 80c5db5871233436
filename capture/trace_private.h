/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a readable format implements: struct trace is the first member of its own struct. Private to
 * capture/. */
#ifndef CAPTURE_TRACE_PRIVATE_H
#define CAPTURE_TRACE_PRIVATE_H

#include "capture/format.h"
#include "capture/object_table.h"
#include "capture/trace.h"
#include "capture/trace_meta.h"

struct trace_reader {
	/* As trace_next_batch(), whatever trace_next() may have left. */
	int (*next_batch)(struct trace *t, const struct trace_record **r, size_t *n, struct err *e);
	int (*rewind)(struct trace *t, struct err *e);
	/* trace_heap(); *data and *len are NULL and 0 */
	int (*heap)(struct trace *t, uint32_t ref, const void **data, size_t *len, struct err *e);
	/* what is in its own struct, and that struct; trace_close() does the rest */
	void (*close)(struct trace *t);
};

struct trace {
	const struct trace_reader *reader;
	const struct trace_format *format;
	struct meta_store meta;
	struct object_table objects;
	struct trace_health health;
	struct trace_notes notes;
	uint64_t n_records;
	bool n_records_known;
	const struct trace_record *pending; /* of a batch that trace_next() goes through */
	size_t n_pending;
	bool requests_only;
	struct trace_causes causes;
};

void trace_base_init(struct trace *t, const struct trace_reader *reader);
void trace_base_release(struct trace *t);

/* Whether every field is such that a reader may return it: a known operation, times that can be
 * subtracted. Without branches, for it runs over every record of every trace. */
static inline unsigned int time_is_sane(int64_t t)
{
	unsigned int known = (uint64_t)t + (uint64_t)TRACE_TIME_MAX <= 2 * (uint64_t)TRACE_TIME_MAX;
	return known | (unsigned int)(t == TIME_NONE);
}

static inline bool record_is_sane(const struct trace_record *r)
{
	unsigned int sane = (unsigned int)(r->op - 1) < OP_N - 1;
	sane &= time_is_sane(r->begin_ns) & time_is_sane(r->end_ns);
	return sane & time_is_sane(r->intended_ns) & time_is_sane(r->dispatch_ns);
}

/* The same of n records that are committed too. */
static inline bool records_are_usable(const struct trace_record *r, size_t n)
{
	unsigned int usable = 1;
	for (size_t i = 0; i < n; i++) {
		usable &= (unsigned int)(r[i].commit == TRACE_COMMIT);
		usable &= (unsigned int)record_is_sane(&r[i]);
	}
	return usable;
}

#endif
