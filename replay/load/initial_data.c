/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What requests on a descriptor or a stream show about the initial files, mainly about their
 * size. */
#include "common/heap.h"
#include "replay/load/initial_private.h"

#define READ_AT_MOST (UINT64_C(1) << 62)

static const struct heap_type earliest = {sizeof(struct late_read), heap_int64_before, NULL};

struct open_state *initial_state(struct walker *w, uint32_t slot)
{
	const struct slot *b = &w->s->slot[slot];
	struct open_state *s = &w->slot[b->origin];
	const struct slot *origin = &w->s->slot[b->origin];
	if (s->node || !slot || b->skipped || !origin->at_setup || origin->file == NONE32)
		return s;
	s->node = name_model_find(&w->m, w->s->file[origin->file].name, true);
	s->at = origin->position;
	s->at_known = true;
	initial_require(w, s->node, origin->directory ? INITIAL_DIRECTORY : INITIAL_FILE);
	return s;
}

static void read_take(struct walker *w, uint32_t node, uint64_t end)
{
	struct node *n = &w->m.node[node];
	if (!node || !n->initial || n->truncated || end > READ_AT_MOST)
		return;
	end = end > n->appended ? end - n->appended : 0;
	if (end <= n->written || end <= n->size)
		return;
	n->size = end;
	n->maybe = false;
	initial_require(w, node, INITIAL_FILE);
}

void initial_reads_take(struct walker *w, int64_t ns)
{
	while (w->n_reads && w->read[0].end_ns <= ns) {
		const struct late_read r = w->read[0];
		w->read[0] = w->read[--w->n_reads];
		heap_sift_down(&earliest, w->read, w->n_reads, 0);
		read_take(w, r.node, r.end);
	}
}

void initial_was_read(struct walker *w, uint32_t node, uint64_t end)
{
	const struct load *l = w->l;
	const uint32_t next = w->request + 1;
	const int64_t end_ns = load_end_ns(l, &l->request[w->request]);
	GROW(w->read, w->n_reads, w->reads_cap);
	w->read[w->n_reads] = (struct late_read){end_ns, end, node};
	heap_sift_up(&earliest, w->read, w->n_reads++);
	if (next >= l->n || end_ns <= l->request[next].begin_ns)
		initial_reads_take(w, end_ns);
}

/* A request showed the end of the file. */
static void end_shown(struct walker *w, uint32_t node)
{
	if (node)
		w->m.node[node].size_shown = true;
}

/* A read of fewer bytes than requested shows the end. A read of nothing shows it only if it begins
 * at bytes that are known. */
static void read_short(struct walker *w, uint32_t node, const struct load_request *r, uint64_t at)
{
	const struct node *n = initial_node(w, node);
	if (n && (uint64_t)r->rvalue < r->length &&
	    (r->rvalue || at <= n->written || at <= n->size + n->appended))
		end_shown(w, node);
}

static void was_written(struct walker *w, uint32_t node, uint64_t end)
{
	struct node *n = initial_node(w, node);
	if (n)
		n->blocks_changed = true;
	if (n && end <= READ_AT_MOST && end > n->written)
		n->written = end;
}

/* Handles bytes at an unknown offset after the original end of the file. */
static void was_appended(struct walker *w, uint32_t node, uint64_t n_bytes)
{
	struct node *n = initial_node(w, node);
	if (n)
		n->blocks_changed = true;
	if (n && n_bytes <= READ_AT_MOST && n->appended <= READ_AT_MOST)
		n->appended += n_bytes;
}

/* Handles a seek: a seek backwards from the end shows that the bytes after the new position
 * existed. */
static void stream_seek(struct walker *w, struct open_state *s, const struct load_request *r)
{
	if (r->flags == SEEK_SET) {
		*s = (struct open_state){s->node, r->offset, true, false};
	} else if (r->flags == SEEK_CUR) {
		s->at += r->offset;
	} else {
		*s = (struct open_state){s->node, r->offset, false, r->flags == SEEK_END};
		if (s->from_end && (int64_t)r->offset < 0)
			initial_was_read(w, s->node, -r->offset);
	}
}

static void stream_note(struct walker *w, struct open_state *s, const struct load_request *r)
{
	const uint64_t end = (uint64_t)r->rvalue - s->at;
	if (s->from_end && end <= READ_AT_MOST) {
		initial_was_read(w, s->node, end);
		end_shown(w, s->node);
	}
	*s = (struct open_state){s->node, (uint64_t)r->rvalue, true, false};
}

static void stream_seen(struct walker *w, struct open_state *s, const struct load_request *r)
{
	bool writes =
	    r->op == OP_FWRITE || r->op == OP_FPUTS || r->op == OP_FPUTC || r->op == OP_FPRINTF;
	if (r->op == OP_FSEEK)
		stream_seek(w, s, r);
	else if (r->op == OP_FSCANF)
		s->at_known = s->from_end = false;
	else if (r->op == OP_FTELL)
		stream_note(w, s, r);
	const struct load_more *m = load_more(w->l, r);
	if (r->op == OP_FTELL && m && m->from)
		/* macros such as getc_unlocked() consumed the preceding bytes */
		initial_was_read(w, s->node, s->at);
	if (!(op_info(r->op)->uses & OP_RETURNS_BYTES))
		return;
	if (r->op == OP_FGETC && m)
		s->at += m->from;
	s->at += (uint64_t)r->rvalue;
	if (writes && r->appends)
		s->at_known = false;
	if (s->at_known && writes)
		was_written(w, s->node, s->at);
	else if (s->at_known) {
		initial_was_read(w, s->node, s->at);
		if (r->op == OP_FREAD)
			read_short(w, s->node, r, s->at - (uint64_t)r->rvalue);
	} else if (writes)
		was_appended(w, s->node, (uint64_t)r->rvalue);
}

static void copy_seen(struct walker *w, const struct load_request *r)
{
	const struct load_more *m = load_more(w->l, r);
	struct open_state *from = initial_state(w, r->slot),
			  *to = m ? initial_state(w, m->slot) : NULL;
	uint64_t n = (uint64_t)r->rvalue;
	if (from->node && r->offset != OFFSET_NONE)
		initial_was_read(w, from->node, r->offset + n);
	if (m && m->at_position)
		from->at = (r->offset == OFFSET_NONE ? from->at : r->offset) + n;
	if (!to || !to->node)
		return;
	if (m->from != OFFSET_NONE)
		was_written(w, to->node, m->from + n);
	if (m->to_position)
		to->at = (m->from == OFFSET_NONE ? to->at : m->from) + n;
}

/* Handles SEEK_DATA. A result b for the offset a shows a hole between them; ENXIO shows a hole up
 * to the end of the file. */
static void data_sought(struct walker *w, uint32_t node, const struct load_request *r)
{
	struct fileset_hole hole = {r->offset, UINT64_MAX};
	w->m.node[node].data_sought = true;
	if (r->rvalue >= 0)
		initial_was_read(w, node, (uint64_t)r->rvalue + (r->flags == SEEK_DATA));
	struct node *n = &w->m.node[node];
	if (r->flags != SEEK_DATA || !n->initial || n->truncated || n->blocks_changed ||
	    r->offset > READ_AT_MOST || (r->rvalue < 0 && r->rvalue != -ENXIO))
		return;
	if (r->rvalue >= 0)
		hole.length = (uint64_t)r->rvalue - r->offset;
	if (!hole.length)
		return;
	APPEND(n->hole, n->n_holes, n->holes_cap, hole);
}

void initial_descriptor_seen(struct walker *w, const struct load_request *r)
{
	const struct op_info *o = op_info(r->op);
	struct open_state *s = initial_state(w, r->slot);
	if (r->op == OP_LSEEK && (r->flags == SEEK_DATA || r->flags == SEEK_HOLE) && s->node)
		data_sought(w, s->node, r);
	if (r->rvalue < 0 || !r->slot)
		return;
	if (o->uses & OP_HEAP_NAME)
		initial_attribute_seen(w, r, s->node);
	if (o->family == FAMILY_STREAM) {
		stream_seen(w, s, r);
	} else if (o->family == FAMILY_COPY) {
		copy_seen(w, r);
	} else if (o->family == FAMILY_READ && !r->rvalue) {
		read_short(w, s->node, r, r->offset == OFFSET_NONE ? s->at : r->offset);
	} else if (o->uses & OP_RETURNS_BYTES && r->rvalue > 0) {
		uint64_t at = r->offset == OFFSET_NONE ? s->at : r->offset;
		if (r->appends || (r->offset == OFFSET_NONE && !s->at_known)) {
			s->at_known &= !r->appends;
			if (o->family == FAMILY_WRITE)
				was_appended(w, s->node, (uint64_t)r->rvalue);
			return;
		}
		s->at = at + (uint64_t)r->rvalue;
		if (o->family == FAMILY_WRITE)
			was_written(w, s->node, s->at);
		else
			initial_was_read(w, s->node, s->at);
		if (o->family == FAMILY_READ)
			read_short(w, s->node, r, at);
	} else if (r->op == OP_LSEEK) {
		*s = (struct open_state){s->node, (uint64_t)r->rvalue, true, false};
		uint64_t end = (uint64_t)r->rvalue - r->offset;
		if (r->flags == SEEK_END) {
			initial_was_read(w, s->node, end);
			end_shown(w, s->node);
		}
	} else if (r->op == OP_FTRUNCATE && s->node) {
		w->m.node[s->node].truncated = true;
	} else if (r->op == OP_FALLOCATE) {
		if (s->node)
			w->m.node[s->node].blocks_changed = true;
		was_written(w, s->node, r->flags & 1 ? 0 : r->offset + r->length);
	} else if (o->family == FAMILY_DIRECTORY || r->op == OP_FCHDIR) {
		initial_require(w, s->node, INITIAL_DIRECTORY);
	}
}
