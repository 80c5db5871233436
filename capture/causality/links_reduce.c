/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "capture/causality/links.h"
#include "common/sort.h"

#define KNOWLEDGE_MAX (1024u << 20) /* bytes */

/* A vector clock of a node: it knows that node i has sent its signals with ranks up to v[i]. The
 * entry of the node itself is 0, because the signal has this rank. Signals share the struct until
 * the node waits. */
struct knowledge {
	uint32_t n_users;
	uint32_t v[];
};

struct link_reducer {
	struct causality_links *l;
	/* rank[n], mark_rank[n_marks]: ascend with the place of the signal in its node, from 1 on;
	 * signals at one place have one rank */
	uint32_t *rank, *mark_rank;
	struct knowledge **of_node, **of_link, **of_barrier;
	uint32_t *n_waits; /* of each barrier: waits that are left */
	/* direct[node]: the highest rank among the current waits for that node */
	uint32_t *merged, *direct;
	bool *drop;
	uint64_t n_bytes; /* bytes of all vector clocks */
};

static void knowledge_put(struct link_reducer *x, struct knowledge *k)
{
	if (!k || --k->n_users)
		return;
	free(k);
	x->n_bytes -= sizeof *k + x->l->n_nodes * sizeof *k->v;
}

/* Returns a vector clock with zeros; NULL: there is no memory for it. Links that it would imply
 * then remain. */
static struct knowledge *knowledge_make(struct link_reducer *x)
{
	const size_t size = sizeof(struct knowledge) + x->l->n_nodes * sizeof *x->merged;
	struct knowledge *k = x->n_bytes < KNOWLEDGE_MAX ? calloc(1, size) : NULL;
	if (k) {
		k->n_users = 1;
		x->n_bytes += size;
	}
	return k;
}

static void knowledge_learn(struct knowledge *to, const struct knowledge *from, uint32_t n)
{
	for (uint32_t i = 0; from && i < n; i++)
		to->v[i] = from->v[i] > to->v[i] ? from->v[i] : to->v[i];
}

static void signal_sent(void *ctx, size_t i)
{
	struct link_reducer *x = ctx;
	struct knowledge *k = x->of_node[x->l->link[i].signaller];
	if (k)
		k->n_users++;
	x->of_link[i] = k;
}

static bool same_wait(const struct causality_link *a, const struct causality_link *b)
{
	return a->waiter == b->waiter && a->wait_place == b->wait_place;
}

static void merge_knowledge(struct link_reducer *x, const struct knowledge *k)
{
	for (uint32_t i = 0; k && i < x->l->n_nodes; i++)
		x->merged[i] = k->v[i] > x->merged[i] ? k->v[i] : x->merged[i];
}

/* Reduces the links link[from .. to) of one wait. */
static void wait_reduce(struct link_reducer *x, size_t from, size_t to)
{
	const struct causality_link *v = x->l->link;
	const uint32_t waiter = v[from].waiter;
	memset(x->merged, 0, x->l->n_nodes * sizeof *x->merged);
	merge_knowledge(x, x->of_node[waiter]);
	for (size_t i = from; i < to; i++) {
		merge_knowledge(x, x->of_link[i]);
		uint32_t *direct = &x->direct[v[i].signaller];
		*direct = x->rank[i] > *direct ? x->rank[i] : *direct;
	}
	for (size_t i = from; i < to; i++) {
		bool again = i > from && v[i - 1].signaller == v[i].signaller &&
			     x->rank[i - 1] == x->rank[i];
		x->drop[i] = again || x->merged[v[i].signaller] >= x->rank[i] ||
			     x->direct[v[i].signaller] > x->rank[i];
	}
	for (size_t i = from; i < to; i++) {
		const uint32_t s = v[i].signaller;
		x->merged[s] = x->rank[i] > x->merged[s] ? x->rank[i] : x->merged[s];
		x->direct[s] = 0;
		knowledge_put(x, x->of_link[i]);
		x->of_link[i] = NULL;
	}
	x->merged[waiter] = 0;
}

static void wait_ended(void *ctx, size_t i)
{
	struct link_reducer *x = ctx;
	const struct causality_link *v = x->l->link;
	size_t from = i;
	if (i + 1 < x->l->n && same_wait(&v[i + 1], &v[i]))
		return;
	while (from && same_wait(&v[from - 1], &v[i]))
		from--;
	wait_reduce(x, from, i + 1);
	knowledge_put(x, x->of_node[v[i].waiter]);
	struct knowledge *k = knowledge_make(x);
	x->of_node[v[i].waiter] = k;
	if (k)
		memcpy(k->v, x->merged, x->l->n_nodes * sizeof *k->v);
}

/* A barrier knows what its signallers know, and tells it to the nodes that wait. */
static void mark_passed(void *ctx, size_t i)
{
	struct link_reducer *x = ctx;
	const struct causality_mark *m = &x->l->mark[i];
	struct knowledge **barrier = &x->of_barrier[m->barrier], **node = &x->of_node[m->node];
	if (!m->is_wait) {
		*barrier = *barrier ? *barrier : knowledge_make(x);
		if (!*barrier)
			return;
		knowledge_learn(*barrier, *node, x->l->n_nodes);
		uint32_t *own = &(*barrier)->v[m->node];
		*own = x->mark_rank[i] > *own ? x->mark_rank[i] : *own;
		return;
	}
	struct knowledge *k = *barrier ? knowledge_make(x) : NULL;
	if (k) {
		knowledge_learn(k, *node, x->l->n_nodes);
		knowledge_learn(k, *barrier, x->l->n_nodes);
		k->v[m->node] = 0;
		knowledge_put(x, *node);
		*node = k;
	}
	if (!--x->n_waits[m->barrier]) {
		knowledge_put(x, *barrier);
		*barrier = NULL;
	}
}

ORDER_BY(by_wait, struct causality_link, waiter, wait_place, signaller, signal_place)

static void ranks_find(struct link_reducer *x)
{
	const struct causality_links *l = x->l;
	struct links_order order;
	links_order_make(&order, l);
	uint64_t place = 0;
	uint32_t node = UINT32_MAX, rank = 0;
	for (size_t k = 0, m = 0; k < l->n || m < l->n_marks;) {
		const struct causality_link *g = k < l->n ? &l->link[order.by_signal[k]] : NULL;
		const struct causality_mark *of_mark = m < l->n_marks ? &l->mark[m] : NULL;
		const bool is_link = g && (!of_mark || g->signaller < of_mark->node ||
					   (g->signaller == of_mark->node &&
					    g->signal_place < of_mark->place));
		const uint32_t of = is_link ? g->signaller : of_mark->node;
		const uint64_t at = is_link ? g->signal_place : of_mark->place;
		rank = of != node ? 1 : rank + (at != place);
		node = of;
		place = at;
		*(is_link ? &x->rank[order.by_signal[k++]] : &x->mark_rank[m++]) = rank;
	}
	links_order_release(&order);
}

/* Removes links to a join for which no node waits any more. */
static void joins_prune(struct causality_links *l)
{
	SCOPED_FREE bool *needed = xcalloc((size_t)l->n_nodes + 1, sizeof *needed);
	for (size_t i = 0; i < l->n; i++)
		needed[l->link[i].signaller] = true;
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++)
		if (l->link[i].waiter < links_nodes(l) || needed[l->link[i].waiter])
			l->link[n++] = l->link[i];
	l->n = n;
}

static int reduce_all(struct link_reducer *x, struct err *e)
{
	const struct causality_walk walk = {
	    .signal = signal_sent, .wait = wait_ended, .mark = mark_passed, .ctx = x};
	ranks_find(x);
	for (size_t i = 0; i < x->l->n_marks; i++)
		x->n_waits[x->l->mark[i].barrier] += x->l->mark[i].is_wait;
	int ret = causality_links_walk(x->l, &walk, e);
	if (!ret) {
		size_t n = 0;
		for (size_t i = 0; i < x->l->n; i++)
			if (!x->drop[i])
				x->l->link[n++] = x->l->link[i];
		x->l->n = n;
		joins_prune(x->l);
	}
	return ret;
}

int causality_links_reduce(struct causality_links *l, struct err *e)
{
	struct link_reducer x = {.l = l};
	size_t n = l->n + 1;
	if (l->n)
		qsort(l->link, l->n, sizeof *l->link, by_wait);
	x.rank = xcalloc(n, sizeof *x.rank);
	x.mark_rank = xcalloc(l->n_marks + 1, sizeof *x.mark_rank);
	x.of_barrier = xcalloc((size_t)l->n_barriers + 1, sizeof *x.of_barrier);
	x.n_waits = xcalloc((size_t)l->n_barriers + 1, sizeof *x.n_waits);
	x.of_link = xcalloc(n, sizeof *x.of_link);
	x.drop = xcalloc(n, sizeof *x.drop);
	x.of_node = xcalloc(l->n_nodes + 1, sizeof *x.of_node);
	x.merged = xcalloc(l->n_nodes + 1, sizeof *x.merged);
	x.direct = xcalloc(l->n_nodes + 1, sizeof *x.direct);
	int ret = reduce_all(&x, e);
	/* releases vector clocks of signals without a wait, after a cycle */
	for (size_t i = 0; ret && i < l->n; i++)
		knowledge_put(&x, x.of_link[i]);
	for (uint32_t i = 0; i < l->n_nodes; i++)
		knowledge_put(&x, x.of_node[i]);
	for (uint32_t i = 0; i < l->n_barriers; i++)
		knowledge_put(&x, x.of_barrier[i]);
	FREE_EACH(x.rank, x.mark_rank, x.of_link, x.of_barrier, x.n_waits, x.drop, x.of_node,
		  x.merged, x.direct);
	return ret;
}
