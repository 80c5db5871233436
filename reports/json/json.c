/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report/report.json: the whole analysis for programs. doc/report-schema.json describes it; keys
 * keep their order. */
#include "reports/forms.h"
#include "reports/json/json_report.h"
#include "reports/output.h"
#include "reports/words.h"
#include "validate/components/component.h"

#define REPORT_FORMAT_VERSION 1

/* A limit. If there is none: null, with the status of the estimate to which the limit would
 * apply. */
#define J_LIMIT(k, limit) J_STATUS(k, isnan(limit) ? STAT_NOT_ASSESSED : STAT_OK, limit)

static json_t *limits(const struct accept_limits *l)
{
	json_t *o = json_object();
	for (size_t k = 0; k < components_listed(l); k++) {
		double limit = accept_limit(l, k);
		if (components[k]->unit == COMPONENT_COUNT && !isnan(limit))
			json_add(o, J_COUNT(accept_limit_names[k], (uint64_t)limit));
		else
			json_add(o, J_LIMIT(accept_limit_names[k], limit));
	}
	return json_add(o, J_TEXT("reorder_scope", reorder_scope_names[l->reorder_scope]),
		J_LIMIT("execution_time_timed", l->execution_time_timed),
		J_LIMIT("repeatability", l->repeatability), J_LIMIT("guard_band", l->guard_band),
		J_TEXT("uncertainty_bias", uncertainty_bias_names[l->uncertainty_bias]),
		J_TEXT("concurrency_by", concurrency_by_names[l->concurrency_by]));
}

static json_t *options(const struct setting *s, size_t n)
{
	json_t *o = json_object();
	for (size_t i = 0; i < n; i++) {
		json_auto_t *key = json_text(s[i].key);
		json_add(o, J_TEXT(json_string_value(key), s[i].value));
	}
	return o;
}

static json_t *applied(const struct protocol *p, const struct replayer *r)
{
	json_t *all = json_array();
	for (size_t i = 0; i < p->n_scenarios; i++)
		if (!r->applies || r->applies[i])
			json_array_append_new(all, json_text(p->scenario[i].name));
	return all;
}

static json_t *targets(const struct protocol *p)
{
	json_t *all = json_array();
	for (size_t i = 0; i < p->n_targets; i++) {
		const struct target *t = &p->target[i];
		json_append(all, J_TEXT("name", t->name), J_TEXT("dir", t->dir),
			J_TEXT("cache", cache_state_names[t->cache]),
			J_COUNT("cache_budget_bytes", t->cache_budget_bytes),
			J_COUNT("memory_limit_bytes", t->memory_limit_bytes), J_TEXT("queue",
			t->queue), J_COUNT("precondition_passes", t->precondition_passes));
	}
	return all;
}

static json_t *scenarios(const struct protocol *p)
{
	json_t *all = json_array();
	for (size_t i = 0; i < p->n_scenarios; i++) {
		const struct scenario *s = &p->scenario[i];
		json_append(all, J_TEXT("name", s->name), J_TEXT("workload", s->workload),
			J_TEXT("type", s->type), J_COUNT("level", s->level),
			J_TEXT("target", s->target < p->n_targets ? p->target[s->target].name
				: NULL),
			J_VALUE("options", options(s->option, s->n_options)));
	}
	return all;
}

static json_t *replayers(const struct protocol *p)
{
	json_t *all = json_array();
	for (size_t i = 0; i < p->n_replayers; i++) {
		const struct replayer *r = &p->replayer[i];
		json_append(all, J_TEXT("name", r->name), J_TEXT("engine", r->engine),
			J_BOOL("total_order", r->total_order), J_BOOL("timed", r->timed),
			J_VALUE("scenarios", applied(p, r)),
			J_VALUE("options", options(r->option, r->n_options)));
	}
	return all;
}

static json_t *protocol(const struct protocol *p)
{
	return json_make(J_TEXT("title", p->title),
		J_COUNT("n_replicates_min", p->n_replicates_min),
		J_COUNT("n_replicates_max", p->n_replicates_max), J_COUNT("seed", p->seed),
		J_COUNT("n_bank", p->n_bank), J_TEXT("reference", reference_names[p->reference]),
		J_INT("min_duration_ns", p->min_duration_ns), J_INT("settle_ns", p->settle_ns),
		J_TEXT("cpus", p->cpus), J_TEXT("scheduler", p->scheduler),
		J_VALUE("limits", limits(&p->accept)), J_VALUE("targets", targets(p)),
		J_VALUE("scenarios", scenarios(p)), J_VALUE("replayers", replayers(p)));
}

static json_t *linearity(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; i < a->n_linearity; i++) {
		const struct linearity *l = &a->linearity[i];
		json_t *o = json_object(), *levels = json_array();
		json_add(o, J_TEXT("name", l->name),
			J_TEXT("replayer", a->results->protocol.replayer[l->replayer].name));
		for (size_t k = 0; k < l->n_levels; k++)
			json_append(levels, J_COUNT("level", l->level[k].level),
				J_NUMBER("cv", l->level[k].cv),
				J_NUMBER("relative_bias", l->level[k].relative_bias));
		json_add(o, J_VALUE("levels", levels), J_TEXT("status",
			stat_status_name(l->status)), J_STATUS("slope", l->status, l->slope),
			J_STATUS("slope_se", l->status, l->slope_se), J_STATUS("slope_p", l->status,
			l->slope_p), J_STATUS("intercept", l->status, l->intercept),
			J_TEXT("lack_of_fit_status", stat_status_name(l->lack_of_fit_status)),
			J_STATUS("lack_of_fit_f", l->lack_of_fit_status, l->lack_of_fit_f),
			J_STATUS("lack_of_fit_p", l->lack_of_fit_status, l->lack_of_fit_p),
			J_TEXT("trend_status", stat_status_name(l->trend_status)),
			J_STATUS("trend_p", l->trend_status, l->trend_p),
			J_NUMBER("spread_p", l->spread_p));
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *sources(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; i < a->n_sources; i++) {
		const struct uncertainty_source *s = &a->source[i];
		json_append(all, J_TEXT("category", s->category), J_TEXT("name", s->name),
			J_TEXT("note", s->note), J_BOOL("in_budget", s->in_budget),
			J_BOOL("warning", s->warning));
	}
	return all;
}

static void set_verdict(json_t *o, const struct analysis *a)
{
	json_t *not_visible = json_array();
	for (size_t i = 0; i < a->n_not_visible; i++)
		json_array_append_new(not_visible, json_text(a->not_visible[i]));
	json_t *assessed = json_array(), *not_assessed = json_array();
	for (size_t k = 0; k < components_listed(&a->results->protocol.accept); k++)
		json_array_append_new(a->assessed[k] ? assessed : not_assessed,
				      json_text(component_names[k]));
	json_add(o, J_TEXT("verdict", verdict_name(a->verdict)), J_COUNT("n_trusted", a->n_trusted),
		J_COUNT("n_not_trusted", a->n_not_trusted), J_COUNT("n_inconclusive",
		a->n_inconclusive), J_VALUE("assessed", assessed), J_VALUE("not_assessed",
		not_assessed), J_BOOL("complete", a->complete), J_COUNT("look", a->look),
		J_COUNT("n_replicates", a->n_replicates), J_NUMBER("level_accept", a->level_accept),
		J_NUMBER("level_reject", a->level_reject), J_COUNT("n_rejection_tests",
		a->n_rejection_tests), J_NUMBER("between_process_cv", a->between_process_cv),
		J_COUNT("n_events_lost", a->n_events_lost), J_COUNT("n_cut", a->n_cut),
		J_COUNT("n_programs_unseen", a->n_programs_unseen), J_COUNT("n_requests_unseen",
		a->n_requests_unseen), J_VALUE("not_visible", not_visible),
		J_COUNT("n_damaged_journal_lines", a->results->n_damaged_journal_lines));
}

static json_t *json_case(const struct analysis *a, size_t i)
{
	return json_cell(a, &a->cell[i]);
}

static json_t *run_json(const struct analysis *a, size_t i)
{
	static const char *const state[] = {
	    [RUN_PENDING] = "pending", [RUN_OK] = "ok", [RUN_FAILED] = "failed"};
	const struct results *r = a->results;
	const struct run *u = &r->run[i];
	json_t *o = json_make(J_COUNT("id", u->id), J_COUNT("block", u->block),
		J_COUNT("position", u->position));
	bool is_known = u->scenario < r->protocol.n_scenarios;
	json_add(o, J_TEXT("scenario", is_known ? r->protocol.scenario[u->scenario].name : NULL));
	bool is_replay = u->role >= 0 && (size_t)u->role < r->protocol.n_replayers;
	json_add(o, J_TEXT("role", u->role == ROLE_PROGRAM  ? "program"
				   : u->role == ROLE_RECORD ? "recording" : "replay"),
		J_TEXT("replayer", is_replay ? r->protocol.replayer[u->role].name : NULL));
	json_add(o, J_COUNT("bank", u->bank), J_TEXT("state", state[u->state]),
		J_TEXT("reason", u->reason), J_INT("started_ns", u->started_ns));
	if (u->state == RUN_OK && u->has_summary) {
		json_add(o, J_COUNT("n_requests", u->summary.response.n),
			J_NUMBER("mean_ns", u->summary.response.mean), J_NUMBER("median_ns",
			u->summary.response_median), J_NUMBER("p99_ns", u->summary.response_p99),
			J_INT("execution_time_ns", u->summary.execution_ns));
		if (u->summary.n_slices)
			json_add(o, J_COUNT("n_slices", u->summary.n_slices),
				J_COUNT("n_left_out", u->summary.n_left_out));
	}
	if (isfinite(u->others_share))
		json_add(o, J_NUMBER("others_share", u->others_share),
			J_NUMBER("stolen_share", u->stolen_share));
	return json_add(o, J_COUNT("files_bytes", u->residency.total_bytes), J_COUNT("cached_bytes",
		u->residency.cached_bytes), J_COUNT("cgroup_limit_bytes", u->cgroup_limit_bytes),
		J_COUNT("cgroup_peak_bytes", u->cgroup_peak_bytes));
}

/* Prints the members of `o` and releases it. */
static void add_members(FILE *out, bool first, json_t *o)
{
	const char *key;
	json_t *value;
	json_object_foreach(o, key, value)
	{
		json_text_member(out, first, key, value);
		first = false;
	}
	json_decref(o);
}

static json_t *head(const struct analysis *a)
{
	json_t *o = json_make(J_TEXT("format", "validate-report"),
		J_COUNT("format_version", REPORT_FORMAT_VERSION),
		J_TEXT("program_version", VALIDATE_VERSION), J_TEXT("title", words_title(a)));
	if (a->results->protocol.claimed)
		json_add(o, J_TEXT("claim", a->results->protocol.claimed));
	set_verdict(o, a);
	return o;
}

static json_t *what_cases_share(const struct analysis *a)
{
	json_t *o = json_make(J_VALUE("rated_ranges", json_rated_ranges(a)),
		J_VALUE("linearity", linearity(a)), J_VALUE("operations", json_operations(a)),
		J_VALUE("findings", json_claims(a)), J_VALUE("published", json_published(a)),
		J_VALUE("courses", json_courses(a)), J_VALUE("costs", json_costs(a)),
		J_VALUE("league", json_league(a)), J_VALUE("at_device", json_at_device(a)));
	if (a->parallel)
		json_object_set_new(o, "parallel", json_parallel(a));
	json_add(o, J_VALUE("uncertainty_sources", sources(a)),
		J_VALUE("protocol", protocol(&a->results->protocol)));
	json_object_set(o, "environment",
			a->results->environment ? a->results->environment : json_null());
	return o;
}

static void add_json(FILE *out, const void *analysis)
{
	const struct analysis *a = analysis;
	add_members(out, true, head(a));
	json_text_array(out, false, "cells", a->n_cells, json_case, a);
	add_members(out, false, what_cases_share(a));
	json_text_array(out, false, "runs", a->results->n_runs, run_json, a);
	fputs("\n}\n", out);
}

static int json_form_write(const struct analysis *a, const char *report_dir, struct err *e)
{
	return output_file_by(report_dir, "report.json", add_json, a, e);
}

static int json_form_print(const struct analysis *a, FILE *out, struct err *e)
{
	return output_stream_by(out, add_json, a, e);
}

const struct report_form report_form_json = {
    .name = "json",
    .help = "everything, for programs (doc/report-schema.json)",
    .write = json_form_write,
    .print = json_form_print,
    .beside = true,
};

#define FLAGS (JSON_INDENT(1) | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY)

struct buffer { /* reused for the next value */
	char *text;
	size_t size;
	struct strbuf shown;
};

static size_t dump(struct buffer *b, const json_t *value)
{
	size_t len = json_dumpb(value, b->text, b->size, FLAGS);
	if (len <= b->size)
		return len;
	b->size = 2 * len;
	b->text = xrealloc(b->text, b->size);
	return json_dumpb(value, b->text, b->size, FLAGS);
}

/* Prints indented JSON. JSON text has newlines only between its parts. */
static void value_add(FILE *out, struct buffer *b, const json_t *value, unsigned int depth)
{
	const size_t len = dump(b, value);
	strbuf_reset(&b->shown);
	json_add_shown(&b->shown, b->text, len);
	for (size_t at = 0, end; at < b->shown.len; at = end) {
		const char *newline = memchr(b->shown.s + at, '\n', b->shown.len - at);
		end = newline ? (size_t)(newline - b->shown.s) + 1 : b->shown.len;
		fwrite(b->shown.s + at, 1, end - at, out);
		for (unsigned int i = 0; newline && i < depth; i++)
			putc_unlocked(' ', out);
	}
}

static void key_add(FILE *out, bool first, const char *key)
{
	fprintf(out, "%s\n \"%s\": ", first ? "{" : ",", key);
}

void json_text_member(FILE *out, bool first, const char *key, const json_t *value)
{
	struct buffer b = {.shown = STRBUF_INIT};
	key_add(out, first, key);
	value_add(out, &b, value, 1);
	free(b.text);
	strbuf_release(&b.shown);
}

void json_text_array(FILE *out, bool first, const char *key, size_t n,
	json_t *(*element)(const struct analysis *a, size_t i), const struct analysis *a)
{
	struct buffer b = {.shown = STRBUF_INIT};
	key_add(out, first, key);
	putc_unlocked('[', out);
	for (size_t i = 0; i < n; i++) {
		json_auto_t *o = element(a, i);
		fputs(i ? ",\n  " : "\n  ", out);
		value_add(out, &b, o, 2);
	}
	fputs(n ? "\n ]" : "]", out);
	free(b.text);
	strbuf_release(&b.shown);
}
