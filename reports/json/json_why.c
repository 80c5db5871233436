/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the differences of a case come from, rated ranges and blanks, as JSON. */
#include <math.h>

#include "reports/json/json_report.h"
#include "validate/analysis/rated_range.h"
#include "validate/analysis/why.h"

static json_t *parts(const struct split *s)
{
	json_t *all = json_array();
	for (size_t i = 0; i < s->n_parts; i++) {
		const struct why_part *p = &s->part[i];
		json_append(all, J_TEXT("cause", cause_names[p->cause]), J_TEXT("name", p->name),
			J_TEXT("obtained_by", p->how), J_BOOL("in_the_sum", !p->beside),
			J_ESTIMATE("part", &p->part), J_NUMBER("share", p->share));
	}
	return all;
}

void json_set_why(json_t *cell, const struct analysis *a, const struct cell *c)
{
	const struct why *w = a->why ? &a->why[c - a->cell] : NULL;
	if (!w || !w->shown)
		return;
	json_t *o = json_object(), *splits = json_object();
	if (w->main != CAUSE_N) {
		json_add(o, J_TEXT("main_cause", cause_names[w->main]),
			J_TEXT("main_cause_name", w->main_name));
	}
	json_add(o, J_TEXT("sentence", w->sentence));
	for (int q = 0; q < SPLIT_N; q++) {
		json_t *split = json_make(J_ESTIMATE("whole", &w->split[q].whole),
			J_BOOL("significant", w->split[q].significant),
			J_VALUE("parts", parts(&w->split[q])));
		json_object_set_new(splits, q == SPLIT_RESPONSE ? "response_time" : "execution_time", split);
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
	json_add(o, J_COUNT("n_trusted_beyond", l->n_beyond));
	return o;
}

static json_t *points(const struct analysis *a, const struct rated_range *r)
{
	json_t *all = json_array();
	for (size_t i = 0; i < r->n; i++) {
		const struct rated_point *q = &r->point[i];
		const struct cell *c = &a->cell[q->cell];
		json_append(all, J_TEXT("scenario",
			a->results->protocol.scenario[c->scenario].name),
			J_TEXT("replayer", a->results->protocol.replayer[c->replayer].name),
			J_COUNT("level", q->level), J_NUMBER("speed", q->speed),
			J_NUMBER("requests_per_s", q->rate), J_NUMBER("gap_ns", q->gap_ns),
			J_TEXT("verdict", verdict_name(q->verdict)));
	}
	return all;
}

json_t *json_rated_ranges(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; i < a->n_rated; i++) {
		const struct rated_range *r = &a->rated[i];
		json_append(all, J_TEXT("workload", r->name), J_TEXT("replayer", r->replayer),
			J_VALUE("highest_rate", limit(r, &r->rate, true)),
			J_VALUE("shortest_gap", limit(r, &r->gap, false)),
			J_VALUE("points", points(a, r)));
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
