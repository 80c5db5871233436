/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members "findings", "published" and "operations" of report.json. */
#include "reports/json/json_report.h"
#include "reports/published_words.h"
#include "validate/analysis/operations.h"

static void set_case(json_t *o, const char *scenario, const char *replayer, const struct analysis *a, size_t cell)
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
	json_add(o, J_ESTIMATE("value", &k->value), J_ESTIMATE("other", &k->other),
		J_ESTIMATE("difference", &k->difference), J_NUMBER("f_critical", k->f_critical),
		J_NUMBER("f_p", k->f_p), J_TEXT("outcome", claim_outcome_names[k->outcome]));
	return o;
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
			J_TEXT("operation", r->value->operation),
			J_TEXT("unit", published_unit(r->value->measure)),
			J_NUMBER("published", r->value->value),
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
