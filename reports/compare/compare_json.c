/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison for programs, with all data. doc/compare-schema.json describes it. */
#include "reports/compare/compare_forms.h"
#include "reports/json/json_value.h"

#define COMPARE_FORMAT_VERSION 1

static json_t *side(const struct baseline *b)
{
	return json_make(J_TEXT("source", b->source), J_TEXT("title", b->title),
		J_TEXT("protocol", b->protocol), J_TEXT("protocol_hash", b->protocol_hash),
		J_TEXT("campaign", b->campaign), J_TEXT("program_version", b->program_version),
		J_TEXT("date", b->date), J_TEXT("host", b->host),
		J_COUNT("n_replicates", b->n_replicates), J_COUNT("look", b->look));
}

static const char *scale_name(enum aspect k)
{
	static const char *const names[] = {[SCALE_CHANGE] = "change",
					    [SCALE_RATIO] = "ratio",
					    [SCALE_DIFFERENCE] = "difference",
					    [SCALE_COUNT] = "count"};
	return names[aspect_scale(k)];
}

static json_t *aspect(const struct aspect_change *a, enum aspect k)
{
	SCOPED_STRBUF reason = STRBUF_INIT;
	compare_add_reasons(&reason, a);
	json_t *o = json_make(J_TEXT("component", aspect_names[k]), J_TEXT("outcome",
		change_name(a->word)), J_TEXT("status", stat_status_name(a->status)),
		J_TEXT("scale", scale_name(k)), J_FINITE("old", a->old_value), J_FINITE("new",
		a->new_value), J_FINITE("change", a->change), J_FINITE("lo95", a->lo95),
		J_FINITE("hi95", a->hi95), J_FINITE("quantile", a->quantile),
		J_FINITE("limit", a->limit), J_FINITE("p", a->p), J_FINITE("p_holm", a->p_holm),
		J_FINITE("p_same", a->p_same), J_FINITE("p_difference", a->p_difference),
		J_FINITE("p_brown_forsythe", a->p_brown_forsythe),
		J_BOOL("dependent", a->dependent), J_TEXT("reason", reason.s));
	return o;
}

static json_t *cell(const struct case_change *c)
{
	json_t *o = json_object(), *all = json_array();
	json_add(o, J_TEXT("scenario", c->scenario), J_TEXT("old_replayer", c->old_case->replayer),
		J_TEXT("new_replayer", c->new_case->replayer), J_COUNT("n_old", c->old_case->n),
		J_COUNT("n_new", c->new_case->n), J_COUNT("n_failed_old", c->old_case->n_failed),
		J_COUNT("n_failed_new", c->new_case->n_failed), J_BOOL("paired", c->paired),
		J_BOOL("same_runs", c->same_runs), J_TEXT("outcome", change_name(c->word)),
		J_TEXT("old_verdict", c->old_case->verdict),
		J_TEXT("new_verdict", c->new_case->verdict));
	for (size_t k = 0; k < ASPECT_N; k++)
		json_array_append_new(all, aspect(&c->aspect[k], (enum aspect)k));
	return json_add(o, J_VALUE("components", all));
}

static json_t *difference(const struct difference *d)
{
	return json_make(J_TEXT("kind", difference_names[d->kind]), J_TEXT("what", d->what),
		J_TEXT("old", d->old_value), J_TEXT("new", d->new_value),
		J_BOOL("refuses", d->refuses));
}

static void json_render(struct strbuf *out, const struct campaign_change *c)
{
	json_t *o = json_object(), *cells = json_array(), *differences = json_array();
	SCOPED_STRBUF headline = STRBUF_INIT;
	compare_add_headline(&headline, c);
	json_add(o, J_TEXT("format", "validate-compare"),
		J_COUNT("format_version", COMPARE_FORMAT_VERSION),
		J_TEXT("outcome", c->n_refusing ? "not comparable" : change_name(c->word)),
		J_TEXT("summary", headline.s));
	json_add(o, J_VALUE("old", side(c->old_side)), J_VALUE("new", side(c->new_side)),
		J_COUNT("n_worse", c->n_worse), J_COUNT("n_inconclusive", c->n_inconclusive),
		J_COUNT("n_better", c->n_better), J_COUNT("n_same", c->n_same),
		J_COUNT("n_missing", c->n_missing), J_COUNT("n_tests", c->n_tests),
		J_FINITE("level_same", c->level_same), J_FINITE("level_worse", c->level_worse));
	for (size_t i = 0; i < c->n_differences; i++)
		json_array_append_new(differences, difference(&c->difference[i]));
	json_object_set_new(o, "differences", differences);
	for (size_t i = 0; i < c->n_cells; i++)
		json_array_append_new(cells, cell(&c->cell[i]));
	json_object_set_new(o, "cases", cells);
	json_add_document(out, o);
}

const struct compare_form compare_form_json = {
    "json", "everything, for programs (doc/compare-schema.json)", json_render};
