/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison for programs, with all data. doc/compare-schema.json describes it. */
#include "reports/compare/compare_forms.h"
#include "reports/json/json_model.h"
#include "reports/json/json_value.h"
#include "reports/model_rows.h"

#define COMPARE_FORMAT_VERSION 1

#define S baseline
MODEL(S, "Origin of a side.",
	TEXT(source, "source", NULL)
	TEXT(title, "title", NULL)
	TEXT(protocol, "protocol", NULL)
	TEXT(protocol_hash, "protocol_hash", NULL)
	TEXT(campaign, "campaign", NULL)
	TEXT(program_version, "program_version", NULL)
	TEXT(date, "date", NULL)
	TEXT(host, "host", NULL)
	ROW(unsigned int, n_replicates, "n_replicates", COUNT, NULL)
	ROW(unsigned int, look, "look", COUNT,
	    "Number of the last planned look that the campaign reached; 0: none."))
#undef S

#define S aspect_change
GET_AT(const char *, aspect_name, aspect_names[at->i])

static const char *const scale_names[] = {[SCALE_CHANGE] = "change", [SCALE_RATIO] = "ratio",
	[SCALE_DIFFERENCE] = "difference", [SCALE_COUNT] = "count", NULL};

GET_AT(const char *, scale_name, scale_names[aspect_scale((enum aspect)at->i)])

static const char *aspect_reason(const struct model_at *at)
{
	compare_add_reasons(at->scratch, at->s);
	return at->scratch->s;
}

MODEL(S, NULL,
	BY_TEXT(aspect_name, "component", NULL, .words = aspect_names)
	WORD(word, "outcome", NULL, change_names)
	STATUS_ROW(status, "status", NULL)
	BY_TEXT(scale_name, "scale",
		"Scale of the change and its limit. change: relative (0.1 is 10 %). ratio: new "
		"divided by old. difference: new minus old. count: new minus old, in requests per "
		"run.", .words = scale_names)
	FINITE(old_value, "old", NUMBER, NULL)
	FINITE(new_value, "new", NUMBER, NULL)
	FINITE(change, "change", NUMBER, NULL)
	FINITE(lo95, "lo95", NUMBER, NULL)
	FINITE(hi95, "hi95", NUMBER, NULL)
	FINITE(quantile, "quantile", NUMBER,
	       "Only for the component \"shape\": the compared quantile, such as 0.99. It is "
	       "the quantile with the smallest P-value for a change beyond the limit.")
	FINITE(limit, "limit", NUMBER, NULL)
	FINITE(p, "p", P,
	       "One-sided P-value for a change beyond the nearer limit, corrected for dependence "
	       "between runs and for repeated looks at the data.")
	FINITE(p_holm, "p_holm", P, "p_difference corrected for all tests of the comparison.")
	FINITE(p_same, "p_same", P, "P-value for a change within the limits (equivalence test).")
	FINITE(p_difference, "p_difference", P,
	       "Two-sided P-value of the test for any change.")
	FINITE(p_brown_forsythe, "p_brown_forsythe", P,
	       "P-value of the Brown-Forsythe test; only for the component precision.")
	FLAG(dependent, "dependent", "The outcome would be \"same\" if the runs were known to be "
				     "independent of each other.")
	BY_TEXT(aspect_reason, "reason", NULL))
#undef S

#define S case_change
/* index: 0 the old side, 1 the new side */
GET(const struct baseline_case *, side_of, case_change, c, at->m->index ? c->new_case : c->old_case)

GET_AT(const char *, side_replayer, side_of(at)->replayer)
GET_AT(const char *, side_verdict, side_of(at)->verdict)
GET_AT(uint64_t, side_pairs, side_of(at)->n)
GET_AT(uint64_t, side_failed, side_of(at)->n_failed)

MODEL(S, NULL,
	TEXT(scenario, "scenario", NULL)
	BY_TEXT(side_replayer, "old_replayer", NULL)
	BY_TEXT(side_replayer, "new_replayer", NULL, .index = 1)
	BY_COUNT(side_pairs, "n_old", "Pairs of the old results.")
	BY_COUNT(side_pairs, "n_new", "Pairs of the new results.", .index = 1)
	BY_COUNT(side_failed, "n_failed_old",
		 "Failed runs of the program and of the replayer, in the old results.")
	BY_COUNT(side_failed, "n_failed_new",
		 "Failed runs of the program and of the replayer, in the new results.", .index = 1)
	FLAG(paired, "paired", "The replays are compared block by block, within one campaign.")
	FLAG(same_runs, "same_runs",
	     "Both sides are the same runs of one campaign, so there is no change.")
	WORD(word, "outcome", NULL, change_names)
	BY_TEXT(side_verdict, "old_verdict", NULL)
	BY_TEXT(side_verdict, "new_verdict", NULL, .index = 1)
	MODEL_ELEMENTS(aspect, "components", NULL, .in_place = true, .n = ASPECT_N))
#undef S

#define S difference
GET(const char *, new_value, difference, d, compare_new_value(d))

MODEL(S, NULL,
	WORD(kind, "kind", NULL, difference_names)
	TEXT(what, "what", NULL)
	TEXT(old_value, "old", NULL, NULLABLE)
	BY_TEXT(new_value, "new", NULL, NULLABLE)
	FLAG(refuses, "refuses", "The difference prevents the comparison."))
#undef S

#define S campaign_change
static const char *const formats[] = {"validate-compare", NULL};

GET(const char *, outcome, campaign_change, c,
    c->n_refusing ? "not comparable" : change_name(c->word))

static const char *headline_text(const struct model_at *at)
{
	compare_add_headline(at->scratch, at->s);
	return at->scratch->s;
}

MODEL(S, "Changes between two campaigns or two replayers. A number that does not exist is null.",
	FIXED_TEXT(formats, "format")
	FIXED_COUNT(COMPARE_FORMAT_VERSION, "format_version", NULL)
	BY_TEXT(outcome, "outcome", "\"not comparable\", or the worst outcome of all cases.")
	BY_TEXT(headline_text, "summary", "One line of at most 140 bytes.")
	POINTER(old_side, "old", NULL)
	POINTER(new_side, "new", NULL)
	ROW(size_t, n_worse, "n_worse", COUNT, "Number of cases that are worse.")
	ROW(size_t, n_inconclusive, "n_inconclusive", COUNT, NULL)
	ROW(size_t, n_better, "n_better", COUNT, NULL)
	ROW(size_t, n_same, "n_same", COUNT, NULL)
	ROW(size_t, n_missing, "n_missing", COUNT, NULL)
	ROW(size_t, n_tests, "n_tests", COUNT, "Number of tests (Holm's correction uses it).")
	FINITE(level_same, "level_same", P, "Probability that a component whose change is beyond "
					    "the limit is called \"same\".")
	FINITE(level_worse, "level_worse", P,
	       "Probability that at least one unchanged component of the whole comparison is "
	       "called \"better\" or \"worse\".")
	ARRAY(difference, n_differences, "differences", NULL)
	ARRAY(cell, n_cells, "cases", NULL))
#undef S

static void json_render(struct strbuf *out, const struct campaign_change *c)
{
	json_add_document(out, json_model(&model_campaign_change, c));
}

const struct compare_form compare_form_json = {
    "json", "everything, for programs (doc/compare-schema.json)", json_render};
