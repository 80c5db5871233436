/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything in a comparison, for programs. doc/compare-schema.json describes it. */
#include "reports/compare/compare_forms.h"
#include "reports/json/json_value.h"

#define COMPARE_FORMAT_VERSION 1

static json_t *side(const struct baseline *b)
{
	json_t *o = json_object();
	json_set_text(o, "source", b->source);
	json_set_text(o, "title", b->title);
	json_set_text(o, "protocol", b->protocol);
	json_set_text(o, "protocol_hash", b->protocol_hash);
	json_set_text(o, "campaign", b->campaign);
	json_set_text(o, "program_version", b->program_version);
	json_set_text(o, "date", b->date);
	json_set_text(o, "host", b->host);
	json_set_count(o, "n_replicates", b->n_replicates);
	json_set_count(o, "look", b->look);
	return o;
}

static const char *scale_name(enum aspect k)
{
	static const char *const names[] = {
	    [SCALE_CHANGE] = "change", [SCALE_RATIO] = "ratio", [SCALE_DIFFERENCE] = "difference", [SCALE_COUNT] = "count"};
	return names[aspect_scale(k)];
}

static json_t *aspect(const struct aspect_change *a, enum aspect k)
{
	json_t *o = json_object();
	json_set_text(o, "component", aspect_names[k]);
	json_set_text(o, "word", change_name(a->word));
	json_set_text(o, "status", stat_status_name(a->status));
	json_set_text(o, "scale", scale_name(k));
	json_object_set_new(o, "old", json_finite(a->old_value));
	json_object_set_new(o, "new", json_finite(a->new_value));
	json_object_set_new(o, "change", json_finite(a->change));
	json_object_set_new(o, "lo95", json_finite(a->lo95));
	json_object_set_new(o, "hi95", json_finite(a->hi95));
	json_object_set_new(o, "quantile", json_finite(a->quantile));
	json_object_set_new(o, "limit", json_finite(a->limit));
	json_object_set_new(o, "p", json_finite(a->p));
	json_object_set_new(o, "p_holm", json_finite(a->p_holm));
	json_object_set_new(o, "p_same", json_finite(a->p_same));
	json_object_set_new(o, "p_difference", json_finite(a->p_difference));
	json_object_set_new(o, "p_brown_forsythe", json_finite(a->p_brown_forsythe));
	json_object_set_new(o, "dependent", json_boolean(a->dependent));
	json_set_text(o, "reason", a->reason);
	return o;
}

static json_t *cell(const struct case_change *c)
{
	json_t *o = json_object(), *all = json_array();
	json_set_text(o, "scenario", c->scenario);
	json_set_text(o, "old_replayer", c->old_case->replayer);
	json_set_text(o, "new_replayer", c->new_case->replayer);
	json_set_count(o, "n_old", c->old_case->n);
	json_set_count(o, "n_new", c->new_case->n);
	json_set_count(o, "n_failed_old", c->old_case->n_failed);
	json_set_count(o, "n_failed_new", c->new_case->n_failed);
	json_object_set_new(o, "paired", json_boolean(c->paired));
	json_object_set_new(o, "same_runs", json_boolean(c->same_runs));
	json_set_text(o, "word", change_name(c->word));
	json_set_text(o, "old_verdict", c->old_case->verdict);
	json_set_text(o, "new_verdict", c->new_case->verdict);
	for (size_t k = 0; k < ASPECT_N; k++)
		json_array_append_new(all, aspect(&c->aspect[k], (enum aspect)k));
	json_object_set_new(o, "components", all);
	return o;
}

static json_t *difference(const struct difference *d)
{
	json_t *o = json_object();
	json_set_text(o, "kind", difference_names[d->kind]);
	json_set_text(o, "what", d->what);
	json_set_text(o, "old", d->old_value);
	json_set_text(o, "new", d->new_value);
	json_object_set_new(o, "refuses", json_boolean(d->refuses));
	return o;
}

static void json_add(struct strbuf *out, const struct campaign_change *c)
{
	json_t *o = json_object(), *cells = json_array(), *differences = json_array();
	struct strbuf headline = STRBUF_INIT;
	compare_add_headline(&headline, c);
	json_set_text(o, "format", "validate-compare");
	json_set_count(o, "format_version", COMPARE_FORMAT_VERSION);
	json_set_text(o, "word", c->n_refusing ? "not comparable" : change_name(c->word));
	json_set_text(o, "summary", headline.s);
	strbuf_release(&headline);
	json_object_set_new(o, "old", side(c->old_side));
	json_object_set_new(o, "new", side(c->new_side));
	json_set_count(o, "n_worse", c->n_worse);
	json_set_count(o, "n_inconclusive", c->n_inconclusive);
	json_set_count(o, "n_better", c->n_better);
	json_set_count(o, "n_same", c->n_same);
	json_set_count(o, "n_missing", c->n_missing);
	json_set_count(o, "n_tests", c->n_tests);
	json_object_set_new(o, "level_same", json_finite(c->level_same));
	json_object_set_new(o, "level_worse", json_finite(c->level_worse));
	for (size_t i = 0; i < c->n_differences; i++)
		json_array_append_new(differences, difference(&c->difference[i]));
	json_object_set_new(o, "differences", differences);
	for (size_t i = 0; i < c->n_cells; i++)
		json_array_append_new(cells, cell(&c->cell[i]));
	json_object_set_new(o, "cases", cells);
	json_add_document(out, o);
}

const struct compare_form compare_form_json = {"json", "everything, for programs (doc/compare-schema.json)", json_add};
