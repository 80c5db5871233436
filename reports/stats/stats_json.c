/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON of validate stats. A statistic without parameters is a number, a word or null under its
 * name. A statistic with parameters is an object, with the text of its parameters as keys
 * ("conf=0.95"). If a value is null, "status" has the reason. */

#include "reports/stats/stats_report.h"
#include "reports/json/json_value.h"

#define STATS_SCHEMA 1

static json_t *json_number(double value)
{
	return fabs(value) < 9007199254740992.0 && value == floor(value)
		   ? json_integer((json_int_t)value)
		   : json_real(value);
}

static void put(json_t *object, const struct named_estimate *e, json_t *value)
{
	if (!e->params[0]) {
		json_object_set_new(object, e->name, value);
		return;
	}
	json_t *inner = json_object_get(object, e->name);
	if (!inner) {
		inner = json_object();
		json_object_set_new(object, e->name, inner);
	}
	json_object_set_new(inner, e->params, value);
}

static json_t *json_estimates(const struct estimates *list, json_t *status)
{
	json_t *object = json_object();
	for (size_t i = 0; i < list->n; i++) {
		const struct named_estimate *e = &list->e[i];
		if (e->status) {
			put(object, e, json_null());
			put(status, e, json_string(stat_status_name(e->status)));
		} else {
			put(object, e, e->word ? json_string(e->word) : json_number(e->value));
		}
	}
	return object;
}

static void estimates_put(json_t *to, const struct estimates *list)
{
	json_t *status = json_object();
	json_add(to, J_VALUE("statistics", json_estimates(list, status)),
		J_VALUE("status", status));
}

static json_t *json_stats_sample(const struct stats_sample *s)
{
	json_t *o = json_make(J_VALUE("file", json_name(s->columns.path)),
		J_VALUE("column", json_name(s->column->name)));
	estimates_put(o, &s->sample.estimates);
	if (s->sessions.n) {
		json_t *sessions = json_object(), *labels = json_array();
		for (size_t i = 0; i < s->sessions.n; i++)
			json_array_append_new(labels, json_name(s->sessions.label[i]));
		json_object_set_new(sessions, "labels", labels);
		estimates_put(sessions, &s->sessions.estimates);
		json_object_set_new(o, "sessions", sessions);
	}
	return o;
}

static json_t *json_answer(const struct comparison_answer *a, enum decision_word decision,
			   bool stands, double limit)
{
	json_t *o = json_make(J_VALUE("status", json_string(stat_status_name(a->status))),
		J_VALUE("decision", json_string(decided_names[decision])),
		J_BOOL("rejection_stands", stands), J_VALUE("limit", json_real(limit)));
	if (a->status)
		return o;
	const struct {
		const char *key;
		double value;
	} row[] = {{"value", a->value},
		   {"ci_lo", a->lo},
		   {"ci_hi", a->hi},
		   {"inner_ci_lo", a->inner_lo},
		   {"inner_ci_hi", a->inner_hi},
		   {"p", a->p},
		   {"p_beyond_limit", a->p_beyond}};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		json_object_set_new(o, row[i].key, json_finite(row[i].value));
	return o;
}

static json_t *json_comparison(const struct stats *s, size_t i)
{
	const struct comparison *c = &s->comparison[i];
	json_t *o = json_stats_sample(&s->sample[i + 1]), *compared = json_object();
	json_add(compared, J_VALUE("bias_pct", json_answer(&c->bias, c->bias_decision,
		s->reject[2 * i], s->plan.limit_bias_pct)),
		J_VALUE("precision", json_answer(&c->precision, c->precision_decision,
			s->reject[2 * i + 1], s->plan.limit_precision)));
	estimates_put(compared, &c->estimates);
	return json_add(o, J_VALUE("comparison", compared));
}

static json_t *json_settings(const struct stats *s)
{
	const struct comparison_plan *p = &s->plan;
	return json_make(J_VALUE("alpha", json_real(p->alpha)),
		J_VALUE("limit_bias_pct", json_real(p->limit_bias_pct)), J_VALUE("limit_precision",
		json_real(p->limit_precision)), J_BOOL("paired", p->paired), J_BOOL("time_ordered",
		p->time_ordered), J_INT("block", (json_int_t)p->block), J_INT("resamples",
		(json_int_t)p->n_resamples), J_WHOLE("seed", p->seed), J_VALUE("clock_halfwidth",
		json_real(p->clock_halfwidth)), J_VALUE("units", json_name(s->config->units)));
}

void stats_print_json(const struct stats *s)
{
	json_t *root = json_object(), *replays = json_array();
	json_add(root, J_INT("schema", STATS_SCHEMA), J_VALUE("validate_version",
		json_string(VALIDATE_VERSION)), J_VALUE("settings", json_settings(s)));
	json_object_set_new(root, s->n > 1 ? "reference" : "sample",
			    json_stats_sample(&s->sample[0]));
	for (size_t i = 0; i + 1 < s->n; i++)
		json_array_append_new(replays, json_comparison(s, i));
	if (s->n > 1) {
		json_add(root, J_VALUE("replays", replays),
			J_VALUE("verdict", json_string(stats_verdict_name(s))));
	} else {
		json_decref(replays);
	}
	json_print(root);
}
