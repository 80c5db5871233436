/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report/report.json: everything in the analysis, for programs. doc/report-schema.json describes it; keys keep their
 * order. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "reports/forms.h"
#include "reports/json/json_value.h"
#include "reports/output.h"
#include "reports/words.h"
#include "validate/components/component.h"

#define REPORT_FORMAT_VERSION 1

/* Null where there is none, with the status that what it would judge has. */
static void json_set_limit(json_t *o, const char *key, double limit)
{
	json_set_status_number(o, key, isnan(limit) ? STAT_NOT_ASSESSED : STAT_OK, limit);
}

static json_t *limits(const struct accept_limits *l)
{
	json_t *o = json_object();
	for (int k = 0; k < COMPONENT_N; k++) {
		double limit = accept_limit(l, k);
		if (components[k]->unit == COMPONENT_COUNT && !isnan(limit))
			json_set_count(o, accept_limit_names[k], (uint64_t)limit);
		else
			json_set_limit(o, accept_limit_names[k], limit);
	}
	json_set_text(o, "reorder_scope", reorder_scope_names[l->reorder_scope]);
	json_set_limit(o, "execution_time_timed", l->execution_time_timed);
	json_set_limit(o, "repeatability", l->repeatability);
	json_set_limit(o, "guard_band", l->guard_band);
	json_set_text(o, "uncertainty_bias", uncertainty_bias_names[l->uncertainty_bias]);
	json_set_text(o, "concurrency_by", concurrency_by_names[l->concurrency_by]);
	return o;
}

static json_t *options(const struct setting *s, size_t n)
{
	json_t *o = json_object();
	for (size_t i = 0; i < n; i++) {
		json_t *key = json_text(s[i].key);
		json_set_text(o, json_string_value(key), s[i].value);
		json_decref(key);
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
		json_t *o = json_object();
		json_set_text(o, "name", t->name);
		json_set_text(o, "dir", t->dir);
		json_set_text(o, "cache", cache_state_names[t->cache]);
		json_set_count(o, "cache_budget_bytes", t->cache_budget_bytes);
		json_set_count(o, "memory_limit_bytes", t->memory_limit_bytes);
		json_set_text(o, "queue", t->queue);
		json_set_count(o, "precondition_passes", t->precondition_passes);
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *scenarios(const struct protocol *p)
{
	json_t *all = json_array();
	for (size_t i = 0; i < p->n_scenarios; i++) {
		const struct scenario *s = &p->scenario[i];
		json_t *o = json_object();
		json_set_text(o, "name", s->name);
		json_set_text(o, "workload", s->workload);
		json_set_text(o, "type", s->type);
		json_set_count(o, "level", s->level);
		json_set_text(o, "target", s->target < p->n_targets ? p->target[s->target].name : NULL);
		json_object_set_new(o, "options", options(s->option, s->n_options));
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *replayers(const struct protocol *p)
{
	json_t *all = json_array();
	for (size_t i = 0; i < p->n_replayers; i++) {
		const struct replayer *r = &p->replayer[i];
		json_t *o = json_object();
		json_set_text(o, "name", r->name);
		json_set_text(o, "engine", r->engine);
		json_object_set_new(o, "total_order", json_boolean(r->total_order));
		json_object_set_new(o, "timed", json_boolean(r->timed));
		json_object_set_new(o, "scenarios", applied(p, r));
		json_object_set_new(o, "options", options(r->option, r->n_options));
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *protocol(const struct protocol *p)
{
	json_t *o = json_object();
	json_set_text(o, "title", p->title);
	json_set_count(o, "n_replicates_min", p->n_replicates_min);
	json_set_count(o, "n_replicates_max", p->n_replicates_max);
	json_set_count(o, "seed", p->seed);
	json_set_count(o, "n_bank", p->n_bank);
	json_set_text(o, "reference", reference_names[p->reference]);
	json_object_set_new(o, "min_duration_ns", json_integer(p->min_duration_ns));
	json_object_set_new(o, "settle_ns", json_integer(p->settle_ns));
	json_set_text(o, "cpus", p->cpus);
	json_set_text(o, "scheduler", p->scheduler);
	json_object_set_new(o, "limits", limits(&p->accept));
	json_object_set_new(o, "targets", targets(p));
	json_object_set_new(o, "scenarios", scenarios(p));
	json_object_set_new(o, "replayers", replayers(p));
	return o;
}

static json_t *linearity(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; i < a->n_linearity; i++) {
		const struct linearity *l = &a->linearity[i];
		json_t *o = json_object(), *levels = json_array();
		json_set_text(o, "name", l->name);
		json_set_text(o, "replayer", a->results->protocol.replayer[l->replayer].name);
		for (size_t k = 0; k < l->n_levels; k++) {
			json_t *v = json_object();
			json_set_count(v, "level", l->level[k].level);
			json_set_number(v, "cv", l->level[k].cv);
			json_set_number(v, "relative_bias", l->level[k].relative_bias);
			json_array_append_new(levels, v);
		}
		json_object_set_new(o, "levels", levels);
		json_set_text(o, "status", stat_status_name(l->status));
		json_set_status_number(o, "slope", l->status, l->slope);
		json_set_status_number(o, "slope_se", l->status, l->slope_se);
		json_set_status_number(o, "slope_p", l->status, l->slope_p);
		json_set_status_number(o, "intercept", l->status, l->intercept);
		json_set_text(o, "lack_of_fit_status", stat_status_name(l->lack_of_fit_status));
		json_set_status_number(o, "lack_of_fit_f", l->lack_of_fit_status, l->lack_of_fit_f);
		json_set_status_number(o, "lack_of_fit_p", l->lack_of_fit_status, l->lack_of_fit_p);
		json_set_text(o, "trend_status", stat_status_name(l->trend_status));
		json_set_status_number(o, "trend_p", l->trend_status, l->trend_p);
		json_set_number(o, "spread_p", l->spread_p);
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *sources(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; i < a->n_sources; i++) {
		const struct uncertainty_source *s = &a->source[i];
		json_t *o = json_object();
		json_set_text(o, "category", s->category);
		json_set_text(o, "name", s->name);
		json_set_text(o, "note", s->note);
		json_object_set_new(o, "in_budget", json_boolean(s->in_budget));
		json_object_set_new(o, "warning", json_boolean(s->warning));
		json_array_append_new(all, o);
	}
	return all;
}

static void set_verdict(json_t *o, const struct analysis *a)
{
	json_t *assessed = json_array(), *not_assessed = json_array();
	for (size_t k = 0; k < COMPONENT_N; k++)
		json_array_append_new(a->assessed[k] ? assessed : not_assessed, json_text(component_names[k]));
	json_set_text(o, "verdict", verdict_name(a->verdict));
	json_set_count(o, "n_trusted", a->n_trusted);
	json_set_count(o, "n_not_trusted", a->n_not_trusted);
	json_set_count(o, "n_inconclusive", a->n_inconclusive);
	json_object_set_new(o, "assessed", assessed);
	json_object_set_new(o, "not_assessed", not_assessed);
	json_object_set_new(o, "complete", json_boolean(a->complete));
	json_set_count(o, "look", a->look);
	json_set_count(o, "n_replicates", a->n_replicates);
	json_set_number(o, "level_accept", a->level_accept);
	json_set_number(o, "level_reject", a->level_reject);
	json_set_count(o, "n_rejection_tests", a->n_rejection_tests);
	json_set_number(o, "between_process_cv", a->between_process_cv);
	json_set_count(o, "n_events_lost", a->n_events_lost);
	json_set_count(o, "n_cut", a->n_cut);
	json_set_count(o, "n_programs_unseen", a->n_programs_unseen);
	json_set_count(o, "n_requests_unseen", a->n_requests_unseen);
	json_set_count(o, "n_damaged_journal_lines", a->results->n_damaged_journal_lines);
}

static json_t *json_case(const struct analysis *a, size_t i)
{
	return json_cell(a, &a->cell[i]);
}

static void role_set(json_t *o, const struct protocol *p, int32_t role)
{
	bool replayer = role >= 0 && (size_t)role < p->n_replayers;
	json_set_text(o, "role",
		      role == ROLE_PROGRAM  ? "program"
		      : role == ROLE_RECORD ? "recording"
					    : "replay");
	json_set_text(o, "replayer", replayer ? p->replayer[role].name : NULL);
}

static json_t *run_json(const struct analysis *a, size_t i)
{
	static const char *const state[] = {
	    [RUN_PENDING] = "pending", [RUN_OK] = "ok", [RUN_FAILED] = "failed"};
	const struct results *r = a->results;
	const struct run *u = &r->run[i];
	json_t *o = json_object();
	json_set_count(o, "id", u->id);
	json_set_count(o, "block", u->block);
	json_set_count(o, "position", u->position);
	bool is_known = u->scenario < r->protocol.n_scenarios;
	json_set_text(o, "scenario", is_known ? r->protocol.scenario[u->scenario].name : NULL);
	role_set(o, &r->protocol, u->role);
	json_set_count(o, "bank", u->bank);
	json_set_text(o, "state", state[u->state]);
	json_set_text(o, "reason", u->reason);
	json_object_set_new(o, "started_ns", json_integer(u->started_ns));
	if (u->state == RUN_OK && u->has_summary) {
		json_set_count(o, "n_requests", u->summary.response.n);
		json_set_number(o, "mean_ns", u->summary.response.mean);
		json_set_number(o, "median_ns", u->summary.response_median);
		json_set_number(o, "p99_ns", u->summary.response_p99);
		json_object_set_new(o, "execution_time_ns", json_integer(u->summary.execution_ns));
		if (u->summary.n_slices) {
			json_set_count(o, "n_slices", u->summary.n_slices);
			json_set_count(o, "n_left_out", u->summary.n_left_out);
		}
	}
	if (isfinite(u->others_share)) {
		json_set_number(o, "others_share", u->others_share);
		json_set_number(o, "stolen_share", u->stolen_share);
	}
	json_set_count(o, "files_bytes", u->residency.total_bytes);
	json_set_count(o, "cached_bytes", u->residency.cached_bytes);
	json_set_count(o, "cgroup_limit_bytes", u->cgroup_limit_bytes);
	json_set_count(o, "cgroup_peak_bytes", u->cgroup_peak_bytes);
	return o;
}

/* Members of `o`, which is dropped. */
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
	json_t *o = json_object();
	json_set_text(o, "format", "validate-report");
	json_set_count(o, "format_version", REPORT_FORMAT_VERSION);
	json_set_text(o, "program_version", VALIDATE_VERSION);
	json_set_text(o, "title", words_title(a));
	set_verdict(o, a);
	return o;
}

static json_t *what_cases_share(const struct analysis *a)
{
	json_t *o = json_object();
	json_object_set_new(o, "rated_ranges", json_rated_ranges(a));
	json_object_set_new(o, "linearity", linearity(a));
	json_object_set_new(o, "operations", json_operations(a));
	json_object_set_new(o, "findings", json_claims(a));
	json_object_set_new(o, "published", json_published(a));
	json_object_set_new(o, "courses", json_courses(a));
	json_object_set_new(o, "costs", json_costs(a));
	json_object_set_new(o, "league", json_league(a));
	json_object_set_new(o, "at_device", json_at_device(a));
	if (a->parallel)
		json_object_set_new(o, "parallel", json_parallel(a));
	json_object_set_new(o, "uncertainty_sources", sources(a));
	json_object_set_new(o, "protocol", protocol(&a->results->protocol));
	json_object_set(o, "environment", a->results->environment ? a->results->environment : json_null());
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
