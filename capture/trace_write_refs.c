/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing objects and the side heap. Both are kept in memory until a record is written. */

#include "capture/trace_write_private.h"

int trace_writer_object(struct trace_writer *w, enum object_kind kind, const char *name,
			uint32_t *id, struct err *e)
{
	if (kind < OBJECT_PATH || kind > OBJECT_DEVICE)
		return err_set(e, EINVAL, "%s: object kind %d does not exist", w->path, (int)kind);
	if (strlen(name) > NAME_LEN_MAX)
		return err_set(e, ENAMETOOLONG,
			       "%s: an object's name has %zu bytes, the limit is %u", w->path,
			       strlen(name), NAME_LEN_MAX);
	return object_table_intern(&w->objects, kind, name, id, e);
}

int writer_put_objects(struct trace_writer *w, struct err *e)
{
	int rc = 0;
	while (!rc && w->n_objects_in_file < w->objects.n) {
		uint32_t first = w->n_objects_in_file, id = first;
		size_t cap = 0, len = 0;
		for (; id < w->objects.n && cap < OBJECTS_FLUSH_BYTES; id++)
			cap += sizeof(struct object_item) +
			       strlen(object_table_get(&w->objects, id)->name) + 8;
		char *payload = xcalloc(1, cap);
		for (uint32_t i = first; i < id; i++) {
			const struct trace_object *o = object_table_get(&w->objects, i);
			struct object_item item = {.kind = (uint16_t)o->kind,
						   .len = (uint32_t)strlen(o->name)};
			memcpy(payload + len, &item, sizeof item);
			memcpy(payload + len + sizeof item, o->name, item.len);
			len += align_up(sizeof item + item.len + 1, 8);
		}
		rc = writer_put_block(w, BLOCK_OBJECTS, id - first, first, payload, len, e);
		free(payload);
		if (!rc)
			w->n_objects_in_file = id;
	}
	return rc;
}

int trace_writer_heap(struct trace_writer *w, const void *data, size_t len, uint32_t *ref,
		      struct err *e)
{
	if (len > HEAP_ITEM_MAX)
		return err_set(e, EFBIG,
			       "%s: %zu bytes belong to a record, at most %u are possible", w->path,
			       len, HEAP_ITEM_MAX);
	uint64_t unit = w->n_heap_units + w->heap_len / 8;
	size_t room = align_up(sizeof(uint32_t) + len, 8);
	if (unit + room / 8 >= HEAP_NONE)
		return err_set(e, EOVERFLOW, "%s: the side heap is full (32 GiB)", w->path);
	if (w->heap_len && w->heap_len + room > HEAP_FLUSH_BYTES) {
		/* flush early: the record that refers to these bytes comes later */
		int rc = w->failed ? err_sys(e, w->failed, "%s: an earlier write failed", w->path)
				   : (w->n_in_file ? writer_end_records(w, e) : 0);
		rc = rc ? rc : writer_put_heap(w, e);
		if (rc)
			return rc;
	}
	if (w->heap_len + room > w->heap_cap) {
		w->heap_cap =
		    w->heap_len + room > HEAP_FLUSH_BYTES ? w->heap_len + room : HEAP_FLUSH_BYTES;
		w->heap = xrealloc(w->heap, w->heap_cap);
	}
	unsigned char *to = w->heap + w->heap_len;
	uint32_t len32 = (uint32_t)len;
	memset(to + room - 8, 0, 8); /* the padding */
	memcpy(to, &len32, sizeof len32);
	if (len)
		memcpy(to + sizeof len32, data, len);
	*ref = (uint32_t)unit;
	w->heap_len += room;
	w->n_heap_items++;
	return 0;
}

int writer_put_heap(struct trace_writer *w, struct err *e)
{
	if (!w->heap_len)
		return 0;
	int rc = writer_put_block(w, BLOCK_HEAP, w->n_heap_items, w->n_heap_units, w->heap,
				  w->heap_len, e);
	w->n_heap_units += w->heap_len / 8;
	w->heap_len = w->n_heap_items = 0;
	return rc;
}
