/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is the same for every readable format. trace_open() is in format.c, where the formats are known. */
#include "capture/trace.h"

#include <stdlib.h>
#include <string.h>

#include "capture/trace_private.h"

void trace_base_init(struct trace *t, const struct trace_reader *reader)
{
	memset(t, 0, sizeof *t);
	t->reader = reader;
	meta_store_init(&t->meta);
	object_table_init(&t->objects);
}

void trace_base_release(struct trace *t)
{
	meta_store_release(&t->meta);
	object_table_release(&t->objects);
}

void trace_close(struct trace *t)
{
	if (!t)
		return;
	trace_base_release(t);
	t->reader->close(t);
}

const struct trace_meta *trace_meta(const struct trace *t)
{
	return &t->meta.meta;
}

uint64_t trace_n_records(const struct trace *t, bool *known)
{
	if (known)
		*known = t->n_records_known;
	return t->n_records_known ? t->n_records : 0;
}

int trace_next(struct trace *t, const struct trace_record **r, struct err *e)
{
	if (!t->n_pending) {
		int rc = t->reader->next_batch(t, &t->pending, &t->n_pending, e);
		if (rc != 1) {
			t->n_pending = 0;
			return rc;
		}
	}
	t->n_pending--;
	*r = t->pending++;
	return 1;
}

int trace_next_batch(struct trace *t, const struct trace_record **r, size_t *n, struct err *e)
{
	if (t->n_pending) { /* trace_next() was called before: the rest of its batch */
		*r = t->pending;
		*n = t->n_pending;
		t->n_pending = 0;
		return 1;
	}
	return t->reader->next_batch(t, r, n, e);
}

int trace_rewind(struct trace *t, struct err *e)
{
	t->n_pending = 0;
	return t->reader->rewind(t, e);
}

const struct trace_object *trace_object(const struct trace *t, uint32_t id)
{
	return object_table_get(&t->objects, id);
}

uint32_t trace_n_objects(const struct trace *t)
{
	return t->objects.n;
}

const void *trace_heap(const struct trace *t, uint32_t ref, size_t *len)
{
	*len = 0;
	/* the reader may move a window to show the bytes: no change that anybody sees */
	return ref == HEAP_NONE || !t->reader->heap ? NULL : t->reader->heap((struct trace *)t, ref, len);
}

void trace_health(const struct trace *t, struct trace_health *h)
{
	*h = t->health;
}
