/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A history as JSON: its members (model.h). A test makes doc/history-schema.json from them. */
#include "reports/history/history_report.h"
#include "reports/json/json_model.h"
#include "reports/json/json_value.h"
#include "reports/model_rows.h"

#define HISTORY_FORMAT_VERSION 2

static const struct history *history_of(const struct model_at *at)
{
	return ((const struct history_study *)at->root)->history;
}

#define S history_campaign
LIST(campaign, NULL,
	ROW(long long, number, "number", COUNT, NULL)
	TEXT(campaign, "campaign", NULL)
	TEXT(date, "date", NULL, NULLABLE)
	TEXT(label, "label", NULL, NULLABLE)
	TEXT(title, "title", NULL, NULLABLE)
	TEXT(host, "host", NULL, NULLABLE)
	TEXT(program_version, "program_version", NULL, NULLABLE)
	TEXT(protocol_hash, "protocol_hash", NULL, NULLABLE)
	FLAG(goes_back, "date_goes_back", NULL))
#undef S

/* --- members of a chart -------------------------------------------------- */

static const struct history_charts *chart_of(const struct model_at *at)
{
	return at->up->s;
}

/* The campaign of the charted entry whose index the row's field holds. */
static const struct history_campaign *campaign_of(const struct model_at *at)
{
	const size_t *place = (const void *)((const char *)at->s + at->m->at);
	return history_campaign_at(at->root, chart_of(at), *place);
}
GET_AT(uint64_t, campaign_number, (uint64_t)campaign_of(at)->number)
GET_AT(const char *, campaign_date, campaign_of(at)->date)

#define CAMPAIGN(f, name_, about_)                                                                 \
	BY_COUNT(campaign_number, name_, about_, .at = offsetof(struct S, f) + MODEL_IS(f, size_t))
#define DATE(f, name_)                                                                             \
	BY_TEXT(campaign_date, name_, NULL, NULLABLE,                                              \
		.at = offsetof(struct S, f) + MODEL_IS(f, size_t))

#define S history_change
LIST(change, NULL,
	TEXT(fact, "fact", NULL)
	TEXT(old, "old", NULL, NULLABLE)
	TEXT(new, "new", NULL, NULLABLE))
#undef S

static json_t *facts_json(const struct model_at *at)
{
	json_t *list = json_array();
	SCOPED(history_changes_release) struct history_changes found;
	const struct history_event *v = at->s;
	history_changes_find(&found, history_of(at), chart_of(at->up)->series, v->environment);
	for (size_t i = 0; i < found.n; i++)
		json_array_append_new(list, json_model(&model_change, &found.one[i]));
	return list;
}

#define S history_event
static const struct history_campaign *changed_in(const struct model_at *at)
{
	const struct history_event *v = at->s;
	const struct history_entry *entry = chart_of(at->up)->series->entry;
	return &history_of(at)->campaign[entry[v->environment].campaign];
}
GET_AT(uint64_t, changed_number, (uint64_t)changed_in(at)->number)
GET_AT(const char *, changed_date, changed_in(at)->date)
GET(const void *, nearest_change, history_event, v, v->has_change ? v : NULL)
GET(double, change, history_event, v, expm1(v->is.change))
GET(json_t *, is_ongoing, history_event, v, json_boolean(v->is.last + 1 == chart_of(at)->n))

LIST(nearest_change, NULL,
	BY_COUNT(changed_number, "number", NULL)
	BY_TEXT(changed_date, "date", NULL, NULLABLE)
	BY_JSON(facts_json, "array", "facts", NULL, .of = &model_change))
LIST(event, NULL,
	WORD(is.kind, "kind", NULL, event_kind_names)
	BY_REAL(change, "change", RELATIVE,
		"Change of x/r, relative to the level before the event. For a drift, this is "
		"the change from its onset to its last entry.")
	ROW(double, is.sd, "change_se_ln", NUMBER, NULL)
	CAMPAIGN(is.onset, "onset", "onset, onset_lo, onset_hi, found and last: each is the "
				    "number of one campaign.")
	DATE(is.onset, "onset_date")
	CAMPAIGN(is.onset_lo, "onset_lo", NULL)
	CAMPAIGN(is.onset_hi, "onset_hi", NULL)
	CAMPAIGN(is.found, "found", NULL)
	CAMPAIGN(is.last, "last", NULL)
	BY_JSON(is_ongoing, "boolean", "ongoing", NULL)
	BY_OBJECT(nearest_change, nearest_change, "nearest_change",
		  "Campaign that is nearest to the onset and in which facts (environment, "
		  "protocol) changed, with these facts. Null if no fact changed within the 95 % "
		  "interval of the onset.", NULLABLE))
#undef S

#define S history_signal
GET(json_t *, direction, history_signal, g, json_integer(g->direction))

LIST(signal, NULL,
	WORD(chart, "chart", NULL, history_chart_names)
	WORD(kind, "kind", NULL, history_kind_names)
	BY_JSON(direction, "integer", "direction", "1 up, -1 down, 0 a jump.")
	ROW(double, change, "change", RELATIVE,
	    "Change of x/r: the mean from onset to last, relative to the centre. For a jump "
	    "(moving range), this is the change from the previous entry.")
	CAMPAIGN(onset, "onset", "Number of a campaign.")
	DATE(onset, "onset_date")
	CAMPAIGN(first, "signalled", NULL)
	DATE(first, "signalled_date")
	CAMPAIGN(last, "last", NULL)
	FLAG(lasting, "ongoing", NULL))
#undef S

/* at->i is the index of the charted entry. */
GET_AT(uint64_t, entry_number,
       (uint64_t)history_campaign_at(at->root, chart_of(at), at->i)->number)
GET_AT(json_t *, is_in_baseline, json_boolean(chart_of(at)->in_base[at->i]))
GET_AT(double, z, chart_of(at)->z[at->i])
GET_AT(double, cusum_plus, chart_of(at)->cusum[at->i].plus)
GET_AT(double, cusum_minus, chart_of(at)->cusum[at->i].minus)
GET_AT(double, ewma_at, chart_of(at)->ewma[at->i])

#define S history_entry
#define OF_CHART(function, name_)                                                                  \
	BY_REAL(function, name_, NUMBER, NULL, .status_above = true,                               \
		.status_at = offsetof(struct history_charts, status) + 1)

LIST(entry, NULL,
	BY_COUNT(entry_number, "number", NULL)
	ROW(size_t, n, "n_pairs", COUNT, NULL)
	ROW(double, mean, "mean_ln", NUMBER, NULL)
	ROW(double, sd, "sd_ln", NUMBER, NULL)
	ROW(double, bias, "bias", RELATIVE, NULL)
	ROW(double, bias_lo95, "bias_lo95", RELATIVE, NULL)
	ROW(double, bias_hi95, "bias_hi95", RELATIVE, NULL)
	ROW(double, u_c, "u_c", SHARE, NULL)
	ROW(double, U95, "U95", SHARE, NULL)
	TEXT(verdict, "verdict", NULL, NULLABLE)
	BY_JSON(is_in_baseline, "boolean", "in_baseline", NULL)
	OF_CHART(z, "z")
	OF_CHART(cusum_plus, "cusum_plus")
	OF_CHART(cusum_minus, "cusum_minus")
	OF_CHART(ewma_at, "ewma"))
#undef S

/* --- the document -------------------------------------------------------- */

#define S history_charts
GET(const char *, scenario, history_charts, c, c->series->scenario)
GET(const char *, replayer, history_charts, c, c->series->replayer)
GET(uint64_t, n_without_value, history_charts, c, c->series->n - c->n)
GET(uint64_t, n_entries, history_charts, c, c->n)
GET(const void *, entry_at, history_charts, c, &c->series->entry[c->at[at->i]])

LIST(chart, NULL,
	BY_TEXT(scenario, "scenario", NULL)
	BY_TEXT(replayer, "replayer", NULL)
	ROW(size_t, n, "n_entries", COUNT, NULL)
	BY_COUNT(n_without_value, "n_without_value", NULL)
	ROW(size_t, n_base, "n_baseline", COUNT, NULL)
	ROW(double, limits.center, "center_ln", NUMBER, NULL, STATUS(status))
	ROW(double, limits.sigma, "sigma_ln", NUMBER, NULL, STATUS(status))
	ROW(double, limits.lower, "lower_ln", NUMBER, NULL, STATUS(status))
	ROW(double, limits.upper, "upper_ln", NUMBER, NULL, STATUS(status))
	ROW(double, limits.mr_upper, "moving_range_upper_ln", NUMBER, NULL, STATUS(status))
	ARRAY_AS(event, n_events, event, "events", NULL)
	ARRAY_AS(signal, n_signals, signal, "signals", NULL)
	BY_ARRAY(n_entries, entry_at, entry, "entries", NULL))
#undef S

#define S history_study
static const char *const formats[] = {"validate-history", NULL};
GET_AT(uint64_t, n_campaigns, history_of(at)->n_campaigns)
GET_AT(uint64_t, n_series, history_of(at)->n_series)
GET_AT(const void *, campaign_at, &history_of(at)->campaign[at->i])
GET(const void *, chart_at, history_study, s, &s->charts[at->i])

MODEL(S, "Output of validate history show --format json, and DIR/history.json. Names that end in "
	"_ln belong to ln(x/r): x is the mean response time of the replay, and r is that of the "
	"program. A number that does not exist is null, and NAME_status gives the reason.",
	FIXED_TEXT(formats, "format")
	FIXED_COUNT(HISTORY_FORMAT_VERSION, "version", NULL)
	ROW(size_t, baseline, "baseline", COUNT, NULL)
	BY_ARRAY(n_campaigns, campaign_at, campaign, "campaigns", NULL)
	BY_ARRAY(n_series, chart_at, chart, "charts", NULL))
#undef S

void history_json_add(struct strbuf *out, const void *study)
{
	json_add_document(out, json_model(&model_history_study, study));
}
