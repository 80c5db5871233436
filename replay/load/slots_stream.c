/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "replay/load/slots_private.h"

/* Divides `total` bytes among the stream's fscanf calls with unknown length. Returns false if there
 * are none. */
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

/* Handles fgetc(), which consumed one byte or reached end of file. The program consumed the rest of
 * the buffer by macros before: otherwise the macro would not have called fgetc(). A length other
 * than 1 is the number of bytes that the call read into the buffer, and 0 is this byte alone. */
static void character_follow(struct slot_walk *b, const struct load_request *r, struct load_more *m)
{
	if (m)
		m->from = b->stream_at < b->filled_to ? (uint64_t)(b->filled_to - b->stream_at) : 0;
	if (m && m->from)
		b->stream_at = b->filled_to;
	if (m && r->rvalue == 0) { /* at end of file, a larger number does no harm */
		m->from += (uint64_t)b->from_macros;
		b->from_macros = 0;
	}
	if (r->length != 1 || r->rvalue == 0) {
		b->filled_from = b->stream_at;
		b->filled_to = b->stream_at + (r->rvalue ? r->length ? (int64_t)r->length : 1 : 0);
	}
	b->stream_at += r->rvalue;
}

/* Sets the position of a stream at its first use: that of its descriptor. */
static void stream_begin(struct slot_walk *b, const struct load_request *r)
{
	if (!b->stream_used && b->at_known) {
		b->stream_at = (int64_t)b->at;
		b->stream_known = true;
	}
	if (r->op == OP_FTELL || r->op == OP_SETVBUF || r->op == OP_FDOPEN)
		return;
	b->stream_used = true;
	/* the position of the descriptor is unknown: the C library reads and writes whole
	 * buffers */
	b->at_known = false;
}

/* Handles ftell(). If the position was known before, a position beyond the sum of the calls shows
 * how many bytes macros or fscanf() consumed. */
static void stream_note(struct finder *f, uint32_t origin, const struct load_request *r)
{
	struct slot_walk *b = &f->walk[origin];
	const int64_t more = b->stream_known ? r->rvalue - b->stream_at : 0;
	const bool reads = !(f->s->slot[origin].flags & O_ACCMODE);
	f->l->more[r->more].from =
	    !scans_settle(f, origin, more) && more > 0 && reads ? (uint64_t)more : 0;
	if (!b->stream_known) {
		b->filled_from += r->rvalue - b->stream_at;
		b->filled_to += r->rvalue - b->stream_at;
	}
	b->stream_at = r->rvalue;
	b->stream_known = true;
}

static void stream_seek(struct finder *f, uint32_t origin, const struct load_request *r)
{
	struct slot_walk *b = &f->walk[origin];
	scans_settle(f, origin, 0);
	b->stream_known = r->flags == SEEK_SET || (r->flags == SEEK_CUR && b->stream_known);
	b->stream_at = r->flags == SEEK_SET   ? (int64_t)r->offset
		       : r->flags == SEEK_CUR ? b->stream_at + (int64_t)r->offset
					      : 0;
	if (r->flags > SEEK_CUR || b->stream_at < b->filled_from || b->stream_at > b->filled_to)
		b->filled_from = b->filled_to = 0;
}

void stream_follow(struct finder *f, struct load_request *r)
{
	uint32_t origin = f->s->slot[r->slot].origin;
	struct slot_walk *b = &f->walk[origin];
	stream_begin(b, r);
	if (r->rvalue < 0)
		return;
	switch (r->op) {
	case OP_FSCANF:
		APPEND(f->scan, f->n_scans, f->scans_cap, (struct scan){origin, r->more});
		f->l->more[r->more].from = 0;
		break;
	case OP_FTELL:
		stream_note(f, origin, r);
		break;
	case OP_FSEEK:
		stream_seek(f, origin, r);
		break;
	case OP_FFLUSH: /* discards what was read ahead */
		if (b->filled_to > b->stream_at)
			b->from_macros += b->filled_to - b->stream_at;
		b->filled_from = b->filled_to = 0;
		break;
	case OP_FGETC:
		character_follow(b, r, load_more(f->l, r));
		break;
	case OP_UNGETC:
		if (b->stream_last == OP_GETDELIM || b->stream_last == OP_FGETS ||
		    b->stream_last == OP_UNGETC)
			r->length = 0; /* a macro had taken the character (call_ungetc) */
		else
			b->stream_at--;
		break;
	default:
		if (op_info(r->op)->uses & OP_RETURNS_BYTES)
			b->stream_at += r->rvalue;
	}
	b->stream_last = r->op;
}
