/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins requests that the kernel has split. A bio has room for 256 pieces of memory, so a request
 * of more than about 1 MiB becomes several requests. The issuing thread queues all of them before
 * it can wait for the first. If such a sequence adds up to a request of the input, its parts are
 * joined. A thread that issues exactly such a sequence with several requests in flight looks the
 * same and is joined, too. */

#include "replay/engines/adapters/adapter_private.h"
#include "common/sort.h"

/* least length of a full bio: a buffer need not begin at a page boundary */
#define BIO_BYTES_LEAST (255u * 4096)

struct whole { /* a request of the input that is longer than a bio */
	uint64_t offset, length;
	enum op_family family;
};

struct pieces { /* of one thread, so far */
	struct trace_record *piece; /* piece[n] */
	uint32_t n, cap;
	uint32_t n_whole;   /* the first n_whole pieces form a request of the input; 0: none */
	uint64_t n_bytes;
	const struct whole *from, *to; /* [from, to): candidates, by length */
};

struct joiner {
	const struct adapter_state *a;
	struct whole *whole; /* whole[n_wholes], by family, offset and length, without duplicates */
	size_t n_wholes, wholes_cap;
	struct pieces *of; /* of[n_threads] */
	uint32_t *tid;	   /* tid[n_threads] */
	uint32_t n_threads, of_cap, tids_cap;
	struct trace *seen;
	struct trace_writer *to;
	/* object[n_objects]: maps objects of `seen` to objects of `to`; OBJECT_NONE: not mapped
	 * yet */
	uint32_t *object;
	uint32_t n_objects;
};

ORDER_BY(compare_place, struct whole, family, offset)
ORDER_BY(compare, struct whole, family, offset, length)

static struct whole whole_of(const struct trace_record *r)
{
	return (struct whole){r->offset, r->length, op_info(r->op)->family};
}

static bool moves_data(const struct trace_record *r)
{
	const enum op_family f = op_info(r->op)->family;
	return f == FAMILY_READ || f == FAMILY_WRITE;
}

/* Removes duplicates: with many requests at one offset, each piece would be compared with all of
 * them. */
static void wholes_sort(struct joiner *j)
{
	size_t n = 1;
	qsort(j->whole, j->n_wholes, sizeof *j->whole, compare);
	for (size_t i = 1; i < j->n_wholes; i++)
		if (compare(&j->whole[n - 1], &j->whole[i]))
			j->whole[n++] = j->whole[i];
	j->n_wholes = n;
}

static int wholes_find(struct joiner *j, struct err *e)
{
	struct trace *input = j->a->run.input;
	const struct trace_record *r;
	uint64_t i = 0;
	int ret = trace_rewind(input, e);
	for (; !ret && (ret = trace_next(input, &r, e)) == 1; i++, ret = 0) {
		if (!moves_data(r) || r->length <= BIO_BYTES_LEAST ||
		    inputs_is_left_out(&j->a->run.inputs, i))
			continue;
		APPEND(j->whole, j->n_wholes, j->wholes_cap, whole_of(r));
	}
	if (j->n_wholes)
		wholes_sort(j);
	return ret;
}

/* Finds the requests that begin at the offset of `w` and are longer. */
static void candidates_find(const struct joiner *j, const struct whole *w,
			    const struct whole **from, const struct whole **to)
{
	size_t low = 0, high;
	BISECT(low, j->n_wholes, i, compare(&j->whole[i], w) <= 0)
	for (high = low; high < j->n_wholes && !compare_place(&j->whole[high], w); high++)
		;
	*from = &j->whole[low];
	*to = &j->whole[high];
}

/* --- writing ------------------------------------------------------------- */

static int record_write(struct joiner *j, const struct trace_record *r, struct err *e)
{
	struct trace_record x = *r;
	const struct trace_object *o =
	    r->object < j->n_objects ? trace_object(j->seen, r->object) : NULL;
	int ret = 0;
	if (o && j->object[r->object] == OBJECT_NONE)
		ret = trace_writer_object(j->to, o->kind, o->name, &j->object[r->object], e);
	x.object = o ? j->object[r->object] : OBJECT_NONE;
	x.heap = HEAP_NONE;
	return ret ? ret : trace_writer_append(j->to, &x, 1, e);
}

/* Makes the joined request. It ends with its last piece, and fails if one piece fails. */
static struct trace_record whole_make(const struct trace_record *piece, uint32_t n)
{
	struct trace_record x = piece[0];
	for (uint32_t i = 1; i < n; i++) {
		const struct trace_record *r = &piece[i];
		x.length += r->length;
		x.end_ns = x.end_ns == TIME_NONE || r->end_ns == TIME_NONE ? TIME_NONE
			   : r->end_ns > x.end_ns                          ? r->end_ns
									   : x.end_ns;
		x.error = x.error ? x.error : r->error;
		x.rvalue = x.error ? -1 : x.rvalue + r->rvalue;
	}
	return x;
}

/* Writes the joined request, if there is one, and the remaining pieces. */
static int pieces_end(struct joiner *j, struct pieces *p, struct err *e)
{
	uint32_t i = p->n_whole;
	int ret = 0;
	if (p->n_whole) {
		const struct trace_record x = whole_make(p->piece, p->n_whole);
		ret = record_write(j, &x, e);
	}
	for (; i < p->n && !ret; i++)
		ret = record_write(j, &p->piece[i], e);
	p->n = p->n_whole = 0;
	return ret;
}

/* --- reading ------------------------------------------------------------- */

static struct pieces *pieces_of(struct joiner *j, uint32_t tid)
{
	for (uint32_t i = 0; i < j->n_threads; i++)
		if (j->tid[i] == tid)
			return &j->of[i];
	GROW(j->of, j->n_threads, j->of_cap);
	GROW(j->tid, j->n_threads, j->tids_cap);
	j->tid[j->n_threads] = tid;
	j->of[j->n_threads] = (struct pieces){.n = 0};
	return &j->of[j->n_threads++];
}

static int record_take(struct joiner *j, const struct trace_record *r, struct err *e)
{
	struct pieces *p = pieces_of(j, r->tid);
	const struct trace_record *first = p->piece;
	const bool more = p->n && moves_data(r) && whole_of(r).family == whole_of(first).family &&
			  r->offset == first->offset + p->n_bytes &&
			  p->n_bytes + r->length <= p->to[-1].length &&
			  (first->end_ns == TIME_NONE || r->begin_ns < first->end_ns);
	int ret = more ? 0 : pieces_end(j, p, e);
	if (ret)
		return ret;
	if (!more) {
		const struct whole w = whole_of(r);
		p->n_bytes = 0;
		candidates_find(j, &w, &p->from, &p->to);
		if (!moves_data(r) || p->from == p->to)
			return record_write(j, r, e);
	}
	APPEND(p->piece, p->n, p->cap, *r);
	p->n_bytes += r->length;
	for (const struct whole *w = p->from; w < p->to; w++)
		if (w->length == p->n_bytes)
			p->n_whole = p->n;
	return p->n_bytes == p->to[-1].length ? pieces_end(j, p, e) : 0;
}

static int records_take(struct joiner *j, struct err *e)
{
	const struct trace_record *r;
	int ret = 0;
	while (!ret && (ret = trace_next(j->seen, &r, e)) == 1)
		ret = record_take(j, r, e);
	for (uint32_t i = 0; i < j->n_threads && !ret; i++)
		ret = pieces_end(j, &j->of[i], e);
	return ret;
}

static int all_join(struct joiner *j, struct err *e)
{
	SCOPED_FREE char *path = xasprintf("%s/whole.trace", j->a->run.scratch);
	int ret = trace_open(&j->seen, j->a->seen_path, e);
	if (!ret) {
		j->n_objects = trace_n_objects(j->seen);
		j->object = xmalloc(((size_t)j->n_objects + 1) * sizeof *j->object);
		memset(j->object, 0xff, ((size_t)j->n_objects + 1) * sizeof *j->object);
		ret = trace_writer_open(&j->to, path, trace_meta(j->seen),
					&(struct trace_write_options){.no_sync = true}, e);
	}
	ret = ret ? ret : records_take(j, e);
	ret = trace_writer_end(j->to, ret, e);
	if (!ret && rename(path, j->a->seen_path) < 0)
		ret = err_sys(e, errno, "cannot rename %s", path);
	trace_close(j->seen);
	free(j->object);
	return ret;
}

int seen_join(struct adapter_state *a, struct err *e)
{
	struct joiner j = {.a = a};
	int ret = wholes_find(&j, e);
	if (!ret && j.n_wholes)
		ret = all_join(&j, e);
	for (uint32_t i = 0; i < j.n_threads; i++)
		free(j.of[i].piece);
	FREE_EACH(j.of, j.tid, j.whole);
	return ret;
}
