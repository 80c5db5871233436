/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/waits.h"

#include <stdlib.h>

#include "capture/op.h"
#include "capture/preload/causes.h"
#include "common/xalloc.h"

struct node { /* as far as the trace was read */
	uint64_t n_requests;
	int64_t compute_ns; /* of the processor, of the last compute; -1: none */
	bool goes_on;	    /* more computing comes behind it, which has the waits */
};

struct open_wait { /* whose requests behind it were not all seen yet */
	uint64_t signaller_request, waiter_request;
	uint32_t computed_ppm;
};

struct reading {
	const struct watch_wait *wait;
	const int64_t *number;
	struct node *node;
	struct open_wait *at;
	int64_t epoch_ns;
};

static uint32_t computed(const struct watch_wait *w, const struct node *waiter)
{
	if (waiter->goes_on && !w->by_computing)
		return 0;
	if (w->by_computing || waiter->compute_ns <= w->compute_ns)
		return COMPUTED_ALL;
	return w->compute_ns < 0 ? 0 : (uint32_t)((double)w->compute_ns / (double)waiter->compute_ns * COMPUTED_ALL);
}

static void wait_place(struct reading *x, uint64_t i)
{
	const int64_t a = x->number[x->wait[i].throttled], b = x->number[x->wait[i].waiter];
	if (a >= 0 && b >= 0)
		x->at[i] = (struct open_wait){x->node[a].n_requests, x->node[b].n_requests, computed(&x->wait[i], &x->node[b])};
}

static void take(struct node *n, const struct trace_record *r)
{
	if (r->op == OP_COMPUTE) {
		n->compute_ns = r->rvalue;
		n->goes_on = r->flags & CAUSE_GOES_ON;
	} else if (op_info(r->op)->family != FAMILY_CAUSE) {
		n->n_requests++;
		n->compute_ns = -1;
	}
}

/* Those of all waits behind which both nodes make a request still. */
static uint64_t edges_make(const struct reading *x, uint64_t n_waits, struct causality_edge *to, uint64_t *n_computing)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < n_waits; i++) {
		const struct open_wait *w = &x->at[i];
		const int64_t a = x->number[x->wait[i].throttled], b = x->number[x->wait[i].waiter];
		if (a < 0 || b < 0 || a == b || w->signaller_request >= x->node[a].n_requests || w->waiter_request >= x->node[b].n_requests)
			continue;
		to[n++] = (struct causality_edge){(uint32_t)a, (uint32_t)b, w->signaller_request, w->waiter_request, w->computed_ppm};
		*n_computing += x->wait[i].by_computing;
	}
	return n;
}

int waits_to_edges(const char *trace, const struct causality_facts *facts, const struct watch_wait *wait, uint64_t n_waits, const int64_t *number,
		   struct causality_edge **edge, uint64_t *n_edges, uint64_t *n_computing, struct err *e)
{
	struct trace *t = NULL;
	const struct trace_record *r;
	struct reading x = {wait, number, xcalloc(facts->n_nodes + 1, sizeof *x.node), xcalloc(n_waits + 1, sizeof *x.at), 0};
	uint64_t next = 0;
	for (uint32_t i = 0; i < facts->n_nodes; i++)
		x.node[i].compute_ns = -1;
	int rc = trace_open(&t, trace, e), got = 0;
	x.epoch_ns = rc ? 0 : trace_meta(t)->epoch_ns;
	while (!rc && (got = trace_next(t, &r, e)) > 0) {
		int64_t node = causality_node_of(facts, r->pid, r->tid);
		if (node < 0)
			continue;
		while (next < n_waits && wait[next].at_ns - x.epoch_ns <= r->begin_ns)
			wait_place(&x, next++);
		take(&x.node[node], r);
	}
	rc = rc ? rc : got;
	*edge = xcalloc(next + 1, sizeof **edge);
	*n_computing = 0;
	*n_edges = rc ? 0 : edges_make(&x, next, *edge, n_computing);
	trace_close(t);
	free(x.node);
	free(x.at);
	return rc;
}
