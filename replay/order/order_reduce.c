/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/sort.h"
#include "replay/order/order_private.h"

#define THREADS_MAX 64u
#define KNOWLEDGE_MAX (64u << 20) /* bytes */

struct reducer {
	struct edges *d;
	const struct linear *order;
	const struct load *l;
	uint32_t n_threads;
	uint32_t *known;   /* known[t * n_threads + o]: progress of thread o that thread t knows */
	/* waiters[l->n], by thread and index: number of edges that still need the request's
	 * clock */
	uint8_t *waiters;
	/* place[l->n], by thread and index: 1 + index of the request's clock; 0: none */
	uint32_t *place;
	uint32_t *knowledge; /* clocks of n_threads elements */
	uint32_t *unused;    /* places */
	uint32_t n_unused;
};
_Static_assert(THREADS_MAX <= UINT8_MAX, "waiters are counted");

ORDER_BY(compare_edges, struct edge, request, thread)

void edges_sort(struct edges *d)
{
	SORT(d->edge, d->n, compare_edges);
}

/* Returns the number of the request for which the edge waits, counted by thread and index. */
static uint32_t source_of(const struct reducer *x, const struct edge *g)
{
	return x->order->first[g->thread] + (g->threshold - 1) / 2;
}

/* --- known progress ------------------------------------------------------ */

static const uint32_t *knowledge_of(const struct reducer *x, uint32_t source)
{
	const uint32_t place = x->place[source];
	return place ? x->knowledge + (size_t)(place - 1) * x->n_threads : NULL;
}

static void knowledge_keep(struct reducer *x, const struct load_request *r)
{
	const uint32_t source = x->order->first[r->thread] + r->index;
	if (!x->waiters[source] || !x->n_unused)
		return;
	uint32_t place = x->unused[--x->n_unused],
		 *to = x->knowledge + (size_t)place * x->n_threads;
	memcpy(to, x->known + (size_t)r->thread * x->n_threads, x->n_threads * sizeof *to);
	to[r->thread] = threshold_ended(r);
	x->place[source] = place + 1;
}

static void knowledge_asked(struct reducer *x, uint32_t source)
{
	if (--x->waiters[source] || !x->place[source])
		return;
	x->unused[x->n_unused++] = x->place[source] - 1;
	x->place[source] = 0;
}

/* --- one request --------------------------------------------------------- */

static bool is_implied(const struct reducer *x, const uint32_t *known, const struct edge *edge,
		       size_t n, size_t i)
{
	const struct edge *g = &edge[i];
	if (known[g->thread] >= g->threshold)
		return true;
	for (size_t k = 0; k < n; k++) {
		const uint32_t *other = k == i ? NULL : knowledge_of(x, source_of(x, &edge[k]));
		if (other && other[g->thread] >= g->threshold)
			return true;
	}
	return false;
}

/* Moves the edges of edge[n] that are not implied to the front. Returns their number. */
static size_t request_reduce(struct reducer *x, uint32_t request, struct edge *edge, size_t n)
{
	uint32_t *known = x->known + (size_t)x->l->request[request].thread * x->n_threads;
	struct edge all[THREADS_MAX];
	size_t n_left = 0;
	memcpy(all, edge, n * sizeof *edge);
	for (size_t i = 0; i < n; i++)
		if (!is_implied(x, known, all, n, i))
			edge[n_left++] = all[i];
	for (size_t i = 0; i < n; i++) {
		const struct edge *g = &all[i];
		const uint32_t *other = knowledge_of(x, source_of(x, g));
		for (uint32_t t = 0; other && t < x->n_threads; t++)
			known[t] = other[t] > known[t] ? other[t] : known[t];
		known[g->thread] =
		    g->threshold > known[g->thread] ? g->threshold : known[g->thread];
	}
	for (size_t i = 0; i < n; i++)
		knowledge_asked(x, source_of(x, &all[i]));
	knowledge_keep(x, &x->l->request[request]);
	return n_left;
}

/* Reduces all edges. The edges of a request are together, and requests are in `order`. */
static void all_reduce(struct reducer *x)
{
	struct edges *d = x->d;
	size_t at = 0, left = 0;
	for (size_t i = 0; i < d->n; i++)
		x->waiters[source_of(x, &d->edge[i])]++;
	for (uint32_t i = 0; i < x->l->n; i++) {
		const uint32_t request = x->order->request[i];
		size_t n = 0;
		while (at + n < d->n && d->edge[at + n].request == request)
			n++;
		memmove(&d->edge[left], &d->edge[at], n * sizeof *d->edge);
		left += request_reduce(x, request, &d->edge[left], n);
		at += n;
	}
	d->n = left;
}

static int memory_get(struct reducer *x, struct err *e)
{
	size_t n_places = KNOWLEDGE_MAX / (x->n_threads * sizeof *x->knowledge);
	n_places = n_places < x->d->n ? n_places : x->d->n;
	x->known = calloc((size_t)x->n_threads * x->n_threads + 1, sizeof *x->known);
	x->waiters = calloc((size_t)x->l->n + 1, sizeof *x->waiters);
	/* calloc, because most of this memory is never touched if few requests wait */
	x->place = calloc((size_t)x->l->n + 1, sizeof *x->place);
	x->knowledge = malloc((n_places + 1) * x->n_threads * sizeof *x->knowledge);
	x->unused = malloc((n_places + 1) * sizeof *x->unused);
	if (!x->known || !x->waiters || !x->place || !x->knowledge || !x->unused)
		return err_set(e, ENOMEM, "not enough memory to remove redundant dependencies");
	for (size_t i = n_places; i-- > 0;)
		x->unused[x->n_unused++] = (uint32_t)i;
	return 0;
}

int edges_reduce(struct edges *d, const struct load *l, const struct linear *order, struct err *e)
{
	struct reducer x = {.d = d, .order = order, .l = l, .n_threads = l->n_threads};
	int ret = 0;
	if (d->n && l->n_threads <= THREADS_MAX) {
		ret = memory_get(&x, e);
		if (!ret)
			all_reduce(&x);
	}
	edges_sort(d);
	FREE_EACH(x.known, x.waiters, x.place, x.knowledge, x.unused);
	return ret;
}
