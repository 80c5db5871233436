/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/requests.h"
#include "capture/csv_args.h"
#include "common/units.h"
#include "reports/deps/deps_report.h"

/* Appends an escaped text for a quoted string: an untrusted name cannot end the string, begin a
 * Graphviz escape or control a terminal. */
static void dot_quoted(struct strbuf *out, const char *name)
{
	const unsigned char *s = (const unsigned char *)name;
	for (size_t left = strlen(name), n; left; s += n, left -= n) {
		n = utf8_char_len(s, left);
		if (*s == '"' || *s == '\\')
			strbuf_addf(out, "\\%c", *s);
		else if (n == 0 || *s < 0x20 || *s == 0x7f)
			strbuf_addf(out, "\\\\x%02x", *s);
		else
			strbuf_add(out, s, n);
		n = n ? n : 1;
	}
}

struct shown_node { /* requests of a node in the graph: [first, first + n) */
	uint64_t first, n;
	/* times since the node's previous request: computing, asleep, external */
	double compute_ns[3];
	struct strbuf requests, order;
};

struct drawing {
	const struct causality_facts *f;
	const struct causality_work *w;
	struct shown_node *node;
	uint64_t *n_requests; /* of each node so far */
};

static bool is_shown(const struct drawing *d, uint32_t node, uint64_t request)
{
	return request >= d->node[node].first && request - d->node[node].first < d->node[node].n;
}

static void request_draw(struct drawing *d, uint32_t of, uint64_t number, const struct trace *t,
			 const struct trace_record *r)
{
	struct shown_node *n = &d->node[of];
	const struct trace_object *o = trace_object(t, r->object);
	if (!n->n)
		n->first = number;
	n->n++;
	strbuf_addf(&n->requests, "    n%" PRIu32 "_%" PRIu64 " [label=\"%" PRIu64 " %s", of,
		    number, number, op_name(r->op));
	if (o) {
		strbuf_addch(&n->requests, ' ');
		dot_quoted(&n->requests, o->name);
	}
	if (op_info(r->op)->uses & (OP_HAS_OFFSET | OP_KNOWS_OFFSET) && r->offset != OFFSET_NONE)
		strbuf_addf(&n->requests, "\\n%" PRIu64 "+%" PRIu64, r->offset, r->length);
	strbuf_addstr(&n->requests, "\"];\n");
	if (n->n < 2)
		return;
	strbuf_addf(&n->order, "  n%" PRIu32 "_%" PRIu64 " -> n%" PRIu32 "_%" PRIu64, of,
		    number - 1, of, number);
	static const char *const kinds[] = {"compute", "sleep", "external"};
	bool any = false;
	for (int i = 0; i < 3; i++) {
		if (n->compute_ns[i] <= 0)
			continue;
		strbuf_addf(&n->order, "%s%s ", any ? "\\n" : " [label=\"", kinds[i]);
		format_duration(&n->order, n->compute_ns[i]);
		any = true;
	}
	if (any)
		strbuf_addstr(&n->order, "\"]");
	strbuf_addstr(&n->order, ";\n");
}

static int requests_draw(struct drawing *d, struct trace *t, const struct deps_parallel_config *c,
			 struct err *e)
{
	const struct trace_record *r;
	uint64_t i = 0;
	int ret = trace_rewind(t, e), got = 0;
	while (!ret && (got = trace_next(t, &r, e)) == 1) {
		int64_t of = causality_node_of(d->f, r->pid, r->tid);
		if (of < 0)
			continue;
		if (r->op == OP_COMPUTE)
			d->node[of].compute_ns[r->flags & COMPUTE_EXTERNAL ? 2
					       : r->flags & COMPUTE_ASLEEP ? 1
									   : 0] +=
			    (double)r->length;
		if (!is_request(r))
			continue;
		uint64_t number = d->n_requests[of]++;
		if (i >= c->from && (!c->n_shown || i - c->from < c->n_shown))
			request_draw(d, (uint32_t)of, number, t, r);
		memset(d->node[of].compute_ns, 0, sizeof d->node[of].compute_ns);
		i++;
	}
	return ret ? ret : got;
}

static void links_draw(struct strbuf *out, const struct drawing *d)
{
	for (size_t i = 0; i < d->w->links.n; i++) {
		const struct causality_link *g = &d->w->links.link[i];
		if (d->w->barriers.of_link[i] == UINT32_MAX && g->signal_request && is_shown(d,
		    g->signaller, g->signal_request - 1) && is_shown(d, g->waiter, g->wait_request))
			strbuf_addf(out,
				    "  n%" PRIu32 "_%" PRIu64 " -> n%" PRIu32 "_%" PRIu64
				    " [style=bold];\n",
				    g->signaller, g->signal_request - 1, g->waiter,
				    g->wait_request);
	}
}

static void barriers_draw(struct strbuf *out, const struct drawing *d)
{
	for (uint32_t i = 0; i < d->w->barriers.n; i++) {
		const struct causality_barrier *b = &d->w->barriers.v[i];
		bool any = false;
		for (uint32_t k = 0; k < b->n_nodes; k++) {
			bool after = is_shown(d, b->node[k], b->request[k]),
			     before = b->request[k] && is_shown(d, b->node[k], b->request[k] - 1);
			if ((after || before) && !any) {
				strbuf_addf(out,
					    "  b%" PRIu32
					    " [shape=box, style=filled, label=\"barrier %" PRIu32
					    " of nodes ",
					    i, i + 1);
				causality_nodes_text(out, b->node, b->n_nodes);
				strbuf_addstr(out, "\"];\n");
				any = true;
			}
			if (before)
				strbuf_addf(out,
					    "  n%" PRIu32 "_%" PRIu64 " -> b%" PRIu32
					    " [style=bold];\n",
					    b->node[k], b->request[k] - 1, i);
			if (after)
				strbuf_addf(out,
					    "  b%" PRIu32 " -> n%" PRIu32 "_%" PRIu64
					    " [style=bold];\n",
					    i, b->node[k], b->request[k]);
		}
	}
}

int deps_parallel_dot(struct strbuf *out, struct trace *t, const struct causality_facts *f,
	const struct causality_work *w, const struct deps_parallel_config *c, struct err *e)
{
	struct drawing d = {.f = f, .w = w, .node = xcalloc((size_t)f->n_nodes + 1, sizeof *d.node),
			    .n_requests = xcalloc((size_t)f->n_nodes + 1, sizeof *d.n_requests)};
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		strbuf_init(&d.node[i].requests);
		strbuf_init(&d.node[i].order);
	}
	int ret = requests_draw(&d, t, c, e);
	strbuf_addstr(out, "digraph deps {\n  // nodes (threads) of a parallel application; bold "
			   "edge from a to b: b waits for the end of a\n"
			   "  rankdir=TB; node [shape=box, fontsize=10]; edge [fontsize=9];\n");
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		struct shown_node *n = &d.node[i];
		strbuf_addf(out, "  subgraph cluster_%" PRIu32 " {\n    label=\"node %" PRIu32, i,
			    i);
		if (f->node[i].rank >= 0)
			strbuf_addf(out, ", rank %" PRId32, f->node[i].rank);
		strbuf_addf(out, "\";\n%s  }\n", n->requests.s);
	}
	for (uint32_t i = 0; i < f->n_nodes; i++)
		strbuf_add(out, d.node[i].order.s, d.node[i].order.len);
	links_draw(out, &d);
	barriers_draw(out, &d);
	strbuf_addstr(out, "}\n");
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		strbuf_release(&d.node[i].requests);
		strbuf_release(&d.node[i].order);
	}
	FREE_EACH(d.node, d.n_requests);
	return ret;
}

static void node_add(struct strbuf *out, const struct deps *d, uint32_t i)
{
	const struct load_request *r = &d->load.request[i];
	strbuf_addf(out, "    r%" PRIu32 " [label=\"%" PRIu32 " %s", i, r->record, op_name(r->op));
	uint32_t file = r->slot ? d->slots.slot[r->slot].file : NONE32;
	if (file != NONE32) {
		strbuf_addch(out, ' ');
		dot_quoted(out, d->slots.file[file].name);
	}
	if (op_info(r->op)->uses & (OP_HAS_OFFSET | OP_KNOWS_OFFSET) && r->offset != OFFSET_NONE)
		strbuf_addf(out, "\\n%" PRIu64 "+%" PRIu64, r->offset, r->length);
	strbuf_addstr(out, "\"];\n");
}

void deps_dot(struct strbuf *out, const struct deps *d, uint64_t n_shown)
{
	const struct load *l = &d->load;
	uint32_t n = n_shown < l->n ? (uint32_t)n_shown : l->n;
	strbuf_addf(out,
		    "digraph deps {\n  // order %s; bold edge from a to b: b waits for the end of "
		    "a; dashed: for the start of a\n"
		    "  rankdir=TB; node [shape=box, fontsize=10];\n",
		    replay_order_names[d->order]);
	for (uint32_t t = 0; t < l->n_threads; t++) {
		strbuf_addf(out,
			    "  subgraph cluster_%" PRIu32 " {\n    label=\"process %" PRIu32
			    ", thread %" PRIu32 "\";\n",
			    t, l->thread[t].pid, l->thread[t].tid);
		for (uint32_t k = 0; k < l->thread[t].n_requests && d->of[d->first[t] + k] < n; k++)
			node_add(out, d, d->of[d->first[t] + k]);
		strbuf_addstr(out, "  }\n");
	}
	for (uint32_t i = 0; i < n && d->order != ORDER_NONE; i++)
		if (l->request[i].index)
			strbuf_addf(out, "  r%" PRIu32 " -> r%" PRIu32 ";\n",
				d->of[d->first[l->request[i].thread] + l->request[i].index - 1], i);
	for (size_t k = 0; k < d->edges.n && d->edges.edge[k].request < n; k++)
		strbuf_addf(out, "  r%" PRIu32 " -> r%" PRIu32 " [style=%s];\n",
			    deps_source(d, &d->edges.edge[k]), d->edges.edge[k].request,
			    d->edges.edge[k].threshold & 1 ? "dashed" : "bold");
	strbuf_addstr(out, "}\n");
}
