/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members "findings", "published" and "operations" of report.json. */
#include "reports/json/json_report.h"

#include "reports/words.h"
#include "validate/analysis/at_device.h"
#include "validate/analysis/costs.h"
#include "validate/analysis/courses.h"
#include "validate/analysis/league.h"
#include "validate/analysis/operations.h"

static void set_case(json_t *o, const char *scenario, const char *replayer,
		     const struct analysis *a, size_t cell)
{
	const struct protocol *p = &a->results->protocol;
	bool none = cell == CLAIM_NO_CELL;
	json_add(o, J_TEXT(scenario, none ? NULL : p->scenario[a->cell[cell].scenario].name),
		J_TEXT(replayer, none ? NULL : p->replayer[a->cell[cell].replayer].name));
}

static json_t *comparison(const struct analysis *a, const struct claim_comparison *k)
{
	json_t *o = json_object();
	set_case(o, "scenario", "replayer", a, k->cell);
	set_case(o, "than_scenario", "than_replayer", a, k->than);
	return json_add(o, J_ESTIMATE("value", &k->value), J_ESTIMATE("other", &k->other),
		J_ESTIMATE("difference", &k->difference), J_NUMBER("f_critical", k->f_critical),
		J_NUMBER("f_p", k->f_p), J_TEXT("outcome", claim_outcome_names[k->outcome]));
}

json_t *json_claims(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; i < a->n_claims; i++) {
		const struct claim *c = &a->results->protocol.claim[i];
		const struct claim_result *r = &a->claim[i];
		json_t *o = json_object(), *comparisons = json_array();
		json_add(o, J_TEXT("name", c->name), J_TEXT("text", c->text),
			J_TEXT("source", c->source), J_TEXT("published", c->published),
			J_TEXT("reproduce", c->reproduce),
			J_TEXT("measure", measure_info[c->measure].name),
			J_TEXT("operation", c->operation),
			J_TEXT("unit", published_unit(c->measure)),
			J_TEXT("direction", claim_direction_names[c->direction]),
			J_TEXT("difference_unit", measure_info[c->measure].scale == SCALE_LINEAR
				? published_unit(c->measure) : "ratio"),
			J_NUMBER("margin", c->margin), J_NUMBER("confidence", r->confidence),
			J_TEXT("outcome", claim_outcome_names[r->outcome]),
			J_COUNT("n_confirmed", r->n_confirmed),
			J_COUNT("n_not_confirmed", r->n_not_confirmed),
			J_COUNT("n_inconclusive", r->n_inconclusive),
			J_COUNT("n_significant", r->n_significant),
			J_COUNT("n_above_published", r->n_above_published));
		for (size_t k = 0; k < r->n; k++)
			json_array_append_new(comparisons, comparison(a, &r->comparison[k]));
		json_object_set_new(o, "comparisons", comparisons);
		json_array_append_new(all, o);
	}
	return all;
}

json_t *json_published(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; i < a->n_published; i++) {
		const struct published_result *r = &a->published[i];
		json_t *o = json_object();
		json_add(o, J_TEXT("source", r->value->source));
		set_case(o, "scenario", "replayer", a, r->cell);
		json_add(o, J_TEXT("measure", measure_info[r->value->measure].name),
			J_TEXT("operation", r->value->operation), J_TEXT("unit",
			published_unit(r->value->measure)), J_NUMBER("published", r->value->value),
			J_NUMBER("published_uncertainty", r->value->uncertainty),
			J_ESTIMATE("measured", &r->measured));
		json_array_append_new(all, o);
	}
	return all;
}

json_t *json_operations(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; i < a->n_operations; i++) {
		const struct operation_result *r = &a->operation[i];
		json_t *o = json_object();
		set_case(o, "scenario", "replayer", a, r->cell);
		json_add(o, J_TEXT("operation", r->op), J_NUMBER("n_requests", r->n_requests),
			J_NUMBER("share_of_time", r->share), J_ESTIMATE("program_ns", &r->program),
			J_ESTIMATE("replay_ns", &r->replay), J_ESTIMATE("bias", &r->bias),
			J_ESTIMATE("uncertainty", &r->uncertainty));
		json_array_append_new(all, o);
	}
	return all;
}

/* Members "league" and "at_device" of report.json. */

static const char *const quantity_names[LEAGUE_N] = {
    "bias", "execution_time", "in_flight", "concurrency", "reordered", "issue_error_p99_ns"};

static json_t *worst(const struct analysis *a, size_t cell, enum league_quantity q)
{
	if (cell == LEAGUE_NO_CELL)
		return json_null();
	return json_make(J_TEXT("scenario",
		a->results->protocol.scenario[a->cell[cell].scenario].name),
		J_ESTIMATE("estimate", league_estimate(&a->cell[cell], q)));
}

json_t *json_league(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; a->league && i < a->n_league; i++) {
		const struct league_row *row = &a->league[i];
		const struct replayer *r = &a->results->protocol.replayer[row->replayer];
		json_t *o = json_object(), *largest = json_object();
		json_add(o, J_TEXT("replayer", r->name));
		SCOPED_STRBUF options = STRBUF_INIT;
		words_add_options(&options, r);
		json_add(o, J_TEXT("options", options.len ? options.s : NULL));
		json_add(o, J_TEXT("absent", r->absent),
			J_TEXT("verdict", row->judged ? verdict_name(row->verdict) : NULL),
			J_COUNT("n_trusted", row->n_trusted),
			J_COUNT("n_inconclusive", row->n_inconclusive),
			J_COUNT("n_not_trusted", row->n_not_trusted),
			J_COUNT("n_failed_runs", row->n_failed),
			J_COUNT("n_mismatched_lost_extra", row->n_infidelities),
			J_BOOL("differs_from_recording", row->differs),
			J_NUMBER("deviation_in_limits", row->deviation),
			J_NUMBER("mean_bias_size", row->mean_bias),
			J_NUMBER("cpu_per_request_ns", row->cpu_per_request_ns));
		for (int q = 0; q < LEAGUE_N; q++)
			json_object_set_new(largest, quantity_names[q], worst(a, row->worst[q], q));
		json_object_set_new(o, "largest", largest);
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *own(const struct own_view *v)
{
	return json_make(J_ESTIMATE("response_ns", &v->response),
		J_NUMBER("in_flight", v->in_flight), J_NUMBER("in_flight_max", v->in_flight_max));
}

json_t *json_at_device(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; a->device && i < a->n_cells; i++) {
		const struct at_device *d = &a->device[i];
		json_t *o = json_object();
		if (!d->there) {
			json_decref(o);
			continue;
		}
		json_add(o,
			J_TEXT("scenario", a->results->protocol.scenario[a->cell[i].scenario].name),
			J_TEXT("replayer", a->results->protocol.replayer[a->cell[i].replayer].name),
			J_VALUE("program_own", own(&d->program)), J_VALUE("replay_own",
			own(&d->replay)), J_NUMBER("reordered_program", d->reordered_program),
			J_NUMBER("seen_share", d->seen), J_NUMBER("n_split", d->n_split),
			J_NUMBER("n_extra", d->n_extra), J_NUMBER("n_outside", d->n_outside));
		json_array_append_new(all, o);
	}
	return all;
}

/* Members "courses" and "costs" of report.json. */

static json_t *numbers(const double *x, size_t n)
{
	json_t *all = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, json_finite(x[i]));
	return all;
}

static json_t *rates(const struct course *c)
{
	json_t *all = json_array();
	for (int k = 0; k < COURSE_RATE_CLASSES; k++) {
		if (!(c->rate[k].n_requests > 0))
			continue;
		json_append(all, J_NUMBER("from_per_s", k ? ldexp(1, k) : 0),
			J_NUMBER("n_requests", c->rate[k].n_requests),
			J_NUMBER("issue_error_ns", c->rate[k].issue_error_ns));
	}
	return all;
}

static json_t *of_case(const struct analysis *a, size_t i)
{
	const struct protocol *p = &a->results->protocol;
	return json_make(J_TEXT("scenario", p->scenario[a->cell[i].scenario].name),
		J_TEXT("replayer", p->replayer[a->cell[i].replayer].name));
}

json_t *json_courses(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; a->course && i < a->n_cells; i++) {
		const struct course *c = &a->course[i];
		json_t *o = of_case(a, i);
		json_add(o, J_NUMBER("width_s", c->width_s), J_VALUE("recorded_per_s",
			numbers(c->recorded, c->n)), J_VALUE("program_per_s", numbers(c->program,
			c->n)), J_VALUE("replay_per_s", numbers(c->replay, c->n)),
			J_VALUE("program_in_flight", numbers(c->in_flight_program, c->n)),
			J_VALUE("replay_in_flight", numbers(c->in_flight_replay, c->n)));
		if (c->bandwidth_program && c->bandwidth_replay)
			json_add(o, J_VALUE("program_bytes_per_s", numbers(c->bandwidth_program,
				c->n)),
				J_VALUE("replay_bytes_per_s", numbers(c->bandwidth_replay, c->n)));
		if (c->timed)
			json_add(o, J_VALUE("issue_error_ns", numbers(c->issue_error_ns, c->n)),
				J_VALUE("issue_error_quantiles_ns", numbers(c->quantile_ns,
					SUMMARY_N_ISSUE_QUANTILES)),
				J_VALUE("issue_error_by_rate", rates(c)));
		json_array_append_new(all, o);
	}
	return all;
}

json_t *json_costs(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; a->cost && i < a->n_cells; i++) {
		const struct cost *k = &a->cost[i];
		json_t *o = of_case(a, i);
		json_add(o, J_NUMBER("n_requests", k->n_requests), J_NUMBER("trace_bytes",
			k->trace_bytes), J_NUMBER("memory_bytes", k->memory_bytes),
			J_ESTIMATE("preparation_program_ns", &k->preparation_program),
			J_ESTIMATE("preparation_replay_ns", &k->preparation_replay),
			J_ESTIMATE("cpu_program_ns", &k->cpu_program), J_ESTIMATE("cpu_replay_ns",
			&k->cpu_replay), J_ESTIMATE("cpu_deviation", &k->cpu_deviation),
			J_ESTIMATE("process_cpu_program_ns", &k->process_cpu_program),
			J_ESTIMATE("process_cpu_replay_ns", &k->process_cpu_replay),
			J_ESTIMATE("peak_program_bytes", &k->peak_program),
			J_ESTIMATE("peak_replay_bytes", &k->peak_replay),
			J_ESTIMATE("speedup", &k->speedup), J_ESTIMATE("own_mean_ns", &k->own),
			J_NUMBER("observed_share", k->observed_share));
		json_array_append_new(all, o);
	}
	return all;
}

/* Causes of the differences of a case, rated ranges and blanks. */

static json_t *parts(const struct split *s)
{
	json_t *all = json_array();
	for (size_t i = 0; i < s->n_parts; i++) {
		const struct why_part *p = &s->part[i];
		json_append(all, J_TEXT("cause", cause_names[p->cause]), J_TEXT("name",
			words_cause(p->name)), J_TEXT("obtained_by", words_method(p->how)),
			J_BOOL("in_the_sum", !p->beside),
			J_ESTIMATE("part", &p->part), J_NUMBER("share", p->share));
	}
	return all;
}

static json_t *differences(const struct why *w)
{
	json_t *all = json_array();
	for (size_t i = 0; i < w->n_differences; i++) {
		const struct why_difference *d = &w->difference[i];
		json_append(all, J_TEXT("component", component_names[d->kind]),
			J_TEXT("part", d->part), J_ESTIMATE("estimate", d->estimate));
	}
	return all;
}

void json_set_why(json_t *cell, const struct analysis *a, const struct cell *c)
{
	const struct why *w = a->why ? &a->why[c - a->cell] : NULL;
	if (!w || !w->shown)
		return;
	SCOPED_STRBUF sentence = STRBUF_INIT;
	json_t *o = json_object(), *splits = json_object();
	if (w->main != CAUSE_N)
		json_add(o, J_TEXT("main_cause", cause_names[w->main]),
			J_TEXT("main_cause_name", words_cause(w->main_name)));
	words_add_why(&sentence, w);
	json_add(o, J_TEXT("sentence", sentence.s), J_VALUE("differences", differences(w)));
	for (int q = 0; q < SPLIT_N; q++) {
		json_t *split = json_make(J_ESTIMATE("whole", &w->split[q].whole),
			J_BOOL("significant", w->split[q].significant),
			J_VALUE("parts", parts(&w->split[q])));
		json_object_set_new(
		    splits, q == SPLIT_RESPONSE ? "response_time" : "execution_time", split);
	}
	json_object_set_new(o, "splits", splits);
	json_object_set_new(cell, "why", o);
}

static json_t *limit(const struct rated_range *r, const struct rated_limit *l, bool by_rate)
{
	json_t *o = json_object();
	const struct rated_point *q = l->last == RATED_NONE ? NULL : &r->point[l->last];
	json_add(o, J_NUMBER(by_rate ? "requests_per_s" : "gap_ns",
		!q ? NAN : by_rate ? q->rate : q->gap_ns));
	if (q)
		json_add(o, J_COUNT("last_trusted", l->last));
	if (l->next != RATED_NONE)
		json_add(o, J_COUNT("next", l->next));
	return json_add(o, J_COUNT("n_trusted_beyond", l->n_beyond));
}

static json_t *points(const struct analysis *a, const struct rated_range *r)
{
	json_t *all = json_array();
	for (size_t i = 0; i < r->n; i++) {
		const struct rated_point *q = &r->point[i];
		const struct cell *c = &a->cell[q->cell];
		json_append(all, J_TEXT("scenario",
			a->results->protocol.scenario[c->scenario].name), J_TEXT("replayer",
			a->results->protocol.replayer[c->replayer].name), J_COUNT("level",
			q->level), J_NUMBER("speed", q->speed), J_NUMBER("requests_per_s", q->rate),
			J_NUMBER("gap_ns", q->gap_ns), J_TEXT("verdict", verdict_name(q->verdict)));
	}
	return all;
}

json_t *json_rated_ranges(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; i < a->n_rated; i++) {
		const struct rated_range *r = &a->rated[i];
		json_append(all, J_TEXT("workload", r->name), J_TEXT("replayer", r->replayer),
			J_VALUE("highest_rate", limit(r, &r->rate, true)), J_VALUE("shortest_gap",
			limit(r, &r->gap, false)), J_VALUE("points", points(a, r)));
	}
	return all;
}

json_t *json_blank(const struct blank *b)
{
	return json_make(J_TEXT("status", stat_status_name(b->status)), J_COUNT("n", b->n),
		J_STATUS("mean_ns", b->status, b->mean_ns), J_STATUS("sd_ns", b->status, b->sd_ns),
		J_STATUS("limit_of_quantification_ns", b->status, b->loq_ns),
		J_BOOL("reference_below", b->below));
}
