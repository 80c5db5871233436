/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Member "parallel" of report.json. */
#include "reports/json/json_report.h"
#include "reports/words.h"

static void set_cell(json_t *o, const struct analysis *a, size_t cell)
{
	const struct protocol *p = &a->results->protocol;
	const struct scenario *s = parallel_scenario(a, cell);
	SCOPED_STRBUF application = STRBUF_INIT;
	parallel_add_application(&application, s);
	json_add(o, J_TEXT("scenario", s->name),
		J_TEXT("replayer", p->replayer[a->cell[cell].replayer].name),
		J_TEXT("application", application.s), J_TEXT("target", p->target[s->target].name),
		J_TEXT("recorded_on", p->target[s->recorded_on].name));
}

static json_t *recording(const struct causality_summary *r)
{
	if (!r)
		return json_null();
	return json_make(J_COUNT("n_nodes", r->n_nodes), J_COUNT("n_delayed", r->n_throttled),
		J_COUNT("n_runs", r->n_runs), J_COUNT("period", r->period),
		J_COUNT("n_waits", r->n_waits), J_COUNT("n_signals", r->n_signals),
		J_NUMBER("application_ns", (double)r->application_ns), J_NUMBER("tracing_ns",
		(double)r->tracing_ns), J_NUMBER("predicted_error", causality_predicted_error(r)),
		J_NUMBER("compute_ns", (double)r->compute_ns));
}

static json_t *cases(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; i < a->parallel->n_cases; i++) {
		const struct parallel_case *c = &a->parallel->of_case[i];
		json_t *o = json_object();
		set_cell(o, a, c->cell);
		json_add(o, J_ESTIMATE("program_ns", &c->program),
			J_ESTIMATE("replay_ns", &c->replay), J_ESTIMATE("error", &c->error),
			J_NUMBER("u", c->u), J_NUMBER("k", c->k), J_NUMBER("U", c->U),
			J_ESTIMATE("program_bytes_per_s", &c->bandwidth_program),
			J_ESTIMATE("replay_bytes_per_s", &c->bandwidth_replay),
			J_NUMBER("tracing_time", c->tracing_time), J_NUMBER("tracing_increase",
			c->tracing_increase), J_VALUE("recording", recording(c->recording)));
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *worst(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; i < a->parallel->n_worst; i++) {
		const struct parallel_worst *w = &a->parallel->worst[i];
		json_t *o = json_object();
		set_cell(o, a, w->cell == PARALLEL_NO_CELL ? w->first : w->cell);
		json_add(o, J_COUNT("n_recorded_on", w->n_cells),
			J_ESTIMATE("error_size", &w->size),
			J_NUMBER("published", w->published ? fabs(w->published->value) : NAN),
			J_TEXT("published_in", w->published ? w->published->source : NULL),
			J_NUMBER("tracing_time", w->tracing_time),
			J_NUMBER("tracing_increase", w->tracing_increase));
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *nodes(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; i < a->parallel->n_nodes; i++) {
		const struct parallel_node *n = &a->parallel->node[i];
		json_t *o = json_object();
		set_cell(o, a, n->cell);
		json_add(o, J_COUNT("node", n->node), J_NUMBER("n_requests", n->n_requests),
			J_ESTIMATE("program_ns", &n->program), J_ESTIMATE("replay_ns", &n->replay),
			J_ESTIMATE("bias", &n->bias), J_NUMBER("U", n->U),
			J_NUMBER("program_busy_s", n->busy_program_s),
			J_NUMBER("replay_busy_s", n->busy_replay_s));
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *sums(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; i < a->parallel->n_sums; i++) {
		const struct parallel_sum *s = &a->parallel->sum[i];
		json_append(all, J_TEXT("replayer",
			a->results->protocol.replayer[s->replayer].name),
			J_COUNT("n_cases", s->n_cells), J_NUMBER("mean_error_size", s->mean_size),
			J_NUMBER("mean_worst_error_size", s->mean_worst_size),
			J_NUMBER("worst_error_size", s->worst == PARALLEL_NO_CELL ? NAN
				: a->parallel->worst[s->worst].size.value));
	}
	return all;
}

json_t *json_parallel(const struct analysis *a)
{
	return json_make(J_VALUE("cases", cases(a)), J_VALUE("worst", worst(a)),
		J_VALUE("nodes", nodes(a)), J_VALUE("replayers", sums(a)));
}
