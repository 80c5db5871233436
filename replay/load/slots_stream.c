/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>

#include "capture/op.h"
#include "common/xalloc.h"
#include "replay/load/slots_private.h"

/* What `total` bytes the stream's open scans took is shared among them. False where there are none. */
static bool scans_settle(struct finder *f, uint32_t origin, int64_t total)
{
	uint32_t n = 0, kept = 0;
	for (uint32_t i = 0; i < f->n_scans; i++)
		n += f->scan[i].origin == origin;
	bool any = n > 0;
	for (uint32_t i = 0; i < f->n_scans; i++) {
		if (f->scan[i].origin != origin) {
			f->scan[kept++] = f->scan[i];
			continue;
		}
		int64_t share = total > 0 ? total / n : 0;
		f->l->more[f->scan[i].more].from = (uint64_t)share;
		total -= share;
		n--;
	}
	f->n_scans = kept;
	return any;
}

/* A character was taken, or none at the end: what the program had of the buffer before, by macros, it took in between, or there would have
 * been no call. One that tells of another number than a character has filled the buffer, 0 with this one alone. */
static void character_follow(struct slot_walk *b, const struct load_request *r, struct load_more *m)
{
	if (m)
		m->from = b->stream_at < b->filled_to ? (uint64_t)(b->filled_to - b->stream_at) : 0;
	if (m && m->from)
		b->stream_at = b->filled_to;
	if (m && r->rvalue == 0) { /* the end is where it is, however many they were */
		m->from += (uint64_t)b->untold;
		b->untold = 0;
	}
	if (r->length != 1 || r->rvalue == 0) {
		b->filled_from = b->stream_at;
		b->filled_to = b->stream_at + (r->rvalue ? r->length ? (int64_t)r->length : 1 : 0);
	}
	b->stream_at += r->rvalue;
}

static void buffer_forget(struct slot_walk *b)
{
	if (b->filled_to > b->stream_at)
		b->untold += b->filled_to - b->stream_at;
	b->filled_from = b->filled_to = 0;
}

void stream_follow(struct finder *f, struct load_request *r)
{
	uint32_t origin = f->s->slot[r->slot].origin;
	struct slot_walk *b = &f->walk[origin];
	if (r->rvalue < 0)
		return;
	switch (r->op) {
	case OP_FSCANF:
		GROW(f->scan, f->n_scans, f->scans_cap);
		f->scan[f->n_scans++] = (struct scan){origin, r->more};
		f->l->more[r->more].from = 0;
		break;
	case OP_FTELL:
		f->l->more[r->more].from = 0;
		if (!scans_settle(f, origin, r->rvalue - b->stream_at) && r->rvalue > b->stream_at && !(f->s->slot[origin].flags & O_ACCMODE))
			f->l->more[r->more].from = (uint64_t)(r->rvalue - b->stream_at);
		b->stream_at = r->rvalue;
		break;
	case OP_FSEEK:
		scans_settle(f, origin, 0);
		b->stream_at = r->flags == 0 ? (int64_t)r->offset : r->flags == 1 ? b->stream_at + (int64_t)r->offset : 0;
		/* from the end: where that is is not known */
		if (r->flags > 1 || b->stream_at < b->filled_from || b->stream_at > b->filled_to)
			b->filled_from = b->filled_to = 0;
		break;
	case OP_FFLUSH: /* what was read ahead is given up */
		buffer_forget(b);
		break;
	case OP_FGETC:
		character_follow(b, r, load_more(f->l, r));
		break;
	case OP_UNGETC:
		b->stream_at--;
		break;
	default:
		if (op_info(r->op)->uses & OP_RETURNS_BYTES)
			b->stream_at += r->rvalue;
	}
}
