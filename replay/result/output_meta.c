/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/result/output.h"

#include <sys/utsname.h>

#include "capture/unseen.h"
#include "common/text.h"
#include "replay/options/engine.h"

/* `c`: as given; `settled`: with the engine's changes. */
static char *command_describe(const struct replay_config *c, const struct replay_config *settled,
			      const char *input_path)
{
	struct strbuf out = STRBUF_INIT;
	strbuf_addf(&out, "validate replay --engine %s", c->engine);
	if (settled->row->moded)
		strbuf_addf(&out, " --mode %s", block_mode_names[settled->block.mode]);
	else if (!settled->row->adapter)
		strbuf_addf(&out, " --order %s --timing %s", replay_order_names[c->order],
			    replay_timing_names[c->timing]);
	struct replay_config standard;
	replay_config_init(&standard);
	standard.order = c->order; /* printed above */
	standard.timing = c->timing;
	standard.block.mode = c->block.mode;
	options_command(&out, replay_options, c, &standard, false);
	strbuf_addstr(&out, c->device ? " --device " : c->blank ? " --blank --dir " : " --dir ");
	shell_word(&out, c->device ? c->device : c->dir);
	strbuf_addch(&out, ' ');
	shell_word(&out, input_path);
	return strbuf_detach(&out);
}

static void set_count(json_t *to, const char *key, uint64_t n)
{
	json_object_set_new(to, key, json_integer((json_int_t)n));
}

static json_t *counts_by_operation(const struct replay_summary *s)
{
	json_t *counts = json_object();
	for (unsigned int op = 0; op < OP_N; op++)
		if (s->n_mismatches_of[op])
			set_count(counts, op_name(op), s->n_mismatches_of[op]);
	return counts;
}

static json_t *counts_by_reason(const struct replay_summary *s)
{
	json_t *counts = json_object();
	for (int i = SKIP_NONE + 1; i < SKIP_N; i++)
		if (s->n_skipped_of[i])
			set_count(counts, skip_reasons[i], s->n_skipped_of[i]);
	return counts;
}

static char *extra_describe(const struct replay_config *c, const struct output_source *o,
			    const struct replay_summary *s, const struct trace_meta *input,
			    const char *input_path)
{
	static const char *const kept[] = {"descriptors", "workload", "causality", NULL};
	json_t *all = json_object(), *replay = json_object();
	json_object_set_new(replay, "engine", json_string(c->engine));
	json_object_set_new(replay, "options", options_to_json(replay_options, c));
	json_object_set_new(replay, "input", text_to_json(input_path));
	json_object_set_new(replay, "input_command",
			    input->command ? text_to_json(input->command) : json_null());
	set_count(replay, "n_records", s->n_records);
	set_count(replay, "n_issued", s->n_issued);
	if (c->reads == READS_ORIGINAL) {
		set_count(replay, "n_pages_read", s->n_pages_read);
		set_count(replay, "n_pages_stayed", s->n_pages_stayed);
		set_count(replay, "n_pages_touched", s->n_pages_touched);
		set_count(replay, "n_pages_left", s->n_pages_left);
	}
	if (s->n_clones_copied)
		set_count(replay, "n_clones_copied", s->n_clones_copied);
	set_count(replay, "n_touches", s->n_touches);
	set_count(replay, "n_touches_writing", s->n_touches_writing);
	set_count(replay, "n_skipped", s->n_skipped);
	set_count(replay, "n_lost", s->n_records - s->n_issued - s->n_skipped);
	set_count(replay, "n_repeated", s->n_repeated);
	set_count(replay, "n_failed", s->n_failed);
	set_count(replay, "n_mismatches", s->n_mismatches);
	set_count(replay, "n_mismatches_overlapped", s->n_mismatches_overlapped);
	set_count(replay, "n_mismatches_interrupted", s->n_mismatches_interrupted);
	set_count(replay, "n_mismatches_privileged", s->n_mismatches_privileged);
	set_count(replay, "n_mismatches_limited", s->n_mismatches_limited);
	json_object_set_new(replay, "mismatches_by_operation", counts_by_operation(s));
	json_object_set_new(replay, "skipped_by_reason", counts_by_reason(s));
	set_count(replay, "n_unknown_descriptor", s->n_unknown_fd);
	set_count(replay, "n_workers", o->n_workers);
	set_count(replay, "n_processes", s->n_processes);
	set_count(replay, "n_futex_sleeps", o->n_futex_sleeps);
	set_count(replay, "n_timed_sleeps", o->n_timed_sleeps);
	set_count(replay, "n_late_wakes", o->n_late_wakes);
	if (o->reports_cpu_delay) {
		set_count(replay, "n_held_up", s->n_cpu_delayed);
		set_count(replay, "held_up_ns", (uint64_t)s->cpu_delay_ns);
		set_count(replay, "held_up_max_ns", (uint64_t)s->cpu_delay_max_ns);
		if (s->n_cpu_delayed < s->n_timed)
			json_object_set_new(replay, "others_issue_error_p99_ns",
					    json_real(s->others_p99_ns));
	}
	json_object_set_new(replay, "blank", json_boolean(c->blank));
	json_object_set_new(replay, "stopped", json_boolean(s->stopped));
	if (o->more)
		json_object_update(replay, o->more);
	json_object_set_new(all, "replay", replay);
	struct run_facts facts = o->facts;
	facts.wall_ns = s->elapsed_ns;
	json_object_set_new(all, "facts", run_facts_to_json(&facts));
	json_auto_t *old = input->extra_json ? json_loads(input->extra_json, 0, NULL) : NULL;
	for (const char *const *key = kept; *key; key++)
		if (json_object_get(old, *key))
			json_object_set(all, *key, json_object_get(old, *key));
	if (json_object_get(old, "capture")) /* the replay lacks the same requests */
		unseen_add(all, old);
	char *text = json_dumps(all, JSON_COMPACT);
	json_decref(all);
	return text;
}

int output_meta_put(struct trace_writer **w, struct trace *input, const char *input_path,
		    const struct output_source *from, const struct replay_config *c,
		    const struct replay_summary *s, struct err *e)
{
	const struct trace_meta *in = trace_meta(input);
	const int64_t epoch_ns = clock_ns_of_ticks(from->clock, from->start_ticks);
	struct utsname host = {.nodename = ""};
	uname(&host);
	SCOPED_FREE char *captured_by = xasprintf("validate replay %s " VALIDATE_VERSION,
						   c->engine);
	SCOPED_FREE char *command = command_describe(c, from->config, input_path);
	SCOPED_FREE char *extra = extra_describe(c, from, s, in, input_path);
	struct trace_meta meta = {
		.level = from->level,
		.epoch_ns = epoch_ns,
		.wall_epoch_ns = clock_realtime_ns() - (clock_monotonic_ns() - epoch_ns),
		.clock = from->clock->source == CLOCK_SOURCE_TSC ? "tsc" : "monotonic",
		.clock_resolution_ns = from->clock->resolution_ns,
		.clock_read_cost_ns = from->clock->read_cost_ns,
		.host = host.nodename,
		.command = command,
		.captured_by = captured_by,
		.root = from->root,
		.n_events_lost = in->n_events_lost + from->n_events_lost,
		.cut = in->cut,
		.seed = in->seed,
		.extra_json = extra,
		.files = in->files,
	};
	const struct trace_write_options how = {.no_sync = c->no_sync_output, .no_part = true};
	return *w ? trace_writer_set_meta(*w, &meta, e)
		  : trace_writer_open(w, c->output, &meta, &how, e);
}
