/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the base run again, with the causes of each node's waits, in two passes: the first finds
 * the places of the causes, the second writes the records (merge_records.c). */
#include "capture/causality/merge_records.h"
#include "capture/unseen.h"
#include "common/file_beside.h"

/* Sets each node to its first wait and signal. */
static void nodes_reset(struct merge_job *j)
{
	links_order_release(&j->order);
	links_order_make(&j->order, j->l);
	for (uint32_t i = 0; i < j->l->n_nodes; i++)
		j->node[i] = (struct merge_node){.at = j->order.of[i], .last_ns = TIME_NONE};
	j->counts->n_left_out = 0;
}

static int places_find(struct merge_job *j, struct err *e)
{
	nodes_reset(j);
	int ret = requests_rewind(&j->q, e);
	return ret ? ret : merge_records_write(j, e);
}

/* A join sends its signals when it has got all signals. */
static void joins_send(struct merge_job *j)
{
	const struct causality_links *l = j->l;
	SCOPED_FREE int64_t *last_ns = xcalloc((size_t)l->n_nodes + 1, sizeof *last_ns);
	for (uint32_t i = 0; i < l->n_nodes; i++)
		last_ns[i] = INT64_MIN;
	for (size_t i = 0; i < l->n; i++) {
		int64_t *last = &last_ns[l->link[i].waiter];
		*last = j->sent_ns[i] > *last ? j->sent_ns[i] : *last;
	}
	for (size_t i = 0; i < l->n; i++)
		if (l->link[i].signaller >= links_nodes(l))
			j->sent_ns[i] = last_ns[l->link[i].signaller];
}

/* Sets the places of the links. Waits at different places of a short computation get one place,
 * which makes some of them redundant. */
static int first_pass(struct merge_job *j, struct err *e)
{
	j->first_pass = true;
	int ret = places_find(j, e);
	const size_t n = j->l->n;
	ret = ret ? ret : causality_links_reduce(j->l, e);
	ret = ret || j->l->n == n ? ret : places_find(j, e);
	j->first_pass = false;
	joins_send(j);
	j->counts->n_edges_left = merge_edges_count(j->l);
	ret = ret ? ret : requests_rewind(&j->q, e);
	if (ret)
		return ret;
	nodes_reset(j);
	return merge_barriers_find(&j->barriers, j->l, j->order.by_wait, j->order.by_signal, e);
}

/* Predicts the execution time of a replay: each node takes its own time in the base run, and waits
 * for its signals. */
static int running_predict(struct merge_job *j, struct err *e)
{
	struct work_amount longest, *total = xcalloc((size_t)j->l->n_nodes + 1, sizeof *total);
	for (uint32_t i = 0; i < j->l->n_nodes; i++)
		total[i].ns = j->node[i].own_ns;
	const struct work_before before = {.wait = j->at_wait, .signal = j->at_signal};
	int ret = critical_path(j->l, &before, total, &longest, e);
	j->counts->predicted_ns = longest.ns;
	free(total);
	return ret;
}

/* Omits nodes without requests for which no node waits. */
static void nodes_number(struct merge_job *j)
{
	struct causality_merge_counts *c = j->counts;
	for (uint32_t i = 0; i < j->facts->n_nodes; i++)
		j->number[i] = j->facts->node[i].sends ? NODE_OMITTED : 0;
	for (size_t i = 0; i < j->l->n; i++)
		if (j->l->link[i].signaller < j->facts->n_nodes)
			j->number[j->l->link[i].signaller] = 0;
	for (uint32_t i = 0; i < j->facts->n_nodes; i++) {
		if (j->number[i] == NODE_OMITTED)
			continue;
		j->number[i] = c->n_nodes++;
		c->n_senders += j->facts->node[i].sends;
	}
}

/* Takes the nodes of the output; the caller frees node[] and throttled[]. */
static void facts_number(const struct merge_job *j, struct causality_facts *f)
{
	struct causality_node *node = xcalloc((size_t)f->n_nodes + 1, sizeof *node);
	uint32_t *throttled = xcalloc((size_t)f->n_throttled + 1, sizeof *throttled), n = 0;
	for (uint32_t i = 0; i < f->n_nodes; i++)
		if (j->number[i] != NODE_OMITTED)
			node[j->number[i]] = j->q.f.node[i];
	for (uint32_t i = 0; i < f->n_throttled; i++)
		if (j->number[f->throttled[i]] != NODE_OMITTED)
			throttled[n++] = j->number[f->throttled[i]];
	f->node = node;
	f->n_nodes = j->counts->n_nodes;
	f->throttled = throttled;
	f->n_throttled = n;
}

static int meta_write(struct merge_job *j, const struct causality_facts *facts, const char *path,
		      const char *shown, struct err *e)
{
	const struct trace_write_options how = {.shown = shown, .compress = true};
	struct causality_facts f = *facts;
	struct trace_meta meta = *trace_meta(j->q.t);
	facts_number(j, &f);
	f.predicted_ns = j->counts->predicted_ns;
	j->counts->n_programs_unseen = programs_unseen_of_text(meta.extra_json);
	SCOPED_FREE char *extra = causality_facts_text(&f, meta.extra_json);
	FREE_EACH(f.node, f.throttled);
	meta.extra_json = extra;
	return j->to ? trace_writer_set_meta(j->to, &meta, e)
		     : trace_writer_open(&j->to, path, &meta, &how, e);
}

static int write_all_of(struct merge_job *j, const struct causality_facts *facts, const char *path,
			const char *shown, struct err *e)
{
	int ret = meta_write(j, facts, path, shown, e);
	if (ret)
		return ret;
	ret = merge_records_write(j, e);
	ret = ret ? ret : running_predict(j, e);
	ret = ret ? ret : meta_write(j, facts, path, shown, e);
	return trace_writer_end(j->to, ret, e);
}

/* Whether each request of each node was delayed, or there is only one node. */
static bool is_complete(const struct causality_facts *f)
{
	return f->n_nodes == 1 || (f->period == 1 && f->n_throttled == f->n_nodes);
}

static void job_release(struct merge_job *j)
{
	requests_close(&j->q);
	merge_barriers_release(&j->barriers);
	links_order_release(&j->order);
	FREE_EACH(j->node, j->number, j->sent_ns, j->at_wait, j->at_signal, j->due, j);
}

int merge_write(const struct causality_run *base, struct causality_links *l,
		const struct computes *c, const struct causality_facts *facts, const char *output,
		struct causality_merge_counts *counts, struct err *e)
{
	struct merge_job *j = xcalloc(1, sizeof *j);
	int ret = requests_open(&j->q, base->trace, facts->n_nodes, e);
	if (ret) {
		free(j);
		return ret;
	}
	char *temporary = NULL;
	int fd = file_beside(output, 0666, &temporary, e);
	ret = fd < 0 ? fd : 0;
	j->l = l;
	j->c = c;
	j->facts = facts;
	j->counts = counts;
	j->complete = is_complete(facts);
	j->node = xcalloc((size_t)l->n_nodes + 1, sizeof *j->node);
	j->sent_ns = xcalloc(l->n + 1, sizeof *j->sent_ns);
	j->at_wait = xcalloc(l->n + 1, sizeof *j->at_wait);
	j->at_signal = xcalloc(l->n + 1, sizeof *j->at_signal);
	j->number = xcalloc((size_t)facts->n_nodes + 1, sizeof *j->number);
	nodes_number(j);
	ret = ret ? ret : first_pass(j, e);
	ret = ret ? ret : write_all_of(j, facts, temporary, output, e);
	ret = file_beside_keep(temporary, output, ret, e);
	fd_close(fd);
	job_release(j);
	return ret;
}
