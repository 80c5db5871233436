/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/formats/foreign.h"

#include "capture/trace_format.h"

#define LINES_AT_ONCE 2048
#define HEAP_KEPT (4u << 20)

static struct foreign *foreign_of(struct trace *t)
{
	return (struct foreign *)t;
}

int foreign_at(struct foreign *f, const char *where, struct err *e, const char *format, ...)
{
	va_list ap;
	f->wrong = where;
	va_start(ap, format);
	int ret = err_vset(e, EINVAL, format, ap);
	va_end(ap);
	return ret;
}

int foreign_check(const struct trace_record *r, struct err *e)
{
	return record_is_sane(r) ? 0 : err_set(e, ERANGE,
		"a time exceeds the limit of the trace format (2^61 ns, 73 years)");
}

int foreign_add(struct foreign *f, struct trace_record *r, struct err *e)
{
	int ret = foreign_check(r, e);
	r->commit = TRACE_COMMIT;
	if (!ret)
		record_queue_add(&f->queue, r);
	return ret;
}

int foreign_object(struct foreign *f, enum object_kind kind, const char *name, size_t len,
		   uint32_t *id, struct err *e)
{
	if (len > NAME_LEN_MAX || memchr(name, 0, len))
		return err_set(e, EINVAL, "a name has more than %u bytes or contains a NUL byte",
			       NAME_LEN_MAX);
	return object_table_intern(&f->base.objects, kind, name, len, id, e);
}

int foreign_object_sink(void *context, enum object_kind kind, const char *name, uint32_t *id,
			struct err *e)
{
	return foreign_object(context, kind, name, strlen(name), id, e);
}

int foreign_heap_sink(void *context, const void *data, size_t len, uint32_t *ref, struct err *e)
{
	(void)e;
	*ref = foreign_heap(context, data, len);
	return 0;
}

void foreign_lost(struct foreign *f, uint64_t n)
{
	uint64_t *reported = &f->base.meta.meta.n_events_lost;
	if (__builtin_add_overflow(f->n_lost, n, &f->n_lost))
		f->n_lost = UINT64_MAX;
	*reported = f->n_lost > *reported ? f->n_lost : *reported;
}

/* --- the heap ------------------------------------------------------------ */

/* Drops the heap items before the first item to which a queued record refers. */
static void heap_trim(struct foreign *f)
{
	size_t keep = f->heap.len;
	for (size_t i = f->queue.head; i < f->queue.n; i++) {
		uint32_t ref = f->queue.v[i].heap;
		size_t at = (size_t)(uint32_t)(ref - f->heap_first) * 8;
		if (ref != HEAP_NONE && at < keep)
			keep = at;
	}
	if (keep < f->heap.len)
		memmove(f->heap.s, f->heap.s + keep, f->heap.len - keep);
	f->heap.len -= keep;
	f->heap_first += (uint32_t)(keep / 8);
}

uint32_t foreign_heap(struct foreign *f, const void *data, size_t len)
{
	static const char zeros[8];
	if (f->heap_first + (uint32_t)(f->heap.len / 8) == HEAP_NONE)
		strbuf_add(&f->heap, zeros, 8);
	uint32_t ref = f->heap_first + (uint32_t)(f->heap.len / 8);
	heap_item_add(&f->heap, data, len);
	return ref;
}

static int foreign_heap_get(struct trace *base, uint32_t ref, const void **data, size_t *len,
			    struct err *e)
{
	const struct foreign *f = foreign_of(base);
	(void)e;
	heap_item_get(&f->heap, (size_t)(uint32_t)(ref - f->heap_first) * 8, data, len);
	return 0;
}

void foreign_unfinished(struct foreign *f, uint64_t ticket)
{
	struct trace_record *r = record_queue_at(&f->queue, ticket);
	f->base.notes.n_without_end++;
	if (!r)
		return;
	r->rvalue = -1;
	r->error = ECANCELED;
	r->commit = TRACE_COMMIT;
}

/* --- reading ------------------------------------------------------------- */

/* Counts a line or piece that cannot be read. If there are more than n_lenient, the trace ends with
 * the error. */
static void unreadable_count(struct foreign *f, struct err *why)
{
	struct trace_notes *n = &f->base.notes;
	char place[64];
	if (f->reader->line && f->wrong && f->line)
		snprintf(place, sizeof place, "line %llu, column %llu",
			 (unsigned long long)f->in.line,
			 (unsigned long long)(f->wrong - f->line) + 1);
	else if (f->reader->line)
		snprintf(place, sizeof place, "line %llu", (unsigned long long)f->in.line);
	else
		snprintf(place, sizeof place, "byte %llu", (unsigned long long)f->piece_at);
	if (n->n_skipped >= f->n_lenient) {
		err_set(&f->error, why->code, "%s: %s: %s", f->path, place, why->msg);
		return;
	}
	if (!n->n_skipped++)
		snprintf(n->first_skipped, sizeof n->first_skipped, "%s: %.300s", place, why->msg);
}

static int take_line(struct foreign *f, struct err *e)
{
	size_t len;
	struct err why; /* not ERR_INIT, which would clear the whole struct for every line */
	err_clear(&why);
	f->line = f->wrong = NULL;
	int ret = text_input_line(&f->in, &f->line, &len, &why);
	if (ret < 0 && ret != -EMSGSIZE)
		return err_set(e, -ret, "%s", why.msg);
	if (ret == 1)
		ret = f->reader->line(f, f->line, len, &why);
	else if (!ret)
		f->ended = !f->reader->next || (ret = f->reader->next(f, &why)) != 1;
	if (ret == -ENOMEM)
		return err_set(e, ENOMEM, "%s: %s", f->path, why.msg);
	if (ret < 0)
		unreadable_count(f, &why);
	return 0;
}

static int take_piece(struct foreign *f, struct err *e)
{
	struct err why; /* not ERR_INIT, which would clear the whole struct for every piece */
	err_clear(&why);
	f->piece_at = f->in.offset + f->in.at;
	int ret = f->reader->piece(f, &why);
	if (ret == -ENOMEM || ret == -EIO)
		return err_set(e, -ret, "%s: %s", f->path, why.msg);
	if (ret < 0)
		unreadable_count(f, &why);
	f->ended = !ret;
	return 0;
}

static int take_some(struct foreign *f, struct err *e)
{
	if (f->heap.len > HEAP_KEPT)
		heap_trim(f);
	int ret = 0;
	for (int i = 0; i < LINES_AT_ONCE && !ret && !f->ended && !f->error.code; i++)
		ret = f->reader->line ? take_line(f, e) : take_piece(f, e);
	/* also before an error: unfinished requests are returned as they are */
	if (!ret && (f->ended || f->error.code) && f->reader->end)
		f->reader->end(f);
	struct trace_notes *n = &f->base.notes;
	n->mean_queue_ns = n->n_queued ? f->queue_sum_ns / (double)n->n_queued : 0;
	return ret;
}

static int foreign_next_batch(struct trace *base, const struct trace_record **r, size_t *n,
			      struct err *e)
{
	struct foreign *f = foreign_of(base);
	for (;;) {
		record_queue_take(&f->queue, r, n);
		if (*n)
			break;
		if (f->error.code)
			return err_set(e, f->error.code, "%s", f->error.msg);
		if (f->ended)
			return 0;
		int ret = take_some(f, e);
		if (ret)
			return ret;
	}
	struct trace_record *v = &f->queue.v[f->queue.head];
	for (size_t i = 0; i < *n; i++)
		v[i].seq = f->n_given++;
	return 1;
}

static int foreign_rewind(struct trace *base, struct err *e)
{
	struct foreign *f = foreign_of(base);
	int ret = text_input_rewind(&f->in, e);
	if (ret)
		return ret;
	record_queue_reset(&f->queue);
	f->error = (struct err)ERR_INIT;
	f->ended = false;
	f->n_given = 0;
	f->queue_sum_ns = 0;
	strbuf_reset(&f->heap);
	f->heap_first = 0;
	bool one_cpu = base->notes.one_cpu_of_many;
	base->notes = (struct trace_notes){.one_cpu_of_many = one_cpu};
	f->n_lost = 0;
	if (f->reader->reset)
		f->reader->reset(f);
	return 0;
}

static void foreign_close(struct trace *base)
{
	SCOPED_FREE struct foreign *f = foreign_of(base);
	if (f->reader->release)
		f->reader->release(f);
	text_input_close(&f->in);
	record_queue_release(&f->queue);
	strbuf_release(&f->heap);
}

static const struct trace_reader shared = {.next_batch = foreign_next_batch,
					   .rewind = foreign_rewind,
					   .heap = foreign_heap_get,
					   .close = foreign_close};

int foreign_open_unread(struct trace **t, const struct foreign_reader *reader, const char *path,
			const struct trace_open_options *o, struct err *e)
{
	struct foreign *f = xcalloc(1, reader->size);
	*t = NULL;
	trace_base_init(&f->base, &shared);
	f->reader = reader;
	f->n_lenient = o->n_lenient;
	strbuf_init(&f->heap);
	f->base.health.complete = true;
	f->base.meta.meta.level = reader->level;
	f->base.meta.meta.clock = reader->clock;
	f->base.meta.meta.captured_by = reader->captured_by;
	if (reader->setup)
		reader->setup(f, o);
	int ret = text_input_open(&f->in, path, e);
	f->path = f->in.path;
	if (ret)
		trace_close(&f->base);
	else
		*t = &f->base;
	return ret;
}

int foreign_open(struct trace **t, const struct foreign_reader *reader, const char *path,
		 const struct trace_open_options *o, struct err *e)
{
	int ret = foreign_open_unread(t, reader, path, o, e);
	if (ret)
		return ret;
	ret = foreign_rewind(*t, e);
	ret = ret ? ret : take_some(foreign_of(*t), e);
	ret = ret ? ret : foreign_rewind(*t, e);
	if (ret) {
		trace_close(*t);
		*t = NULL;
	}
	return ret;
}
