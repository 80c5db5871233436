/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/profile_private.h"

enum profile_kind profile_kind_of(unsigned int op)
{
	enum op_family family = op_info(op)->family;
	return family == FAMILY_READ ? KIND_READ : family == FAMILY_WRITE ? KIND_WRITE : KIND_OTHER;
}

/* --- single requests ----------------------------------------------------- */

static inline uint64_t moved_by(const struct profile *p, const struct trace_record *r)
{
	return p->op[r->op].moves && r->rvalue > 0 ? (uint64_t)r->rvalue : 0;
}

static inline void add_one(struct profile *p, const struct trace_record *r)
{
	enum profile_kind kind = (enum profile_kind)p->op[r->op].kind;
	uint64_t moved = moved_by(p, r);
	tally_add(&p->tally, r, moved);
	if (__builtin_expect(r->rvalue < 0, 0))
		errors_add(&p->errors, r->error, r->op);
	if (kind != KIND_OTHER)
		sizes_add(&p->sizes[kind], r->length);
	if (r->begin_ns == TIME_NONE)
		return;
	struct timeline_bin *b = timeline_at(&p->timeline, r->begin_ns);
	b->n[kind]++;
	if (kind != KIND_OTHER)
		b->bytes[kind] =
		    b->bytes[kind] + moved < moved ? UINT64_MAX : b->bytes[kind] + moved;
	if (__builtin_expect(r->intended_ns != TIME_NONE, 0)) {
		p->n_intended++;
		histogram_add(&p->late,
			      r->begin_ns > r->intended_ns ? r->begin_ns - r->intended_ns : 0);
	}
}

void profile_add_single(struct profile *p, const struct trace_record *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_one(p, &r[i]);
}

/* --- relative to preceding requests -------------------------------------- */

static struct object_use *add_object(struct profile *p, const struct trace_record *r,
				     enum profile_kind kind, uint64_t moved)
{
	struct object_use *u =
	    r->object == OBJECT_NONE ? NULL : object_uses_at(&p->objects, r->object);
	if (!u) {
		p->objects.n_without += r->object == OBJECT_NONE;
		p->objects.n_not_followed += r->object != OBJECT_NONE;
		return NULL;
	}
	u->n++;
	uint64_t *bytes = kind == KIND_WRITE ? &u->bytes_written : &u->bytes_read;
	*bytes = *bytes + moved < moved ? UINT64_MAX : *bytes + moved;
	if (r->begin_ns != TIME_NONE && r->end_ns >= r->begin_ns)
		u->busy_ns += (double)(r->end_ns - r->begin_ns);
	return u;
}

/* Adds the position of a read or write that succeeded or has no end: block traces may lack
 * completions. */
static void add_position(struct profile *p, const struct trace_record *r, struct object_use *u,
			 bool write, uint64_t moved)
{
	if (r->offset == OFFSET_NONE) {
		p->n_position_unknown++;
		return;
	}
	uint64_t end = r->offset + moved < moved ? UINT64_MAX : r->offset + moved;
	p->lowest = !p->n_position_known || r->offset < p->lowest ? r->offset : p->lowest;
	p->highest = end > p->highest ? end : p->highest;
	p->n_position_known++;
	if (r->begin_ns != TIME_NONE)
		offset_map_add(&p->offset_map, r->begin_ns, r->offset);
	p->n_aligned_512 += !((r->offset | r->length) & 511);
	p->n_aligned_4096 += !((r->offset | r->length) & 4095);
	if (u)
		access_count(&p->objects.access, &u->place, write, r->offset, moved);
	if (u || r->object != OBJECT_NONE)
		access_add(&p->access[PROFILE_THREAD], (uint64_t)r->pid << 32 | r->tid, r->object,
			   write, r->offset, moved);
	if (r->fd >= 0)
		access_add(&p->access[PROFILE_DESCRIPTOR], r->pid, (uint32_t)r->fd, write,
			   r->offset, moved);
}

/* Counts flags of block requests (doc/formats/trace.md). */
static void add_block(struct profile_block *b, const struct trace_record *r, enum profile_kind kind,
		      uint64_t moved)
{
	b->n_sync += r->flags & 1;
	b->n_meta += r->flags >> 1 & 1;
	b->n_ahead += r->flags >> 2 & 1;
	b->n_fua += r->flags >> 3 & 1;
	b->n_preflush += r->flags >> 4 & 1;
	if (kind != KIND_OTHER)
		b->sectors[kind] += moved / 512;
	if (r->dispatch_ns == TIME_NONE || r->begin_ns == TIME_NONE ||
	    r->dispatch_ns < r->begin_ns || r->end_ns < r->dispatch_ns)
		return;
	b->n_dispatched++;
	b->sum_queue_ns += (long double)(r->dispatch_ns - r->begin_ns);
	b->sum_device_ns += (long double)(r->end_ns - r->dispatch_ns);
	histogram_add(&b->queue, r->dispatch_ns - r->begin_ns);
	histogram_add(&b->device, r->end_ns - r->dispatch_ns);
}

static inline void add_related(struct profile *p, const struct trace_record *r, bool block)
{
	enum profile_kind kind = (enum profile_kind)p->op[r->op].kind;
	uint64_t moved = moved_by(p, r);
	struct object_use *u = add_object(p, r, kind, moved);
	if (kind != KIND_OTHER && (r->rvalue >= 0 || r->end_ns == TIME_NONE))
		add_position(p, r, u, kind == KIND_WRITE, r->rvalue >= 0 ? moved : r->length);
	else if (r->fd >= 0 && p->op[r->op].opens)
		access_forget(&p->access[PROFILE_DESCRIPTOR], r->pid, (uint32_t)r->fd);
	if (block)
		add_block(&p->block, r, kind, moved);
}

void profile_add_related(struct profile *p, const struct trace_record *r, size_t n, bool block)
{
	for (size_t i = 0; i < n; i++)
		add_related(p, &r[i], block);
}
