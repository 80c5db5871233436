/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members "findings", "published" and "operations" of report.json. */
#include "reports/json/json_value.h"
#include "reports/published_words.h"
#include "validate/analysis/operations.h"

static void set_case(json_t *o, const char *scenario, const char *replayer, const struct analysis *a, size_t cell)
{
	const struct protocol *p = &a->results->protocol;
	bool none = cell == CLAIM_NO_CELL;
	json_set_text(o, scenario, none ? NULL : p->scenario[a->cell[cell].scenario].name);
	json_set_text(o, replayer, none ? NULL : p->replayer[a->cell[cell].replayer].name);
}

static json_t *comparison(const struct analysis *a, const struct claim_comparison *k)
{
	json_t *o = json_object();
	set_case(o, "scenario", "replayer", a, k->cell);
	set_case(o, "than_scenario", "than_replayer", a, k->than);
	json_set_estimate(o, "value", &k->value);
	json_set_estimate(o, "other", &k->other);
	json_set_estimate(o, "difference", &k->difference);
	json_set_number(o, "f_critical", k->f_critical);
	json_set_number(o, "f_p", k->f_p);
	json_set_text(o, "outcome", claim_outcome_names[k->outcome]);
	return o;
}

json_t *json_claims(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; i < a->n_claims; i++) {
		const struct claim *c = &a->results->protocol.claim[i];
		const struct claim_result *r = &a->claim[i];
		json_t *o = json_object(), *comparisons = json_array();
		json_set_text(o, "name", c->name);
		json_set_text(o, "text", c->text);
		json_set_text(o, "source", c->source);
		json_set_text(o, "published", c->published);
		json_set_text(o, "reproduce", c->reproduce);
		json_set_text(o, "measure", measure_info[c->measure].name);
		json_set_text(o, "operation", c->operation);
		json_set_text(o, "unit", published_unit(c->measure));
		json_set_text(o, "direction", claim_direction_names[c->direction]);
		json_set_text(o, "difference_unit",
			      measure_info[c->measure].scale == SCALE_LINEAR ? published_unit(c->measure) : "ratio");
		json_set_number(o, "margin", c->margin);
		json_set_number(o, "confidence", r->confidence);
		json_set_text(o, "outcome", claim_outcome_names[r->outcome]);
		json_set_count(o, "n_confirmed", r->n_confirmed);
		json_set_count(o, "n_not_confirmed", r->n_not_confirmed);
		json_set_count(o, "n_inconclusive", r->n_inconclusive);
		json_set_count(o, "n_significant", r->n_significant);
		json_set_count(o, "n_above_published", r->n_above_published);
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
		json_set_text(o, "source", r->value->source);
		set_case(o, "scenario", "replayer", a, r->cell);
		json_set_text(o, "measure", measure_info[r->value->measure].name);
		json_set_text(o, "operation", r->value->operation);
		json_set_text(o, "unit", published_unit(r->value->measure));
		json_set_number(o, "published", r->value->value);
		json_set_number(o, "published_uncertainty", r->value->uncertainty);
		json_set_estimate(o, "measured", &r->measured);
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
		json_set_text(o, "operation", r->op);
		json_set_number(o, "n_requests", r->n_requests);
		json_set_number(o, "share_of_time", r->share);
		json_set_estimate(o, "program_ns", &r->program);
		json_set_estimate(o, "replay_ns", &r->replay);
		json_set_estimate(o, "bias", &r->bias);
		json_set_estimate(o, "uncertainty", &r->uncertainty);
		json_array_append_new(all, o);
	}
	return all;
}
