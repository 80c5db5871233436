/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions common to all readable formats. trace_open() is in format.c, which knows the formats.
 */
#include "capture/trace.h"

#include "capture/trace_private.h"

void trace_base_release(struct trace *t)
{
	meta_store_release(&t->meta);
	object_table_release(&t->objects);
}

void heap_item_add(struct strbuf *heap, const void *data, size_t len)
{
	static const char zeros[8];
	const uint32_t item_len = (uint32_t)len;
	strbuf_add(heap, &item_len, sizeof item_len);
	strbuf_add(heap, data, len);
	strbuf_add(heap, zeros, -heap->len % 8);
}

void heap_item_get(const struct strbuf *heap, size_t at, const void **data, size_t *len)
{
	uint32_t item_len;
	if (at + sizeof item_len > heap->len)
		return;
	memcpy(&item_len, heap->s + at, sizeof item_len);
	if (item_len > heap->len - at - sizeof item_len)
		return;
	*data = heap->s + at + sizeof item_len;
	*len = item_len;
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

/* The operations of FAMILY_CAUSE have the highest numbers. */
static inline bool is_cause(const struct trace_record *r)
{
	return r->op >= OP_COMPUTE && r->op <= OP_WAIT;
}

static bool cause_counted(struct trace *t, const struct trace_record *r)
{
	struct trace_causes *c = &t->causes;
	if (!is_cause(r))
		return false;
	c->n_computes += r->op == OP_COMPUTE;
	c->n_signals += r->op == OP_SIGNAL;
	c->n_waits += r->op == OP_WAIT;
	if (r->op == OP_COMPUTE && r->flags == COMPUTE_BUSY)
		c->compute_ns += (double)r->length;
	return true;
}

int trace_next(struct trace *t, const struct trace_record **r, struct err *e)
{
	do {
		if (!t->n_pending) {
			int ret = t->reader->next_batch(t, &t->pending, &t->n_pending, e);
			if (ret != 1) {
				t->n_pending = 0;
				return ret;
			}
		}
		t->n_pending--;
		*r = t->pending++;
	} while (t->requests_only && cause_counted(t, *r));
	return 1;
}

static int batch_next(struct trace *t, const struct trace_record **r, size_t *n, struct err *e)
{
	if (t->n_pending) { /* the rest of a batch that trace_next() began */
		*r = t->pending;
		*n = t->n_pending;
		t->n_pending = 0;
		return 1;
	}
	return t->reader->next_batch(t, r, n, e);
}

int trace_next_batch(struct trace *t, const struct trace_record **r, size_t *n, struct err *e)
{
	if (!t->requests_only)
		return batch_next(t, r, n, e);
	for (;;) {
		int ret = batch_next(t, r, n, e);
		if (ret != 1)
			return ret;
		for (; *n && cause_counted(t, *r); --*n)
			++*r;
		size_t n_requests = 0;
		while (n_requests < *n && !is_cause(*r + n_requests))
			n_requests++;
		if (!n_requests)
			continue;
		t->pending = *r + n_requests; /* the rest of this batch */
		t->n_pending = *n - n_requests;
		*n = n_requests;
		return 1;
	}
}

int trace_rewind(struct trace *t, struct err *e)
{
	t->n_pending = 0;
	t->causes = (struct trace_causes){0};
	return t->reader->rewind(t, e);
}

void trace_requests_only(struct trace *t, bool on)
{
	t->requests_only = on;
}

const struct trace_causes *trace_causes(const struct trace *t)
{
	return &t->causes;
}

const struct trace_object *trace_object(const struct trace *t, uint32_t id)
{
	return object_table_get(&t->objects, id);
}

bool name_is_device(const char *name, size_t len)
{
	static const char dev[] = "/dev/", shm[] = "/dev/shm/";
	const bool below = len > strlen(dev) && !memcmp(name, dev, strlen(dev));
	return below && (len < strlen(shm) || memcmp(name, shm, strlen(shm)) != 0);
}

bool trace_object_is_device(const struct trace *t, uint32_t id)
{
	const struct trace_object *o = trace_object(t, id);
	const char *root = trace_meta(t)->root;
	if (!o || o->kind != OBJECT_PATH)
		return o && o->kind == OBJECT_DEVICE;
	const bool relative = o->name[0] != '/' && root && !strcmp(root, "/");
	SCOPED_FREE char *name = xasprintf("%s%s", relative ? "/" : "", o->name);
	return name_is_device(name, strlen(name));
}

uint32_t trace_n_objects(const struct trace *t)
{
	return t->objects.n;
}

int trace_heap(const struct trace *t, uint32_t ref, const void **data, size_t *len, struct err *e)
{
	*data = NULL;
	*len = 0;
	/* the reader may map another window; callers do not see this change */
	return ref == HEAP_NONE || !t->reader->heap
		   ? 0
		   : t->reader->heap((struct trace *)t, ref, data, len, e);
}

void trace_health(const struct trace *t, struct trace_health *h)
{
	*h = t->health;
	h->n_unread = t->notes.n_skipped;
}
