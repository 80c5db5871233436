/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/match/positions.h"

#include "capture/op.h"

#define NONE UINT32_MAX

void positions_init(struct positions *p)
{
	memset(p, 0, sizeof *p);
	p->free = NONE;
}

void positions_release(struct positions *p)
{
	sequences_release(&p->names);
	FREE_EACH(p->file, p->open);
	memset(p, 0, sizeof *p);
}

static uint32_t *file_of(struct positions *p, uint32_t pid, int64_t fd)
{
	uint32_t k, name = sequences_place(&p->names, (uint64_t)pid << 32 | (uint32_t)fd, &k);
	if (name >= p->n) {
		GROW(p->file, p->n, p->cap);
		p->file[p->n++] = NONE;
	}
	return &p->file[name];
}

static void file_close(struct positions *p, uint32_t *file)
{
	struct position *f = *file == NONE ? NULL : &p->open[*file];
	if (f && !--f->n_users) {
		f->next = p->free;
		p->free = *file;
	}
	*file = NONE;
}

static struct position *file_open(struct positions *p, uint32_t *file, bool append)
{
	file_close(p, file);
	*file = p->free;
	if (*file == NONE) {
		GROW(p->open, p->n_open, p->cap_open);
		*file = (uint32_t)p->n_open++;
	} else {
		p->free = p->open[*file].next;
	}
	p->open[*file] = (struct position){.n_users = 1, .next = NONE, .append = append};
	return &p->open[*file];
}

static struct position *position_of(struct positions *p, const struct trace_record *r)
{
	uint32_t *file = file_of(p, r->pid, r->fd);
	return *file == NONE ? file_open(p, file, false) : &p->open[*file];
}

static void descriptor_duplicate(struct positions *p, const struct trace_record *r)
{
	position_of(p, r);
	uint32_t from = *file_of(p, r->pid, r->fd), *to = file_of(p, r->pid, r->rvalue);
	if (*to == from)
		return;
	p->open[from].n_users++;
	file_close(p, to);
	*to = from;
}

static uint64_t transfer_follow(struct positions *p, const struct trace_record *r,
				const struct op_info *o)
{
	struct position *f = position_of(p, r);
	uint64_t at = r->offset != OFFSET_NONE                 ? r->offset
		      : f->append && o->family == FAMILY_WRITE ? OFFSET_NONE
							       : f->at;
	if (at != OFFSET_NONE && r->rvalue > 0)
		f->at = at + (uint64_t)r->rvalue;
	return at;
}

uint64_t positions_follow(struct positions *p, const struct trace_record *r)
{
	const struct op_info *o = op_info(r->op);
	const bool success = r->rvalue >= 0 && !r->error, is_fd = success && r->rvalue <= INT32_MAX;
	if (r->begin_ns == TIME_NONE)
		return r->offset;
	if (o->uses & OP_RETURNS_FD && is_fd)
		file_open(p, file_of(p, r->pid, r->rvalue), r->flags & O_APPEND);
	if (r->fd < 0)
		return r->offset;
	if (r->op == OP_CLOSE)
		file_close(p, file_of(p, r->pid, r->fd));
	else if (o->uses & OP_MAKES_FD && is_fd)
		descriptor_duplicate(p, r);
	else if (o->family == FAMILY_POSITION && success)
		position_of(p, r)->at = (uint64_t)r->rvalue;
	else if (o->uses & OP_MOVES_POSITION &&
		 (o->family == FAMILY_READ || o->family == FAMILY_WRITE))
		return transfer_follow(p, r, o);
	return r->offset;
}
