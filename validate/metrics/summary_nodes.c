/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes of a parallel application, for which the traces are read a second time. */
#include "capture/causality/causality.h"
#include "capture/op.h"
#include "validate/metrics/summary_private.h"

double causality_tracing_time(const struct causality_summary *c)
{
	return c->application_ns > 0 && c->tracing_ns > 0
		   ? (double)c->tracing_ns / (double)c->application_ns
		   : NAN;
}

double causality_tracing_increase(const struct causality_summary *c)
{
	if (c->application_ns <= 0 || c->n_runs < 2 || c->tracing_ns <= c->application_ns)
		return NAN;
	return ((double)c->tracing_ns / (double)c->application_ns - 1) / (double)(c->n_runs - 1);
}

double causality_predicted_error(const struct causality_summary *c)
{
	return c->application_ns > 0 && c->predicted_ns > 0
		   ? 1 - (double)c->predicted_ns / (double)c->application_ns
		   : NAN;
}

struct node_tally {
	struct moment_sum response;
	int64_t first_ns, last_ns;
	bool any;
};

static void tally_add(struct node_tally *t, const struct trace_record *x, bool kept)
{
	if (x->begin_ns == TIME_NONE || op_info(x->op)->family == FAMILY_CAUSE)
		return; /* no request */
	if (x->end_ns == TIME_NONE || x->end_ns < x->begin_ns)
		return;
	t->first_ns = t->any && t->first_ns < x->begin_ns ? t->first_ns : x->begin_ns;
	t->last_ns = t->any && t->last_ns > x->end_ns ? t->last_ns : x->end_ns;
	t->any = true;
	if (kept)
		moment_sum_add(&t->response, x->end_ns - x->begin_ns);
}

static void cause_add(struct causality_summary *c, const struct trace_record *r)
{
	c->n_waits += r->op == OP_WAIT;
	c->n_signals += r->op == OP_SIGNAL;
	if (r->op != OP_COMPUTE)
		return;
	c->n_computes++;
	if (r->flags != COMPUTE_BUSY)
		return;
	if (__builtin_add_overflow(c->compute_ns, (int64_t)(r->length & INT64_MAX), &c->compute_ns))
		c->compute_ns = INT64_MAX;
}

/* Reads both traces in parallel. Record i of `of`, which identifies the node, belongs to record i
 * of `trace`; both may be the same trace. `clock` is NULL for a run without slices. */
static int read_both(struct node_tally *tally, struct causality_summary *c,
		     const struct causality_facts *facts, struct trace *trace, struct trace *of,
		     struct slice_clock *clock, struct err *e)
{
	const struct trace_record *r, *x;
	struct trace_record mapped;
	int ret;
	while ((ret = trace_next(of, &r, e)) > 0) {
		int64_t node = causality_node_of(facts, r->pid, r->tid);
		x = r;
		if (trace != of && (ret = trace_next(trace, &x, e)) <= 0)
			return ret;
		if (op_info(r->op)->family == FAMILY_CAUSE)
			cause_add(c, r);
		else if (node >= 0 && node < SUMMARY_MAX_NODES && !clock)
			tally_add(&tally[node], x, true);
		else if (node >= 0 && node < SUMMARY_MAX_NODES) {
			bool kept = slice_clock_map(clock, x, &mapped);
			tally_add(&tally[node], &mapped, kept);
		}
	}
	return ret;
}

static bool on_several_hosts(const struct causality_facts *f)
{
	for (uint32_t i = 0; i < f->n_nodes; i++)
		if (!f->node[i].host)
			return false;
	for (uint32_t i = 1; i < f->n_nodes; i++)
		if (strcmp(f->node[i].host, f->node[0].host))
			return true;
	return false;
}

static void nodes_take(struct run_summary *s, const struct node_tally *tally,
		       const struct causality_facts *f)
{
	const bool hosts = on_several_hosts(f);
	s->node = xcalloc(f->n_nodes, sizeof *s->node);
	for (uint32_t i = 0; i < f->n_nodes; i++) {
		if (!tally[i].response.n)
			continue;
		struct node_summary *node = &s->node[s->n_nodes++];
		*node = (struct node_summary){
		    .node = i,
		    .response = moment_sum_result(&tally[i].response, 0),
		    .busy_ns = tally[i].last_ns - tally[i].first_ns};
		snprintf(node->host, sizeof node->host, "%s", hosts ? f->node[i].host : "");
	}
}

int summary_nodes(struct run_summary *s, const char *trace, const char *input,
		  const struct slices *slices, struct err *e)
{
	struct trace *t = NULL, *of = NULL;
	struct causality_facts facts = {0};
	struct causality_summary causes = {0};
	struct slice_clock clock = {0};
	int ret = trace_open(&of, input ? input : trace, e);
	ret = ret ? ret : causality_facts_read(&facts, trace_meta(of), e);
	if (ret || !facts.n_nodes)
		goto out;
	if (facts.n_nodes > SUMMARY_MAX_NODES) {
		ret = err_set(e, EINVAL, "%s: %u nodes (traced threads), but at most %d are "
			       "possible",
			      input ? input : trace, facts.n_nodes, SUMMARY_MAX_NODES);
		goto out;
	}
	ret = input ? trace_open(&t, trace, e) : 0;
	if (!ret && slices)
		ret = slice_clock_init(&clock, slices, trace_meta(input ? t : of)->epoch_ns, e);
	struct node_tally *tally = xcalloc(facts.n_nodes, sizeof *tally);
	ret = ret ? ret
		: read_both(tally, &causes, &facts, input ? t : of, of, slices ? &clock : NULL, e);
	if (!ret)
		nodes_take(s, tally, &facts);
	if (!ret && !input) {
		causes.n_nodes = facts.n_nodes;
		causes.n_throttled = facts.n_throttled;
		causes.n_runs = facts.n_runs;
		causes.period = facts.period;
		causes.application_ns = facts.application_ns > 0 ? facts.application_ns : 0;
		causes.predicted_ns = facts.predicted_ns;
		causes.tracing_ns = facts.tracing_ns > 0 ? facts.tracing_ns : 0;
		s->causality = causes;
	}
	free(tally);
out:
	slice_clock_release(&clock);
	causality_facts_release(&facts);
	trace_close(t);
	trace_close(of);
	return ret;
}
