/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/tables/tables.h"

#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"

static const struct {
	const char *name; /* as the table calls itself */
	void (*build)(struct table *, const struct analysis *);
} builders[] = {
    {"summary", table_summary},
    {"components", table_components},
    {"limits", table_limits},
    {"scenarios", table_scenarios},
    {"replayers", table_replayers},
    {"sources", table_sources},
    {"response-time", table_response_time},
    {"precision", table_precision},
    {"bias", table_bias},
    {"distribution", table_distribution},
    {"parts", table_parts},
    {"quantiles", table_quantiles},
    {"linearity-precision", table_linearity_precision},
    {"linearity-bias", table_linearity_bias},
    {"linearity", table_linearity},
    {"execution-time", table_time},
    {"order", table_order},
    {"in-flight", table_in_flight},
    {"concurrency", table_concurrency},
    {"issue-error", table_issue_error},
    {"fidelity", table_fidelity},
    {"calibration", table_calibration},
    {"diagnostics", table_diagnostics},
    {"control", table_control},
    {"sessions", table_sessions},
    {"session-groups", table_session_groups},
    {"uncertainty", table_uncertainty},
    {"budget", table_budget},
    {"uncertainty-classic", table_paper},
    {"replicates", table_replicates},
    {"runs", table_runs},
    {"why", table_why},
    {"rated-range", table_rated_range},
    {"blank", table_blank},
    {"findings", table_claims},
    {"finding-comparisons", table_claim_comparisons},
    {"finding-values", table_claim_values},
    {"published", table_published},
    {"published-values", table_published_values},
    {"operations", table_operations},
    {"pace", table_pace},
    {"issue-distribution", table_issue_distribution},
    {"issue-rate", table_issue_rate},
    {"costs", table_costs},
    {"stamps", table_stamps},
    {"league", table_league},
    {"observation", table_observation},
    {"device", table_device},
    {"parallel-replayers", table_parallel_replayers},
    {"parallel-worst", table_parallel_worst},
    {"parallel", table_parallel},
    {"parallel-nodes", table_parallel_nodes},
};

bool table_build(struct table *t, const struct analysis *a, size_t index)
{
	if (index >= sizeof builders / sizeof builders[0])
		return false;
	builders[index].build(t, a);
	return true;
}

bool table_build_named(struct table *t, const struct analysis *a, const char *name)
{
	for (size_t i = 0; i < sizeof builders / sizeof builders[0]; i++)
		if (!strcmp(builders[i].name, name))
			return table_build(t, a, i);
	return false;
}

void tables_build(struct tables *ts, const struct analysis *a)
{
	ts->n = sizeof builders / sizeof builders[0];
	ts->table = xcalloc(ts->n, sizeof *ts->table);
	for (size_t i = 0; i < ts->n; i++)
		builders[i].build(&ts->table[i], a);
}

void tables_release(struct tables *ts)
{
	for (size_t i = 0; i < ts->n; i++)
		table_release(&ts->table[i]);
	free(ts->table);
	*ts = (struct tables){0};
}

const struct table *tables_find(const struct tables *ts, const char *name)
{
	for (size_t i = 0; i < ts->n; i++)
		if (!strcmp(ts->table[i].name, name))
			return &ts->table[i];
	return NULL;
}

void table_cell_columns(struct table *t)
{
	table_column(t, FORMAT_TEXT, "scenario", "Scenario");
	table_column(t, FORMAT_TEXT, "replayer", "Replayer");
	t->n_row_headers = 2;
}

void table_cell_names(struct table *t, const struct analysis *a, const struct cell *c)
{
	table_text(t, a->results->protocol.scenario[c->scenario].name);
	table_text(t, a->results->protocol.replayer[c->replayer].name);
}
