/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/app/app_async.h"

#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"

static uint64_t key_of(uint64_t key, uint32_t image)
{
	key = (key ^ (uint64_t)image << 48) * 0x9e3779b97f4a7c15u;
	return key ^ key >> 29;
}

void async_init(struct async *a)
{
	*a = (struct async){.n = 1, .cap = 16, .n_chains = 4096};
	a->request = xcalloc(a->cap, sizeof *a->request);
	a->chain = xcalloc(a->n_chains, sizeof *a->chain);
}

void async_release(struct async *a)
{
	free(a->request);
	free(a->chain);
}

/* Appends to the requests of the same key: the first request gets the first result. */
void async_ask(struct async *a, const struct merge_record *r)
{
	uint64_t key = 0;
	if (r->extra_len == sizeof key)
		memcpy(&key, r->extra, sizeof key);
	GROW(a->request, a->n, a->cap);
	key = key_of(key, r->image);
	a->request[a->n] = (struct async_request){.key = key};
	struct async_chain *c = &a->chain[key & (a->n_chains - 1)];
	*(c->last ? &a->request[c->last].next : &c->first) = (uint32_t)a->n;
	c->last = (uint32_t)a->n++;
}

void async_done(struct async *a, const struct merge_record *r)
{
	uint64_t key = key_of(r->r->offset, r->image);
	struct async_chain *c = &a->chain[key & (a->n_chains - 1)];
	uint32_t *at = &c->first, before = 0;
	for (; *at && a->request[*at].key != key; at = &a->request[*at].next)
		before = *at;
	if (!*at)
		return; /* submitted before the capture began */
	struct async_request *q = &a->request[*at];
	q->end = r->r->end;
	q->result = (int64_t)r->r->length;
	if (c->last == *at)
		c->last = before;
	*at = q->next;
}

const struct async_request *async_take(struct async *a)
{
	static const struct async_request nothing;
	size_t i = ++a->n_replayed;
	return i < a->n ? &a->request[i] : &nothing;
}
