/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/app/app_census.h"

struct content_pending {
	uint32_t image, pid, tid;
	uint64_t begin; /* start of the request */
	uint64_t n_bytes;
	uint32_t *block; /* block[n_blocks]: numbers of its blocks in the file */
	size_t n_blocks, cap;
	uint8_t part[CONTENT_BLOCK]; /* part of the next block */
	uint32_t n_part;
	bool broken; /* a piece is missing */
};

static struct content_pending *pending_find(const struct app_content *c,
					    const struct merge_record *r)
{
	for (size_t i = 0; i < c->n_pending; i++)
		if (c->pending[i].image == r->image && c->pending[i].pid == r->pid &&
		    c->pending[i].tid == r->tid)
			return &c->pending[i];
	return NULL;
}

/* The content of a thread's current request. A thread has one at a time, so content of an earlier
 * request that never came is dropped. */
static struct content_pending *pending_of(struct app_content *c, const struct merge_record *r)
{
	struct content_pending *p = pending_find(c, r);
	if (!p) {
		GROW(c->pending, c->n_pending, c->cap);
		p = &c->pending[c->n_pending++];
		*p = (struct content_pending){
		    .image = r->image, .pid = r->pid, .tid = r->tid, .begin = r->r->begin};
	} else if (p->begin != r->r->begin || !r->r->offset) {
		p->begin = r->r->begin;
		p->n_bytes = p->n_blocks = 0;
		p->n_part = 0;
		p->broken = false;
	}
	return p;
}

static void pending_drop(struct app_content *c, struct content_pending *p)
{
	free(p->block);
	*p = c->pending[--c->n_pending];
}

static int part_store(struct app_content *c, struct content_pending *p, struct err *e)
{
	uint32_t number;
	int ret = content_writer_block(c->writer, p->part, p->n_part, &number, e);
	if (ret)
		return ret;
	GROW(p->block, p->n_blocks, p->cap);
	p->block[p->n_blocks++] = number;
	p->n_part = 0;
	return 0;
}

int app_content_open(struct app_content *c, const char *trace, struct err *e)
{
	SCOPED_FREE char *path = xasprintf("%s" CONTENT_SUFFIX, trace);
	*c = (struct app_content){.writer = NULL};
	return content_writer_open(&c->writer, path, e);
}

int app_content_take(struct app_content *c, const struct merge_record *r, struct err *e)
{
	struct content_pending *p = pending_of(c, r);
	const char *from = r->extra;
	int ret = 0;
	p->broken |= !from || r->r->offset != p->n_bytes;
	if (p->broken)
		return 0;
	p->n_bytes += r->extra_len;
	for (size_t n = r->extra_len; n && !ret;) {
		const size_t room = CONTENT_BLOCK - p->n_part, some = n < room ? n : room;
		memcpy(p->part + p->n_part, from, some);
		p->n_part += (uint32_t)some;
		from += some;
		n -= some;
		ret = p->n_part == CONTENT_BLOCK ? part_store(c, p, e) : 0;
	}
	return ret;
}

int app_content_settle(struct app_content *c, const struct merge_record *r, uint64_t seq,
		       uint64_t n_bytes, bool *kept, struct err *e)
{
	struct content_pending *p = pending_find(c, r);
	int ret = 0;
	*kept = p && p->begin == r->r->begin && !p->broken && p->n_bytes == n_bytes;
	if (*kept && p->n_part)
		ret = part_store(c, p, e);
	if (*kept && !ret)
		ret = content_writer_request(c->writer, seq, p->block, p->n_blocks, e);
	if (p)
		pending_drop(c, p);
	return ret;
}

void app_content_forget(struct app_content *c, const struct merge_record *r)
{
	struct content_pending *p = pending_find(c, r);
	if (p)
		pending_drop(c, p);
}

int app_content_finish(struct app_content *c, struct content_facts *facts, struct err *e)
{
	return c->writer ? content_writer_finish(c->writer, facts, e) : 0;
}

int app_content_close(struct app_content *c, bool abort, struct err *e)
{
	int ret = 0;
	while (c->n_pending)
		pending_drop(c, &c->pending[0]);
	free(c->pending);
	if (abort)
		content_writer_abort(c->writer);
	else if (c->writer)
		ret = content_writer_close(c->writer, NULL, e);
	*c = (struct app_content){.writer = NULL};
	return ret;
}
