/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order `fs`: what the file system's rules demand, and no more. Requests are walked in issue order; what a request did takes effect
 * when it ends (in the order of ends), because only then can a later one be said to have seen it.
 *
 * r waits for the end of an earlier q of another thread when
 *   descriptor  q opened the descriptor that r uses; q used it and r closes it; q closed it, ended before r began, and r uses it
 *   position    both move the position of one descriptor
 *   name        q made the file that r opens; q failed to find the file that r makes
 *   truncation  q truncated the file that r reads or writes; q read or wrote the file that r truncates
 *   data        q is the last that wrote some byte which r asked for
 *   end of file q met the end of the file, and r writes beyond that
 * where "earlier" is enough for the descriptor's opening and closing and for its position, and for the others q must have ended
 * before r began, or r's result must show that it saw what q did. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "capture/op.h"
#include "common/xalloc.h"
#include "replay/extent_map.h"
#include "replay/order.h"
#include "replay/use_set.h"

#define MAX_EXTENTS 1024 /* a read that meets more waits for the last write of every thread instead */

struct slot_state {
	uint32_t opener, closer; /* requests, NONE32 */
	uint32_t mover;		 /* the last that moved its position */
	struct use_set users;
	bool closes; /* some request closes it: users are worth noting */
};

struct file_state {
	uint32_t maker, truncator;
	struct use_set seekers; /* failed to find it */
	struct use_set movers;	/* read or wrote it; noted where something truncates it */
	struct use_set writers, vague_writers; /* vague: where is not known */
	struct use_set enders;	/* met its end; least: where that was */
	uint32_t extents;
	uint64_t size;
	bool size_known, truncates;
};

struct fs {
	const struct load *l;
	const struct slots *s;
	struct edges *out;
	struct slot_state *slot;
	struct file_state *file;
	struct flight flight;
	struct use_table uses;
	struct extent_pool extents;
	struct u64_map waited; /* (thread, other) to the threshold already waited for */
	uint32_t request;      /* the one whose edges are being found */
	size_t first_edge;
	size_t *edge_of; /* edge_of[n_threads]: of this request to that thread, if >= first_edge */
	uint32_t n_met;	 /* extents met by this read */
};

/* --- edges -------------------------------------------------------------------------------------------------------- */

static void wait_for(struct fs *f, uint32_t q)
{
	if (q == NONE32 || q == f->request)
		return;
	const struct load_request *x = &f->l->request[q];
	uint32_t own = f->l->request[f->request].thread, threshold = threshold_ended(x);
	if (x->thread == own)
		return;
	size_t at = f->edge_of[x->thread];
	if (at >= f->first_edge && at < f->out->n && f->out->edge[at].thread == x->thread) {
		if (f->out->edge[at].threshold < threshold)
			f->out->edge[at].threshold = threshold;
		return;
	}
	const uint32_t *waited = u64_map_find(&f->waited, u64_pair(own, x->thread));
	if (waited && *waited >= threshold)
		return;
	f->edge_of[x->thread] = f->out->n;
	edges_add(f->out, f->request, x->thread, threshold);
}

static void wait_for_all(struct fs *f, const struct use_set *s)
{
	for (uint32_t u = s->first; u; u = f->uses.use[u].next)
		wait_for(f, f->uses.use[u].request);
}

static void edges_settle(struct fs *f)
{
	uint32_t own = f->l->request[f->request].thread;
	for (size_t i = f->first_edge; i < f->out->n; i++)
		*u64_map_at(&f->waited, u64_pair(own, f->out->edge[i].thread), 0) = f->out->edge[i].threshold;
	f->first_edge = f->out->n;
}

/* --- descriptors -------------------------------------------------------------------------------------------------- */

static void descriptor_rules(struct fs *f, const struct load_request *r)
{
	struct slot_state *b = &f->slot[r->slot];
	if (r->op == OP_OPEN) {
		b->opener = f->request;
		return;
	}
	wait_for(f, b->opener);
	wait_for(f, b->closer);
	if (r->op == OP_CLOSE)
		wait_for_all(f, &b->users);
	if (op_info(r->op)->uses & OP_MOVES_POSITION) {
		wait_for(f, b->mover);
		b->mover = f->request;
	}
	if (b->closes)
		use_note(&f->uses, &b->users, r->thread, f->request, 0);
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static void name_rules(struct fs *f, const struct load_request *r, struct file_state *file)
{
	bool ok = r->rvalue >= 0, makes = r->flags & O_CREAT;
	if (file->maker != NONE32) {
		bool after = f->l->request[file->maker].end_ns <= r->begin_ns;
		if (after || (ok && !makes) || r->rvalue == -EEXIST)
			wait_for(f, file->maker);
	} else if (ok && makes && !f->s->file[f->s->slot[r->slot].file].listed && f->s->file[f->s->slot[r->slot].file].created) {
		file->maker = f->request;
		wait_for_all(f, &file->seekers);
	}
	if (ok && r->flags & O_TRUNC) {
		wait_for_all(f, &file->movers);
		wait_for(f, file->truncator);
	}
}

/* --- data --------------------------------------------------------------------------------------------------------- */

static bool met(void *arg, uint32_t owner)
{
	struct fs *f = arg;
	wait_for(f, owner);
	return ++f->n_met < MAX_EXTENTS;
}

static uint64_t end_of(uint64_t offset, uint64_t n_bytes)
{
	return offset + n_bytes < offset ? UINT64_MAX : offset + n_bytes;
}

/* Writes still under way that r must have seen, because it read what only they can have put there. */
static void wait_for_seen(struct fs *f, const struct load_request *r, const struct file_state *file)
{
	uint64_t end = end_of(r->offset, (uint64_t)r->rvalue);
	if (!file->size_known || end <= file->size)
		return;
	for (uint32_t i = 0; i < f->flight.n; i++) {
		const struct load_request *q = &f->l->request[f->flight.item[i]];
		bool writes = op_info(q->op)->family == FAMILY_WRITE && q->rvalue > 0 && q->offset != OFFSET_NONE;
		if (writes && &f->file[f->s->slot[q->slot].file] == file && q->offset < end &&
		    end_of(q->offset, (uint64_t)q->rvalue) > file->size)
			wait_for(f, f->flight.item[i]);
	}
}

static void read_rules(struct fs *f, const struct load_request *r, const struct file_state *file)
{
	bool known = r->offset != OFFSET_NONE;
	uint64_t start = known ? r->offset : 0, end = known ? end_of(start, r->length) : UINT64_MAX;
	f->n_met = 0;
	if (!extent_visit(&f->extents, file->extents, start, end, met, f))
		wait_for_all(f, &file->writers);
	wait_for_all(f, &file->vague_writers);
	if (known)
		wait_for_seen(f, r, file);
}

static void write_rules(struct fs *f, const struct load_request *r, const struct file_state *file)
{
	uint64_t end = r->offset == OFFSET_NONE ? UINT64_MAX : end_of(r->offset, (uint64_t)r->rvalue);
	for (uint32_t u = file->enders.first; u; u = f->uses.use[u].next)
		if (end > f->uses.use[u].least)
			wait_for(f, f->uses.use[u].request);
}

static void data_rules(struct fs *f, const struct load_request *r, const struct file_state *file)
{
	enum op_family family = op_info(r->op)->family;
	if (family != FAMILY_READ && family != FAMILY_WRITE)
		return;
	wait_for(f, file->truncator);
	if (r->rvalue < 0)
		return;
	if (family == FAMILY_READ)
		read_rules(f, r, file);
	else if (r->rvalue > 0)
		write_rules(f, r, file);
}

/* --- what takes effect when a request ends -------------------------------------------------------------------------- */

static void write_ended(struct fs *f, const struct load_request *q, uint32_t number, struct file_state *file)
{
	uint64_t start = q->offset, n_bytes = (uint64_t)q->rvalue;
	bool appends = f->s->slot[q->slot].flags & O_APPEND;
	if (start == OFFSET_NONE && appends && file->size_known)
		start = file->size;
	use_note(&f->uses, &file->writers, q->thread, number, 0);
	if (start == OFFSET_NONE) {
		use_note(&f->uses, &file->vague_writers, q->thread, number, 0);
		file->size_known = false;
		return;
	}
	uint64_t end = end_of(start, n_bytes);
	if (file->size_known && start > file->size)
		start = file->size; /* it also made the hole before it readable */
	file->extents = extent_put(&f->extents, file->extents, start, end, number);
	if (end > file->size)
		file->size = end;
}

static void open_ended(struct fs *f, const struct load_request *q, uint32_t number, struct file_state *file)
{
	if (q->rvalue == -ENOENT)
		use_note(&f->uses, &file->seekers, q->thread, number, 0);
	if (q->rvalue < 0)
		return;
	if (file->maker == number && !file->size_known)
		file->size_known = true; /* and it is 0 */
	if (q->flags & O_TRUNC) {
		extent_clear(&f->extents, file->extents);
		file->extents = EXTENT_NONE;
		file->size = 0;
		file->size_known = true;
		file->truncator = number;
	}
}

static void ended(struct fs *f, uint32_t number)
{
	const struct load_request *q = &f->l->request[number];
	struct file_state *file = &f->file[f->s->slot[q->slot].file];
	enum op_family family = op_info(q->op)->family;
	if (q->op == OP_OPEN)
		open_ended(f, q, number, file);
	else if (q->op == OP_CLOSE && q->rvalue >= 0)
		f->slot[q->slot].closer = number;
	bool data = family == FAMILY_READ || family == FAMILY_WRITE;
	if (data && file->truncates)
		use_note(&f->uses, &file->movers, q->thread, number, 0);
	if (!data || q->rvalue < 0)
		return;
	if (family == FAMILY_WRITE && q->rvalue > 0)
		write_ended(f, q, number, file);
	if (family == FAMILY_READ && (uint64_t)q->rvalue < q->length)
		use_note(&f->uses, &file->enders, q->thread, number,
			 q->offset == OFFSET_NONE ? 0 : end_of(q->offset, (uint64_t)q->rvalue));
}

/* --- the walk ----------------------------------------------------------------------------------------------------- */

static void states_init(struct fs *f)
{
	for (uint32_t i = 0; i < f->s->n; i++)
		f->slot[i].opener = f->slot[i].closer = f->slot[i].mover = NONE32;
	for (uint32_t i = 0; i < f->s->n_files; i++) {
		const struct slot_file *from = &f->s->file[i];
		f->file[i].maker = f->file[i].truncator = NONE32;
		f->file[i].size_known = from->listed;
		f->file[i].size = from->listed_size;
	}
	for (uint32_t i = 0; i < f->l->n; i++) {
		const struct load_request *r = &f->l->request[i];
		if (r->op == OP_CLOSE)
			f->slot[r->slot].closes = true;
		if (r->slot && r->op == OP_OPEN && r->rvalue >= 0 && r->flags & O_TRUNC)
			f->file[f->s->slot[r->slot].file].truncates = true;
	}
	memset(f->edge_of, 0xff, (f->l->n_threads + 1) * sizeof *f->edge_of);
}

static void walk(struct fs *f)
{
	for (uint32_t i = 0, q; i < f->l->n; i++) {
		const struct load_request *r = &f->l->request[i];
		while ((q = flight_pop_ended(&f->flight, f->l, r->begin_ns)) != NONE32)
			ended(f, q);
		if (r->slot == 0)
			continue; /* no file, no rule */
		f->request = i;
		struct file_state *file = &f->file[f->s->slot[r->slot].file];
		descriptor_rules(f, r);
		if (r->op == OP_OPEN)
			name_rules(f, r, file);
		else
			data_rules(f, r, file);
		edges_settle(f);
		flight_push(&f->flight, f->l, i);
	}
}

int order_derive_fs(struct edges *out, const struct load *l, const struct slots *s, struct err *e)
{
	struct fs f = {.l = l, .s = s, .out = out};
	f.slot = calloc(s->n + 1, sizeof *f.slot);
	f.file = calloc(s->n_files + 1, sizeof *f.file);
	f.edge_of = malloc((l->n_threads + 1) * sizeof *f.edge_of);
	int ret = f.slot && f.file && f.edge_of ? 0 : err_set(e, ENOMEM, "not enough memory to derive the order");
	if (!ret) {
		/* a trace cannot be made so that the extents' tree becomes a list */
		(void)!getrandom(&f.extents.random, sizeof f.extents.random, GRND_NONBLOCK);
		states_init(&f);
		walk(&f);
	}
	free(f.slot);
	free(f.file);
	free(f.edge_of);
	flight_release(&f.flight);
	use_table_release(&f.uses);
	extent_pool_release(&f.extents);
	u64_map_release(&f.waited);
	return ret;
}
