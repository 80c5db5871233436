/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the observed requests as a replay of the input: record i replays record i; extra requests
 * come last. */

#include "replay/engines/adapters/adapter_private.h"
#include "replay/result/output.h"

struct adapter_source {
	struct adapter_state *a;
	/* start of the first observed request in the order of the input, CLOCK_MONOTONIC */
	int64_t first_begin_ns;
	int64_t first_traced_ns; /* its start in the input */
	struct trace *seen;	 /* for extra requests */
	uint64_t at;		 /* next record of it */
	uint32_t *object;	 /* object[n]: the object of the input with the same name */
	uint32_t n_objects;
};

static int64_t expected_of(const struct trace_record *traced)
{
	return traced->rvalue < 0 || traced->error ? (traced->error ? -(int64_t)traced->error : -1)
						   : traced->rvalue;
}

/* The compared part of a result: 0 for every success if the value itself (a descriptor) may differ.
 */
static int64_t compared_of(uint16_t op, int64_t rvalue)
{
	return rvalue > 0 && !call_result_counts(op) ? 0 : rvalue;
}

/* If only success is compared, a success gets the traced result (such as a descriptor), because
 * later requests of the trace refer to it. */
static struct output_outcome outcome_make(const struct outcome_slot *x, uint16_t op, int64_t traced)
{
	int64_t begin_ns = outcome_begin_ns(x),
		rvalue = x->rvalue == ADAPTER_AS_TRACED ? traced : x->rvalue;
	bool stands = traced >= 0 && !call_result_counts(op);
	return (struct output_outcome){
	    .outcome = {.begin_ticks = (uint64_t)begin_ns,
			.end_ticks = (uint64_t)(begin_ns + x->took_ns),
			.rvalue = compared_of(op, rvalue)},
	    .dispatch_ticks = x->dispatched_ns < 0 ? 0 : (uint64_t)(begin_ns + x->dispatched_ns),
	    .success = rvalue < 0 ? 0
		       : stands   ? traced
				  : rvalue,
	};
}

static void outcome_get(const struct output_source *o, uint64_t i,
			const struct trace_record *traced, struct trace_record *out,
			struct output_result *f)
{
	struct adapter_source *s = (struct adapter_source *)(uintptr_t)o->ctx;
	const struct outcome_slot *x = &s->a->outcome[i];
	(void)out;
	f->skipped = inputs_is_left_out(&s->a->run.inputs, i);
	if (o->untimed && o->timed && !f->skipped && traced->begin_ns != TIME_NONE)
		f->intended_ns =
		    (int64_t)((double)(traced->begin_ns - o->input_first_ns) / o->config->speed);
	if (!x->begin || f->skipped)
		return;
	f->expected = compared_of(traced->op, expected_of(traced));
	f->first = outcome_make(x, traced->op, expected_of(traced));
	if (traced->begin_ns == TIME_NONE)
		return;
	if (s->first_begin_ns == TIME_NONE) {
		s->first_begin_ns = outcome_begin_ns(x);
		s->first_traced_ns = traced->begin_ns;
	}
	if (o->timed)
		f->intended_ns =
		    s->first_begin_ns - s->a->run.started_ns +
		    (int64_t)((double)(traced->begin_ns - s->first_traced_ns) / o->config->speed);
}

/* --- extra requests ------------------------------------------------------ */

/* A device has a single object. Other objects are found by name. */
static uint32_t object_of(struct adapter_source *s, uint32_t object)
{
	struct trace *input = s->a->run.input;
	const struct trace_object *o = object == OBJECT_NONE ? NULL : trace_object(s->seen, object);
	uint32_t n = trace_n_objects(input);
	if (s->a->run.device)
		return n ? 0 : OBJECT_NONE;
	for (uint32_t i = 0; o && i < n; i++) {
		const struct trace_object *x = trace_object(input, i);
		if (x && !strcmp(x->name + strspn(x->name, "/"), o->name + strspn(o->name, "/")))
			return i;
	}
	return OBJECT_NONE;
}

static int extra_next(const struct output_source *o, struct trace_record *r,
		      struct output_outcome *got, struct err *e)
{
	struct adapter_source *s = (struct adapter_source *)(uintptr_t)o->ctx;
	struct adapter_state *a = s->a;
	const struct trace_record *x;
	int ret;
	while ((ret = trace_next(s->seen, &x, e)) == 1) {
		uint64_t at = s->at++;
		if (a->is_matched[at / 8] >> at % 8 & 1)
			continue;
		int64_t shift_ns = a->shift_ns,
			end_ns = x->end_ns == TIME_NONE ? x->begin_ns : x->end_ns;
		*r = *x;
		r->seq = a->run.inputs.n_records;
		r->object = object_of(s, x->object);
		r->intended_ns = r->dispatch_ns = TIME_NONE;
		got->outcome.begin_ticks = (uint64_t)(x->begin_ns + shift_ns);
		got->outcome.end_ticks = (uint64_t)(end_ns + shift_ns);
		got->outcome.rvalue = x->error                         ? -(int32_t)x->error
				      : x->rvalue == ADAPTER_AS_TRACED ? (int64_t)x->length
								       : x->rvalue;
		got->success = got->outcome.rvalue < 0 ? 0 : got->outcome.rvalue;
		got->dispatch_ticks = 0;
		return 1;
	}
	return ret;
}

/* --- the whole output ---------------------------------------------------- */

static struct run_facts facts_of(const struct child_result *r)
{
	return (struct run_facts){
		.wall_ns = r->ended_ns - r->started_ns,
		.cpu_user_ns = r->user_ns,
		.cpu_system_ns = r->system_ns,
		.steal_ns = -1,
		.runqueue_wait_ns = -1,
		.n_minor_faults = r->n_minor,
		.n_major_faults = r->n_major,
		.n_voluntary_switches = r->n_voluntary,
		.n_involuntary_switches = r->n_involuntary,
		.bytes_read_device = r->bytes_read,
		.bytes_written_device = r->bytes_written,
		.peak_memory_bytes = r->peak_bytes,
	};
}

static json_t *words_to_json(const struct words_list *w)
{
	json_t *all = json_array();
	for (size_t i = 0; i < w->n; i++) {
		json_t *word = json_string(w->v[i]);
		json_array_append_new(all, word ? word : json_string("?")); /* not UTF-8 */
	}
	return all;
}

static json_t *description_json(const struct adapter_state *a)
{
	json_t *j =
	    json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:s}", "name", a->run.adapter->name,
		      "program", a->run.binary, "sha256", a->digest, "version", a->version.s,
		      "times", times_name(a->times.how), "command", words_to_json(&a->command),
		      "environment", words_to_json(&a->environment), "format", a->format->name);
	const struct {
		const char *name;
		uint64_t n;
	} counts[] = {{"n_seen", a->n_seen},
		      {"n_matched", a->n_matched},
		      {"n_extra", a->n_extra},
		      {"n_other", a->n_other},
		      {"n_ambiguous", a->n_ambiguous},
		      {"n_left_out", a->run.inputs.n_left_out},
		      {"n_events_lost", a->n_events_lost},
		      {"n_printed_bytes", a->result->n_printed_bytes},
		      {"peak_memory_bytes", a->result->peak_bytes}};
	for (size_t i = 0; j && i < sizeof counts / sizeof *counts; i++)
		json_object_set_new(j, counts[i].name, json_integer((json_int_t)counts[i].n));
	if (j && times_hide_results(&a->times))
		json_object_set_new(j, "n_results_unknown", json_integer((json_int_t)a->n_matched));
	if (j && a->run.inputs.n_left_out)
		json_object_set_new(j, "first_left_out", json_string(a->run.inputs.why));
	if (j && a->notes.len)
		json_object_set_new(j, "notes", json_string(a->notes.s));
	return json_pack("{s:o}", "replayer", j ? j : json_null());
}

static void summary_fill(const struct adapter_state *a, struct replay_summary *s)
{
	struct adapter_summary *x = &s->adapter;
	const struct inputs *in = &a->run.inputs;
	x->times = times_name(a->times.how);
	snprintf(x->version, sizeof x->version, "%s", a->version.s);
	snprintf(x->notes, sizeof x->notes, "%s", a->notes.s);
	x->n_seen = a->n_seen;
	x->n_ambiguous = a->n_ambiguous;
	x->n_left_out = in->n_left_out;
	x->cpu_ns = a->result->user_ns + a->result->system_ns;
	x->peak_bytes = a->result->peak_bytes;
	s->n_threads = in->n_threads;
	s->n_workers = a->run.config->n_workers ? a->run.config->n_workers : in->n_threads;
	s->n_skipped_of[SKIP_FORMAT] = s->n_skipped = in->n_left_out;
	s->n_records = in->n_records;
	s->input_first_ns = in->first_ns == TIME_NONE ? 0 : in->first_ns;
}

int adapter_output_write(struct adapter_state *a, struct replay_summary *s, struct err *e)
{
	const bool own = a->times.how == ADAPTER_SELF && !a->times.has_form;
	const int64_t resolution_ns =
	    own && a->run.adapter->resolution_ns ? a->run.adapter->resolution_ns : 1;
	const struct clock clock = {.source = CLOCK_SOURCE_MONOTONIC,
				    .ns_per_tick = 1,
				    .resolution_ns = (double)resolution_ns};
	struct adapter_source from = {.a = a, .first_begin_ns = TIME_NONE};
	const bool untimed = a->times.how == ADAPTER_UNTIMED;
	int ret = untimed ? 0 : trace_open(&from.seen, a->seen_path, e);
	if (ret)
		return ret;
	summary_fill(a, s);
	struct output_source o = {
	    .ctx = &from,
	    .config = a->run.config,
	    .outcome_get = outcome_get,
	    .extra = a->n_extra ? extra_next : NULL,
	    .clock = &clock,
	    .start_ticks = (uint64_t)a->run.started_ns,
	    .n_records = a->run.inputs.n_records,
	    .n_requests = a->run.inputs.n_records,
	    .level = trace_meta(a->run.input)->level,
	    .root = a->run.device ? NULL : a->run.target,
	    .timed = adapter_is_timed(a->run.adapter, a->run.config) &&
		     a->run.inputs.first_ns != TIME_NONE,
	    .untimed = untimed,
	    .input_first_ns = s->input_first_ns,
	    .facts = facts_of(a->result),
	    .n_workers = s->n_workers,
	    .n_events_lost = a->n_events_lost,
	    .more = description_json(a),
	};
	ret = output_write(a->run.input, a->input_path, &o, a->run.config, s, e);
	json_decref(o.more);
	trace_close(from.seen);
	return ret;
}
