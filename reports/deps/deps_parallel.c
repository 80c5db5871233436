/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/deps/deps_report.h"

#include "common/units.h"
#include "reports/json/json_value.h"
#include "reports/output.h"

#define NODES_SHOWN 32 /* --json prints all of them */

static int64_t span_of(const struct causality_work *w)
{
	return w->all.first_ns == TIME_NONE ? 0 : w->all.last_ns - w->all.first_ns;
}

/* Of all nodes, in ns. */
static double work_of(const struct causality_work *w)
{
	const struct causality_node_work *all = &w->all;
	return (double)all->request_ns + (double)all->compute_ns + (double)all->asleep_ns +
	       (double)all->external_ns;
}

static void print_nodes(const struct causality_work *w)
{
	printf("\n%6s  %10s  %10s  %10s  %10s  %10s  %10s  %10s\n", "node", "requests",
	       "in request", "computing", "asleep", "external", "signals", "waits");
	for (uint32_t i = 0; i < w->n_nodes && i < NODES_SHOWN; i++) {
		const struct causality_node_work *n = &w->node[i];
		printf("%6" PRIu32 "  %10" PRIu64 "  %10s  %10s  %10s  %10s  %10" PRIu64
		       "  %10" PRIu64 "\n",
		       i, n->n_requests, duration_text((double)n->request_ns).s,
		       duration_text((double)n->compute_ns).s,
		       duration_text((double)n->asleep_ns).s,
		       duration_text((double)n->external_ns).s, n->n_signals, n->n_waits);
	}
	if (w->n_nodes > NODES_SHOWN)
		printf("(and %" PRIu32 " more: --json has all)\n", w->n_nodes - NODES_SHOWN);
}

static void print_text(const struct causality_work *w, const struct causality_facts *f,
		       const char *path)
{
	const struct causality_node_work *all = &w->all;
	const double work_ns = work_of(w);
	uint64_t n_of_barriers = 0;
	for (size_t i = 0; i < w->links.n; i++)
		n_of_barriers += w->barriers.of_link[i] != UINT32_MAX;
	for (size_t i = 0; i < w->links.n_marks; i++)
		n_of_barriers += w->links.mark[i].is_wait;
	printf("%s, dependencies between the nodes (traced threads) of a parallel "
	       "application\n", path);
	printf("Requests       %" PRIu64 " of %" PRIu32
	       " node%s over %s; the nodes spend %s in requests and %s computing\n",
	       all->n_requests, w->n_nodes, w->n_nodes == 1 ? "" : "s",
	       duration_text((double)span_of(w)).s, duration_text((double)all->request_ns).s,
	       duration_text((double)all->compute_ns).s);
	if (all->asleep_ns || all->external_ns)
		printf("               the nodes also sleep %s, and wait %s for something that is "
		       "not a node (external waits)\n", duration_text((double)all->asleep_ns).s,
			duration_text((double)all->external_ns).s);
	printf("Waits          %" PRIu64
	       " for the end of another node's request; %" PRIu64 " request%s must wait; %" PRIu64
	       " pair%s of nodes %s connected by waits that are not part of a barrier\n",
	       all->n_waits, w->n_waiting, w->n_waiting == 1 ? "" : "s", w->n_pairs,
	       w->n_pairs == 1 ? "" : "s", w->n_pairs == 1 ? "is" : "are");
	if (w->n_implied)
		printf("               %" PRIu64 " of these waits are implied by other waits\n",
		       w->n_implied);
	printf("Barriers       %" PRIu32 ", with %" PRIu64 " waits\n", w->barriers.n,
	       n_of_barriers);
	printf("Critical path  %s, of which %s computing", duration_text((double)w->critical_ns).s,
	       duration_text((double)w->critical_compute_ns).s);
	if (w->critical_ns > 0)
		printf("; the mean number of working nodes is at most %.3g",
		       work_ns / (double)w->critical_ns);
	putchar('\n');
	if (f->predicted_ns > 0 && f->application_ns > 0)
		printf("Prediction     a replay takes %s; the application took %s\n",
		       duration_text((double)f->predicted_ns).s,
		       duration_text((double)f->application_ns).s);
	print_nodes(w);
}

static json_t *node_json(const struct causality_node_work *n)
{
	return json_make(J_COUNT("n_requests", n->n_requests), J_COUNT("n_computes", n->n_computes),
		J_COUNT("n_signals", n->n_signals), J_COUNT("n_waits", n->n_waits),
		J_INT("request_ns", n->request_ns), J_INT("compute_ns", n->compute_ns),
		J_INT("asleep_ns", n->asleep_ns), J_INT("external_ns", n->external_ns));
}

static json_t *barriers_json(const struct causality_barriers *b)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < b->n; i++) {
		json_t *o = json_object(), *nodes = json_array(), *requests = json_array();
		for (uint32_t k = 0; k < b->v[i].n_nodes; k++) {
			json_array_append_new(nodes, json_integer(b->v[i].node[k]));
			json_array_append_new(requests,
					      json_integer((json_int_t)b->v[i].request[k]));
		}
		json_add(o, J_VALUE("nodes", nodes), J_VALUE("before_request", requests));
		json_array_append_new(list, o);
	}
	return list;
}

static void print_json(const struct causality_work *w, const struct causality_facts *f)
{
	json_t *o = node_json(&w->all), *nodes = json_array();
	for (uint32_t i = 0; i < w->n_nodes; i++)
		json_array_append_new(nodes, node_json(&w->node[i]));
	json_add(o, J_INT("schema", 1), J_VALUE("order", json_string("causal")),
		 J_COUNT("n_nodes", w->n_nodes), J_COUNT("n_implied_waits", w->n_implied),
		 J_COUNT("n_waiting_requests", w->n_waiting), J_COUNT("n_node_pairs", w->n_pairs),
		 J_INT("span_ns", span_of(w)), J_INT("critical_path_ns", w->critical_ns),
		 J_INT("critical_path_compute_ns", w->critical_compute_ns),
		 J_INT("predicted_ns", f->predicted_ns),
		 J_VALUE("parallelism", w->critical_ns > 0
					    ? json_real(work_of(w) / (double)w->critical_ns)
					    : json_null()),
		 J_VALUE("barriers", barriers_json(&w->barriers)), J_VALUE("nodes", nodes));
	json_print(o);
}

static int dot_write(struct trace *t, const struct causality_facts *f,
	const struct causality_work *w, const struct deps_parallel_config *c, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	int ret = deps_parallel_dot(&text, t, f, w, c, e);
	return ret ? ret : output_path(c->dot, &text, e);
}

int deps_parallel(struct trace *t, const struct causality_facts *f,
		  const struct deps_parallel_config *c, struct err *e)
{
	SCOPED(causality_work_release) struct causality_work w;
	int ret = causality_work_read(&w, t, f, e);
	if (!ret && c->dot)
		ret = dot_write(t, f, &w, c, e);
	if (!ret && !(c->dot && !strcmp(c->dot, "-"))) {
		if (c->json)
			print_json(&w, f);
		else
			print_text(&w, f, c->path);
	}
	return ret;
}
