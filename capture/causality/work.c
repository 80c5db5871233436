/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/work.h"

#include "capture/causality/requests.h"
#include "capture/causality/work_private.h"
#include "common/sort.h"

struct work_reading {
	struct causality_work *w;
	struct links_order order;
	struct work_before before;
	struct work_amount *done; /* done[n_nodes]: work of each node so far */
};

static void do_work(struct work_amount *done, int64_t ns, bool computing)
{
	done->ns = work_plus(done->ns, ns);
	if (computing)
		done->compute_ns = work_plus(done->compute_ns, ns);
}

static void request_take(struct causality_node_work *n, struct work_amount *done,
			 const struct trace_record *r)
{
	n->n_requests++;
	if (r->begin_ns == TIME_NONE)
		return;
	int64_t end_ns = r->end_ns > r->begin_ns ? r->end_ns : r->begin_ns;
	n->first_ns =
	    n->first_ns == TIME_NONE || r->begin_ns < n->first_ns ? r->begin_ns : n->first_ns;
	n->last_ns = end_ns > n->last_ns ? end_ns : n->last_ns;
	n->request_ns = work_plus(n->request_ns, end_ns - r->begin_ns);
	do_work(done, end_ns - r->begin_ns, false);
}

static void record_take(struct work_reading *x, uint32_t of, const struct trace_record *r)
{
	struct causality_node_work *n = &x->w->node[of];
	struct links_range *at = &x->order.of[of];
	struct work_amount *done = &x->done[of];
	int64_t ns = r->length < (uint64_t)TRACE_TIME_MAX ? (int64_t)r->length : TRACE_TIME_MAX;
	switch (r->op) {
	case OP_COMPUTE:
		n->n_computes++;
		int64_t *sum = r->flags & COMPUTE_EXTERNAL ? &n->external_ns
			       : r->flags & COMPUTE_ASLEEP ? &n->asleep_ns
							   : &n->compute_ns;
		*sum = work_plus(*sum, ns);
		do_work(done, ns, sum == &n->compute_ns);
		break;
	case OP_SIGNAL:
	case OP_WAIT:
		n->n_signals += r->op == OP_SIGNAL;
		n->n_waits += r->op == OP_WAIT;
		if (r->flags & CAUSE_OF_BARRIER)
			x->before.mark[at->mark++] = *done;
		else if (r->op == OP_SIGNAL)
			x->before.signal[x->order.by_signal[at->signal++]] = *done;
		else
			x->before.wait[x->order.by_wait[at->wait++]] = *done;
		break;
	default:
		if (is_request(r))
			request_take(n, done, r);
	}
}

static int path_find(struct work_reading *x, struct err *e)
{
	struct causality_work *w = x->w;
	struct work_amount longest;
	int ret = critical_path(&w->links, &x->before, x->done, &longest, e);
	w->critical_ns = longest.ns;
	w->critical_compute_ns = longest.compute_ns;
	return ret;
}

/* --- totals -------------------------------------------------------------- */

static int implied_count(struct causality_work *w, struct err *e)
{
	struct causality_links copy = w->links;
	if (!copy.n)
		return 0;
	copy.link = xcalloc(copy.n + 1, sizeof *copy.link);
	memcpy(copy.link, w->links.link, copy.n * sizeof *copy.link);
	int ret = causality_links_reduce(&copy, e);
	w->n_implied = w->links.n - copy.n;
	free(copy.link);
	return ret;
}

/* Counts the requests with waits before them. */
static void waiting_count(struct causality_work *w, const size_t *by_wait)
{
	const struct causality_links *l = &w->links;
	uint64_t last = UINT64_MAX;
	size_t i = 0, k = 0;
	for (uint32_t node = 0; node < w->n_nodes; node++, last = UINT64_MAX)
		for (;;) {
			while (k < l->n_marks && l->mark[k].node == node && !l->mark[k].is_wait)
				k++;
			const struct causality_link *g = i < l->n ? &l->link[by_wait[i]] : NULL;
			const struct causality_mark *m = k < l->n_marks ? &l->mark[k] : NULL;
			g = g && g->waiter == node ? g : NULL;
			m = m && m->node == node ? m : NULL;
			if (!g && !m)
				break;
			const bool of_link = g && (!m || g->wait_request < m->request);
			const uint64_t request = of_link ? g->wait_request : m->request;
			w->n_waiting += request != last;
			last = request;
			i += of_link;
			k += !of_link;
		}
}

static void pairs_count(struct causality_work *w)
{
	SCOPED_FREE uint64_t *pair = xcalloc(w->links.n + 1, sizeof *pair);
	for (size_t i = 0; i < w->links.n; i++)
		pair[i] =
		    (uint64_t)w->links.link[i].signaller << 32 | w->links.link[i].waiter;
	qsort(pair, w->links.n, sizeof *pair, order_u64);
	for (size_t i = 0; i < w->links.n; i++)
		w->n_pairs += !i || pair[i] != pair[i - 1];
}

static void all_sum(struct causality_work *w)
{
	struct causality_node_work *a = &w->all;
	a->first_ns = a->last_ns = TIME_NONE;
	for (uint32_t i = 0; i < w->n_nodes; i++) {
		const struct causality_node_work *n = &w->node[i];
		a->n_requests += n->n_requests;
		a->n_computes += n->n_computes;
		a->n_signals += n->n_signals;
		a->n_waits += n->n_waits;
		a->request_ns = work_plus(a->request_ns, n->request_ns);
		a->compute_ns = work_plus(a->compute_ns, n->compute_ns);
		a->asleep_ns = work_plus(a->asleep_ns, n->asleep_ns);
		a->external_ns = work_plus(a->external_ns, n->external_ns);
		if (n->first_ns != TIME_NONE &&
		    (a->first_ns == TIME_NONE || n->first_ns < a->first_ns))
			a->first_ns = n->first_ns;
		a->last_ns = n->last_ns > a->last_ns ? n->last_ns : a->last_ns;
	}
}

static int trace_read(struct work_reading *x, struct trace *t, const struct causality_facts *f,
		      struct err *e)
{
	const struct trace_record *r;
	int ret = trace_rewind(t, e), got = 0;
	for (uint32_t i = 0; i < x->w->n_nodes; i++)
		x->w->node[i].first_ns = x->w->node[i].last_ns = TIME_NONE;
	while (!ret && (got = trace_next(t, &r, e)) == 1) {
		int64_t of = causality_node_of(f, r->pid, r->tid);
		if (of >= 0)
			record_take(x, (uint32_t)of, r);
	}
	return ret ? ret : got;
}

int causality_work_read(struct causality_work *w, struct trace *t, const struct causality_facts *f,
			struct err *e)
{
	struct work_reading x = {.w = w};
	*w = (struct causality_work){.n_nodes = f->n_nodes,
				     .node = xcalloc((size_t)f->n_nodes + 1, sizeof *w->node)};
	int ret = causality_links_read(&w->links, t, f, e);
	size_t n = w->links.n + 1;
	x.before.wait = xcalloc(n, sizeof *x.before.wait);
	x.before.signal = xcalloc(n, sizeof *x.before.signal);
	x.before.mark = xcalloc(w->links.n_marks + 1, sizeof *x.before.mark);
	x.done = xcalloc((size_t)w->links.n_nodes + 1, sizeof *x.done);
	if (!ret) {
		links_order_make(&x.order, &w->links);
		waiting_count(w, x.order.by_wait);
		pairs_count(w);
		ret = trace_read(&x, t, f, e);
	}
	ret = ret ? ret : path_find(&x, e);
	links_order_release(&x.order);
	FREE_EACH(x.before.wait, x.before.signal, x.before.mark, x.done);
	ret = ret ? ret : implied_count(w, e);
	ret = ret ? ret : causality_barriers_find(&w->barriers, &w->links, e);
	all_sum(w);
	return ret;
}

void causality_work_release(struct causality_work *w)
{
	free(w->node);
	causality_links_release(&w->links);
	causality_barriers_release(&w->barriers);
	*w = (struct causality_work){0};
}
