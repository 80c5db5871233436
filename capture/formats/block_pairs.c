/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/formats/block_pairs.h"

#include <linux/falloc.h>

#include "capture/kernel/block_requests.h"

void block_pairs_release(struct block_pairs *p)
{
	free(p->slot);
	p->slot = NULL;
	p->n_slots = p->n_used = p->n_flushes = 0;
}

void block_pairs_reset(struct block_pairs *p)
{
	if (p->slot)
		memset(p->slot, 0, p->n_slots * sizeof *p->slot);
	p->n_used = p->n_flushes = 0;
}

static size_t home(const struct block_pairs *p, uint32_t device, uint64_t sector)
{
	uint64_t h = (sector ^ (uint64_t)device << 44) * 0x9e3779b97f4a7c15u;
	return (size_t)(h >> 32) & (p->n_slots - 1);
}

static bool is_flush(int op)
{
	return op == OP_FDATASYNC;
}

/* The first flush of a device, issued or not issued; NULL: there is none. */
static struct block_waiting *flush_find(struct block_pairs *p, uint32_t device, bool issued)
{
	struct block_waiting *first = NULL;
	for (struct block_waiting *w = p->flush; w < p->flush + p->n_flushes; w++)
		if (w->device == device && (w->issue_ns != TIME_NONE) == issued &&
		    (!first || w->issue_ns < first->issue_ns))
			first = w;
	return first;
}

/* The request in flight that an event belongs to, or NULL. */
static struct block_waiting *find_in_flight(struct block_pairs *p, const struct pair_event *v)
{
	if (!is_flush(v->op)) {
		if (!p->n_slots)
			return NULL;
		for (size_t i = home(p, v->device, v->sector); p->slot[i].used;
		     i = (i + 1) & (p->n_slots - 1))
			if (p->slot[i].sector == v->sector && p->slot[i].device == v->device &&
			    p->slot[i].op == v->op)
				return &p->slot[i];
		return NULL;
	}
	const bool issued = v->kind == EVENT_COMPLETE || v->kind == EVENT_REQUEUE;
	struct block_waiting *w = flush_find(p, v->device, issued);
	/* perhaps the issue was not seen */
	return w || v->kind != EVENT_COMPLETE ? w : flush_find(p, v->device, false);
}

static void flush_drop(struct block_pairs *p, struct block_waiting *w)
{
	memmove(w, w + 1, (size_t)(p->flush + p->n_flushes - (w + 1)) * sizeof *w);
	p->n_flushes--;
}

static void drop(struct block_pairs *p, struct block_waiting *w)
{
	if (is_flush(w->op)) {
		flush_drop(p, w);
		return;
	}
	size_t hole = (size_t)(w - p->slot), i = hole;
	for (;;) { /* move later entries of the probe sequence up */
		i = (i + 1) & (p->n_slots - 1);
		if (!p->slot[i].used)
			break;
		size_t want = home(p, p->slot[i].device, p->slot[i].sector);
		if (((i - want) & (p->n_slots - 1)) >= ((i - hole) & (p->n_slots - 1))) {
			p->slot[hole] = p->slot[i];
			hole = i;
		}
	}
	p->slot[hole].used = false;
	p->n_used--;
}

static void grow(struct block_pairs *p)
{
	SCOPED_FREE struct block_waiting *old = p->slot;
	size_t n = p->n_slots;
	p->n_slots = n ? n * 2 : 1024;
	p->slot = xcalloc(p->n_slots, sizeof *p->slot);
	for (size_t i = 0; i < n; i++)
		if (old[i].used) {
			size_t k = home(p, old[i].device, old[i].sector);
			while (p->slot[k].used)
				k = (k + 1) & (p->n_slots - 1);
			p->slot[k] = old[i];
		}
}

static struct block_waiting fresh(const struct pair_event *v)
{
	return (struct block_waiting){.sector = v->sector,
				      .bytes = v->bytes,
				      .device = v->device,
				      .op = (uint16_t)v->op,
				      .pid = v->pid,
				      .queue_ns = TIME_NONE,
				      .issue_ns = TIME_NONE,
				      .used = true};
}

/* The slot of the request; a new slot if the request is not in flight. */
static struct block_waiting *place(struct block_pairs *p, struct foreign *f,
				   const struct pair_event *v)
{
	struct block_waiting *w = find_in_flight(p, v);
	if (w)
		return w;
	if (is_flush(v->op)) {
		if (p->n_flushes == BLOCK_FLUSHES_MAX) { /* completions were lost */
			if (p->flush[0].has_ticket)
				foreign_unfinished(f, p->flush[0].ticket);
			flush_drop(p, p->flush);
		}
		p->flush[p->n_flushes] = fresh(v);
		return &p->flush[p->n_flushes++];
	}
	/* completions were lost: these requests never end */
	if (p->n_used >= BLOCK_WAITING_MAX) {
		block_pairs_end(p, f);
		block_pairs_reset(p);
	}
	if (p->n_used * 2 >= p->n_slots)
		grow(p);
	size_t i = home(p, v->device, v->sector);
	while (p->slot[i].used)
		i = (i + 1) & (p->n_slots - 1);
	p->n_used++;
	p->slot[i] = fresh(v);
	return &p->slot[i];
}

/* A flush concerns the whole device. */
static uint64_t offset_of(const struct block_waiting *w)
{
	return is_flush(w->op) ? OFFSET_NONE : w->sector * 512 - w->done_bytes;
}

/* Queues the request for the trace. */
static int begin(struct block_waiting *w, struct foreign *f, const struct pair_event *v,
		 struct err *e)
{
	struct trace_record r = foreign_record();
	r.op = w->op;
	r.begin_ns = v->ns;
	r.offset = offset_of(w);
	r.length = w->bytes;
	r.object = v->object;
	r.pid = r.tid = w->pid;
	r.flags = w->op == OP_FALLOCATE ? FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE : v->flags;
	int rc = foreign_check(&r, e);
	if (rc)
		return rc;
	w->ticket = record_queue_add(&f->queue, &r);
	w->has_ticket = true;
	return 0;
}

static int on_queue(struct block_pairs *p, struct foreign *f, const struct pair_event *v,
		    struct err *e)
{
	struct block_waiting *w = place(p, f, v);
	/* the same sectors are in flight already: keep the first request */
	if (w->issue_ns != TIME_NONE || w->has_ticket)
		return 0;
	w->queue_ns = v->ns;
	w->pid = v->pid;
	w->bytes = v->bytes;
	return p->by_queue ? begin(w, f, v, e) : 0;
}

static int on_issue(struct block_pairs *p, struct foreign *f, const struct pair_event *v,
		    struct err *e)
{
	struct block_waiting *w = place(p, f, v);
	if (w->done_bytes) { /* the rest after a partial completion */
		w->bytes = w->done_bytes + v->bytes;
		return 0;
	}
	w->issue_ns = v->ns;
	w->bytes = v->bytes ? v->bytes : w->bytes; /* including merges */
	if (w->queue_ns == TIME_NONE)
		w->pid = v->pid;
	if (w->has_ticket) {
		struct trace_record *r = record_queue_at(&f->queue, w->ticket);
		if (r && p->by_queue)
			r->dispatch_ns = v->ns;
		return 0;
	}
	return begin(w, f, v, e);
}

static uint16_t error_of(const struct pair_event *v)
{
	return (uint16_t)(v->error < 0 ? -v->error : v->error);
}

/* Keeps the sectors after the completed part in flight. */
static void complete_part(struct block_pairs *p, struct block_waiting *w,
			  const struct pair_event *v)
{
	struct block_waiting rest = *w;
	drop(p, w);
	rest.sector += v->bytes / 512;
	rest.done_bytes += v->bytes;
	rest.error = rest.error ? rest.error : error_of(v);
	size_t i = home(p, rest.device, rest.sector);
	while (p->slot[i].used)
		i = (i + 1) & (p->n_slots - 1);
	p->slot[i] = rest;
	p->n_used++;
}

static int complete(struct block_pairs *p, struct foreign *f, struct block_waiting *w,
		    const struct pair_event *v, struct err *e)
{
	struct trace_record *queued = record_queue_at(&f->queue, w->ticket), r;
	if (queued) {
		r = *queued;
	} else { /* it was in flight for too long and lost its place */
		r = foreign_record();
		r.op = w->op;
		r.begin_ns = p->by_queue && w->queue_ns != TIME_NONE ? w->queue_ns : w->issue_ns;
		r.offset = offset_of(w);
		r.object = v->object;
		r.pid = r.tid = w->pid;
		r.flags =
		    w->op == OP_FALLOCATE ? FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE : v->flags;
	}
	r.length = w->bytes;
	r.end_ns = v->ns;
	r.dispatch_ns = w->issue_ns;
	r.error = w->error ? w->error : error_of(v);
	r.rvalue = r.error ? -1 : r.op == OP_PREAD || r.op == OP_PWRITE ? (int64_t)r.length : 0;
	if (w->queue_ns != TIME_NONE && w->issue_ns != TIME_NONE && w->issue_ns >= w->queue_ns) {
		f->base.notes.n_queued++;
		f->queue_sum_ns += (double)(w->issue_ns - w->queue_ns);
	}
	drop(p, w);
	if (!queued)
		return foreign_add(f, &r, e);
	r.commit = TRACE_COMMIT;
	*queued = r;
	return foreign_check(&r, e);
}

static int on_complete(struct block_pairs *p, struct foreign *f, const struct pair_event *v,
		       struct err *e)
{
	struct block_waiting *w = find_in_flight(p, v);
	if (w && w->has_ticket && !is_flush(w->op) && v->bytes % 512 == 0 && v->bytes &&
	    v->bytes < w->bytes - w->done_bytes) {
		complete_part(p, w, v);
		return 0;
	}
	if (w && w->has_ticket)
		return complete(p, f, w, v, e);
	if (w) { /* queued and completed without a visible issue */
		f->base.notes.n_without_issue++;
		drop(p, w);
		return 0;
	}
	f->base.notes.n_without_begin++;
	return 0;
}

enum trace_op block_event_op(const char *rwbs, size_t len, uint64_t n_sectors, uint32_t *flags)
{
	const enum block_direction direction = block_rwbs(rwbs, len, flags);
	if (direction == BLOCK_DISCARD)
		return OP_FALLOCATE;
	if (!n_sectors)
		return direction == BLOCK_FLUSH || *flags & BLOCK_PREFLUSH ? OP_FDATASYNC
									   : OP_INVALID;
	return direction == BLOCK_WRITE  ? OP_PWRITE
	       : direction == BLOCK_READ ? OP_PREAD
					 : OP_INVALID;
}
int block_pairs_take(struct block_pairs *p, struct foreign *f, const struct pair_event *given,
		     struct err *e)
{
	struct pair_event event = *given;
	const struct pair_event *v = &event;
	struct block_waiting *w;
	/* the kernel's issue of a flush has sector 0, its completion 2^64 - 1 */
	if (is_flush(v->op))
		event.sector = 0;
	if (v->kind == EVENT_OTHER || v->op == OP_INVALID) {
		f->base.notes.n_not_requests++;
		return 0;
	}
	if (v->sector > INT64_MAX / 512)
		return err_set(e, ERANGE, "sector %llu is beyond what a device can have",
			       (unsigned long long)v->sector);
	switch (v->kind) {
	case EVENT_QUEUE:
		return on_queue(p, f, v, e);
	case EVENT_ISSUE:
		return on_issue(p, f, v, e);
	case EVENT_COMPLETE:
		return on_complete(p, f, v, e);
	case EVENT_MERGE: /* the other request continues */
		w = find_in_flight(p, v);
		if (w && w->issue_ns == TIME_NONE) {
			if (w->has_ticket)
				record_queue_drop(&f->queue, w->ticket);
			drop(p, w);
		}
		return 0;
	default: /* requeue: it will be issued again */
		w = find_in_flight(p, v);
		if (w && w->done_bytes) /* only the rest is requeued */
			return 0;
		if (w && !p->by_queue && w->has_ticket) {
			record_queue_drop(&f->queue, w->ticket);
			w->has_ticket = false;
		}
		if (w)
			w->issue_ns = TIME_NONE;
		return 0;
	}
}

void block_pairs_end(struct block_pairs *p, struct foreign *f)
{
	for (size_t i = 0; i < p->n_slots; i++)
		if (p->slot[i].used && p->slot[i].has_ticket)
			foreign_unfinished(f, p->slot[i].ticket);
	for (size_t i = 0; i < p->n_flushes; i++)
		if (p->flush[i].has_ticket)
			foreign_unfinished(f, p->flush[i].ticket);
	block_pairs_reset(p);
}
