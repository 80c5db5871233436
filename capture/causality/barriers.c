/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds barriers: barriers with records, and barriers among single waits. Two nodes wait for each
 * other if each waits, at its place, for a signal that the other node sent before its own wait. In
 * a barrier, all pairs of nodes do this. A signal may be much older than the wait, for example if
 * not every request was delayed. */

#include "capture/causality/links.h"
#include "common/sort.h"

struct barriers_finder {
	struct causality_barriers *b;
	const struct causality_links *l;
	struct links_order order;
	size_t *by_pair; /* links by (signaller, waiter, place of the wait) */
	size_t *first;	 /* first[signaller * n_nodes + waiter]: start of the pair in by_pair[] */
	uint32_t *at;	 /* for each pair: the link found last */
	uint32_t n_nodes; /* 0 if there are no links */
};

/* by_wait[] has the waits of each node in order, and so those of each pair. */
static void pairs_make(struct barriers_finder *f)
{
	const struct causality_links *l = f->l;
	const size_t n_pairs = (size_t)f->n_nodes * f->n_nodes;
	for (size_t i = 0; i < l->n; i++)
		if (!links_join_at(l, &l->link[i]))
			f->first[(size_t)l->link[i].signaller * f->n_nodes + l->link[i].waiter +
				 1]++;
	for (size_t i = 0; i < n_pairs; i++)
		f->first[i + 1] += f->first[i];
	for (size_t i = 0; i < l->n; i++) {
		const struct causality_link *g = &l->link[f->order.by_wait[i]];
		if (links_join_at(l, g))
			continue;
		size_t pair = (size_t)g->signaller * f->n_nodes + g->waiter;
		f->by_pair[f->first[pair] + f->at[pair]++] = f->order.by_wait[i];
	}
	memset(f->at, 0, n_pairs * sizeof *f->at);
}

/* Index of the first link from `signaller` to `waiter` whose wait is at `place` or later; l->n:
 * none. Queries are nearly in order, so the search starts at the previous result. */
static size_t link_at(struct barriers_finder *f, uint32_t signaller, uint32_t waiter,
		      uint64_t place)
{
	const struct causality_link *v = f->l->link;
	const size_t pair = (size_t)signaller * f->n_nodes + waiter, first = f->first[pair],
		     n = f->first[pair + 1] - first;
	uint32_t *at = &f->at[pair];
	while (*at < n && v[f->by_pair[first + *at]].wait_place < place)
		++*at;
	while (*at && v[f->by_pair[first + *at - 1]].wait_place >= place)
		--*at;
	return *at < n ? f->by_pair[first + *at] : f->l->n;
}

struct barriers_member {
	uint32_t node;
	uint64_t place, request;
};

/* Whether b waits, at its place, for a signal that a sent before its own wait. */
static size_t waits_there(struct barriers_finder *f, const struct barriers_member *a,
			  const struct barriers_member *b)
{
	size_t i = link_at(f, a->node, b->node, b->place);
	if (i == f->l->n || f->l->link[i].wait_place != b->place ||
	    f->l->link[i].signal_place >= a->place)
		return f->l->n;
	return i;
}

ORDER_BY(compare_members, struct barriers_member, node)

static void barrier_add(struct barriers_finder *f, struct barriers_member *m, uint32_t n)
{
	struct causality_barriers *b = f->b;
	struct causality_barrier one = {.n_nodes = n,
					.node = xcalloc(n, sizeof *one.node),
					.place = xcalloc(n, sizeof *one.place),
					.request = xcalloc(n, sizeof *one.request)};
	qsort(m, n, sizeof *m, compare_members);
	for (uint32_t i = 0; i < n; i++) {
		one.node[i] = m[i].node;
		one.place[i] = m[i].place;
		one.request[i] = m[i].request;
		for (uint32_t k = 0; k < n; k++)
			if (k != i)
				b->of_link[waits_there(f, &m[k], &m[i])] = b->n;
	}
	GROW(b->v, b->n, b->cap);
	b->v[b->n++] = one;
}

static bool with_all(struct barriers_finder *f, const struct barriers_member *m, uint32_t n,
		     const struct barriers_member *other)
{
	for (uint32_t i = 0; i < n; i++)
		if (waits_there(f, &m[i], other) == f->l->n ||
		    waits_there(f, other, &m[i]) == f->l->n)
			return false;
	return true;
}

/* The waits by_wait[from .. to) of a place form a barrier if the nodes that they wait for have the
 * same waits. */
static void barrier_find(struct barriers_finder *f, size_t from, size_t to)
{
	const struct causality_link *first = &f->l->link[f->order.by_wait[from]];
	SCOPED_FREE struct barriers_member *m = xcalloc(to - from + 1, sizeof *m);
	uint32_t n = 0;
	m[n++] = (struct barriers_member){first->waiter, first->wait_place, first->wait_request};
	for (size_t i = from; i < to; i++) {
		const struct causality_link *g = &f->l->link[f->order.by_wait[i]];
		if (links_join_at(f->l, g))
			continue;
		size_t back = link_at(f, g->waiter, g->signaller, g->signal_place + 1);
		if (back == f->l->n || f->b->of_link[back] != UINT32_MAX ||
		    f->b->of_link[f->order.by_wait[i]] != UINT32_MAX)
			continue;
		const struct causality_link *other = &f->l->link[back];
		struct barriers_member one = {other->waiter, other->wait_place,
					      other->wait_request};
		if (with_all(f, m, n, &one))
			m[n++] = one;
	}
	if (n > 1)
		barrier_add(f, m, n);
}

static void mark_passed(void *ctx, size_t i)
{
	struct barriers_finder *f = ctx;
	struct causality_barriers *b = f->b;
	const struct causality_mark *m = &f->l->mark[i];
	if (!m->is_wait || b->of_record[m->barrier] != UINT32_MAX)
		return;
	b->of_record[m->barrier] = b->n;
	GROW(b->v, b->n, b->cap);
	b->v[b->n++] = (struct causality_barrier){.n_nodes = 0};
}

/* Fills the barriers that have records. A node that only signals has the place of its signal. */
static void records_fill(const struct barriers_finder *f)
{
	const struct causality_links *l = f->l;
	SCOPED_FREE uint32_t *n_marks = xcalloc((size_t)l->n_barriers + 1, sizeof *n_marks);
	for (size_t i = 0; i < l->n_marks; i++)
		n_marks[l->mark[i].barrier]++;
	for (size_t i = 0; i < l->n_marks; i++) {
		const struct causality_mark *m = &l->mark[i];
		struct causality_barrier *b = &f->b->v[f->b->of_record[m->barrier]];
		if (!b->node) {
			b->node = xcalloc(n_marks[m->barrier], sizeof *b->node);
			b->place = xcalloc(n_marks[m->barrier], sizeof *b->place);
			b->request = xcalloc(n_marks[m->barrier], sizeof *b->request);
		}
		if (!b->n_nodes || b->node[b->n_nodes - 1] != m->node)
			b->n_nodes++;
		else if (!m->is_wait)
			continue;
		b->node[b->n_nodes - 1] = m->node;
		b->place[b->n_nodes - 1] = m->place;
		b->request[b->n_nodes - 1] = m->request;
	}
}

static void wait_ended(void *ctx, size_t i)
{
	struct barriers_finder *f = ctx;
	const struct causality_link *g = &f->l->link[i];
	if (g->waiter >= f->n_nodes)
		return;
	struct links_range *of = &f->order.of[g->waiter]; /* `wait`: the first link of the place */
	size_t to = of->wait;
	while (to < of->waits_end &&
	       f->l->link[f->order.by_wait[to]].wait_place == g->wait_place)
		to++;
	if (f->order.by_wait[to - 1] != i)
		return;
	barrier_find(f, of->wait, to);
	of->wait = to;
}

int causality_barriers_find(struct causality_barriers *b, const struct causality_links *l,
			    struct err *e)
{
	struct barriers_finder f = {.b = b, .l = l, .n_nodes = l->n ? links_nodes(l) : 0};
	const struct causality_walk walk = {.wait = wait_ended, .mark = mark_passed, .ctx = &f};
	size_t n = l->n + 1;
	*b = (struct causality_barriers){
	    .of_link = xcalloc(n, sizeof *b->of_link),
	    .of_record = xcalloc((size_t)l->n_barriers + 1, sizeof *b->of_record)};
	f.by_pair = xcalloc(n, sizeof *f.by_pair);
	f.first = xcalloc((size_t)f.n_nodes * f.n_nodes + 2, sizeof *f.first);
	f.at = xcalloc((size_t)f.n_nodes * f.n_nodes + 1, sizeof *f.at);
	links_order_make(&f.order, l);
	for (size_t i = 0; i < l->n; i++)
		b->of_link[i] = UINT32_MAX;
	for (uint32_t i = 0; i < l->n_barriers; i++)
		b->of_record[i] = UINT32_MAX;
	pairs_make(&f);
	int ret = causality_links_walk(l, &walk, e);
	links_order_release(&f.order);
	FREE_EACH(f.by_pair, f.first, f.at);
	if (!ret)
		records_fill(&f);
	else
		causality_barriers_release(b);
	return ret;
}

void causality_nodes_text(struct strbuf *out, const uint32_t *node, uint32_t n)
{
	for (uint32_t i = 0, last; i < n; i = last + 1) {
		for (last = i; last + 1 < n && node[last + 1] == node[last] + 1; last++)
			;
		strbuf_addf(out, i ? ",%u" : "%u", node[i]);
		if (last > i)
			strbuf_addf(out, "%c%u", last > i + 1 ? '-' : ',', node[last]);
	}
}

void causality_barriers_release(struct causality_barriers *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		FREE_EACH(b->v[i].node, b->v[i].place, b->v[i].request);
	FREE_EACH(b->v, b->of_link, b->of_record);
	*b = (struct causality_barriers){0};
}
