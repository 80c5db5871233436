/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the decisions, and of the scenarios, replayers and limits. */
#include "reports/tables/tables.h"
#include "reports/words.h"
#include "validate/components/component.h"

static void summary_row(struct table *t, const struct cell *c)
{
	COL_NUMBER(t, TIME, "program_mean", "Program", c->r.mean, c->r.sem);
	COL_ESTIMATE(t, RELATIVE, "bias", "Bias", &c->component[COMPONENT_BIAS].estimate);
	COL_OF(t, cell, c, precision_ratio, NULL, "Precision ratio");
	COL_OF(t, cell, c, precision_upper95, NULL, "Precision ratio, upper limit");
	COL_ESTIMATE(t, RELATIVE, "execution_time", "Execution time",
		&c->component[COMPONENT_EXECUTION_TIME].estimate);
	COL_ESTIMATE(t, SHARE, "reordered", "Reordered",
		&c->component[COMPONENT_REORDERING].estimate);
	COL_COUNT_IF(t, "n_mismatched_lost_extra", "Mismatches", !cell_has_no_replay(c),
		     (double)c->n_lost + (double)c->n_extra + (double)c->n_mismatched);
	COL_VERDICT(t, "verdict", "Verdict", c->verdict);
	COL_TEXT(t, "leaning", "Tendency",
		cell_tendency(c) == TENDENCY_NONE ? NULL : words_tendency(cell_tendency(c)));
	COL_TEXT(t, "reason", "Reason", c->verdict_reason);
}

const struct table_kind table_summary = {
    "summary", "Verdict of each scenario and replayer", .cell = summary_row,
    .note =
	"Bias: relative difference between the mean response times of replay and program. "
	"Precision: scatter of the replay's results divided by that of the program's results. "
	"Execution time: relative difference between replay and program. Intervals are 95 % "
	"confidence intervals."};

ROWS_OF(listed, components_listed(&a->results->protocol.accept))

/* Number of rows of a table with a row for each component of each case. */
ROWS_OF(components_n, a->n_cells * listed(a))

static const struct component *component_at(const struct analysis *a, size_t i)
{
	return &a->cell[i / listed(a)].component[i % listed(a)];
}

static void components_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct cell *c = ROW_ITEM(t, &a->cell[i / listed(a)]);
	const struct component *p = ROW_ITEM(t, component_at(a, i));
	COL_CELL(t, a, c);
	COL_TEXT(t, "component", "Component", component_names[i % listed(a)]);
	COL_DECISION(t, "decision", "Decision", p->decision);
	COL_ESTIMATE(t, NUMBER, "estimate", "Estimate", &p->estimate);
	COL_OF(t, component, p, limit, NULL, "Limit");
	COL_OF(t, component, p, accept_lo, NULL, "Limit of the acceptance test, lower");
	COL_OF(t, component, p, accept_hi, NULL, "upper");
	COL_OF(t, component, p, lag1, NULL, "Lag-1 correlation");
	COL_OF(t, component, p, n_effective, NULL, "Runs count as");
	COL_YES(t, "dependent", "Inconclusive because of dependence", p->dependent);
	COL_OF(t, component, p, p_reject, NULL, "P-value of the rejection");
	COL_OF(t, component, p, p_reject_holm, NULL, "P-value after Holm");
	COL_YES(t, "rejected_before_holm", "Rejected before Holm", p->rejected_before_holm);
	COL_OF(t, component, p, n_more, NULL, "Further replicates");
	COL_TEXT(t, "reason", "Reason", p->reason);
}

const struct table_kind table_components = {"components", "Every component of every verdict",
	components_n, components_row, .data_only = true, .note =
	"Relative quantities are ratios (0.1 is 10 %). Issue errors are in ns."};

static void limits_row(struct table *t, const struct analysis *a, size_t i)
{
	COL_TEXT(t, "component", "Component", component_names[i]);
	COL_TEXT(t, "meaning", "What it measures", components[i]->meaning);
	COL_YES(t, "assessed", "Assessed", a->assessed[i]);
	COL_WORDS_IF(t, "limit", "Limit", words_add_limits(&s_, &a->results->protocol, i));
	COL_TEXT(t, "rule", "Rule", components[i]->rule);
	COL_TEXT(t, "source", "Source", components[i]->source);
}

const struct table_kind table_limits = {"limits", "Components, limits and rules", listed,
	limits_row};

static void add_options(struct table *t, const struct setting *s, size_t n)
{
	SCOPED_STRBUF b = STRBUF_INIT;
	for (size_t i = 0; i < n; i++)
		strbuf_addf(&b, "%s%s=%s", i ? " " : "", s[i].key, s[i].value);
	table_text(t, b.len ? b.s : NULL);
}

size_t table_n_scenarios(const struct analysis *a)
{
	return a->results->protocol.n_scenarios;
}

static void scenarios_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct protocol *p = &a->results->protocol;
	const struct scenario *s = ROW_ITEM(t, &p->scenario[i]);
	COL_TEXT(t, "scenario", "Scenario", s->name);
	COL_TEXT(t, "workload", "Workload", s->workload);
	COL_TEXT(t, "type", "Type", s->type);
	COL_OF(t, scenario, s, level, NULL, "Level");
	COL_TEXT(t, "target", "Target",
		s->target < p->n_targets ? p->target[s->target].name : NULL);
	COL(t, TEXT, "options", "Options", add_options(t, s->option, s->n_options));
}

const struct table_kind table_scenarios = {"scenarios", "Scenarios", table_n_scenarios,
	scenarios_row, .note =
	"Options are those of \"validate microbench\"."};

static size_t n_applied(const struct protocol *p, const struct replayer *r)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n_scenarios; i++)
		n += !r->applies || r->applies[i];
	return n;
}

ROWS_OF(replayers_n, a->results->protocol.n_replayers)

static void replayers_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct protocol *p = &a->results->protocol;
	const struct replayer *r = ROW_ITEM(t, &p->replayer[i]);
	COL_TEXT(t, "replayer", "Replayer", r->name);
	COL_TEXT(t, "engine", "Engine", r->engine);
	COL_YES(t, "total_order", "Keeps the order of all requests", r->total_order);
	COL_YES(t, "timed", "Keeps the recorded times", r->timed);
	COL_COUNT(t, "n_scenarios", "Scenarios", n_applied(p, r));
	COL(t, TEXT, "options", "Options", add_options(t, r->option, r->n_options));
}

const struct table_kind table_replayers = {
    "replayers", "Replayers", replayers_n, replayers_row,
    .note = "Options are those of \"validate replay\"."};

static void sources_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct uncertainty_source *s = ROW_ITEM(t, &a->source[i]);
	COL_TEXT(t, "source", "Source", s->name);
	COL_TEXT(t, "category", "Category", s->category);
	COL_TEXT(t, "treatment", "Treatment", words_treatment(s));
	COL_TEXT(t, "note", "Note", *s->note ? s->note : NULL);
}

ROWS_OF(sources_n, a->n_sources)

const struct table_kind table_sources = {"sources", "Sources of uncertainty", sources_n,
					 sources_row};

/* Components that judge more than the mean: shape, tail, operations and halves of a run. */

/* Adds the columns of a component: the estimate of the part that decides, or without parts that of
 * the component. */
static void component_columns(struct table *t, const struct component *c, enum table_format format,
			      const char *key, const char *title)
{
	char decision[40];
	snprintf(decision, sizeof decision, "%s_decision", key);
	if (table_head(t, format, key, title, true))
		table_estimate(t, &c->estimate);
	COL_DECISION(t, decision, "Decision", c->decision);
}

/* The components with parts. */
static void distribution_row(struct table *t, const struct analysis *a, size_t i)
{
	COL_CELL(t, a, &a->cell[i]);
	for (size_t k = 0; k < listed(a); k++) {
		const struct component_row *row = components[k];
		char title[60];
		if (!row->words.what)
			continue;
		snprintf(title, sizeof title, "%s [95 %%]", row->title);
		component_columns(t, ROW_ITEM(t, &a->cell[i].component[k]), row->words.logarithm
			? FORMAT_RELATIVE : FORMAT_NUMBER, accept_limit_names[k], title);
	}
}

const struct table_kind table_distribution = {"distribution",
	"Response times beyond their mean", table_n_cells, distribution_row, .note =
	"Typical: mean of the fastest 90 % of the requests of a run. Tail: mean of the slowest 1 "
	"%. Shape: largest difference between the distributions of the response times, each "
	"divided by the typical response time of its run. Bias by operation: bias of the operation "
	"that decides the component. Bias by half: bias of the half of a run that decides the "
	"component. The deciding operation or half usually has the largest deviation."};

static size_t n_parts(const struct analysis *a, size_t i)
{
	return component_at(a, i)->n_parts;
}

static void parts_item(struct table *t, const struct analysis *a, size_t i, size_t k)
{
	const struct component *c = ROW_ITEM(t, component_at(a, i));
	COL_CELL(t, a, &a->cell[i / listed(a)]);
	COL_TEXT(t, "component", "Component", component_names[i % listed(a)]);
	COL_TEXT(t, "part", "Part", c->part[k].label);
	COL_ESTIMATE(t, NUMBER, "estimate", "Estimate [95 %]", &c->part[k].estimate);
	COL_OF(t, component, c, limit, NULL, "Limit ±");
}

const struct table_kind table_parts = {"parts", "Every part of the components that have parts",
	components_n, .n_items = n_parts, .item = parts_item, .n_row_headers = 4, .note =
	"Relative deviations are ratios (0.1 is 10 %)."};

/* The table of the causes of differences in response time and execution time. */

ROWS_OF(why_n, a->why ? a->n_cells * SPLIT_N : 0)

static size_t n_why_parts(const struct analysis *a, size_t i)
{
	const struct why *w = &a->why[i / SPLIT_N];
	return w->shown ? 1 + w->split[i % SPLIT_N].n_parts : 0;
}

static void why_item(struct table *t, const struct analysis *a, size_t i, size_t k)
{
	const struct cell *c = ROW_ITEM(t, &a->cell[i / SPLIT_N]);
	const struct split *s = ROW_ITEM(t, &a->why[i / SPLIT_N].split[i % SPLIT_N]);
	const struct why_part *p = k ? &s->part[k - 1] : NULL; /* NULL: the whole */
	COL_CELL(t, a, c);
	COL_VERDICT(t, "verdict", "Verdict", c->verdict);
	COL_TEXT(t, "difference_of", "Difference of", split_names[i % SPLIT_N]);
	COL_TEXT(t, "cause", "Comes from", p ? words_cause(p->name) : "the whole difference");
	COL_ESTIMATE(t, RELATIVE, "part", "Part [95 %]", p ? &p->part : &s->whole);
	COL_NUMBER(t, SHARE, "share", "Share", p ? p->share : s->significant ? 1 : NAN, 0.01);
	COL_TEXT(t, "obtained_by", "How it was obtained", words_method(p ? p->how :
		METHOD_MEASURED));
}

const struct table_kind table_why = {"why", "Causes of the differences", why_n,
	.n_items = n_why_parts, .item = why_item, .note =
	"Cases that are not trusted or differ significantly from the program. Parts are relative "
	"to the program's time. Parts with a share add up to the whole; one of them is the "
	"unexplained rest. Shares are given if the whole differs significantly from 0. A share "
	"can be above 100 % or below 0 if parts have opposite signs. Parts marked \"at most\" are "
	"upper bounds."};
