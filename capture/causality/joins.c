/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/joins.h"

#include "common/splitmix.h"
#include "common/u64_map.h"

enum {
	NODES_LEAST = 16, /* fewer nodes: the edges need little memory */
	JOINS_MAX = 4096, /* each join adds a node to the vector clocks of a merge */
};
#define PLACE_PPM 50000u /* positions of a wait in different runs may differ by this */
#define NO_REQUEST UINT64_MAX

struct join_holder { /* a node that the others wait for, and the request that was held */
	uint32_t node, signalled_ppm;
	uint64_t request;
};

struct join {
	uint64_t *request; /* request[n_nodes]: the first one after the wait; NO_REQUEST: none */
	/* [n_nodes]: sum and number of the observed positions of the wait, and the first one */
	uint64_t *ppm_sum;
	uint32_t *n_ppm, *first_ppm;
	struct join_holder *holder;
	size_t n_holders, cap;
};

struct joins {
	uint32_t n_nodes;
	struct u64_map index; /* by a hash of request[] */
	struct join *join;
	uint32_t n, cap;
	uint64_t *request; /* request[n_nodes], of the hold that is read */
	uint64_t n_taken;
};

void joins_open(struct joins **j, uint32_t n_nodes)
{
	*j = xcalloc(1, sizeof **j);
	(*j)->n_nodes = n_nodes;
	(*j)->request = xcalloc((size_t)n_nodes + 1, sizeof *(*j)->request);
}

void joins_close(struct joins *j)
{
	for (uint32_t i = 0; i < j->n; i++) {
		struct join *x = &j->join[i];
		FREE_EACH(x->request, x->ppm_sum, x->n_ppm, x->first_ppm, x->holder);
	}
	u64_map_release(&j->index);
	FREE_EACH(j->join, j->request, j);
}

/* Fills j->request with the places of the waits, and of the signaller: its next request. Returns
 * false if the edges edge[n] of a hold say more than that. */
static bool hold_read(struct joins *j, const struct causality_edge *edge, uint64_t n)
{
	if (n + 1 < NODES_LEAST || edge[0].signaller >= j->n_nodes)
		return false;
	for (uint32_t i = 0; i < j->n_nodes; i++)
		j->request[i] = NO_REQUEST;
	j->request[edge[0].signaller] = edge[0].signaller_request + 1;
	for (uint64_t i = 0; i < n; i++) {
		const struct causality_edge *g = &edge[i];
		if (g->waiter >= j->n_nodes || j->request[g->waiter] != NO_REQUEST || g->n_later ||
		    g->uncertain || g->signaller != edge[0].signaller ||
		    g->signalled_ppm != edge[0].signalled_ppm)
			return false;
		j->request[g->waiter] = g->waiter_request;
	}
	return true;
}

static uint64_t request_hash(const struct joins *j)
{
	uint64_t x = 1;
	for (uint32_t i = 0; i < j->n_nodes; i++)
		x = splitmix_mix(x * SPLITMIX_STEP + j->request[i]);
	return x;
}

static bool join_fits(const struct joins *j, const struct join *x,
		      const struct causality_edge *edge, uint64_t n)
{
	if (memcmp(x->request, j->request, j->n_nodes * sizeof *j->request))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		const uint32_t b = edge[i].waiter, ppm = edge[i].computed_ppm,
			       first = x->n_ppm[b] ? x->first_ppm[b] : ppm;
		if ((ppm > first ? ppm - first : first - ppm) > PLACE_PPM / 2)
			return false;
	}
	for (size_t i = 0; i < x->n_holders; i++)
		if (x->holder[i].node == edge[0].signaller)
			return false;
	return true;
}

static struct join *join_add(struct joins *j)
{
	GROW(j->join, j->n, j->cap);
	struct join *x = &j->join[j->n++];
	*x = (struct join){.request = xcalloc(j->n_nodes, sizeof *x->request),
			   .ppm_sum = xcalloc(j->n_nodes, sizeof *x->ppm_sum),
			   .n_ppm = xcalloc(j->n_nodes, sizeof *x->n_ppm),
			   .first_ppm = xcalloc(j->n_nodes, sizeof *x->first_ppm)};
	memcpy(x->request, j->request, j->n_nodes * sizeof *x->request);
	return x;
}

static bool hold_take(struct joins *j, const struct causality_edge *edge, uint64_t n)
{
	if (!hold_read(j, edge, n))
		return false;
	uint32_t *index = u64_map_at(&j->index, request_hash(j), UINT32_MAX);
	if (*index == UINT32_MAX ? j->n == JOINS_MAX : !join_fits(j, &j->join[*index], edge, n))
		return false;
	if (*index == UINT32_MAX)
		*index = j->n;
	struct join *x = *index == j->n ? join_add(j) : &j->join[*index];
	for (uint64_t i = 0; i < n; i++) {
		const uint32_t b = edge[i].waiter;
		if (!x->n_ppm[b]++)
			x->first_ppm[b] = edge[i].computed_ppm;
		x->ppm_sum[b] += edge[i].computed_ppm;
	}
	GROW(x->holder, x->n_holders, x->cap);
	x->holder[x->n_holders++] = (struct join_holder){
	    edge[0].signaller, edge[0].signalled_ppm, edge[0].signaller_request};
	j->n_taken += n;
	return true;
}

uint64_t joins_take(struct joins *j, struct causality_edge *edge, uint64_t n)
{
	uint64_t n_left = 0;
	for (uint64_t i = 0, to; i < n; i = to) {
		for (to = i + 1; to < n && edge[to].signaller_request == edge[i].signaller_request;)
			to++;
		if (hold_take(j, edge + i, to - i))
			continue;
		memmove(edge + n_left, edge + i, (to - i) * sizeof *edge);
		n_left += to - i;
	}
	return n_left;
}

/* --- the result ---------------------------------------------------------- */

static bool is_barrier(const struct join *x)
{
	return x->n_holders >= NODES_LEAST;
}

static uint32_t mean_ppm(const struct join *x, uint32_t node)
{
	return x->n_ppm[node] ? (uint32_t)(x->ppm_sum[node] / x->n_ppm[node]) : 0;
}

/* Writes the edges of the join number `join`; or those of a join of few holders as they were. */
static uint64_t edges_make(const struct joins *j, const struct join *x, uint32_t join,
			   struct causality_edge *to)
{
	uint64_t n = 0;
	for (size_t h = 0; h < x->n_holders; h++) {
		const struct join_holder *a = &x->holder[h];
		struct causality_edge g = {.signaller = a->node,
					   .signaller_request = a->request,
					   .signalled_ppm = a->signalled_ppm,
					   .waiter = j->n_nodes + join};
		if (is_barrier(x)) {
			to[n++] = g;
			continue;
		}
		for (g.waiter = 0; g.waiter < j->n_nodes; g.waiter++) {
			if (x->request[g.waiter] == NO_REQUEST || g.waiter == a->node)
				continue;
			g.waiter_request = x->request[g.waiter];
			g.computed_ppm = mean_ppm(x, g.waiter);
			to[n++] = g;
		}
	}
	for (uint32_t i = 0; is_barrier(x) && i < j->n_nodes; i++)
		if (x->n_ppm[i])
			to[n++] = (struct causality_edge){.signaller = j->n_nodes + join,
							  .waiter = i,
							  .waiter_request = x->request[i],
							  .computed_ppm = mean_ppm(x, i)};
	return n;
}

void joins_finish(const struct joins *j, struct causality_run *to)
{
	size_t most = 0;
	for (uint32_t i = 0; i < j->n; i++)
		most += is_barrier(&j->join[i]) ? j->join[i].n_holders + j->n_nodes
						: j->join[i].n_holders * j->n_nodes;
	struct causality_edge *edge = xcalloc(most + 1, sizeof *edge);
	*to = (struct causality_run){.throttled = -1, .edge = edge};
	for (uint32_t i = 0; i < j->n; i++) {
		to->n_edges += edges_make(j, &j->join[i], to->n_joins, edge + to->n_edges);
		to->n_joins += is_barrier(&j->join[i]);
	}
	to->n_implied = j->n_taken - (j->n_taken < to->n_edges ? j->n_taken : to->n_edges);
}
