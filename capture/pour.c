/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/pour.h"

#include "capture/op.h"
#include "common/file_beside.h"

#define AT_ONCE 1024u

/* An input trace: its position, and the ids of its objects in the output. */
struct pour_source {
	struct trace *t;
	int64_t shift_ns;
	uint32_t *id;
	uint32_t n, cap;
	const struct trace_record *r; /* r[n_left]: records that were read, but not copied */
	size_t n_left;
	bool over;
};

struct pour_job {
	struct pour *p;
	struct trace_writer *w;
	struct pour_source *source;
	size_t n_sources;
	struct trace_record some[AT_ONCE];
	size_t n_some;
	int64_t last_begin_ns;
	bool stop;
	struct strbuf name;
};

/* --- objects and heap ---------------------------------------------------- */

static int new_object(struct pour_job *j, const struct trace_object *o, uint32_t *id, struct err *e)
{
	if (!j->p->rename)
		return trace_writer_object(j->w, o->kind, o->name, id, e);
	strbuf_reset(&j->name);
	int ret = j->p->rename(j->p->ctx, o->kind, o->name, &j->name, e);
	return ret ? ret : trace_writer_object(j->w, o->kind, j->name.s, id, e);
}

/* Copies an object when a request first refers to it, so objects of omitted requests are not
 * copied. */
static int map_object(struct pour_job *j, struct pour_source *s, uint32_t *object, struct err *e)
{
	if (*object < s->n && s->id[*object] != OBJECT_NONE) {
		*object = s->id[*object];
		return 0;
	}
	const struct trace_object *o = trace_object(s->t, *object);
	if (!o) {
		*object = OBJECT_NONE;
		return 0;
	}
	while (*object >= s->n) {
		GROW(s->id, s->n, s->cap);
		s->id[s->n++] = OBJECT_NONE;
	}
	int ret = new_object(j, o, &s->id[*object], e);
	*object = s->id[*object];
	return ret;
}

static int map_heap(struct pour_job *j, struct pour_source *s, struct trace_record *r,
		    struct err *e)
{
	unsigned int uses = op_info(r->op)->uses;
	size_t len;
	struct op_peer peer;
	const void *data;
	int ret = trace_heap(s->t, r->heap, &data, &len, e);
	r->heap = HEAP_NONE;
	if (ret || !data)
		return ret;
	if ((uses & OP_HEAP_PEER) && len == sizeof peer) {
		memcpy(&peer, data, sizeof peer);
		ret = map_object(j, s, &peer.object, e);
		return ret ? ret : trace_writer_heap(j->w, &peer, sizeof peer, &r->heap, e);
	}
	if (!j->p->rename || (uses & (OP_HEAP_IOVEC | OP_HEAP_TIMES | OP_HEAP_LOCK)))
		return trace_writer_heap(j->w, data, len, &r->heap, e);
	if (!(uses & (OP_HEAP_PATH | OP_HEAP_NAME)))
		return 0; /* an unknown item may reveal a name */
	SCOPED_FREE char *name = xstrndup(data, len);
	strbuf_reset(&j->name);
	ret = j->p->rename(j->p->ctx, uses & OP_HEAP_PATH ? OBJECT_PATH : 0, name, &j->name, e);
	return ret ? ret : trace_writer_heap(j->w, j->name.s, j->name.len, &r->heap, e);
}

/* --- records ------------------------------------------------------------- */

static int records_flush(struct pour_job *j, struct err *e)
{
	size_t n = j->n_some;
	j->n_some = 0;
	return n ? trace_writer_append(j->w, j->some, n, e) : 0;
}

static int pour_record(struct pour_job *j, struct pour_source *s, const struct trace_record *from,
		       struct err *e)
{
	struct trace_record *r = &j->some[j->n_some];
	*r = *from;
	j->p->n_read++;
	if (s->shift_ns) {
		r->begin_ns += r->begin_ns == TIME_NONE ? 0 : s->shift_ns;
		r->end_ns += r->end_ns == TIME_NONE ? 0 : s->shift_ns;
		r->intended_ns += r->intended_ns == TIME_NONE ? 0 : s->shift_ns;
		r->dispatch_ns += r->dispatch_ns == TIME_NONE ? 0 : s->shift_ns;
	}
	int keep = j->p->filter ? j->p->filter(j->p->ctx, s->t, r) : 1;
	j->stop |= keep == 2;
	if (keep != 1)
		return 0;
	int ret = r->object == OBJECT_NONE ? 0 : map_object(j, s, &r->object, e);
	if (!ret && r->heap != HEAP_NONE)
		ret = map_heap(j, s, r, e);
	if (ret)
		return ret;
	if (j->p->new_seq)
		r->seq = j->p->n_written;
	j->p->n_unordered += r->begin_ns != TIME_NONE && r->begin_ns < j->last_begin_ns;
	if (r->begin_ns > j->last_begin_ns)
		j->last_begin_ns = r->begin_ns;
	j->p->n_written++;
	return ++j->n_some == AT_ONCE ? records_flush(j, e) : 0;
}

/* Reads the next request into s->r. Returns 1, 0 at the end, or a negative errno. */
static int source_fill(struct pour_source *s, struct err *e)
{
	while (!s->n_left && !s->over) {
		int ret = trace_next_batch(s->t, &s->r, &s->n_left, e);
		if (ret < 0)
			return ret;
		s->over = !ret;
		s->n_left = ret ? s->n_left : 0;
	}
	return s->n_left > 0;
}

static int64_t begin_of(const struct pour_source *s)
{
	return s->r->begin_ns == TIME_NONE ? TIME_NONE : s->r->begin_ns + s->shift_ns;
}

/* Finds the source whose next request begins first. A linear search suffices, because there are few
 * sources. */
static int next_source(struct pour_job *j, struct pour_source **first, struct err *e)
{
	*first = NULL;
	for (size_t i = 0; i < j->n_sources; i++) {
		struct pour_source *s = &j->source[i];
		int ret = source_fill(s, e);
		if (ret < 0)
			return ret;
		if (ret && (!*first || begin_of(s) < begin_of(*first)))
			*first = s;
	}
	return *first != NULL;
}

static int pour_all(struct pour_job *j, struct err *e)
{
	struct pour_source *s = j->source;
	int ret = 0;
	while (!j->stop &&
	       (ret = j->n_sources == 1 ? source_fill(s, e) : next_source(j, &s, e)) == 1) {
		do {
			ret = pour_record(j, s, s->r, e);
			s->r++;
			s->n_left--;
		} while (!ret && !j->stop && s->n_left && j->n_sources == 1);
		if (ret)
			return ret;
	}
	return ret < 0 ? ret : records_flush(j, e);
}

static int pour_to(struct pour_job *j, const struct trace_meta *meta, const char *path,
		   struct err *e)
{
	int ret = 0;
	for (size_t i = 0; i < j->n_sources && !ret; i++)
		ret = trace_rewind(j->source[i].t, e);
	ret = ret ? ret : trace_writer_open(&j->w, path, meta, &j->p->write, e);
	if (ret)
		return ret;
	ret = pour_all(j, e);
	if (!ret && j->p->finish) {
		struct trace_meta last = *meta;
		j->p->finish(j->p->ctx, &last);
		ret = trace_writer_set_meta(j->w, &last, e);
	}
	return trace_writer_end(j->w, ret, e);
}

/* Sorts `temporary`, unless the order is right or must be kept. */
static int put_in_order(struct pour_job *j, const char *temporary, const char *path, struct err *e)
{
	int ret = 0;
	j->p->sorted = j->p->n_unordered && !j->p->keep_order;
	if (j->p->sorted) {
		char *sorted;
		int fd = file_beside(path, 0666, &sorted, e);
		ret = fd < 0 ? fd : trace_sort(temporary, sorted, &j->p->write, e);
		ret = file_beside_keep(sorted, temporary, ret, e);
		fd_close(fd);
	}
	return ret;
}

int pour_traces(struct pour *p, struct trace *const *t, const int64_t *shift_ns, size_t n,
		const struct trace_meta *meta, const char *path, struct err *e)
{
	int ret = trace_output_check_replaced(path, e);
	if (ret)
		return ret;
	char *temporary;
	int fd = file_beside(path, 0666, &temporary, e);
	if (fd < 0)
		return fd;
	SCOPED_FREE struct pour_job *j = xcalloc(1, sizeof *j);
	j->p = p;
	p->write.shown = path;
	j->n_sources = n;
	j->source = xcalloc(n ? n : 1, sizeof *j->source);
	j->last_begin_ns = TIME_NONE;
	strbuf_init(&j->name);
	for (size_t i = 0; i < n; i++)
		j->source[i] = (struct pour_source){.t = t[i],
						    .shift_ns = shift_ns ? shift_ns[i] : 0};
	ret = pour_to(j, meta, temporary, e);
	ret = ret ? ret : put_in_order(j, temporary, path, e);
	ret = file_beside_keep(temporary, path, ret, e);
	close(fd);
	for (size_t i = 0; i < n; i++)
		free(j->source[i].id);
	free(j->source);
	strbuf_release(&j->name);
	return ret;
}
