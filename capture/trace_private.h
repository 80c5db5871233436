/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface of a readable format. The first member of its struct is a struct trace. Private to
 * capture/. */
#pragma once

#include "capture/format.h"
#include "capture/object_table.h"
#include "capture/trace_meta.h"

struct trace_reader {
	/* As trace_next_batch(). Called when all records of the previous batch were returned. */
	int (*next_batch)(struct trace *t, const struct trace_record **r, size_t *n, struct err *e);
	int (*rewind)(struct trace *t, struct err *e);
	/* As trace_heap(); *data and *len are preset to NULL and 0. */
	int (*heap)(struct trace *t, uint32_t ref, const void **data, size_t *len, struct err *e);
	/* Frees the reader's members and its struct. trace_close() frees the rest. */
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
	/* rest of a batch, which trace_next() returns record by record */
	const struct trace_record *pending;
	size_t n_pending;
	bool requests_only;
	struct trace_causes causes;
};

static inline void trace_base_init(struct trace *t, const struct trace_reader *reader)
{
	*t = (struct trace){.reader = reader};
	meta_store_init(&t->meta);
}

void trace_base_release(struct trace *t);

/* The side heap as in a trace file; references count units of 8 bytes. Appends an item: its length,
 * its bytes, and padding. */
void heap_item_add(struct strbuf *heap, const void *data, size_t len);
/* Gets the item at this offset. If there is none, *data and *len do not change. */
void heap_item_get(const struct strbuf *heap, size_t at, const void **data, size_t *len);

/* Whether a time is TIME_NONE or within range. Has no branches, because it runs for every record of
 * every trace. */
static inline unsigned int time_is_sane(int64_t t)
{
	unsigned int known = (uint64_t)t + (uint64_t)TRACE_TIME_MAX <= 2 * (uint64_t)TRACE_TIME_MAX;
	return known | (unsigned int)(t == TIME_NONE);
}

/* Whether a reader may return the record: its operation is known and its times are in range. */
static inline bool record_is_sane(const struct trace_record *r)
{
	unsigned int sane = (unsigned int)(r->op - 1) < OP_N - 1;
	sane &= time_is_sane(r->begin_ns) & time_is_sane(r->end_ns);
	return sane & time_is_sane(r->intended_ns) & time_is_sane(r->dispatch_ns);
}

/* The same for n records, which must also be committed. */
static inline bool records_are_usable(const struct trace_record *r, size_t n)
{
	unsigned int usable = 1;
	for (size_t i = 0; i < n; i++) {
		usable &= (unsigned int)(r[i].commit == TRACE_COMMIT);
		usable &= (unsigned int)record_is_sane(&r[i]);
	}
	return usable;
}
