/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "capture/causality/merge_private.h"
#include "common/sort.h"

/* Parts of the computation that differ by more than this between runs are separate places. A signal
 * before this part counts as sent at once. */
#define GROUP_PPM 50000u

/* Whether the wait of `a` is the wait of `b`, which needs a later signal of the same node. */
static bool is_implied(const struct causality_edge *a, const struct causality_edge *b)
{
	const uint64_t signal = a->signaller_request + a->n_later;
	return a->signaller == b->signaller && a->waiter_request == b->waiter_request &&
	       a->signaller_request < b->signaller_request &&
	       b->computed_ppm <= a->computed_ppm + GROUP_PPM &&
	       (signal < b->signaller_request || (signal == b->signaller_request &&
						  a->signalled_ppm <= b->signalled_ppm));
}

uint64_t causality_edges_reduce(struct causality_edge *edge, uint64_t n)
{
	uint32_t n_nodes = 0;
	if (!n)
		return 0;
	for (uint64_t i = 0; i < n; i++)
		n_nodes = edge[i].waiter < CAUSALITY_MAX_NODES && edge[i].waiter >= n_nodes
			      ? edge[i].waiter + 1
			      : n_nodes;
	/* the edge of each waiter that follows in edge[] and is left */
	SCOPED_FREE const struct causality_edge **next = xcalloc(n_nodes + 1, sizeof *next);
	uint64_t to = n;
	for (uint64_t i = n; i-- > 0;) {
		const bool known = edge[i].waiter < n_nodes;
		if (known && next[edge[i].waiter] && is_implied(&edge[i], next[edge[i].waiter]))
			continue;
		edge[--to] = edge[i];
		if (known)
			next[edge[to].waiter] = &edge[to];
	}
	memmove(edge, edge + to, (n - to) * sizeof *edge);
	return n - to;
}

/* Sorts by pair, then by the waiter's request; for the same request, the latest signal is first. */
static int compare_links(const void *a, const void *b)
{
	const struct causality_link *x = a, *y = b;
	if (x->signaller != y->signaller)
		return x->signaller < y->signaller ? -1 : 1;
	if (x->waiter != y->waiter)
		return x->waiter < y->waiter ? -1 : 1;
	if (x->wait_place != y->wait_place)
		return x->wait_place < y->wait_place ? -1 : 1;
	return (x->signal_place < y->signal_place) - (x->signal_place > y->signal_place);
}

static int edge_take(struct causality_links *l, const struct causality_run *run,
		     const struct causality_edge *g, size_t number, const uint64_t *n_requests,
		     bool late, struct err *e)
{
	const uint64_t last = g->signaller_request + (late ? g->n_later : 0);
	if (g->signaller >= l->n_nodes || g->waiter >= l->n_nodes || g->signaller == g->waiter)
		return err_set(e, EINVAL,
			       "%s: node %" PRIu32 " (traced thread) depends on node %" PRIu32
			       ": expected two different numbers below %" PRIu32,
			       run->trace, g->waiter, g->signaller, l->n_nodes);
	if (g->signaller_request >= n_requests[g->signaller] || last >= n_requests[g->signaller] ||
	    g->waiter_request > n_requests[g->waiter])
		return err_set(e, EINVAL,
			       "%s: a dependency names a request that does not exist: request "
			       "%" PRIu64 " of node %" PRIu32 " (a traced thread with %" PRIu64
			       " requests) depends on request %" PRIu64 " of node %" PRIu32
			       " (with %" PRIu64 " requests)",
			       run->trace, g->waiter_request, g->waiter, n_requests[g->waiter],
			       last, g->signaller, n_requests[g->signaller]);
	if (g->waiter_request == n_requests[g->waiter])
		return 0; /* the waiter makes no further request, so nothing can be delayed */
	l->link[l->n++] =
	    (struct causality_link){.signaller = g->signaller,
				    .waiter = g->waiter,
				    .signal_place = PLACE_AFTER(last, 0),
				    .wait_place = PLACE_BEFORE(g->waiter_request, 0),
				    .signal_request = last + 1,
				    .wait_request = g->waiter_request,
				    .computed_ppm = g->computed_ppm,
				    .signalled_ppm = late ? g->signalled_ppm : 0,
				    .edge = number,
				    .is_later = late && (g->n_later || g->signalled_ppm)};
	return 0;
}

ORDER_BY(compare_waits, struct causality_link, waiter, wait_request, computed_ppm)

/* Groups the waits before a request, which come from several runs. Waits after about the same
 * amount of computation get the same place. */
static void places_find(struct causality_links *l)
{
	qsort(l->link, l->n, sizeof *l->link, compare_waits);
	for (size_t i = 0, to; i < l->n; i = to) {
		struct causality_link *first = &l->link[i], *before = i ? first - 1 : NULL;
		const bool same = before && before->waiter == first->waiter &&
				  before->wait_request == first->wait_request;
		const uint64_t place =
		    same ? before->wait_place + 1 : PLACE_BEFORE(first->wait_request, 0);
		const bool last = place + 1 == PLACE_AFTER(first->wait_request, 0);
		uint64_t sum = 0;
		for (to = i; to < l->n; to++) {
			const struct causality_link *g = &l->link[to];
			if (g->waiter != first->waiter || g->wait_request != first->wait_request)
				break;
			if (!last && g->computed_ppm - first->computed_ppm > GROUP_PPM)
				break;
			sum += g->computed_ppm;
		}
		const uint32_t mean = (uint32_t)(sum / (to - i));
		for (size_t k = i; k < to; k++) {
			l->link[k].wait_place = place;
			l->link[k].computed_ppm = mean;
		}
	}
}

ORDER_BY(compare_signals, struct causality_link, signaller, signal_request, signalled_ppm)

/* Part of the computation before that request that the node had done at its first wait. The links
 * are in the order of places_find. */
static uint32_t first_wait_ppm(const struct causality_links *l, uint32_t node, uint64_t request)
{
	size_t from = 0;
	BISECT(from, l->n, i, l->link[i].waiter < node ||
		       (l->link[i].waiter == node && l->link[i].wait_request < request))
	const bool any =
	    from < l->n && l->link[from].waiter == node && l->link[from].wait_request == request;
	return any ? l->link[from].computed_ppm : COMPUTED_ALL;
}

/* Places signals before all waits inside the same computation, so that no signal depends on such a
 * wait. The positions of the wait and of the signal come from different runs. A signal that is too
 * early does less harm than a late signal. */
static void signals_find(struct causality_links *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct causality_link *g = &l->link[i];
		const uint32_t most = g->signalled_ppm < GROUP_PPM
					  ? 0
					  : first_wait_ppm(l, g->signaller, g->signal_request);
		g->signalled_ppm = g->signalled_ppm < most ? g->signalled_ppm : most;
	}
	qsort(l->link, l->n, sizeof *l->link, compare_signals);
	const struct causality_link *first = NULL;
	uint64_t group = 0;
	for (size_t i = 0; i < l->n; i++) {
		struct causality_link *g = &l->link[i];
		const bool same = first && first->signaller == g->signaller &&
				  first->signal_request == g->signal_request;
		if (!same || (g->signalled_ppm - first->signalled_ppm > GROUP_PPM &&
			      group + 1 < PLACE_GROUPS)) {
			group = same ? group + 1 : 0;
			first = g;
		}
		g->signalled_ppm = first->signalled_ppm;
		g->signal_place = PLACE_AFTER(g->signal_request - 1, group);
	}
}

/* Keeps only waits that no other wait of the same pair implies. A wait is implied by a wait that is
 * not later and is for the same or a later request of the signaller. */
static void keep_greatest(struct causality_links *l)
{
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++) {
		const struct causality_link *last = n ? &l->link[n - 1] : NULL, *g = &l->link[i];
		if (!last || last->signaller != g->signaller || last->waiter != g->waiter ||
		    g->signal_place > last->signal_place)
			l->link[n++] = *g;
	}
	l->n = n;
}

int edges_gather(struct causality_links *l, const struct causality_run *run, uint32_t n_runs,
		 uint32_t n_nodes, const uint64_t *n_requests, const bool *early, struct err *e)
{
	size_t n = 0;
	for (uint32_t i = 0; i < n_runs; i++)
		n += run[i].n_edges;
	*l = (struct causality_links){.n_nodes = n_nodes,
				      .n_joins = run[n_runs - 1].n_joins,
				      .cap = n + 1,
				      .link = xcalloc(n + 1, sizeof *l->link)};
	int ret = 0;
	size_t number = 0;
	for (uint32_t i = 0; i < n_runs && !ret; i++)
		for (uint64_t k = 0; k < run[i].n_edges && !ret; k++, number++)
			ret = edge_take(l, &run[i], &run[i].edge[k], number, n_requests,
					!early[number], e);
	if (ret || !l->n)
		return ret;
	places_find(l);
	signals_find(l);
	qsort(l->link, l->n, sizeof *l->link, compare_links);
	keep_greatest(l);
	return 0;
}
