/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/formats/block_pairs.h"

#include <linux/falloc.h>

#include "capture/kernel/block_requests.h"

void block_pairs_release(struct block_pairs *p)
{
	free(p->waiting);
	*p = (struct block_pairs){.by_queue = p->by_queue};
}

void block_pairs_reset(struct block_pairs *p)
{
	memset(p->head, 0, sizeof p->head);
	p->n = p->n_waiting = p->free = 0;
}

static bool is_flush(int op)
{
	return op == OP_FDATASYNC;
}

/* The list of requests that may be in flight at this sector, in order of arrival. */
static uint32_t *list_of(struct block_pairs *p, uint32_t device, uint64_t sector)
{
	return &p->head[splitmix_mix(sector ^ (uint64_t)device << 44) % BLOCK_LISTS];
}

/* The request with the event's operation and sector, or NULL. A flush has no sector that identifies
 * it. For a flush, the result is the first flush of the device that is issued (or not issued,
 * depending on `issued`). */
static struct block_waiting *request_find(struct block_pairs *p, const struct pair_event *v,
					  bool issued)
{
	struct block_waiting *first = NULL;
	for (uint32_t i = *list_of(p, v->device, v->sector); i; i = p->waiting[i].next) {
		struct block_waiting *w = &p->waiting[i];
		if (w->sector != v->sector || w->device != v->device || w->op != v->op)
			continue;
		if (!is_flush(v->op))
			return w;
		if ((w->issue_ns != TIME_NONE) == issued &&
		    (!first || w->issue_ns < first->issue_ns))
			first = w;
	}
	return first;
}

/* The request in flight to which an event belongs, or NULL. */
static struct block_waiting *find_in_flight(struct block_pairs *p, const struct pair_event *v)
{
	const bool completes = v->kind == EVENT_COMPLETE;
	struct block_waiting *w = request_find(p, v, completes || v->kind == EVENT_REQUEUE);
	/* the issue may be missing in the trace */
	return w || !completes ? w : request_find(p, v, false);
}

static void waiting_drop(struct block_pairs *p, struct block_waiting *w)
{
	const uint32_t at = (uint32_t)(w - p->waiting);
	uint32_t *i = list_of(p, w->device, w->sector);
	while (*i != at)
		i = &p->waiting[*i].next;
	*i = w->next;
	*w = (struct block_waiting){.next = p->free};
	p->free = at;
	p->n_waiting--;
}

/* Adds a request at the end of its list. */
static struct block_waiting *waiting_add(struct block_pairs *p, struct block_waiting w)
{
	uint32_t at = p->free, *end = list_of(p, w.device, w.sector);
	if (at) {
		p->free = p->waiting[at].next;
	} else {
		p->n += p->n == 0; /* number 0 ends lists */
		GROW(p->waiting, p->n, p->cap);
		at = p->n++;
	}
	while (*end)
		end = &p->waiting[*end].next;
	*end = at;
	w.next = 0;
	p->waiting[at] = w;
	p->n_waiting++;
	return &p->waiting[at];
}

/* Drops the first flush of a device that has too many in flight: completions were lost, so it never
 * ends. */
static void flushes_limit(struct block_pairs *p, struct foreign *f, const struct pair_event *v)
{
	uint32_t n = 0, first = 0;
	for (uint32_t i = *list_of(p, v->device, v->sector); i; i = p->waiting[i].next)
		if (p->waiting[i].device == v->device && is_flush(p->waiting[i].op) && n++ == 0)
			first = i;
	if (n < BLOCK_FLUSHES_MAX)
		return;
	if (p->waiting[first].has_ticket)
		foreign_unfinished(f, p->waiting[first].ticket);
	waiting_drop(p, &p->waiting[first]);
}

/* The request of an event. If no request is in flight, makes a new one. */
static struct block_waiting *waiting_of(struct block_pairs *p, struct foreign *f,
					const struct pair_event *v)
{
	struct block_waiting *w = find_in_flight(p, v);
	if (w)
		return w;
	if (is_flush(v->op))
		flushes_limit(p, f, v);
	if (p->n_waiting >= BLOCK_WAITING_MAX) /* completions were lost: these requests never end */
		block_pairs_end(p, f);
	return waiting_add(p, (struct block_waiting){.sector = v->sector,
						     .bytes = v->bytes,
						     .device = v->device,
						     .op = (uint16_t)v->op,
						     .pid = v->pid,
						     .queue_ns = TIME_NONE,
						     .issue_ns = TIME_NONE});
}

/* A flush concerns the whole device. */
static uint64_t offset_of(const struct block_waiting *w)
{
	return is_flush(w->op) ? OFFSET_NONE : w->sector * 512 - w->done_bytes;
}

/* Queues the request for the trace. */
static int request_queue(struct block_waiting *w, struct foreign *f, const struct pair_event *v,
			 struct err *e)
{
	struct trace_record r = record_unknown();
	r.op = w->op;
	r.begin_ns = v->ns;
	r.offset = offset_of(w);
	r.length = w->bytes;
	r.object = v->object;
	r.pid = r.tid = w->pid;
	r.flags = w->op == OP_FALLOCATE ? FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE : v->flags;
	int ret = foreign_check(&r, e);
	if (ret)
		return ret;
	w->ticket = record_queue_add(&f->queue, &r);
	w->has_ticket = true;
	return 0;
}

static int on_queue(struct block_pairs *p, struct foreign *f, const struct pair_event *v,
		    struct err *e)
{
	struct block_waiting *w = waiting_of(p, f, v);
	/* the same sectors are already in flight: keep the first request */
	if (w->issue_ns != TIME_NONE || w->has_ticket)
		return 0;
	w->queue_ns = v->ns;
	w->pid = v->pid;
	w->bytes = v->bytes;
	return p->by_queue ? request_queue(w, f, v, e) : 0;
}

static int on_issue(struct block_pairs *p, struct foreign *f, const struct pair_event *v,
		    struct err *e)
{
	struct block_waiting *w = waiting_of(p, f, v);
	if (w->done_bytes) { /* the rest of the request after a partial completion */
		w->bytes = w->done_bytes + v->bytes;
		return 0;
	}
	w->issue_ns = v->ns;
	w->bytes = v->bytes ? v->bytes : w->bytes; /* includes merged requests */
	if (w->queue_ns == TIME_NONE)
		w->pid = v->pid;
	if (w->has_ticket) {
		struct trace_record *r = record_queue_at(&f->queue, w->ticket);
		if (r && p->by_queue)
			r->dispatch_ns = v->ns;
		return 0;
	}
	return request_queue(w, f, v, e);
}

static uint16_t error_of(const struct pair_event *v)
{
	return (uint16_t)(v->error < 0 ? -v->error : v->error);
}

/* After a partial completion, the remaining sectors stay in flight. */
static void complete_part(struct block_pairs *p, struct block_waiting *w,
			  const struct pair_event *v)
{
	struct block_waiting rest = *w;
	waiting_drop(p, w);
	rest.sector += v->bytes / 512;
	rest.done_bytes += v->bytes;
	rest.error = rest.error ? rest.error : error_of(v);
	waiting_add(p, rest);
}

static int request_complete(struct block_pairs *p, struct foreign *f, struct block_waiting *w,
			    const struct pair_event *v, struct err *e)
{
	struct trace_record *queued = record_queue_at(&f->queue, w->ticket), r;
	if (queued) {
		r = *queued;
	} else { /* the request was in flight for too long and lost its place */
		r = record_unknown();
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
	waiting_drop(p, w);
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
		return request_complete(p, f, w, v, e);
	if (w) { /* the request was queued and completed, but its issue is missing */
		f->base.notes.n_without_issue++;
		waiting_drop(p, w);
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
	/* for a flush, the kernel reports sector 0 at the issue, and sector 2^64 - 1 at the
	 * completion */
	if (is_flush(v->op))
		event.sector = 0;
	if (v->kind == EVENT_OTHER || v->op == OP_INVALID) {
		f->base.notes.n_not_requests++;
		return 0;
	}
	if (v->sector > INT64_MAX / 512)
		return err_set(e, ERANGE, "sector %llu is too large: its offset in bytes exceeds "
			"2^63", (unsigned long long)v->sector);
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
			waiting_drop(p, w);
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
	for (uint32_t i = 1; i < p->n; i++)
		if (p->waiting[i].has_ticket)
			foreign_unfinished(f, p->waiting[i].ticket);
	block_pairs_reset(p);
}
