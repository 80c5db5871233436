/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Member "parallel" of report.json. */
#include <math.h>

#include "reports/json/json_value.h"
#include "reports/parallel_words.h"

static void set_cell(json_t *o, const struct analysis *a, size_t cell)
{
	const struct protocol *p = &a->results->protocol;
	const struct scenario *s = parallel_scenario(a, cell);
	struct strbuf application = STRBUF_INIT;
	parallel_add_application(&application, s);
	json_set_text(o, "scenario", s->name);
	json_set_text(o, "replayer", p->replayer[a->cell[cell].replayer].name);
	json_set_text(o, "application", application.s);
	json_set_text(o, "target", p->target[s->target].name);
	json_set_text(o, "recorded_on", p->target[s->recorded_on].name);
	strbuf_release(&application);
}

static json_t *recording(const struct causality_summary *r)
{
	if (!r)
		return json_null();
	json_t *o = json_object();
	json_set_count(o, "n_nodes", r->n_nodes);
	json_set_count(o, "n_delayed", r->n_throttled);
	json_set_count(o, "n_runs", r->n_runs);
	json_set_count(o, "period", r->period);
	json_set_count(o, "n_waits", r->n_waits);
	json_set_count(o, "n_signals", r->n_signals);
	json_set_number(o, "application_ns", (double)r->application_ns);
	json_set_number(o, "tracing_ns", (double)r->tracing_ns);
	json_set_number(o, "compute_ns", (double)r->compute_ns);
	return o;
}

static json_t *cases(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; i < a->parallel->n_cases; i++) {
		const struct parallel_case *c = &a->parallel->of_case[i];
		json_t *o = json_object();
		set_cell(o, a, c->cell);
		json_set_estimate(o, "program_ns", &c->program);
		json_set_estimate(o, "replay_ns", &c->replay);
		json_set_estimate(o, "error", &c->error);
		json_set_number(o, "u", c->u);
		json_set_number(o, "k", c->k);
		json_set_number(o, "U", c->U);
		json_set_estimate(o, "program_bytes_per_s", &c->bandwidth_program);
		json_set_estimate(o, "replay_bytes_per_s", &c->bandwidth_replay);
		json_set_number(o, "tracing_time", c->tracing_time);
		json_set_number(o, "tracing_increase", c->tracing_increase);
		json_object_set_new(o, "recording", recording(c->recording));
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
		json_set_count(o, "n_recorded_on", w->n_cells);
		json_set_estimate(o, "error_size", &w->size);
		json_set_number(o, "published", w->published ? fabs(w->published->value) : NAN);
		json_set_text(o, "published_in", w->published ? w->published->source : NULL);
		json_set_number(o, "tracing_time", w->tracing_time);
		json_set_number(o, "tracing_increase", w->tracing_increase);
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
		json_set_count(o, "node", n->node);
		json_set_number(o, "n_requests", n->n_requests);
		json_set_estimate(o, "program_ns", &n->program);
		json_set_estimate(o, "replay_ns", &n->replay);
		json_set_estimate(o, "bias", &n->bias);
		json_set_number(o, "U", n->U);
		json_set_number(o, "program_busy_s", n->busy_program_s);
		json_set_number(o, "replay_busy_s", n->busy_replay_s);
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *sums(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; i < a->parallel->n_sums; i++) {
		const struct parallel_sum *s = &a->parallel->sum[i];
		json_t *o = json_object();
		json_set_text(o, "replayer", a->results->protocol.replayer[s->replayer].name);
		json_set_count(o, "n_cases", s->n_cells);
		json_set_number(o, "mean_error_size", s->mean_size);
		json_set_number(o, "mean_worst_error_size", s->mean_worst_size);
		json_set_number(o, "worst_error_size", s->worst == PARALLEL_NO_CELL ? NAN : a->parallel->worst[s->worst].size.value);
		json_array_append_new(all, o);
	}
	return all;
}

json_t *json_parallel(const struct analysis *a)
{
	json_t *o = json_object();
	json_object_set_new(o, "cases", cases(a));
	json_object_set_new(o, "worst", worst(a));
	json_object_set_new(o, "nodes", nodes(a));
	json_object_set_new(o, "replayers", sums(a));
	return o;
}
