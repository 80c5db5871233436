/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/links.h"

struct links_node {
	struct links_range at;
	bool queued;
	bool at_barrier;   /* it is in the list of nodes that wait at a barrier */
	uint32_t next;	   /* next node of this list + 1 */
};

struct walk_barrier {
	uint32_t n_missing; /* signals */
	uint32_t first;	    /* first node that waits here + 1 */
};

struct links_walk {
	const struct causality_links *l;
	const struct causality_walk *to;
	struct links_order order;
	bool *sent; /* sent[n]: whether the signal of each link was sent */
	struct links_node *node;
	struct walk_barrier *barrier; /* barrier[n_barriers] */
	uint32_t *ready; /* nodes, as a ring buffer */
	uint32_t first, n_ready;
};

void causality_links_release(struct causality_links *l)
{
	FREE_EACH(l->mark, l->link);
	*l = (struct causality_links){0};
}

static int compare_places(uint32_t a_node, uint64_t a, uint32_t b_node, uint64_t b)
{
	if (a_node != b_node)
		return a_node < b_node ? -1 : 1;
	return (a > b) - (a < b);
}

static int by_wait(const void *a, const void *b, void *links)
{
	const struct causality_link *v = links, *x = &v[*(const size_t *)a],
				    *y = &v[*(const size_t *)b];
	int order = compare_places(x->waiter, x->wait_place, y->waiter, y->wait_place);
	return order ? order
		     : compare_places(x->signaller, x->signal_place, y->signaller, y->signal_place);
}

static int by_signal(const void *a, const void *b, void *links)
{
	const struct causality_link *v = links, *x = &v[*(const size_t *)a],
				    *y = &v[*(const size_t *)b];
	int order = compare_places(x->signaller, x->signal_place, y->signaller, y->signal_place);
	return order ? order : compare_places(x->waiter, x->wait_place, y->waiter, y->wait_place);
}

void links_order_make(struct links_order *o, const struct causality_links *l)
{
	*o = (struct links_order){.by_wait = xcalloc(l->n + 1, sizeof *o->by_wait),
				  .by_signal = xcalloc(l->n + 1, sizeof *o->by_signal),
				  .of = xcalloc((size_t)l->n_nodes + 1, sizeof *o->of)};
	for (size_t i = 0; i < l->n; i++) {
		o->by_wait[i] = o->by_signal[i] = i;
		o->of[l->link[i].waiter].waits_end++;
		o->of[l->link[i].signaller].signals_end++;
	}
	for (size_t i = 0; i < l->n_marks; i++)
		o->of[l->mark[i].node].marks_end++;
	for (uint32_t i = 1; i < l->n_nodes; i++) {
		struct links_range *r = &o->of[i], *before = r - 1;
		r->wait = before->waits_end;
		r->signal = before->signals_end;
		r->mark = before->marks_end;
		r->waits_end += r->wait;
		r->signals_end += r->signal;
		r->marks_end += r->mark;
	}
	qsort_r(o->by_wait, l->n, sizeof *o->by_wait, by_wait, l->link);
	qsort_r(o->by_signal, l->n, sizeof *o->by_signal, by_signal, l->link);
}

void links_order_release(struct links_order *o)
{
	FREE_EACH(o->by_wait, o->by_signal, o->of);
	*o = (struct links_order){0};
}

static void make_ready(struct links_walk *w, uint32_t node)
{
	if (w->node[node].queued)
		return;
	w->node[node].queued = true;
	w->ready[(w->first + w->n_ready++) % w->l->n_nodes] = node;
}

/* Sends the signal of a mark, or passes its wait. Returns false if the node must wait. */
static bool mark_pass(struct links_walk *w, struct links_node *n)
{
	const struct causality_mark *m = &w->l->mark[n->at.mark];
	struct walk_barrier *b = &w->barrier[m->barrier];
	if (m->is_wait && b->n_missing) {
		if (!n->at_barrier) {
			n->at_barrier = true;
			n->next = b->first;
			b->first = m->node + 1;
		}
		return false;
	}
	if (w->to && w->to->mark)
		w->to->mark(w->to->ctx, n->at.mark);
	n->at.mark++;
	if (m->is_wait || --b->n_missing)
		return true;
	for (uint32_t i = b->first; i; i = w->node[i - 1].next) {
		w->node[i - 1].at_barrier = false;
		make_ready(w, i - 1);
	}
	return true;
}

static void signal_send(struct links_walk *w, size_t i)
{
	const struct causality_link *g = &w->l->link[i];
	const struct links_node *waiter = &w->node[g->waiter];
	w->sent[i] = true;
	if (w->to && w->to->signal)
		w->to->signal(w->to->ctx, i);
	if (waiter->at.wait < waiter->at.waits_end && w->order.by_wait[waiter->at.wait] == i)
		make_ready(w, g->waiter);
}

/* Places of the node's next signal, wait and mark; UINT64_MAX: none. */
static uint64_t signal_place(const struct links_walk *w, const struct links_node *n)
{
	return n->at.signal < n->at.signals_end
		   ? w->l->link[w->order.by_signal[n->at.signal]].signal_place
		   : UINT64_MAX;
}

static uint64_t wait_place(const struct links_walk *w, const struct links_node *n)
{
	return n->at.wait < n->at.waits_end ? w->l->link[w->order.by_wait[n->at.wait]].wait_place
					    : UINT64_MAX;
}

static bool mark_is_next(const struct links_walk *w, const struct links_node *n)
{
	return n->at.mark < n->at.marks_end &&
	       w->l->mark[n->at.mark].place <= signal_place(w, n) &&
	       w->l->mark[n->at.mark].place <= wait_place(w, n);
}

/* Walks along a node as far as possible. */
static void go_on(struct links_walk *w, struct links_node *n)
{
	for (;;) {
		if (mark_is_next(w, n)) {
			if (!mark_pass(w, n))
				return;
		} else if (signal_place(w, n) < wait_place(w, n)) {
			signal_send(w, w->order.by_signal[n->at.signal++]);
		} else if (n->at.wait < n->at.waits_end && w->sent[w->order.by_wait[n->at.wait]]) {
			size_t i = w->order.by_wait[n->at.wait++];
			if (w->to && w->to->wait)
				w->to->wait(w->to->ctx, i);
		} else {
			return;
		}
	}
}

/* --- cycles -------------------------------------------------------------- */

/* For each barrier, the mark of a signal that was not sent. */
static size_t *missing_find(const struct links_walk *w)
{
	size_t *missing = xcalloc((size_t)w->l->n_barriers + 1, sizeof *missing);
	for (uint32_t i = w->l->n_nodes; i--;)
		for (size_t k = w->node[i].at.mark; k < w->node[i].at.marks_end; k++)
			if (!w->l->mark[k].is_wait)
				missing[w->l->mark[k].barrier] = k;
	return missing;
}

/* The node that must send the missing signal for a blocked node. It is blocked, too. */
static uint32_t waits_for(const struct links_walk *w, const size_t *missing, uint32_t node)
{
	const struct links_node *n = &w->node[node];
	return mark_is_next(w, n) ? w->l->mark[missing[w->l->mark[n->at.mark].barrier]].node
				  : w->l->link[w->order.by_wait[n->at.wait]].signaller;
}

static void after_text(struct strbuf *text, uint32_t n_nodes, uint32_t node, uint64_t n_requests)
{
	if (node >= n_nodes) {
		strbuf_addstr(text, " for a barrier");
		return;
	}
	strbuf_addf(text, " for the signal of node %" PRIu32, node);
	if (n_requests)
		strbuf_addf(text, " after its request %" PRIu64, n_requests - 1);
	else
		strbuf_addstr(text, " before its first request");
}

/* Writes for which node a blocked node waits. A barrier appears between them. */
static void blocked_text(struct strbuf *text, const struct links_walk *w, const size_t *missing,
			 uint32_t node)
{
	const struct links_node *n = &w->node[node];
	if (node < links_nodes(w->l))
		strbuf_addf(text, " node %" PRIu32 " waits before its request ", node);
	if (!mark_is_next(w, n)) {
		const struct causality_link *g = &w->l->link[w->order.by_wait[n->at.wait]];
		if (node < links_nodes(w->l))
			strbuf_addf(text, "%" PRIu64, g->wait_request);
		else
			strbuf_addstr(text, " a barrier waits");
		after_text(text, links_nodes(w->l), g->signaller, g->signal_request);
		return;
	}
	const struct causality_mark *m = &w->l->mark[n->at.mark],
				    *signal = &w->l->mark[missing[m->barrier]];
	strbuf_addf(text, "%" PRIu32 " for barrier %" PRIu32 ", which waits", m->request,
		    m->barrier + 1);
	after_text(text, links_nodes(w->l), signal->node, signal->request);
}

static int loop_error(const struct links_walk *w, const size_t *missing, uint32_t node,
		      struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	for (uint32_t i = 0; i < w->l->n_nodes; i++) /* after n steps, the node is on the cycle */
		node = waits_for(w, missing, node);
	uint32_t first = node, n = 0;
	do {
		if (n++ < 6) {
			strbuf_addstr(&text, n > 1 ? "," : "");
			blocked_text(&text, w, missing, node);
		}
		node = waits_for(w, missing, node);
	} while (node != first);
	if (n > 6)
		strbuf_addf(&text, ", and %" PRIu32 " more", n - 6);
	return err_set(e, ELOOP, "deadlock: nodes (traced threads) wait for each other:%s "
		"(requests are counted from 0 in each node)", text.s);
}

static bool is_stuck(const struct links_walk *w, uint32_t node)
{
	return w->node[node].at.wait < w->node[node].at.waits_end ||
	       w->node[node].at.mark < w->node[node].at.marks_end;
}

/* Reports the links of the cycles. Each blocked node waits for one blocked node, so a walk from any
 * of them reaches a cycle. */
static void loops_report(const struct links_walk *w, const size_t *missing)
{
	/* number of the node from which each node was first reached, + 1 */
	SCOPED_FREE uint32_t *from = xcalloc(w->l->n_nodes + 1, sizeof *from);
	for (uint32_t i = 0; i < w->l->n_nodes; i++) {
		if (!is_stuck(w, i) || from[i])
			continue;
		uint32_t node = i;
		for (; !from[node]; node = waits_for(w, missing, node))
			from[node] = i + 1;
		if (from[node] != i + 1) /* the cycle was already reported */
			continue;
		const uint32_t first = node;
		do {
			if (!mark_is_next(w, &w->node[node]))
				w->to->loop(w->to->ctx, w->order.by_wait[w->node[node].at.wait]);
			node = waits_for(w, missing, node);
		} while (node != first);
	}
}

/* --- the walk ------------------------------------------------------------ */

static int walk_all(struct links_walk *w, struct err *e)
{
	for (size_t i = 0; i < w->l->n_marks; i++)
		w->barrier[w->l->mark[i].barrier].n_missing += !w->l->mark[i].is_wait;
	for (uint32_t i = 0; i < w->l->n_nodes; i++) {
		w->node[i].at = w->order.of[i];
		make_ready(w, i);
	}
	while (w->n_ready) {
		struct links_node *n = &w->node[w->ready[w->first]];
		w->first = (w->first + 1) % w->l->n_nodes;
		w->n_ready--;
		n->queued = false;
		go_on(w, n);
	}
	for (uint32_t i = 0; i < w->l->n_nodes; i++)
		if (is_stuck(w, i)) {
			SCOPED_FREE size_t *missing = missing_find(w);
			if (w->to && w->to->loop)
				loops_report(w, missing);
			return loop_error(w, missing, i, e);
		}
	return 0;
}

int causality_links_walk(const struct causality_links *l, const struct causality_walk *to,
			 struct err *e)
{
	struct links_walk w = {.l = l, .to = to};
	w.sent = xcalloc(l->n + 1, sizeof *w.sent);
	w.node = xcalloc((size_t)l->n_nodes + 1, sizeof *w.node);
	w.barrier = xcalloc((size_t)l->n_barriers + 1, sizeof *w.barrier);
	w.ready = xcalloc(l->n_nodes + 1, sizeof *w.ready);
	links_order_make(&w.order, l);
	const int ret = walk_all(&w, e);
	links_order_release(&w.order);
	FREE_EACH(w.sent, w.node, w.barrier, w.ready);
	return ret;
}
