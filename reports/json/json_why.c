/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the differences of a case come from, rated ranges and blanks, as JSON. */
#include <math.h>

#include "reports/json/json_value.h"
#include "validate/analysis/rated_range.h"
#include "validate/analysis/why.h"

static json_t *parts(const struct split *s)
{
	json_t *all = json_array();
	for (size_t i = 0; i < s->n_parts; i++) {
		const struct why_part *p = &s->part[i];
		json_t *o = json_object();
		json_set_text(o, "cause", cause_names[p->cause]);
		json_set_text(o, "name", p->name);
		json_set_text(o, "obtained_by", p->how);
		json_object_set_new(o, "in_the_sum", json_boolean(!p->beside));
		json_set_estimate(o, "part", &p->part);
		json_set_number(o, "share", p->share);
		json_array_append_new(all, o);
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
		json_set_text(o, "main_cause", cause_names[w->main]);
		json_set_text(o, "main_cause_name", w->main_name);
	}
	json_set_text(o, "sentence", w->sentence);
	for (int q = 0; q < SPLIT_N; q++) {
		json_t *split = json_object();
		json_set_estimate(split, "whole", &w->split[q].whole);
		json_object_set_new(split, "significant", json_boolean(w->split[q].significant));
		json_object_set_new(split, "parts", parts(&w->split[q]));
		json_object_set_new(splits, q == SPLIT_RESPONSE ? "response_time" : "execution_time", split);
	}
	json_object_set_new(o, "splits", splits);
	json_object_set_new(cell, "why", o);
}

static json_t *limit(const struct rated_range *r, const struct rated_limit *l, bool by_rate)
{
	json_t *o = json_object();
	const struct rated_point *q = l->last == RATED_NONE ? NULL : &r->point[l->last];
	json_set_number(o, by_rate ? "requests_per_s" : "gap_ns", !q ? NAN : by_rate ? q->rate : q->gap_ns);
	if (q)
		json_set_count(o, "last_trusted", l->last);
	if (l->next != RATED_NONE)
		json_set_count(o, "next", l->next);
	json_set_count(o, "n_trusted_beyond", l->n_beyond);
	return o;
}

static json_t *points(const struct analysis *a, const struct rated_range *r)
{
	json_t *all = json_array();
	for (size_t i = 0; i < r->n; i++) {
		const struct rated_point *q = &r->point[i];
		const struct cell *c = &a->cell[q->cell];
		json_t *o = json_object();
		json_set_text(o, "scenario", a->results->protocol.scenario[c->scenario].name);
		json_set_text(o, "replayer", a->results->protocol.replayer[c->replayer].name);
		json_set_count(o, "level", q->level);
		json_set_number(o, "speed", q->speed);
		json_set_number(o, "requests_per_s", q->rate);
		json_set_number(o, "gap_ns", q->gap_ns);
		json_set_text(o, "verdict", verdict_name(q->verdict));
		json_array_append_new(all, o);
	}
	return all;
}

json_t *json_rated_ranges(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; i < a->n_rated; i++) {
		const struct rated_range *r = &a->rated[i];
		json_t *o = json_object();
		json_set_text(o, "workload", r->name);
		json_set_text(o, "replayer", r->replayer);
		json_object_set_new(o, "highest_rate", limit(r, &r->rate, true));
		json_object_set_new(o, "shortest_gap", limit(r, &r->gap, false));
		json_object_set_new(o, "points", points(a, r));
		json_array_append_new(all, o);
	}
	return all;
}

json_t *json_blank(const struct blank *b)
{
	json_t *o = json_object();
	json_set_text(o, "status", stat_status_name(b->status));
	json_set_count(o, "n", b->n);
	json_set_status_number(o, "mean_ns", b->status, b->mean_ns);
	json_set_status_number(o, "sd_ns", b->status, b->sd_ns);
	json_set_status_number(o, "limit_of_quantification_ns", b->status, b->loq_ns);
	json_object_set_new(o, "reference_below", json_boolean(b->below));
	return o;
}
