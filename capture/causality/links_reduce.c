/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "capture/causality/links.h"
#include "common/sort.h"

#define KNOWLEDGE_MAX (1024u << 20) /* bytes */

/* A vector clock of a node: it knows that node i has sent v[i] signals. The entry of the node
 * itself is 0, because the link has this number (rank). Signals share the struct until the node
 * waits. */
struct knowledge {
	uint32_t n_users;
	uint32_t v[];
};

struct link_reducer {
	struct causality_links *l;
	/* rank[n]: number of the link's signal among the signals of its node, from 1 on */
	uint32_t *rank;
	struct knowledge **of_node, **of_link;
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

static void waited(void *ctx, size_t i)
{
	struct link_reducer *x = ctx;
	const struct causality_link *v = x->l->link;
	size_t from = i, size = sizeof(struct knowledge) + x->l->n_nodes * sizeof *x->merged;
	if (i + 1 < x->l->n && same_wait(&v[i + 1], &v[i]))
		return;
	while (from && same_wait(&v[from - 1], &v[i]))
		from--;
	wait_reduce(x, from, i + 1);
	knowledge_put(x, x->of_node[v[i].waiter]);
	struct knowledge *k = x->n_bytes < KNOWLEDGE_MAX ? malloc(size) : NULL;
	x->of_node[v[i].waiter] = k;
	if (!k)
		return; /* without the vector clock, links that this link implies remain */
	x->n_bytes += size;
	k->n_users = 1;
	memcpy(k->v, x->merged, x->l->n_nodes * sizeof *k->v);
}

ORDER_BY(by_wait, struct causality_link, waiter, wait_place, signaller, signal_place)

static void ranks_find(struct link_reducer *x)
{
	const struct causality_links *l = x->l;
	size_t *wait = xcalloc(l->n + 1, sizeof *wait), *signal = xcalloc(l->n + 1, sizeof *signal);
	causality_links_order(l, wait, signal);
	for (size_t k = 0; k < l->n; k++) {
		const struct causality_link *g = &l->link[signal[k]],
					    *before = k ? &l->link[signal[k - 1]] : NULL;
		uint32_t last =
		    before && before->signaller == g->signaller ? x->rank[signal[k - 1]] : 0;
		x->rank[signal[k]] = last + (!last || before->signal_place != g->signal_place);
	}
	FREE_EACH(wait, signal);
}

static int reduce_all(struct link_reducer *x, struct err *e)
{
	const struct causality_walk walk = {.signal = signal_sent, .wait = waited, .ctx = x};
	ranks_find(x);
	int rc = causality_links_walk(x->l, &walk, e);
	if (!rc) {
		size_t n = 0;
		for (size_t i = 0; i < x->l->n; i++)
			if (!x->drop[i])
				x->l->link[n++] = x->l->link[i];
		x->l->n = n;
	}
	return rc;
}

int causality_links_reduce(struct causality_links *l, struct err *e)
{
	struct link_reducer x = {.l = l};
	size_t n = l->n + 1;
	if (l->n)
		qsort(l->link, l->n, sizeof *l->link, by_wait);
	x.rank = xcalloc(n, sizeof *x.rank);
	x.of_link = xcalloc(n, sizeof *x.of_link);
	x.drop = xcalloc(n, sizeof *x.drop);
	x.of_node = xcalloc(l->n_nodes + 1, sizeof *x.of_node);
	x.merged = xcalloc(l->n_nodes + 1, sizeof *x.merged);
	x.direct = xcalloc(l->n_nodes + 1, sizeof *x.direct);
	int rc = reduce_all(&x, e);
	/* releases vector clocks of signals without a wait, after a cycle */
	for (size_t i = 0; rc && i < l->n; i++)
		knowledge_put(&x, x.of_link[i]);
	for (uint32_t i = 0; i < l->n_nodes; i++)
		knowledge_put(&x, x.of_node[i]);
	FREE_EACH(x.rank, x.of_link, x.drop, x.of_node, x.merged, x.direct);
	return rc;
}
