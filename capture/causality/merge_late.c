/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds signals that are too late. Their places come from runs with a delayed node. In the base
 * run, the waiting node may have continued before such a place. */
#include "capture/causality/merge_private.h"
#include "capture/preload/causes.h"
#include "common/xalloc.h"

/* smaller differences occur between any two runs */
#define LATE_LEAST_NS INT64_C(20000)

struct late_node {
	struct links_range at;
	size_t first; /* [first, at.signal): the signals after its last request */
};

struct late_job {
	const struct causality_links *l;
	struct links_order order;
	struct late_node *node;
	int64_t *sent_ns, *continued_ns; /* [l->n]: times in the base run */
};

static void request_take(struct late_job *j, uint32_t of, const struct trace_record *r,
			 uint64_t number)
{
	struct late_node *n = &j->node[of];
	const int64_t end_ns = r->end_ns != TIME_NONE ? r->end_ns : r->begin_ns;
	n->first = n->at.signal;
	for (; n->at.signal < n->at.signals_end; n->at.signal++) {
		const size_t i = j->order.by_signal[n->at.signal];
		if (j->l->link[i].signal_request > number + 1)
			return;
		j->sent_ns[i] = end_ns;
	}
}

static void compute_take(struct late_job *j, uint32_t of, const struct trace_record *r,
			 uint64_t number)
{
	struct late_node *n = &j->node[of];
	const double elapsed_ns = (double)merge_elapsed(r);
	for (; n->first < n->at.signal; n->first++) {
		const size_t i = j->order.by_signal[n->first];
		j->sent_ns[i] += llrint(elapsed_ns * j->l->link[i].signalled_ppm / COMPUTED_ALL);
	}
	for (; n->at.wait < n->at.waits_end; n->at.wait++) {
		const size_t i = j->order.by_wait[n->at.wait];
		const struct causality_link *g = &j->l->link[i];
		if (g->wait_request > number)
			return;
		if (g->wait_request == number)
			j->continued_ns[i] =
			    r->end_ns -
			    llrint(elapsed_ns * (COMPUTED_ALL - g->computed_ppm) / COMPUTED_ALL);
	}
}

static int base_read(struct late_job *j, struct requests *q, struct err *e)
{
	const struct trace_record *r;
	int64_t of;
	uint64_t number;
	int ret;
	while ((ret = requests_next(q, &r, &of, &number, e)) == 1) {
		if (of < 0 || r->begin_ns == TIME_NONE)
			continue;
		if (is_request(r))
			request_take(j, (uint32_t)of, r, number);
		else if (r->op == OP_COMPUTE && !(r->flags & CAUSE_GOES_ON) &&
			 r->end_ns != TIME_NONE)
			compute_take(j, (uint32_t)of, r, number);
	}
	return ret;
}

static void nodes_set(struct late_job *j)
{
	for (size_t i = 0; i < j->l->n; i++)
		j->continued_ns[i] = INT64_MAX;
	for (uint32_t i = 0; i < j->l->n_nodes; i++)
		j->node[i] = (struct late_node){j->order.of[i], j->order.of[i].signal};
}

/* A signal for a join must not be later than the first node continues that waits for the join. */
static void joins_continue(struct late_job *j)
{
	const struct causality_links *l = j->l;
	SCOPED_FREE int64_t *first_ns = xcalloc((size_t)l->n_nodes + 1, sizeof *first_ns);
	for (uint32_t i = 0; i < l->n_nodes; i++)
		first_ns[i] = INT64_MAX;
	for (size_t i = 0; i < l->n; i++) {
		int64_t *first = &first_ns[l->link[i].signaller];
		*first = j->continued_ns[i] < *first ? j->continued_ns[i] : *first;
	}
	for (size_t i = 0; i < l->n; i++)
		if (l->link[i].waiter >= links_nodes(l))
			j->continued_ns[i] = first_ns[l->link[i].waiter];
}

int late_signals_find(const char *base, const struct causality_links *l, bool *early, size_t *n,
		      struct err *e)
{
	struct requests q;
	int ret = requests_open(&q, base, links_nodes(l), e);
	if (ret)
		return ret;
	struct late_job j = {.l = l,
			     .node = xcalloc((size_t)l->n_nodes + 1, sizeof *j.node),
			     .sent_ns = xcalloc(l->n + 1, sizeof *j.sent_ns),
			     .continued_ns = xcalloc(l->n + 1, sizeof *j.continued_ns)};
	links_order_make(&j.order, l);
	nodes_set(&j);
	ret = base_read(&j, &q, e);
	joins_continue(&j);
	*n = 0;
	for (size_t i = 0; i < l->n && !ret; i++) {
		const struct causality_link *g = &l->link[i];
		if (!g->is_later || early[g->edge] || j.continued_ns[i] == INT64_MAX ||
		    j.sent_ns[i] - j.continued_ns[i] < LATE_LEAST_NS)
			continue;
		early[g->edge] = true;
		++*n;
	}
	requests_close(&q);
	links_order_release(&j.order);
	FREE_EACH(j.node, j.sent_ns, j.continued_ns);
	return ret;
}
