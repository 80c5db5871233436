/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/waits.h"

#include "capture/causality/requests.h"

/* Time that a message takes to wake the waiter. Requests that the signaller began within this time
 * before the wake-up may follow the message. */
#define WAKE_NS INT64_C(300000)

struct waits_node { /* state of a node while the trace is read */
	uint64_t n_requests;
	int64_t compute_ns; /* CPU time of the last compute record; -1: none */
	bool goes_on;	    /* the computation continues in another record, which has the waits */
};

struct open_wait { /* a wait whose requests were not all read yet */
	uint64_t signaller_request, waiter_request;
	uint32_t computed_ppm;
	/* position of the signaller when the first waiter continued, and the instant by the
	 * signaller's clock; 0: unknown */
	uint64_t n_ended;
	int64_t ended_compute_ns, woken_ns;
	/* number of these requests that certainly precede the wake-up; at least the held request */
	uint64_t n_before;
	uint32_t signalled_ppm;
};

struct waits_reading {
	const struct watch_wait *wait;
	const int64_t *number;
	struct waits_node *node;
	struct open_wait *at;
	/* number of waits in at[] whose instant was reached; number of waits whose signal was
	 * reached */
	uint64_t n_placed, n_signalled;
	int64_t epoch_ns;
};

static uint32_t computed_share(const struct watch_wait *w, const struct waits_node *waiter)
{
	if (w->compute_ns < 0 || (waiter->goes_on && !w->by_computing))
		return 0;
	if (w->by_computing || waiter->compute_ns <= w->compute_ns)
		return COMPUTED_ALL;
	return (uint32_t)((double)w->compute_ns / (double)waiter->compute_ns * COMPUTED_ALL);
}

static void wait_place(struct waits_reading *x, uint64_t i)
{
	const int64_t a = x->number[x->wait[i].throttled], b = x->number[x->wait[i].waiter];
	if (a >= 0 && b >= 0)
		x->at[i] = (struct open_wait){x->node[a].n_requests,
					      x->node[b].n_requests,
					      computed_share(&x->wait[i], &x->node[b]),
					      x->wait[i].n_ended,
					      x->wait[i].ended_compute_ns,
					      x->wait[i].woken_ns - x->epoch_ns,
					      0,
					      0};
}

static bool is_later(const struct open_wait *a, const struct open_wait *b)
{
	return a->n_ended != b->n_ended ? a->n_ended > b->n_ended
					: a->ended_compute_ns > b->ended_compute_ns;
}

/* Settles waits at one instant. The first thread that continues shows the time of its signal. The
 * other threads may have waited for that thread, for later threads, or for a CPU, so their places
 * would contradict each other in different runs. */
static void instant_settle(struct waits_reading *x, uint64_t from, uint64_t to)
{
	const struct open_wait *first = NULL;
	for (uint64_t i = from; i < to; i++)
		if (x->at[i].n_ended && (!first || is_later(first, &x->at[i])))
			first = &x->at[i];
	for (uint64_t i = from; i < to && first; i++)
		if (x->at[i].n_ended) {
			x->at[i].n_ended = first->n_ended;
			x->at[i].ended_compute_ns = first->ended_compute_ns;
			x->at[i].woken_ns = first->woken_ns;
		}
}

/* Places the signals that a node sends during a computation. Only the throttled node sends signals,
 * in the order of the waits. */
static void signals_place(struct waits_reading *x, int64_t node, const struct trace_record *r)
{
	for (; x->n_signalled < x->n_placed; x->n_signalled++) {
		struct open_wait *w = &x->at[x->n_signalled];
		if (x->number[x->wait[x->n_signalled].throttled] != node)
			return;
		if (!w->n_ended || w->signaller_request + w->n_ended < x->node[node].n_requests)
			continue;
		if (w->signaller_request + w->n_ended > x->node[node].n_requests)
			return;
		if (w->n_before == w->n_ended && !(r->flags & CAUSE_GOES_ON) && r->rvalue > 0 &&
		    w->ended_compute_ns > 0)
			w->signalled_ppm = w->ended_compute_ns < r->rvalue
					       ? (uint32_t)((double)w->ended_compute_ns /
							    (double)r->rvalue * COMPUTED_ALL)
					       : COMPUTED_ALL;
	}
}

/* Decides whether the next request of the throttled node precedes the signals of the last hold. */
static void before_count(struct waits_reading *x, int64_t node, const struct trace_record *r)
{
	for (uint64_t i = x->n_signalled;
	     i < x->n_placed && x->number[x->wait[i].throttled] == node; i++) {
		struct open_wait *w = &x->at[i];
		const bool next = w->n_before < w->n_ended &&
				  x->node[node].n_requests == w->signaller_request + w->n_before;
		w->n_before += next && (!w->n_before || r->begin_ns <= w->woken_ns - WAKE_NS);
	}
}

/* Makes edges from the waits after which both nodes make a request. */
static uint64_t edges_make(const struct waits_reading *x, uint64_t n_waits,
			   struct causality_edge *to, uint64_t *n_computing)
{
	uint64_t n = 0;
	for (uint64_t i = 0; i < n_waits; i++) {
		const struct open_wait *w = &x->at[i];
		const int64_t a = x->number[x->wait[i].throttled], b = x->number[x->wait[i].waiter];
		if (a < 0 || b < 0 || a == b || w->signaller_request >= x->node[a].n_requests ||
		    w->waiter_request >= x->node[b].n_requests)
			continue;
		const uint64_t n_left = x->node[a].n_requests - w->signaller_request,
			       n_later = w->n_before ? w->n_before - 1 : 0;
		to[n++] = (struct causality_edge){
		    (uint32_t)a,       (uint32_t)b,     w->signaller_request,
		    w->waiter_request, w->computed_ppm, n_later < n_left ? n_later : n_left - 1,
		    w->signalled_ppm,  x->wait[i].uncertain};
		*n_computing += x->wait[i].by_computing;
	}
	return n;
}

int waits_to_edges(const char *trace, const struct causality_facts *facts,
	const struct watch_wait *wait, uint64_t n_waits, const int64_t *number,
	struct causality_edge **edge, uint64_t *n_edges, uint64_t *n_computing, struct err *e)
{
	struct trace *t = NULL;
	const struct trace_record *r;
	struct waits_reading x = {.wait = wait,
				  .number = number,
				  .node = xcalloc(facts->n_nodes + 1, sizeof *x.node),
				  .at = xcalloc(n_waits + 1, sizeof *x.at)};
	for (uint32_t i = 0; i < facts->n_nodes; i++)
		x.node[i].compute_ns = -1;
	int ret = trace_file_open(&t, trace, e), got = 0;
	x.epoch_ns = ret ? 0 : trace_meta(t)->epoch_ns;
	while (!ret && (got = trace_next(t, &r, e)) > 0) {
		int64_t node = causality_node_of(facts, r->pid, r->tid);
		if (node < 0)
			continue;
		while (x.n_placed < n_waits &&
		       x.wait[x.n_placed].at_ns - x.epoch_ns <= r->begin_ns) {
			const uint64_t from = x.n_placed;
			while (x.n_placed < n_waits &&
			       x.wait[x.n_placed].at_ns == x.wait[from].at_ns)
				wait_place(&x, x.n_placed++);
			instant_settle(&x, from, x.n_placed);
		}
		if (r->op == OP_COMPUTE)
			signals_place(&x, node, r);
		else if (is_request(r))
			before_count(&x, node, r);
		if (r->op == OP_COMPUTE) {
			x.node[node].compute_ns = r->rvalue;
			x.node[node].goes_on = r->flags & CAUSE_GOES_ON;
		} else if (is_request(r)) {
			x.node[node].n_requests++;
			x.node[node].compute_ns = -1;
		}
	}
	ret = ret ? ret : got;
	*edge = xcalloc(x.n_placed + 1, sizeof **edge);
	*n_computing = 0;
	*n_edges = ret ? 0 : edges_make(&x, x.n_placed, *edge, n_computing);
	trace_close(t);
	FREE_EACH(x.node, x.at);
	return ret;
}
