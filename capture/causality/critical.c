/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/work_private.h"

struct critical {
	const struct causality_links *links;
	const struct work_before *before;
	struct work_amount *sent; /* sent[links->n]: when each signal was sent */
	struct work_amount *all;  /* all[links->n_barriers]: when the last signal was sent */
	struct critical_node {
		struct work_amount done; /* work of the node so far */
		struct work_amount when; /* the time at this point */
	} *node;
};

int64_t work_plus(int64_t a, int64_t b)
{
	return a > TRACE_TIME_MAX - b ? TRACE_TIME_MAX : a + b;
}

static void node_advance(struct critical_node *n, const struct work_amount *done)
{
	n->when.ns = work_plus(n->when.ns, done->ns - n->done.ns);
	n->when.compute_ns = work_plus(n->when.compute_ns, done->compute_ns - n->done.compute_ns);
	n->done = *done;
}

static void signal_sent(void *ctx, size_t i)
{
	struct critical *x = ctx;
	struct critical_node *n = &x->node[x->links->link[i].signaller];
	node_advance(n, &x->before->signal[i]);
	x->sent[i] = n->when;
}

static void wait_ended(void *ctx, size_t i)
{
	struct critical *x = ctx;
	struct critical_node *n = &x->node[x->links->link[i].waiter];
	node_advance(n, &x->before->wait[i]);
	if (x->sent[i].ns > n->when.ns)
		n->when = x->sent[i];
}

static void mark_passed(void *ctx, size_t i)
{
	struct critical *x = ctx;
	const struct causality_mark *m = &x->links->mark[i];
	struct critical_node *n = &x->node[m->node];
	struct work_amount *all = &x->all[m->barrier], *later = m->is_wait ? &n->when : all;
	node_advance(n, &x->before->mark[i]);
	*later = n->when.ns > all->ns ? n->when : *all;
}

int critical_path(const struct causality_links *l, const struct work_before *before,
		  const struct work_amount *total, struct work_amount *longest, struct err *e)
{
	struct critical x = {.links = l,
			     .before = before,
			     .sent = xcalloc(l->n + 1, sizeof *x.sent),
			     .all = xcalloc((size_t)l->n_barriers + 1, sizeof *x.all),
			     .node = xcalloc((size_t)l->n_nodes + 1, sizeof *x.node)};
	const struct causality_walk walk = {
	    .signal = signal_sent, .wait = wait_ended, .mark = mark_passed, .ctx = &x};
	int ret = causality_links_walk(l, &walk, e);
	*longest = (struct work_amount){0};
	for (uint32_t i = 0; i < l->n_nodes && !ret; i++) {
		node_advance(&x.node[i], &total[i]);
		if (x.node[i].when.ns > longest->ns)
			*longest = x.node[i].when;
	}
	FREE_EACH(x.sent, x.all, x.node);
	return ret;
}
