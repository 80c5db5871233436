/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/links.h"

struct links_node {
	size_t wait, waits_end;	    /* in by_wait[] */
	size_t signal, signals_end; /* in by_signal[] */
	bool queued;
};

struct links_walk {
	const struct causality_links *l;
	const struct causality_walk *to;
	size_t *by_wait, *by_signal; /* links in the order of (node, place) */
	bool *sent;		     /* sent[n]: whether the signal of each link was sent */
	struct links_node *node;
	uint32_t *ready; /* nodes, as a ring buffer */
	uint32_t first, n_ready;
};

static void barrier_release(struct causality_barrier *b)
{
	FREE_EACH(b->node, b->place, b->request);
}

void causality_links_release(struct causality_links *l)
{
	for (uint32_t i = 0; i < l->n_barriers; i++)
		barrier_release(&l->barrier[i]);
	FREE_EACH(l->barrier, l->link);
	*l = (struct causality_links){0};
}

static int compare(uint32_t a_node, uint64_t a, uint32_t b_node, uint64_t b)
{
	if (a_node != b_node)
		return a_node < b_node ? -1 : 1;
	return (a > b) - (a < b);
}

static int by_wait(const void *a, const void *b, void *links)
{
	const struct causality_link *v = links, *x = &v[*(const size_t *)a],
				    *y = &v[*(const size_t *)b];
	int order = compare(x->waiter, x->wait_place, y->waiter, y->wait_place);
	return order ? order
		     : compare(x->signaller, x->signal_place, y->signaller, y->signal_place);
}

static int by_signal(const void *a, const void *b, void *links)
{
	const struct causality_link *v = links, *x = &v[*(const size_t *)a],
				    *y = &v[*(const size_t *)b];
	int order = compare(x->signaller, x->signal_place, y->signaller, y->signal_place);
	return order ? order : compare(x->waiter, x->wait_place, y->waiter, y->wait_place);
}

void causality_links_order(const struct causality_links *l, size_t *wait, size_t *signal)
{
	for (size_t i = 0; i < l->n; i++)
		wait[i] = signal[i] = i;
	qsort_r(wait, l->n, sizeof *wait, by_wait, l->link);
	qsort_r(signal, l->n, sizeof *signal, by_signal, l->link);
}

static void make_ready(struct links_walk *w, uint32_t node)
{
	if (w->node[node].queued)
		return;
	w->node[node].queued = true;
	w->ready[(w->first + w->n_ready++) % w->l->n_nodes] = node;
}

/* Walks along a node as far as possible. */
static void go_on(struct links_walk *w, struct links_node *n)
{
	const struct causality_link *v = w->l->link;
	for (;;) {
		bool waits = n->wait < n->waits_end, signals = n->signal < n->signals_end;
		if (signals && (!waits || v[w->by_signal[n->signal]].signal_place <
					      v[w->by_wait[n->wait]].wait_place)) {
			size_t i = w->by_signal[n->signal++];
			const struct causality_link *g = &w->l->link[i];
			const struct links_node *waiter = &w->node[g->waiter];
			w->sent[i] = true;
			if (w->to && w->to->signal)
				w->to->signal(w->to->ctx, i);
			if (waiter->wait < waiter->waits_end && w->by_wait[waiter->wait] == i)
				make_ready(w, g->waiter);
		} else if (waits && w->sent[w->by_wait[n->wait]]) {
			size_t i = w->by_wait[n->wait++];
			if (w->to && w->to->wait)
				w->to->wait(w->to->ctx, i);
		} else {
			return;
		}
	}
}

/* The node that must send the missing signal for a blocked node. It is blocked, too. */
static uint32_t waits_for(const struct links_walk *w, uint32_t node)
{
	return w->l->link[w->by_wait[w->node[node].wait]].signaller;
}

/* Writes an end of a link; a hub appears as its barrier. */
static void end_text(struct strbuf *out, const struct causality_links *l, uint32_t node,
		     const struct causality_link *g)
{
	if (node + l->n_hubs >= l->n_nodes)
		strbuf_addf(out, "barrier %" PRIu32, g->barrier);
	else
		strbuf_addf(out, "node %" PRIu32, node);
}

static int loop_error(const struct links_walk *w, uint32_t node, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	for (uint32_t i = 0; i < w->l->n_nodes; i++) /* after n steps, the node is on the cycle */
		node = waits_for(w, node);
	uint32_t first = node, n = 0;
	do {
		const struct causality_link *g = &w->l->link[w->by_wait[w->node[node].wait]];
		if (n++ < 6) {
			strbuf_addstr(&text, n > 1 ? ", " : " ");
			end_text(&text, w->l, node, g);
			if (node + w->l->n_hubs < w->l->n_nodes)
				strbuf_addf(&text, " before its request %" PRIu64, g->wait_request);
			strbuf_addstr(&text, " for ");
			end_text(&text, w->l, g->signaller, g);
			if (g->signal_request)
				strbuf_addf(&text, " after its request %" PRIu64,
					    g->signal_request - 1);
			else if (g->signaller + w->l->n_hubs < w->l->n_nodes)
				strbuf_addstr(&text, " before its first request");
		}
		node = g->signaller;
	} while (node != first);
	if (n > 6)
		strbuf_addf(&text, ", and %" PRIu32 " more", n - 6);
	return err_set(e, ELOOP, "deadlock: nodes wait for each other:%s (requests are counted "
		"from 0 in each node)", text.s);
}

static bool is_stuck(const struct links_walk *w, uint32_t node)
{
	return w->node[node].wait < w->node[node].waits_end;
}

/* Reports the cycles. Each blocked node waits for one blocked node, so a walk from any of them
 * reaches a cycle. */
static void loops_report(const struct links_walk *w)
{
	/* number of the node from which each node was first reached, + 1 */
	SCOPED_FREE uint32_t *from = xcalloc(w->l->n_nodes + 1, sizeof *from);
	for (uint32_t i = 0; i < w->l->n_nodes; i++) {
		if (!is_stuck(w, i) || from[i])
			continue;
		uint32_t node = i;
		for (; !from[node]; node = waits_for(w, node))
			from[node] = i + 1;
		if (from[node] != i + 1) /* the cycle was already reported */
			continue;
		const uint32_t first = node;
		do {
			w->to->loop(w->to->ctx, w->by_wait[w->node[node].wait]);
			node = waits_for(w, node);
		} while (node != first);
	}
}

static void order_all(struct links_walk *w)
{
	const struct causality_links *l = w->l;
	causality_links_order(l, w->by_wait, w->by_signal);
	for (size_t i = 0; i < l->n; i++) {
		w->node[l->link[i].waiter].waits_end++;
		w->node[l->link[i].signaller].signals_end++;
	}
	for (uint32_t i = 0; i < l->n_nodes; i++) {
		struct links_node *n = &w->node[i], *before = i ? n - 1 : NULL;
		n->wait = before ? before->waits_end : 0;
		n->signal = before ? before->signals_end : 0;
		n->waits_end += n->wait;
		n->signals_end += n->signal;
	}
}

static int walk_all(struct links_walk *w, struct err *e)
{
	for (uint32_t i = 0; i < w->l->n_nodes; i++)
		make_ready(w, i);
	while (w->n_ready) {
		struct links_node *n = &w->node[w->ready[w->first]];
		w->first = (w->first + 1) % w->l->n_nodes;
		w->n_ready--;
		n->queued = false;
		go_on(w, n);
	}
	for (uint32_t i = 0; i < w->l->n_nodes; i++)
		if (is_stuck(w, i)) {
			if (w->to && w->to->loop)
				loops_report(w);
			return loop_error(w, i, e);
		}
	return 0;
}

int causality_links_walk(const struct causality_links *l, const struct causality_walk *to,
			 struct err *e)
{
	struct links_walk w = {.l = l, .to = to};
	w.by_wait = xcalloc(l->n + 1, sizeof *w.by_wait);
	w.by_signal = xcalloc(l->n + 1, sizeof *w.by_signal);
	w.sent = xcalloc(l->n + 1, sizeof *w.sent);
	w.node = xcalloc(l->n_nodes + 1, sizeof *w.node);
	w.ready = xcalloc(l->n_nodes + 1, sizeof *w.ready);
	order_all(&w);
	const int rc = walk_all(&w, e);
	FREE_EACH(w.by_wait, w.by_signal, w.sent, w.node, w.ready);
	return rc;
}
