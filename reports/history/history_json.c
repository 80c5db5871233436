/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doc/history-schema.json describes it. */
#include <math.h>
#include <stdlib.h>

#include "reports/history/history_report.h"
#include "reports/json/json_value.h"

static json_t *campaign(const struct history_campaign *c)
{
	json_t *o = json_object();
	json_set_count(o, "number", (uint64_t)c->number);
	json_set_text(o, "campaign", c->campaign);
	json_set_text(o, "date", c->date);
	json_set_text(o, "label", c->label);
	json_set_text(o, "title", c->title);
	json_set_text(o, "host", c->host);
	json_set_text(o, "program_version", c->program_version);
	json_set_text(o, "protocol_hash", c->protocol_hash);
	json_object_set_new(o, "date_goes_back", json_boolean(c->goes_back));
	return o;
}

static json_t *entry(const struct history_study *s, const struct history_charts *c, size_t i)
{
	const struct history_entry *e = &c->series->entry[c->at[i]];
	json_t *o = json_object();
	json_set_count(o, "number", (uint64_t)history_campaign_at(s, c, i)->number);
	json_set_count(o, "n_pairs", e->n);
	json_set_number(o, "mean_ln", e->mean);
	json_set_number(o, "sd_ln", e->sd);
	json_set_number(o, "bias", e->bias);
	json_set_number(o, "bias_lo95", e->bias_lo95);
	json_set_number(o, "bias_hi95", e->bias_hi95);
	json_set_number(o, "u_c", e->u_c);
	json_set_number(o, "U95", e->U95);
	json_set_text(o, "verdict", e->verdict);
	json_object_set_new(o, "in_baseline", json_boolean(c->in_base[i]));
	json_set_status_number(o, "z", c->status, c->z[i]);
	json_set_status_number(o, "cusum_plus", c->status, c->cusum[i].plus);
	json_set_status_number(o, "cusum_minus", c->status, c->cusum[i].minus);
	json_set_status_number(o, "ewma", c->status, c->ewma[i]);
	return o;
}

static json_t *changes(const struct history_study *s, const struct history_charts *c, size_t at)
{
	json_t *list = json_array();
	struct history_changes found;
	history_changes_find(&found, s->history, c->series, at);
	for (size_t i = 0; i < found.n; i++) {
		json_t *o = json_object();
		json_set_text(o, "fact", found.one[i].fact);
		json_set_text(o, "old", found.one[i].old);
		json_set_text(o, "new", found.one[i].new);
		json_array_append_new(list, o);
	}
	history_changes_release(&found);
	return list;
}

static json_t *signal(const struct history_study *s, const struct history_charts *c, const struct history_signal *g)
{
	json_t *o = json_object();
	json_set_text(o, "chart", history_chart_names[g->chart]);
	json_set_text(o, "kind", history_kind_names[g->kind]);
	json_object_set_new(o, "direction", json_integer(g->direction));
	json_set_number(o, "change", g->change);
	json_set_count(o, "onset", (uint64_t)history_campaign_at(s, c, g->onset)->number);
	json_set_text(o, "onset_date", history_campaign_at(s, c, g->onset)->date);
	json_set_count(o, "signalled", (uint64_t)history_campaign_at(s, c, g->first)->number);
	json_set_text(o, "signalled_date", history_campaign_at(s, c, g->first)->date);
	json_set_count(o, "last", (uint64_t)history_campaign_at(s, c, g->last)->number);
	json_object_set_new(o, "goes_on", json_boolean(g->lasting));
	if (!g->has_change_of_environment) {
		json_object_set_new(o, "nearest_change", json_null());
		return o;
	}
	const struct history_campaign *since = &s->history->campaign[c->series->entry[g->environment].campaign];
	json_t *near = json_object();
	json_set_count(near, "number", (uint64_t)since->number);
	json_set_text(near, "date", since->date);
	json_object_set_new(near, "facts", changes(s, c, g->environment));
	json_object_set_new(o, "nearest_change", near);
	return o;
}

static json_t *chart(const struct history_study *s, const struct history_charts *c)
{
	json_t *o = json_object(), *entries = json_array(), *signals = json_array();
	json_set_text(o, "scenario", c->series->scenario);
	json_set_text(o, "replayer", c->series->replayer);
	json_set_count(o, "n_entries", c->n);
	json_set_count(o, "n_without_value", c->series->n - c->n);
	json_set_count(o, "n_baseline", c->n_base);
	json_set_status_number(o, "center_ln", c->status, c->limits.center);
	json_set_status_number(o, "sigma_ln", c->status, c->limits.sigma);
	json_set_status_number(o, "lower_ln", c->status, c->limits.lower);
	json_set_status_number(o, "upper_ln", c->status, c->limits.upper);
	json_set_status_number(o, "moving_range_upper_ln", c->status, c->limits.mr_upper);
	for (size_t i = 0; i < c->n; i++)
		json_array_append_new(entries, entry(s, c, i));
	for (size_t i = 0; i < c->n_signals; i++)
		json_array_append_new(signals, signal(s, c, &c->signal[i]));
	json_object_set_new(o, "signals", signals);
	json_object_set_new(o, "entries", entries);
	return o;
}

void history_json_add(struct strbuf *out, const void *study)
{
	const struct history_study *s = study;
	json_t *o = json_pack("{s:s, s:i}", "format", "validate-history", "version", 1);
	json_t *campaigns = json_array(), *charts = json_array();
	for (size_t i = 0; i < s->history->n_campaigns; i++)
		json_array_append_new(campaigns, campaign(&s->history->campaign[i]));
	for (size_t i = 0; i < s->history->n_series; i++)
		json_array_append_new(charts, chart(s, &s->charts[i]));
	json_set_count(o, "baseline", s->baseline);
	json_object_set_new(o, "campaigns", campaigns);
	json_object_set_new(o, "charts", charts);
	json_add_document(out, o);
}
