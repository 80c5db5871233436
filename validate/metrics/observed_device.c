/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/observed_device.h"

#include <linux/falloc.h>

#include "capture/op.h"
#include "common/sort.h"

/* --- the device's side --------------------------------------------------- */

/* The requests that the device received while it was traced are indexed by kind and offset. */

enum device_kind { KIND_READ, KIND_WRITE, KIND_FLUSH, KIND_DISCARD, KIND_NONE };

struct device_request { /* a request of the device */
	uint64_t offset, length;
	int64_t queue_ns, dispatch_ns, end_ns;
	uint64_t index; /* record number in its trace */
	uint32_t object;
	uint16_t error;
	uint8_t kind; /* enum device_kind */
	bool taken;
};

struct device_side {
	struct device_request *seen; /* sorted by kind, offset, time */
	size_t n, cap;
	/* [n] for the first request at an offset: index of the first request there that may be
	 * free */
	size_t *first;
	struct trace *trace;
};

/* Returns the kind of device request that a record causes; KIND_NONE: none. */
static enum device_kind device_kind_of(const struct trace_record *r)
{
	switch (op_info(r->op)->family) {
	case FAMILY_READ:
		return KIND_READ;
	case FAMILY_WRITE:
		return KIND_WRITE;
	case FAMILY_SYNC:
		return KIND_FLUSH;
	default:
		return r->op == OP_FALLOCATE ? KIND_DISCARD : KIND_NONE;
	}
}

ORDER_BY(by_place, struct device_request, kind, offset, queue_ns, index)

/* Reads a trace of `validate capture block`. Memory: 64 bytes per request. Errors: of reading, with
 * the file name; the struct must be released in any case. Ownership: device_side_release. */
static int device_side_read(struct device_side *s, const char *path, struct err *e)
{
	const struct trace_record *r;
	size_t n;
	*s = (struct device_side){0};
	int ret = trace_open(&s->trace, path, e);
	while (!ret && (ret = trace_next_batch(s->trace, &r, &n, e)) == 1) {
		for (size_t i = 0; i < n; i++) {
			GROW(s->seen, s->n, s->cap);
			s->seen[s->n] = (struct device_request){.offset = r[i].offset,
				.length = r[i].length, .queue_ns = r[i].begin_ns,
				.dispatch_ns = r[i].dispatch_ns, .end_ns = r[i].end_ns,
				.index = s->n, .object = r[i].object, .error = r[i].error,
				.kind = (uint8_t)device_kind_of(&r[i])};
			s->n++;
		}
		ret = 0;
	}
	if (ret)
		return err_context(e, "%s", path);
	SORT(s->seen, s->n, by_place);
	s->first = xreallocarray(NULL, s->n + 1, sizeof *s->first);
	for (size_t i = 0; i < s->n; i++)
		s->first[i] = i;
	return 0;
}

static void device_side_release(struct device_side *s)
{
	trace_close(s->trace);
	FREE_EACH(s->seen, s->first);
}

/* Returns the first request at an offset; s->n if there is none. */
static size_t place_find(const struct device_side *s, enum device_kind kind, uint64_t offset)
{
	const struct device_request *q = s->seen;
	size_t lo = 0;
	BISECT(lo, s->n, i, q[i].kind < kind || (q[i].kind == kind && q[i].offset < offset))
	return lo < s->n && q[lo].kind == kind && q[lo].offset == offset ? lo : s->n;
}

/* Takes the earliest free request at an offset with this length; `shorter`: with a smaller length.
 * NULL: none. */
static struct device_request *place_take(struct device_side *s, enum device_kind kind,
					 uint64_t offset, uint64_t length, bool shorter)
{
	size_t at = place_find(s, kind, offset);
	if (at == s->n)
		return NULL;
	size_t i = s->first[at];
	while (i < s->n && s->seen[i].taken && s->seen[i].kind == kind &&
	       s->seen[i].offset == offset)
		i++;
	s->first[at] = i;
	for (; i < s->n && s->seen[i].kind == kind && s->seen[i].offset == offset; i++) {
		struct device_request *q = &s->seen[i];
		if (!q->taken &&
		    (shorter ? q->length < length && q->length : q->length == length)) {
			q->taken = true;
			return q;
		}
	}
	return NULL;
}

/* Adds a piece to a request. */
static void piece_join(struct device_request *all, const struct device_request *piece)
{
	all->length += piece->length;
	all->queue_ns = piece->queue_ns < all->queue_ns ? piece->queue_ns : all->queue_ns;
	if (all->dispatch_ns == TIME_NONE ||
	    (piece->dispatch_ns != TIME_NONE && piece->dispatch_ns < all->dispatch_ns))
		all->dispatch_ns = piece->dispatch_ns;
	if (piece->end_ns == TIME_NONE || all->end_ns == TIME_NONE)
		all->end_ns = TIME_NONE;
	else
		all->end_ns = piece->end_ns > all->end_ns ? piece->end_ns : all->end_ns;
	all->error = all->error ? all->error : piece->error;
}

#define PIECES_MAX 4096

/* Finds a request at the device, as a whole or as consecutive pieces (`*split`), and takes it.
 * Returns false if it is missing or incomplete. Of equal requests it takes the earliest. */
static bool device_side_find(struct device_side *s, enum device_kind kind,
	const struct trace_record *r, struct device_request *found, bool *split)
{
	struct device_request *piece[PIECES_MAX],
	    *q = place_take(s, kind, r->offset, r->length, false);
	size_t n = 0;
	*split = false;
	if (q) {
		*found = *q;
		return true;
	}
	uint64_t done = 0;
	while (done < r->length && n < PIECES_MAX) {
		q = place_take(s, kind, r->offset + done, r->length - done, n == 0);
		if (!q && n)
			q = place_take(s, kind, r->offset + done, r->length - done, true);
		if (!q)
			break;
		done += q->length;
		piece[n++] = q;
	}
	if (!n || done < r->length) {
		while (n)
			piece[--n]->taken = false;
		return false;
	}
	*found = *piece[0];
	for (size_t i = 1; i < n; i++)
		piece_join(found, piece[i]);
	return *split = true;
}

struct device_making {
	const struct device_observation *how;
	struct device_side side;
	struct trace *sequence, *own; /* own NULL: none, or it has ended */
	struct trace_writer *writer;
	struct observed_device *o;
	int64_t own_shift_ns; /* added to times of `own` to get the device's times */
	/* the shift of a floating clock is known: the first request that was found counts as on
	 * time */
	bool anchored;
	int64_t first_ns, last_ns; /* of the found requests */
	uint32_t *object;     /* [n_objects] of the sequence: number of the object in the result */
	uint32_t n_objects;
	uint64_t n_records;
};

static int64_t begin_of(const struct device_making *m, const struct device_request *q)
{
	return m->how->queued || q->dispatch_ns == TIME_NONE ? q->queue_ns : q->dispatch_ns;
}

static void times_set(struct device_making *m, struct trace_record *r,
		      const struct device_request *q)
{
	r->begin_ns = begin_of(m, q);
	r->dispatch_ns = q->dispatch_ns;
	r->end_ns = q->end_ns;
	if (q->error) {
		r->rvalue = -1;
		r->error = q->error;
	}
	if (r->begin_ns < m->first_ns)
		m->first_ns = r->begin_ns;
	int64_t last = r->end_ns == TIME_NONE ? r->begin_ns : r->end_ns;
	if (last > m->last_ns)
		m->last_ns = last;
}

static void intended_set(struct device_making *m, struct trace_record *r,
			 const struct trace_record *own, const struct device_request *found)
{
	if (!own || own->intended_ns == TIME_NONE)
		return;
	if (m->how->floating && !m->anchored) {
		m->own_shift_ns = found->queue_ns - own->intended_ns;
		m->anchored = true;
	}
	r->intended_ns = own->intended_ns + m->own_shift_ns;
}

/* Changes a request of the sequence to the device's view. `own`: the record of the run's own trace;
 * NULL: unknown. */
static void record_make(struct device_making *m, struct trace_record *r,
			const struct trace_record *own)
{
	struct device_request found;
	enum device_kind kind = device_kind_of(r);
	bool split, skipped = own && own->begin_ns == TIME_NONE && own->error == EOPNOTSUPP;
	/* the sequence issued it, and it is of a kind that reaches a device */
	const bool wanted = r->begin_ns != TIME_NONE && kind != KIND_NONE &&
			    (kind == KIND_FLUSH || r->length) && r->rvalue >= 0;
	r->intended_ns = TIME_NONE;
	r->heap = HEAP_NONE;
	m->o->n_requests += wanted && !skipped;
	if (wanted && !skipped && device_side_find(&m->side, kind, r, &found, &split)) {
		m->o->n_seen++;
		m->o->n_split += split;
		intended_set(m, r, own, &found);
		times_set(m, r, &found);
		return;
	}
	if (!m->how->floating)
		intended_set(m, r, own, NULL);
	r->begin_ns = r->end_ns = r->dispatch_ns = TIME_NONE;
	if (skipped || !wanted || kind == KIND_FLUSH) {
		r->rvalue = -1;
		r->error = EOPNOTSUPP;
	}
}

static int objects_copy(struct device_making *m, const struct trace *from, struct err *e)
{
	int ret = 0;
	uint32_t n = trace_n_objects(from);
	m->object = xreallocarray(m->object, n + 1, sizeof *m->object);
	for (; !ret && m->n_objects < n; m->n_objects++) {
		const struct trace_object *x = trace_object(from, m->n_objects);
		m->object[m->n_objects] = OBJECT_NONE;
		ret = x ? trace_writer_object(m->writer, x->kind, x->name, &m->object[m->n_objects],
					      e)
		       : 0;
	}
	return ret;
}

static int own_next(struct device_making *m, const struct trace_record **own, struct err *e)
{
	*own = NULL;
	if (!m->own || !m->how->numbered)
		return 0;
	int ret = trace_next(m->own, own, e);
	if (ret == 0)
		m->own = NULL; /* there are no more records; the caller closes the trace */
	if (ret <= 0)
		*own = NULL;
	return ret < 0 ? err_context(e, "%s", m->how->own) : 0;
}

static int sequence_write(struct device_making *m, struct err *e)
{
	const struct trace_record *r, *own;
	size_t n;
	int ret = 0;
	while (!ret && (ret = trace_next_batch(m->sequence, &r, &n, e)) == 1) {
		ret = objects_copy(m, m->sequence, e);
		for (size_t i = 0; i < n && !ret; i++) {
			struct trace_record x = r[i];
			ret = own_next(m, &own, e);
			if (ret)
				break;
			x.object = x.object < m->n_objects ? m->object[x.object] : OBJECT_NONE;
			record_make(m, &x, own);
			ret = trace_writer_append(m->writer, &x, 1, e);
			m->n_records++;
		}
	}
	return ret;
}

ORDER_BY(by_time, struct device_request, queue_ns, index)

static int extra_write(struct device_making *m, const struct device_request *q, uint32_t object,
		       struct err *e)
{
	static const uint16_t op[] = {[KIND_READ] = OP_PREAD,
				      [KIND_WRITE] = OP_PWRITE,
				      [KIND_FLUSH] = OP_FDATASYNC,
				      [KIND_DISCARD] = OP_FALLOCATE};
	struct trace_record r = {
	    .seq = m->n_records++, .intended_ns = TIME_NONE, .offset = q->offset,
	    .length = q->length,
	    .rvalue = q->kind == KIND_READ || q->kind == KIND_WRITE ? (int64_t)q->length : 0,
	    .object = object, .fd = -1,
	    .flags = q->kind == KIND_DISCARD ? FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE : 0,
	    .heap = HEAP_NONE,
	    .op = op[q->kind]};
	times_set(m, &r, q);
	return trace_writer_append(m->writer, &r, 1, e);
}

/* Writes the remaining device requests. Flushes may come from the kernel itself and do not count as
 * extra. */
static int extras_write(struct device_making *m, struct err *e)
{
	struct device_side *s = &m->side;
	const int64_t first = m->how->sequence ? m->first_ns : INT64_MIN,
		      last = m->how->sequence ? m->last_ns : INT64_MAX;
	uint32_t object = 0;
	int ret = 0;
	SORT(s->seen, s->n, by_time);
	for (size_t i = 0; i < s->n && !ret; i++) {
		const struct device_request *q = &s->seen[i];
		if (q->taken || q->kind == KIND_NONE || (q->kind == KIND_FLUSH && m->how->sequence))
			continue;
		if (begin_of(m, q) < first || begin_of(m, q) > last) {
			m->o->n_outside++;
			continue;
		}
		const struct trace_object *x = trace_object(s->trace, q->object);
		if (!m->o->n_extra++)
			ret = trace_writer_object(m->writer, OBJECT_DEVICE, x ? x->name : "device",
						  &object, e);
		ret = ret ? ret : extra_write(m, q, object, e);
	}
	return ret;
}

static int making_write(struct device_making *m, const char *out, struct err *e)
{
	const struct trace_meta *side = trace_meta(m->side.trace),
				*own = m->own ? trace_meta(m->own) : side;
	const struct trace_write_options options = {.no_sync = true};
	struct trace_meta meta = *own;
	meta.level = LEVEL_BLOCK;
	meta.epoch_ns = side->epoch_ns;
	meta.wall_epoch_ns = side->wall_epoch_ns;
	meta.clock = side->clock;
	meta.clock_resolution_ns = side->clock_resolution_ns;
	meta.clock_read_cost_ns = side->clock_read_cost_ns;
	meta.files = (struct fileset){0};
	m->o->n_lost_events = side->n_events_lost;
	meta.n_events_lost = side->n_events_lost;
	meta.cut |= side->cut;
	m->own_shift_ns = own->epoch_ns - side->epoch_ns;
	int ret = trace_writer_open(&m->writer, out, &meta, &options, e);
	if (ret)
		return ret;
	if (m->sequence)
		ret = sequence_write(m, e);
	if (!ret && m->sequence && !m->o->n_seen)
		ret = err_set(e, ENODATA, "none of the %llu requests reached the device: the page "
			      "cache served them, or their files are on another device",
			      (unsigned long long)m->o->n_requests);
	ret = ret ? ret : extras_write(m, e);
	if (!ret && !m->sequence && !m->o->n_extra)
		ret = err_set(e, ENODATA, "no request reached the device: the page cache served "
			      "all of them, or the files are on another device");
	if (!ret && !m->sequence) {
		m->o->n_requests = m->o->n_seen = m->o->n_extra;
		m->o->n_extra = 0;
	}
	return trace_writer_end(m->writer, ret, e);
}

int observed_device_write(const struct device_observation *how, const char *out,
			  struct observed_device *o, struct err *e)
{
	struct device_making m = {.how = how, .o = o, .first_ns = INT64_MAX, .last_ns = INT64_MIN};
	struct trace *own = NULL;
	*o = (struct observed_device){0};
	int ret = device_side_read(&m.side, how->side, e);
	if (!ret && how->sequence)
		ret = trace_open(&m.sequence, how->sequence, e);
	if (!ret && how->own)
		ret = trace_open(&own, how->own, e);
	m.own = own;
	ret = ret ? ret : making_write(&m, out, e);
	trace_close(own);
	trace_close(m.sequence);
	free(m.object);
	device_side_release(&m.side);
	return ret;
}
