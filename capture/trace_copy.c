/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "capture/format.h"

/* Maps ids of the input to ids of the copy. In the usual case, equal object tables in equal order
 * give equal ids. */
struct trace_copying {
	struct trace *from;
	struct trace_writer *to;
	uint32_t *id; /* id[n]: id in the copy */
	uint32_t n, cap;
	const struct trace_change *how;
};

int trace_copy_objects(const struct trace *from, struct trace_writer *to, uint32_t *n,
		       struct err *e)
{
	for (uint32_t id; *n < trace_n_objects(from); ++*n) {
		const struct trace_object *o = trace_object(from, *n);
		int ret = o ? trace_writer_object(to, o->kind, o->name, &id, e) : 0;
		if (!ret && (!o || id != *n))
			ret = err_set(e, EBADMSG,
				      "object %" PRIu32 " of the trace is missing or occurs twice",
				      *n);
		if (ret)
			return ret;
	}
	return 0;
}

int trace_copy_heap(const struct trace *from, struct trace_writer *to, uint32_t *ref,
		    struct err *e)
{
	const void *data;
	size_t len;
	int ret = trace_heap(from, *ref, &data, &len, e);
	*ref = HEAP_NONE;
	return ret || !data ? ret : trace_writer_heap(to, data, len, ref, e);
}

static int copy_objects(struct trace_copying *c, struct err *e)
{
	for (; c->n < trace_n_objects(c->from); c->n++) {
		const struct trace_object *o = trace_object(c->from, c->n);
		GROW(c->id, c->n, c->cap);
		c->id[c->n] = OBJECT_NONE; /* if a damaged block has lost the object */
		int ret = o ? trace_writer_object(c->to, o->kind, o->name, &c->id[c->n], e) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

static int copy_record(struct trace_copying *c, struct trace_record *r, struct err *e)
{
	r->object = r->object < c->n ? c->id[r->object] : OBJECT_NONE;
	int ret = trace_copy_heap(c->from, c->to, &r->heap, e);
	return ret || !c->how || !c->how->change ? ret : c->how->change(c->how->ctx, c->to, r, e);
}

static int copy_all(struct trace_copying *c, struct err *e)
{
	const struct trace_record *r;
	struct trace_record some[1024];
	size_t n;
	int ret = trace_rewind(c->from, e);
	while (!ret && (ret = trace_next_batch(c->from, &r, &n, e)) == 1) {
		ret = copy_objects(c, e);
		while (n && !ret) {
			size_t now = n < 1024 ? n : 1024;
			for (size_t i = 0; i < now && !ret; i++) {
				some[i] = r[i];
				ret = copy_record(c, &some[i], e);
			}
			ret = ret ? ret : trace_writer_append(c->to, some, now, e);
			r += now;
			n -= now;
		}
	}
	return ret ? ret : copy_objects(c, e);
}

int trace_copy(struct trace *t, const char *path, const struct trace_change *how,
	       const struct trace_write_options *o, struct err *e)
{
	struct trace_copying c = {.from = t, .how = how};
	const struct trace_meta *meta = how && how->meta ? how->meta : trace_meta(t);
	int ret = trace_writer_open(&c.to, path, meta, o, e);
	ret = ret ? ret : copy_all(&c, e);
	ret = trace_writer_end(c.to, ret, e);
	free(c.id);
	return ret;
}
