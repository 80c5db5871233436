/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/order_reduce.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "replay/load/u64_map.h"

#define THREADS_MAX 64u
#define KNOWLEDGE_MAX (64u << 20) /* bytes */

struct reducer {
	struct edges *d;
	const struct load *l;
	uint32_t n_threads;
	size_t *first; /* first[l->n + 1]: a request's edges */
	uint32_t *base, *of; /* of[base[t] + k]: the k-th request of thread t */
	uint32_t *known; /* known[t * n_threads + o]: the progress of o that t knows of */
	struct u64_map kept; /* request to its place in knowledge[] */
	struct u64_map waiters; /* request to the number that will still ask */
	uint32_t *knowledge; /* n_threads each */
	uint32_t *unused;    /* places */
	uint32_t n_unused, unused_cap, n_kept;
};

static int compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	if (x->request != y->request)
		return x->request < y->request ? -1 : 1;
	return (x->thread > y->thread) - (x->thread < y->thread);
}

static void edges_sort(struct edges *d)
{
	bool sorted = true;
	for (size_t i = 1; sorted && i < d->n; i++)
		sorted = d->edge[i - 1].request <= d->edge[i].request;
	if (!sorted)
		qsort(d->edge, d->n, sizeof *d->edge, compare_edges);
}

static uint32_t source_of(const struct reducer *x, const struct edge *g)
{
	return x->of[x->base[g->thread] + (g->threshold - 1) / 2];
}

static void index_all(struct reducer *x)
{
	const struct load *l = x->l;
	uint32_t at = 0;
	for (uint32_t t = 0; t < l->n_threads; t++) {
		x->base[t] = at;
		at += l->thread[t].n_requests;
	}
	for (uint32_t i = 0; i < l->n; i++)
		x->of[x->base[l->request[i].thread] + l->request[i].index] = i;
	for (uint32_t i = 0, k = 0; i <= l->n; i++) {
		while (k < x->d->n && x->d->edge[k].request < i)
			k++;
		x->first[i] = k;
	}
	for (size_t i = 0; i < x->d->n; i++)
		++*u64_map_at(&x->waiters, source_of(x, &x->d->edge[i]), 0);
}

/* --- knowledge ------------------------------------------------------------------------------------------------------ */

static const uint32_t *knowledge_of(const struct reducer *x, uint32_t request)
{
	const uint32_t *place = u64_map_find(&x->kept, request);
	return place && *place != NONE32 ? x->knowledge + (size_t)*place * x->n_threads : NULL;
}

static void knowledge_keep(struct reducer *x, uint32_t request)
{
	const uint32_t *waiters = u64_map_find(&x->waiters, request);
	if (!waiters || !*waiters || !x->n_unused)
		return;
	const struct load_request *r = &x->l->request[request];
	uint32_t place = x->unused[--x->n_unused], *to = x->knowledge + (size_t)place * x->n_threads;
	memcpy(to, x->known + (size_t)r->thread * x->n_threads, x->n_threads * sizeof *to);
	to[r->thread] = threshold_ended(r);
	*u64_map_at(&x->kept, request, NONE32) = place;
}

static void knowledge_asked(struct reducer *x, uint32_t request)
{
	uint32_t *waiters = u64_map_find(&x->waiters, request), *place = u64_map_find(&x->kept, request);
	if (--*waiters || !place || *place == NONE32)
		return;
	x->unused[x->n_unused++] = *place;
	*place = NONE32;
}

/* --- one request ---------------------------------------------------------------------------------------------------- */

static bool implied(const struct reducer *x, const uint32_t *known, size_t from, size_t to, size_t i)
{
	const struct edge *g = &x->d->edge[i];
	if (known[g->thread] >= g->threshold)
		return true;
	for (size_t k = from; k < to; k++) {
		const uint32_t *other = k == i ? NULL : knowledge_of(x, source_of(x, &x->d->edge[k]));
		if (other && other[g->thread] >= g->threshold)
			return true;
	}
	return false;
}

static void request_reduce(struct reducer *x, uint32_t request, bool *drop)
{
	uint32_t *known = x->known + (size_t)x->l->request[request].thread * x->n_threads;
	size_t from = x->first[request], to = x->first[request + 1];
	for (size_t i = from; i < to; i++)
		drop[i] = implied(x, known, from, to, i);
	for (size_t i = from; i < to; i++) {
		const struct edge *g = &x->d->edge[i];
		const uint32_t *other = knowledge_of(x, source_of(x, g));
		for (uint32_t t = 0; other && t < x->n_threads; t++)
			known[t] = other[t] > known[t] ? other[t] : known[t];
		known[g->thread] = g->threshold > known[g->thread] ? g->threshold : known[g->thread];
	}
	for (size_t i = from; i < to; i++)
		knowledge_asked(x, source_of(x, &x->d->edge[i]));
	knowledge_keep(x, request);
}

static void drop_all(struct edges *d, const bool *drop)
{
	size_t n = 0;
	for (size_t i = 0; i < d->n; i++)
		if (!drop[i])
			d->edge[n++] = d->edge[i];
	d->n = n;
}

static int memory_get(struct reducer *x, bool **drop, struct err *e)
{
	size_t n_places = KNOWLEDGE_MAX / (x->n_threads * sizeof *x->knowledge);
	n_places = n_places < x->d->n ? n_places : x->d->n;
	x->first = calloc((size_t)x->l->n + 2, sizeof *x->first);
	x->of = malloc(((size_t)x->l->n + 1) * sizeof *x->of);
	x->base = calloc(x->n_threads + 1, sizeof *x->base);
	x->known = calloc((size_t)x->n_threads * x->n_threads + 1, sizeof *x->known);
	x->knowledge = malloc((n_places + 1) * x->n_threads * sizeof *x->knowledge);
	x->unused = malloc((n_places + 1) * sizeof *x->unused);
	*drop = calloc(x->d->n + 1, sizeof **drop);
	if (!x->first || !x->of || !x->base || !x->known || !x->knowledge || !x->unused || !*drop)
		return err_set(e, ENOMEM, "not enough memory to leave out redundant dependencies");
	for (size_t i = n_places; i-- > 0;)
		x->unused[x->n_unused++] = (uint32_t)i;
	return 0;
}

int edges_reduce(struct edges *d, const struct load *l, const struct linear *order, struct err *e)
{
	struct reducer x = {.d = d, .l = l, .n_threads = l->n_threads};
	bool *drop = NULL;
	edges_sort(d);
	if (!d->n || l->n_threads > THREADS_MAX)
		return 0;
	int ret = memory_get(&x, &drop, e);
	if (!ret) {
		index_all(&x);
		for (uint32_t i = 0; i < l->n; i++)
			request_reduce(&x, order->request[i], drop);
		drop_all(d, drop);
	}
	free(x.first);
	free(x.of);
	free(x.base);
	free(x.known);
	free(x.knowledge);
	free(x.unused);
	free(drop);
	u64_map_release(&x.kept);
	u64_map_release(&x.waiters);
	return ret;
}
