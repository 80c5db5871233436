/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON of validate stats: its members (model.h). A test makes doc/stats-schema.json from them.
 * A statistic without parameters is a number, a word or null under its name. A statistic with
 * parameters is an object, with the text of its parameters as keys ("conf=0.95"). If a value is
 * null, "status" has the reason. */
#include "reports/json/json_model.h"
#include "reports/json/json_value.h"
#include "reports/model_rows.h"
#include "reports/stats/stats_report.h"

#define STATS_SCHEMA 1

static json_t *json_number(double value)
{
	return fabs(value) < 9007199254740992.0 && value == floor(value)
		   ? json_integer((json_int_t)value)
		   : json_real(value);
}

static void put_value(json_t *object, const struct named_estimate *e, json_t *value)
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

/* The statistics of the row's field; those without a value are null. */
static json_t *statistics_json(const struct model_at *at)
{
	const struct estimates *list = (const void *)((const char *)at->s + at->m->at);
	json_t *o = json_object();
	for (const struct named_estimate *e = list->e; e < list->e + list->n; e++)
		put_value(o, e, e->status ? json_null()
			: e->word   ? json_string(e->word)
				    : json_number(e->value));
	return o;
}

static json_t *statuses_json(const struct model_at *at)
{
	const struct estimates *list = (const void *)((const char *)at->s + at->m->at);
	json_t *o = json_object();
	for (const struct named_estimate *e = list->e; e < list->e + list->n; e++)
		if (e->status)
			put_value(o, e, json_string(stat_status_name(e->status)));
	return o;
}

#define ESTIMATES(f)                                                                               \
	BY_JSON(statistics_json, "object", "statistics",                                           \
		"Statistics by name (doc/statistic-names.md). A statistic with parameters is an "  \
		"object with the text of the parameters as keys, such as \"conf=0.95\". Null if "  \
		"undefined.",                                                                      \
		.items = "number|string|null|object", .at = offsetof(struct S, f))                 \
	BY_JSON(statuses_json, "object", "status",                                                 \
		"For each statistic without a value, under the name of the statistic: the reason.",\
		.items = "string|object", .at = offsetof(struct S, f))

/* --- samples ------------------------------------------------------------- */

#define S stats_sessions
static json_t *labels_json(const struct model_at *at)
{
	const struct stats_sessions *s = at->s;
	json_t *list = json_array();
	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(list, json_name(s->label[i]));
	return list;
}

LIST(sessions, "Statistics of ISO 5725-2 over the sessions.",
	BY_JSON(labels_json, "array", "labels", NULL, .items = "string")
	ESTIMATES(estimates))
#undef S

#define S stats_sample
GET(const char *, column_name, stats_sample, s, s->column->name)

LIST(stats_sample, NULL,
	TEXT(columns.path, "file", NULL, .exact = true)
	BY_TEXT(column_name, "column", NULL, .exact = true)
	ESTIMATES(sample.estimates)
	OBJECT_AS(sessions, sessions, "sessions", NULL, IF_SET(sessions.n)))
#undef S

/* --- comparisons --------------------------------------------------------- */

/* at->s is the answer, at->i its number (0: bias, 1: precision), at->up->s its comparison, and
 * at->up->up->i the number of the replay. */
static const char *decided_name(const struct model_at *at)
{
	const struct comparison *c = at->up->s;
	return decided_names[at->i ? c->precision_decision : c->bias_decision];
}

static json_t *rejection_json(const struct model_at *at)
{
	const struct stats *s = at->root;
	return json_boolean(s->reject[2 * at->up->up->i + at->i]);
}

static double limit_of(const struct model_at *at)
{
	const struct comparison_plan *p = &((const struct stats *)at->root)->plan;
	return at->i ? p->limit_precision : p->limit_bias_pct;
}

#define S comparison_answer
GET(bool, has_value, comparison_answer, a, !a->status)
GET(const char *, status_name, comparison_answer, a, stat_status_name(a->status))

LIST(answer, "If the status is not \"ok\", the numbers are absent.",
	BY_TEXT(status_name, "status", NULL)
	BY_TEXT(decided_name, "decision", NULL, .words = decided_names)
	BY_JSON(rejection_json, "boolean", "rejection_stands", NULL)
	BY_FINITE(limit_of, "limit", NUMBER, NULL, .finite = true)
	FINITE(value, "value", NUMBER, NULL, IF(has_value))
	FINITE(lo, "ci_lo", NUMBER, NULL, IF(has_value))
	FINITE(hi, "ci_hi", NUMBER, NULL, IF(has_value))
	FINITE(inner_lo, "inner_ci_lo", NUMBER, NULL, IF(has_value))
	FINITE(inner_hi, "inner_ci_hi", NUMBER, NULL, IF(has_value))
	FINITE(p, "p", NUMBER, NULL, IF(has_value))
	FINITE(p_beyond, "p_beyond_limit", NUMBER, NULL, IF(has_value)))
#undef S

#define S comparison
LIST(comparison, NULL,
	OBJECT_AS(bias, answer, "bias_pct", NULL)
	OBJECT_AS(precision, answer, "precision", NULL, .index = 1)
	ESTIMATES(estimates))
#undef S

#define S stats
GET_AT(const void *, comparison_of, &((const struct stats *)at->root)->comparison[at->i])
GET(const void *, replay_at, stats, s, &s->sample[at->i + 1])
GET(const void *, first_sample, stats, s, s->sample)
GET(uint64_t, n_replays, stats, s, s->n - 1)
GET(bool, is_compared, stats, s, s->n > 1)
GET(bool, is_alone, stats, s, s->n == 1)
GET(const char *, units, stats, s, s->config->units)
GET_AT(const char *, verdict, stats_verdict_name(at->s))

LIST(replay, NULL,
	INLINE(NULL, stats_sample)
	BY_OBJECT(comparison_of, comparison, "comparison", NULL))

/* --- the document -------------------------------------------------------- */

GET(const char *, version, stats, s, s->n ? VALIDATE_VERSION : NULL)

MODEL(S, "Statistics and comparisons of columns of results of runs.",
	FIXED_COUNT(STATS_SCHEMA, "schema", NULL)
	BY_TEXT(version, "validate_version", NULL)
	PART("settings", NULL,
	     DEFINED(plan.alpha, "alpha", NUMBER, NULL)
	     DEFINED(plan.limit_bias_pct, "limit_bias_pct", NUMBER, NULL)
	     DEFINED(plan.limit_precision, "limit_precision", NUMBER, NULL)
	     FLAG(plan.paired, "paired", NULL)
	     FLAG(plan.time_ordered, "time_ordered", NULL)
	     ROW(size_t, plan.block, "block", COUNT, NULL)
	     ROW(uint64_t, plan.n_resamples, "resamples", COUNT, NULL)
	     ROW(uint64_t, plan.seed, "seed", COUNT, NULL, .digits = true)
	     DEFINED(plan.clock_halfwidth, "clock_halfwidth", NUMBER, NULL)
	     BY_NAME(units, "units", NULL))
	BY_OBJECT(first_sample, stats_sample, "sample", "Present if there is only one column.",
		  IF(is_alone))
	BY_OBJECT(first_sample, stats_sample, "reference", NULL, IF(is_compared))
	BY_ARRAY(n_replays, replay_at, replay, "replays", NULL, IF(is_compared))
	BY_TEXT(verdict, "verdict", NULL, IF(is_compared), .words = verdict_names))
#undef S

void stats_print_json(const struct stats *s)
{
	json_print(json_model(&model_stats, s));
}
