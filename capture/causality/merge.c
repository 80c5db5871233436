/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "capture/causality/merge_private.h"

#define ROUNDS_MAX 200 /* each round is a pass through all edges */

struct contradiction { /* a cycle among signals placed where their waiters continued */
	const struct causality_links *l;
	bool *early;
	size_t n; /* number of signals that this round moved to their held request */
};

static void loop_note(void *ctx, size_t link)
{
	struct contradiction *c = ctx;
	const struct causality_link *g = &c->l->link[link];
	if (!g->is_later || c->early[g->edge])
		return;
	c->early[g->edge] = true;
	c->n++;
}

/* Collects the links. The place at which a waiter continued comes from several runs, and may be
 * only one of several conditions. If such places make nodes wait for each other in a cycle, the
 * signals of the cycle are placed directly after the held requests: a missing dependency is better
 * than an impossible dependency. */
static int links_gather(struct causality_links *l, const struct causality_run *run, uint32_t n_runs,
	uint32_t n_nodes, const uint64_t *n_requests, bool *early, size_t n_edges, struct err *e)
{
	for (unsigned int round = 0;; round++) {
		struct contradiction c = {l, early, 0};
		const struct causality_walk walk = {.loop = loop_note, .ctx = &c};
		struct err why = ERR_INIT;
		int ret = edges_gather(l, run, n_runs, n_nodes, n_requests, early, e);
		if (ret)
			return ret;
		ret = causality_links_walk(l, &walk, &why);
		if (!ret)
			return causality_links_reduce(l, e);
		if (ret != -ELOOP || !c.n)
			return err_set(e, -ret, "%s", why.msg);
		if (round >= ROUNDS_MAX)
			memset(early, true, n_edges * sizeof *early);
		causality_links_release(l);
	}
}

/* Number of early signals that were observed to be sent later. */
static uint64_t n_early(const struct causality_run *run, uint32_t n_runs, const bool *early)
{
	uint64_t n = 0;
	size_t number = 0;
	for (uint32_t i = 0; i < n_runs; i++)
		for (uint64_t k = 0; k < run[i].n_edges; k++, number++)
			n += early[number] &&
			     (run[i].edge[k].n_later || run[i].edge[k].signalled_ppm);
	return n;
}

/* If the base run shows that a signal is too late, places it directly after the held request. This
 * may make other links of the same pair too late, so it is repeated. */
static int links_settle(struct causality_links *l, const struct causality_run *run, uint32_t n_runs,
	uint32_t n_nodes, const uint64_t *n_requests, bool *early, size_t n_edges, struct err *e)
{
	for (unsigned int round = 0;; round++) {
		size_t n = 0;
		int ret = links_gather(l, run, n_runs, n_nodes, n_requests, early, n_edges, e);
		ret = ret || round == ROUNDS_MAX ? ret
					       : late_signals_find(run[0].trace, l, early, &n, e);
		if (ret || !n)
			return ret;
		causality_links_release(l);
	}
}

static int links_make(struct causality_links *l, const struct causality_run *run, uint32_t n_runs,
		      uint32_t n_nodes, const uint64_t *n_requests,
		      struct causality_merge_counts *counts, struct err *e)
{
	size_t n = 0;
	for (uint32_t i = 0; i < n_runs; i++) {
		n += run[i].n_edges;
		counts->n_edges_seen += run[i].n_edges + run[i].n_implied;
	}
	SCOPED_FREE bool *early = xcalloc(n + 1, sizeof *early);
	int ret = links_settle(l, run, n_runs, n_nodes, n_requests, early, n, e);
	counts->n_early = n_early(run, n_runs, early);
	return ret;
}

uint64_t merge_edges_count(const struct causality_links *l)
{
	SCOPED_FREE uint64_t *to = xcalloc((size_t)l->n_nodes + 1, sizeof *to),
			     *from = xcalloc((size_t)l->n_nodes + 1, sizeof *from);
	uint64_t n = 0;
	for (size_t i = 0; i < l->n; i++) {
		n += !links_join_at(l, &l->link[i]);
		to[l->link[i].waiter]++;
		from[l->link[i].signaller]++;
	}
	for (uint32_t i = links_nodes(l); i < l->n_nodes; i++)
		n += to[i] * from[i] - (to[i] < from[i] ? to[i] : from[i]);
	return n;
}

/* A node without requests is needed until its last signal for which a node with requests waits,
 * directly or through others. Removes its later waits. */
static void senders_prune(struct causality_links *l, const struct causality_facts *f)
{
	/* upto[l->n_nodes]: waits before this message are needed */
	SCOPED_FREE uint64_t *upto = xcalloc((size_t)l->n_nodes + 1, sizeof *upto);
	for (uint32_t i = 0; i < f->n_nodes; i++)
		upto[i] = f->node[i].sends ? 0 : UINT64_MAX;
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < l->n; i++) {
			const struct causality_link *g = &l->link[i];
			uint64_t *signaller = &upto[g->signaller];
			if (g->wait_request >= upto[g->waiter] || g->signal_request <= *signaller)
				continue;
			*signaller = g->signal_request;
			again = true;
		}
	}
	size_t n = 0;
	for (size_t i = 0; i < l->n; i++)
		if (l->link[i].wait_request < upto[l->link[i].waiter])
			l->link[n++] = l->link[i];
	l->n = n;
}

static int runs_gather(struct causality_links *l, struct computes *c,
		       const struct causality_run *run, uint32_t n_runs,
		       const struct causality_facts *facts, const char *output,
		       struct causality_merge_counts *counts, uint64_t *n_requests, struct err *e)
{
	const struct causality_run *last = &run[n_runs - 1];
	const uint32_t n_joins = last->n_joins, n_traces = n_runs - !last->trace;
	int ret = requests_compare(run, n_traces, facts->n_nodes, n_requests, e);
	for (uint32_t i = 0; i < n_joins; i++)
		n_requests[facts->n_nodes + i] = 1;
	ret = ret ? ret
		: links_make(l, run, n_runs, facts->n_nodes + n_joins, n_requests, counts, e);
	if (!ret && facts->by_throttling)
		ret = computes_gather(c, run, n_traces, n_requests, facts->n_nodes, output, e);
	if (!ret)
		senders_prune(l, facts);
	for (uint32_t i = 0; !ret && i < facts->n_nodes; i++)
		counts->n_requests += facts->node[i].sends ? 0 : n_requests[i];
	counts->n_edges_left = merge_edges_count(l);
	return ret;
}

/* Counts the barriers as a reader finds them: waits with a computation of length 0 between them
 * have one place. */
static int barriers_count(const char *path, struct causality_merge_counts *counts, struct err *e)
{
	struct causality_barriers barriers = {0};
	struct causality_links l = {0};
	struct causality_facts f = {0};
	struct trace *t = NULL;
	int ret = trace_file_open(&t, path, e);
	ret = ret ? ret : causality_facts_read(&f, trace_meta(t), e);
	ret = ret ? ret : causality_links_read(&l, t, &f, e);
	ret = ret ? ret : causality_barriers_find(&barriers, &l, e);
	counts->n_barriers = barriers.n;
	causality_barriers_release(&barriers);
	causality_links_release(&l);
	causality_facts_release(&f);
	trace_close(t);
	return ret;
}

int causality_merge(const struct causality_run *run, uint32_t n_runs,
		    const struct causality_facts *facts, const char *output,
		    struct causality_merge_counts *counts, struct err *e)
{
	struct causality_links l = {0};
	struct computes c = {0};
	*counts = (struct causality_merge_counts){0};
	if (!n_runs || !facts->n_nodes || facts->n_nodes > CAUSALITY_MAX_NODES)
		return err_set(e, EINVAL,
			       "cannot merge %" PRIu32 " runs of %" PRIu32
			       " nodes (traced threads): expected at least 1 run, and 1 to %d "
			       "nodes",
			       n_runs, facts->n_nodes, CAUSALITY_MAX_NODES);
	SCOPED_FREE uint64_t *n_requests =
	    xcalloc((size_t)facts->n_nodes + run[n_runs - 1].n_joins, sizeof *n_requests);
	int ret = runs_gather(&l, &c, run, n_runs, facts, output, counts, n_requests, e);
	ret = ret ? ret : merge_write(&run[0], &l, &c, facts, output, counts, e);
	ret = ret ? ret : barriers_count(output, counts, e);
	computes_release(&c);
	causality_links_release(&l);
	return ret;
}
