/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/order_private.h"

#include <stdlib.h>

#include "common/xalloc.h"
#include "common/u64_map.h"

struct finder {
	struct process_waits *p;
	const struct load *l;
	struct u64_map fetched; /* (process, end) to the call that fetched what ended then */
	uint32_t *last;	  /* last[n_threads]: request of each thread so far, NONE32 */
	/* before[n_threads]: of each thread, the last that had ended when that one began, NONE32 */
	uint32_t *before;
	/* ended[n_threads]: of its requests in channels, one that ended and nothing has come after
	 * yet; linked, NONE32 */
	uint32_t *ended;
	uint32_t *next_ended; /* next_ended[l->n] */
};

static void wait_add(struct finder *f, uint32_t request, uint32_t earlier)
{
	struct process_waits *p = f->p;
	GROW(p->wait, p->n, p->cap);
	p->wait[p->n++] = (struct process_wait){request, earlier};
}

static uint64_t fetch_key(const struct load *l, const struct load_request *r)
{
	return (uint64_t)load_end_ns(l, r) * UINT64_C(0x9e3779b97f4a7c15) ^
	       l->thread[r->thread].pid;
}

static void fetches_note(struct finder *f)
{
	for (uint32_t i = 0; i < f->l->n; i++)
		if (f->l->request[i].op == OP_IO_GETEVENTS && f->l->request[i].rvalue > 0)
			u64_map_at(&f->fetched, fetch_key(f->l, &f->l->request[i]), i);
}

/* NONE32: nobody knows. One at the very instant at which the request also began, and before it in
 * issue order, is not waiting for it: what comes after that call may be what the request waits for.
 */
static uint32_t fetch_of(const struct finder *f, const struct load_request *r)
{
	const uint32_t *known = u64_map_find(&f->fetched, fetch_key(f->l, r));
	const struct load_request *g = known ? &f->l->request[*known] : NULL;
	return g > r && g->begin_ns == load_end_ns(f->l, r) &&
		       f->l->thread[g->thread].pid == f->l->thread[r->thread].pid
		   ? *known
		   : NONE32;
}

static void request_ended(struct finder *f, uint32_t q)
{
	const struct load_request *r = &f->l->request[q];
	const struct load_thread *t = &f->l->thread[r->thread];
	const uint32_t fetch = fetch_of(f, r);
	if (fetch != NONE32 && f->l->request[fetch].thread != r->thread)
		wait_add(f, fetch, q);
	if (fetch != NONE32 || !t->is_channel)
		return;
	f->next_ended[q] = f->ended[t->of];
	f->ended[t->of] = q;
}

static void request_begins(struct finder *f, uint32_t i)
{
	const struct load_request *r = &f->l->request[i];
	const struct load_thread *t = &f->l->thread[r->thread];
	const uint32_t own = t->is_channel ? t->of : r->thread, last = f->last[own];
	/* one whose end is not known, or not yet come, as a call that hands over may be: what came
	 * before it counts */
	const bool ended = last != NONE32 && load_end_ns(f->l, &f->l->request[last]) <= r->begin_ns;
	const uint32_t latest = ended ? last : f->before[own];
	if (t->is_channel) {
		if (latest != NONE32)
			wait_add(f, i, latest);
		return;
	}
	for (; f->ended[own] != NONE32; f->ended[own] = f->next_ended[f->ended[own]])
		wait_add(f, i, f->ended[own]);
	f->before[own] = latest;
	f->last[own] = i;
}

static int compare(const void *a, const void *b)
{
	const struct process_wait *x = a, *y = b;
	if (x->request != y->request)
		return x->request < y->request ? -1 : 1;
	return (x->earlier > y->earlier) - (x->earlier < y->earlier);
}

void async_waits_find(struct process_waits *p, const struct load *l)
{
	struct finder f = {.p = p, .l = l};
	struct flight flight = {.item = NULL};
	*p = (struct process_waits){.n = 0};
	fetches_note(&f);
	if (!l->n_channels && !f.fetched.n)
		return;
	f.last = xmalloc(l->n_threads * sizeof *f.last);
	f.before = xmalloc(l->n_threads * sizeof *f.before);
	f.ended = xmalloc(l->n_threads * sizeof *f.ended);
	f.next_ended = xmalloc((size_t)l->n * sizeof *f.next_ended);
	for (uint32_t i = 0; i < l->n_threads; i++)
		f.last[i] = f.before[i] = f.ended[i] = NONE32;
	for (uint32_t i = 0, q; i < l->n; i++) {
		while ((q = flight_pop_ended(&flight, l, l->request[i].begin_ns)) != NONE32)
			request_ended(&f, q);
		request_begins(&f, i);
		if (load_is_async(&l->request[i]))
			flight_push(&flight, l, i);
	}
	if (p->n)
		qsort(p->wait, p->n, sizeof *p->wait, compare);
	flight_release(&flight);
	u64_map_release(&f.fetched);
	free(f.last);
	free(f.before);
	free(f.ended);
	free(f.next_ended);
}
