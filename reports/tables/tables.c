/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/tables/tables.h"

#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"

static void (*const builders[])(struct table *, const struct analysis *) = {
    table_summary,        table_components,    table_limits,      table_scenarios,   table_replayers,
    table_sources,        table_response_time, table_precision,   table_bias,        table_quantiles,   table_linearity_precision,
    table_linearity_bias, table_linearity,     table_time,        table_order,       table_in_flight,   table_concurrency,
    table_issue_error,    table_fidelity,      table_calibration, table_diagnostics, table_control,     table_sessions,
    table_session_groups, table_uncertainty,
    table_budget,         table_paper,         table_replicates,  table_runs,
    table_why,            table_rated_range,   table_blank,
    table_claims,         table_claim_comparisons, table_claim_values, table_published, table_published_values,
    table_operations,     table_pace,        table_issue_distribution, table_issue_rate, table_costs, table_stamps,
    table_league,         table_observation,    table_device,
    table_parallel_replayers, table_parallel_worst, table_parallel, table_parallel_nodes,
};

bool table_build(struct table *t, const struct analysis *a, size_t index)
{
	if (index >= sizeof builders / sizeof builders[0])
		return false;
	builders[index](t, a);
	return true;
}

void tables_build(struct tables *ts, const struct analysis *a)
{
	ts->n = sizeof builders / sizeof builders[0];
	ts->table = xcalloc(ts->n, sizeof *ts->table);
	for (size_t i = 0; i < ts->n; i++)
		builders[i](&ts->table[i], a);
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
