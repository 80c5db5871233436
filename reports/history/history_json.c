/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A history as JSON. doc/history-schema.json describes it. */
#include "reports/history/history_report.h"
#include "reports/json/json_value.h"

static json_t *campaign(const struct history_campaign *c)
{
	return json_make(J_COUNT("number", (uint64_t)c->number), J_TEXT("campaign", c->campaign),
		J_TEXT("date", c->date), J_TEXT("label", c->label), J_TEXT("title", c->title),
		J_TEXT("host", c->host), J_TEXT("program_version", c->program_version),
		J_TEXT("protocol_hash", c->protocol_hash), J_BOOL("date_goes_back", c->goes_back));
}

static json_t *entry(const struct history_study *s, const struct history_charts *c, size_t i)
{
	const struct history_entry *e = &c->series->entry[c->at[i]];
	return json_make(J_COUNT("number", (uint64_t)history_campaign_at(s, c, i)->number),
		J_COUNT("n_pairs", e->n), J_NUMBER("mean_ln", e->mean), J_NUMBER("sd_ln", e->sd),
		J_NUMBER("bias", e->bias), J_NUMBER("bias_lo95", e->bias_lo95),
		J_NUMBER("bias_hi95", e->bias_hi95), J_NUMBER("u_c", e->u_c),
		J_NUMBER("U95", e->U95), J_TEXT("verdict", e->verdict),
		J_BOOL("in_baseline", c->in_base[i]), J_STATUS("z", c->status, c->z[i]),
		J_STATUS("cusum_plus", c->status, c->cusum[i].plus), J_STATUS("cusum_minus",
		c->status, c->cusum[i].minus), J_STATUS("ewma", c->status, c->ewma[i]));
}

static json_t *changes(const struct history_study *s, const struct history_charts *c, size_t at)
{
	json_t *list = json_array();
	SCOPED(history_changes_release) struct history_changes found;
	history_changes_find(&found, s->history, c->series, at);
	for (size_t i = 0; i < found.n; i++)
		json_append(list, J_TEXT("fact", found.one[i].fact),
			J_TEXT("old", found.one[i].old), J_TEXT("new", found.one[i].new));
	return list;
}

static json_t *signal_json(const struct history_study *s, const struct history_charts *c,
			   const struct history_signal *g)
{
	json_t *o = json_make(J_TEXT("chart", history_chart_names[g->chart]), J_TEXT("kind",
		history_kind_names[g->kind]), J_INT("direction", g->direction), J_NUMBER("change",
		g->change), J_COUNT("onset", (uint64_t)history_campaign_at(s, c, g->onset)->number),
		J_TEXT("onset_date", history_campaign_at(s, c, g->onset)->date),
		J_COUNT("signalled", (uint64_t)history_campaign_at(s, c, g->first)->number),
		J_TEXT("signalled_date", history_campaign_at(s, c, g->first)->date),
		J_COUNT("last", (uint64_t)history_campaign_at(s, c, g->last)->number),
		J_BOOL("ongoing", g->lasting));
	return o;
}

static json_t *event(const struct history_study *s, const struct history_charts *c,
		     const struct history_event *v)
{
	const struct event *e = &v->is;
	json_t *o = json_make(J_TEXT("kind", event_kind_names[e->kind]),
		J_NUMBER("change", expm1(e->change)), J_NUMBER("change_se_ln", e->sd),
		J_COUNT("onset", (uint64_t)history_campaign_at(s, c, e->onset)->number),
		J_TEXT("onset_date", history_campaign_at(s, c, e->onset)->date),
		J_COUNT("onset_lo", (uint64_t)history_campaign_at(s, c, e->onset_lo)->number),
		J_COUNT("onset_hi", (uint64_t)history_campaign_at(s, c, e->onset_hi)->number),
		J_COUNT("found", (uint64_t)history_campaign_at(s, c, e->found)->number),
		J_COUNT("last", (uint64_t)history_campaign_at(s, c, e->last)->number),
		J_BOOL("ongoing", e->last + 1 == c->n));
	if (!v->has_change) {
		json_object_set_new(o, "nearest_change", json_null());
		return o;
	}
	const struct history_campaign *since =
	    &s->history->campaign[c->series->entry[v->environment].campaign];
	json_t *near = json_make(J_COUNT("number", (uint64_t)since->number),
		J_TEXT("date", since->date), J_VALUE("facts", changes(s, c, v->environment)));
	return json_add(o, J_VALUE("nearest_change", near));
}

static json_t *chart(const struct history_study *s, const struct history_charts *c)
{
	json_t *o = json_object(), *entries = json_array(), *signals = json_array(),
	       *events = json_array();
	json_add(o, J_TEXT("scenario", c->series->scenario), J_TEXT("replayer",
		c->series->replayer), J_COUNT("n_entries", c->n), J_COUNT("n_without_value",
		c->series->n - c->n), J_COUNT("n_baseline", c->n_base), J_STATUS("center_ln",
		c->status, c->limits.center), J_STATUS("sigma_ln", c->status, c->limits.sigma),
		J_STATUS("lower_ln", c->status, c->limits.lower), J_STATUS("upper_ln", c->status,
		c->limits.upper), J_STATUS("moving_range_upper_ln", c->status, c->limits.mr_upper));
	for (size_t i = 0; i < c->n; i++)
		json_array_append_new(entries, entry(s, c, i));
	for (size_t i = 0; i < c->n_signals; i++)
		json_array_append_new(signals, signal_json(s, c, &c->signal[i]));
	for (size_t i = 0; i < c->n_events; i++)
		json_array_append_new(events, event(s, c, &c->event[i]));
	return json_add(o, J_VALUE("events", events), J_VALUE("signals", signals),
		J_VALUE("entries", entries));
}

void history_json_add(struct strbuf *out, const void *study)
{
	const struct history_study *s = study;
	json_t *o = json_pack("{s:s, s:i}", "format", "validate-history", "version", 2);
	json_t *campaigns = json_array(), *charts = json_array();
	for (size_t i = 0; i < s->history->n_campaigns; i++)
		json_array_append_new(campaigns, campaign(&s->history->campaign[i]));
	for (size_t i = 0; i < s->history->n_series; i++)
		json_array_append_new(charts, chart(s, &s->charts[i]));
	json_add(o, J_COUNT("baseline", s->baseline), J_VALUE("campaigns", campaigns),
		J_VALUE("charts", charts));
	json_add_document(out, o);
}
