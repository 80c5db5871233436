/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/kernel/block_requests.h"

#include "capture/trace.h"

#define AGAIN_NS 1000000000

struct open_request {
	struct block_request r;
	uint64_t sector; /* for a request: first sector that is not completed */
	uint64_t n_left; /* number of sectors that are not completed; 1 for a flush and similar */
	bool requeued;	 /* the driver returned it, and it was not issued again yet */
	bool done;
	/* the next members are for a bio */
	uint64_t n_issued; /* sectors */
	int64_t issued_ns; /* last issue of a part of the bio */
	bool again;	   /* when it was queued, an equal bio was waiting for its issue */
};

struct block_requests {
	bool bios;
	int (*take)(void *context, const struct block_request *r);
	void *context;
	struct open_request *item; /* item[first..n), in the order of starts */
	size_t first, n, cap;
	struct block_counts counts;
};

/* --- RWBS letters ------------------------------------------------------- */

enum block_direction block_rwbs(const char *rwbs, size_t n, uint32_t *flags)
{
	static const struct {
		char letter;
		uint32_t flag;
	} marks[] = {{'F', BLOCK_FUA}, {'A', BLOCK_AHEAD}, {'S', BLOCK_SYNC}, {'M', BLOCK_META}};
	size_t i = 0, end = strnlen(rwbs, n);
	*flags = 0;
	/* 'F' before another operation means a preflush; alone, it is the operation */
	if (end > 1 && rwbs[0] == 'F' && memchr("RWDFNZ", rwbs[1], 6)) {
		*flags |= BLOCK_PREFLUSH;
		i++;
	}
	char operation = i < end ? rwbs[i++] : 'N';
	for (; i < end; i++)
		for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
			if (rwbs[i] == marks[k].letter)
				*flags |= marks[k].flag;
	switch (operation) {
	case 'R':
		return BLOCK_READ;
	case 'W':
		return BLOCK_WRITE;
	case 'D':
		return BLOCK_DISCARD;
	case 'F':
		return BLOCK_FLUSH;
	default:
		return BLOCK_OTHER;
	}
}

/* --- requests in flight -------------------------------------------------- */

struct block_requests *
block_requests_open(bool bios, int (*take)(void *context, const struct block_request *r),
		    void *context)
{
	struct block_requests *q = xcalloc(1, sizeof *q);
	*q = (struct block_requests){.bios = bios, .take = take, .context = context};
	return q;
}

void block_requests_close(struct block_requests *q)
{
	if (q)
		free(q->item);
	free(q);
}

static struct open_request *request_begin(struct block_requests *q, const struct block_event *v)
{
	if (q->first > 1024 && q->first > q->n / 2) { /* reuses the space of finished items */
		memmove(q->item, q->item + q->first, (q->n - q->first) * sizeof *q->item);
		q->n -= q->first;
		q->first = 0;
	}
	GROW(q->item, q->n, q->cap);
	q->item[q->n] = (struct open_request){
	    .r = {.begin_ns = v->ns,
		  .dispatch_ns = TIME_NONE,
		  .end_ns = TIME_NONE,
		  .sector = v->sector,
		  .n_sectors = v->n_sectors,
		  .direction = v->direction,
		  .flags = v->flags,
		  .pid = v->pid},
	    .sector = v->sector,
	    .n_left = v->n_sectors ? v->n_sectors : 1,
	};
	return &q->item[q->n++];
}

/* Whether a bio that was never issued is probably a repetition of an equal bio. After this time, it
 * no longer delays the output of later bios. */
static bool is_same_one(const struct open_request *o, int64_t now_ns)
{
	return o->again && o->r.dispatch_ns == TIME_NONE && now_ns - o->r.begin_ns > AGAIN_NS;
}

/* Outputs finished requests up to the first unfinished request. `now_ns` INT64_MAX: outputs all. */
static int requests_output(struct block_requests *q, int64_t now_ns)
{
	int ret = 0;
	for (; !ret && q->first < q->n; q->first++) {
		if (is_same_one(&q->item[q->first], now_ns))
			continue;
		if (now_ns != INT64_MAX && !q->item[q->first].done)
			break;
		q->counts.n_requests++;
		q->counts.n_unfinished += !q->item[q->first].done;
		ret = q->take(q->context, &q->item[q->first].r);
	}
	return ret;
}

static void request_finish(struct open_request *o, const struct block_event *v)
{
	o->r.end_ns = v->ns;
	o->done = true;
}

/* --- requests: issue to completion --------------------------------------- */

static struct open_request *request_find(struct block_requests *q, const struct block_event *v,
					 bool requeued)
{
	for (size_t i = q->first; i < q->n; i++) {
		struct open_request *o = &q->item[i];
		if (!o->done && o->requeued == requeued && o->sector == v->sector &&
		    o->r.direction == v->direction)
			return o;
	}
	return NULL;
}

static void request_event(struct block_requests *q, const struct block_event *v)
{
	struct open_request *o;
	switch (v->kind) {
	case BLOCK_ISSUE:
		o = request_find(q, v, true);
		if (!o)
			o = request_begin(q, v);
		if (v->n_sectors) /* its preflush was issued as a separate request */
			o->r.flags &= ~(uint32_t)BLOCK_PREFLUSH;
		o->requeued = false;
		o->r.dispatch_ns = v->ns;
		return;
	case BLOCK_REQUEUE:
		o = request_find(q, v, false);
		if (o) {
			o->requeued = true;
			q->counts.n_requeued++;
		}
		return;
	case BLOCK_COMPLETE:
		o = request_find(q, v, false);
		if (!o) { /* a write of length 0 is never issued, only its flush is */
			q->counts.n_unpaired += v->n_sectors || v->direction == BLOCK_FLUSH;
			return;
		}
		o->r.error = o->r.error ? o->r.error : v->error;
		/* a driver may complete a request in parts */
		uint64_t part = v->n_sectors ? v->n_sectors : o->n_left;
		if (part >= o->n_left) {
			request_finish(o, v);
		} else {
			o->n_left -= part;
			o->sector += part;
		}
		return;
	case BLOCK_QUEUE:
		return;
	}
}

/* --- bios: from queueing to the last completion ------------------------- */

static uint64_t sectors_overlap(const struct open_request *o, const struct block_event *v)
{
	uint64_t begin = v->sector > o->r.sector ? v->sector : o->r.sector;
	uint64_t end_v = v->sector + v->n_sectors, end_o = o->r.sector + o->r.n_sectors,
		 end = end_v < end_o ? end_v : end_o;
	return end > begin ? end - begin : 0;
}

static bool event_concerns(const struct open_request *o, const struct block_event *v)
{
	if (o->done || o->r.begin_ns > v->ns)
		return false;
	return (v->direction == BLOCK_FLUSH && !o->r.n_sectors &&
		(o->r.direction == BLOCK_FLUSH || o->r.flags & BLOCK_PREFLUSH)) ||
	       (o->r.direction == v->direction && sectors_overlap(o, v));
}

static bool is_alike(const struct open_request *a, const struct open_request *b)
{
	return !a->done && a->r.n_sectors && a->r.sector == b->r.sector &&
	       a->r.n_sectors == b->r.n_sectors && a->r.direction == b->r.direction;
}

/* If the queue is full and a submitter must not wait (io_uring), its bio is refused and queued
 * again. Then there are two queue events and one issue. So an issue belongs to the first equal bio
 * without an issue. A bio that is never issued and may be such a repetition is not output. */
static bool waited_before(const struct block_requests *q, const struct open_request *o)
{
	for (size_t i = q->first; &q->item[i] < o; i++)
		if (is_alike(&q->item[i], o) && !q->item[i].n_issued)
			return true;
	return false;
}

static void bio_issue(const struct block_requests *q, struct open_request *o,
		      const struct block_event *v)
{
	if (o->r.n_sectors && o->n_issued >= o->r.n_sectors)
		return;
	for (size_t i = q->first; o->r.n_sectors && &q->item[i] < o; i++)
		if (is_alike(&q->item[i], o) &&
		    (q->item[i].issued_ns == v->ns || q->item[i].n_issued < o->r.n_sectors))
			return;
	o->n_issued += sectors_overlap(o, v);
	o->issued_ns = v->ns;
	o->r.dispatch_ns = o->r.dispatch_ns == TIME_NONE ? v->ns : o->r.dispatch_ns;
}

static void bio_event(struct block_requests *q, const struct block_event *v)
{
	bool any = false;
	if (v->kind == BLOCK_QUEUE) {
		struct open_request *o = request_begin(q, v);
		o->issued_ns = TIME_NONE;
		o->again = waited_before(q, o);
		return;
	}
	/* sectors of the completion that are not assigned to a request yet */
	uint64_t left = v->n_sectors;
	for (size_t i = q->first; i < q->n; i++) {
		struct open_request *o = &q->item[i];
		if (!event_concerns(o, v))
			continue;
		any = true;
		if (v->kind == BLOCK_ISSUE) {
			bio_issue(q, o, v);
			continue;
		}
		if (v->kind != BLOCK_COMPLETE || o->r.dispatch_ns == TIME_NONE)
			continue; /* a later bio for the same sectors, which was not issued yet */
		uint64_t part = o->r.n_sectors ? sectors_overlap(o, v) : 1;
		if (o->r.n_sectors && !left)
			break;
		left -= part < left ? part : left;
		o->r.error = o->r.error ? o->r.error : v->error;
		o->n_left -= part < o->n_left ? part : o->n_left;
		if (!o->n_left)
			request_finish(o, v);
	}
	q->counts.n_unpaired += !any && v->kind == BLOCK_COMPLETE;
	q->counts.n_requeued += v->kind == BLOCK_REQUEUE;
}

/* --- interface ---------------------------------------------------------- */

int block_requests_add(struct block_requests *q, const struct block_event *event)
{
	struct block_event placed = *event;
	const struct block_event *const v = &placed;
	/* for a flush, the kernel reports sector 0 at the issue, and sector 2^64 - 1 at the
	 * completion */
	if (v->direction == BLOCK_FLUSH)
		placed.sector = 0;
	if (q->bios)
		bio_event(q, v);
	else
		request_event(q, v);
	return requests_output(q, v->ns);
}

int block_requests_finish(struct block_requests *q, struct block_counts *n)
{
	int ret = requests_output(q, INT64_MAX);
	*n = q->counts;
	return ret;
}
