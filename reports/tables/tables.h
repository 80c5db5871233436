/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of a report, made from an analysis; which form shows which is the form's business. */
#ifndef REPORTS_TABLES_H
#define REPORTS_TABLES_H

#include "reports/tables/table.h"

struct tables {
	struct table *table; /* in the order of the report */
	size_t n;
};

/* Ownership: tables_release. Never fails; an analysis without cells gives tables without rows. */
void tables_build(struct tables *ts, const struct analysis *a);
/* One of them, for who needs them one after the other: false where index is not below their number. Ownership: table_release. */
bool table_build(struct table *t, const struct analysis *a, size_t index);
bool table_build_named(struct table *t, const struct analysis *a, const char *name); /* false: none of that name */
void tables_release(struct tables *ts);
const struct table *tables_find(const struct tables *ts, const char *name); /* NULL: none of that name */

/* The builders behind it, by subject. Each fills one fresh table. */
void table_summary(struct table *t, const struct analysis *a);    /* a row per cell: what decided */
void table_components(struct table *t, const struct analysis *a); /* a row per cell and component */
void table_limits(struct table *t, const struct analysis *a);
void table_scenarios(struct table *t, const struct analysis *a);
void table_replayers(struct table *t, const struct analysis *a);
void table_sources(struct table *t, const struct analysis *a);
void table_response_time(struct table *t, const struct analysis *a);
void table_precision(struct table *t, const struct analysis *a);
void table_bias(struct table *t, const struct analysis *a);
void table_distribution(struct table *t, const struct analysis *a); /* a row per case: shape, tail, operations, halves */
void table_parts(struct table *t, const struct analysis *a);
void table_linearity_precision(struct table *t, const struct analysis *a); /* CV over levels */
void table_linearity_bias(struct table *t, const struct analysis *a);      /* relative bias over levels */
void table_linearity(struct table *t, const struct analysis *a);           /* regression */
void table_time(struct table *t, const struct analysis *a);
void table_order(struct table *t, const struct analysis *a);
void table_in_flight(struct table *t, const struct analysis *a);
void table_concurrency(struct table *t, const struct analysis *a);
void table_issue_error(struct table *t, const struct analysis *a);
void table_fidelity(struct table *t, const struct analysis *a);
void table_calibration(struct table *t, const struct analysis *a);
void table_diagnostics(struct table *t, const struct analysis *a);
void table_uncertainty(struct table *t, const struct analysis *a);
void table_budget(struct table *t, const struct analysis *a);
void table_quantiles(struct table *t, const struct analysis *a);
void table_sessions(struct table *t, const struct analysis *a);
void table_session_groups(struct table *t, const struct analysis *a);
void table_control(struct table *t, const struct analysis *a);
void table_paper(struct table *t, const struct analysis *a);
void table_replicates(struct table *t, const struct analysis *a);
void table_runs(struct table *t, const struct analysis *a);

void table_why(struct table *t, const struct analysis *a);         /* a row per part of a difference */
void table_rated_range(struct table *t, const struct analysis *a); /* a row per point of a range */
void table_blank(struct table *t, const struct analysis *a);
void table_published(struct table *t, const struct analysis *a);	       /* a row per published value and case */
void table_published_values(struct table *t, const struct analysis *a); /* the same in base units */
void table_claims(struct table *t, const struct analysis *a);	       /* a row per finding */
void table_claim_comparisons(struct table *t, const struct analysis *a);
void table_claim_values(struct table *t, const struct analysis *a);
void table_operations(struct table *t, const struct analysis *a);
void table_pace(struct table *t, const struct analysis *a);
void table_issue_distribution(struct table *t, const struct analysis *a);
void table_issue_rate(struct table *t, const struct analysis *a);
void table_stamps(struct table *t, const struct analysis *a);
void table_costs(struct table *t, const struct analysis *a);
void table_league(struct table *t, const struct analysis *a);	   /* a row per replayer, the best first */
void table_observation(struct table *t, const struct analysis *a); /* a row per scenario: whose times count */
void table_parallel(struct table *t, const struct analysis *a);	   /* a row per case of a parallel application */
void table_parallel_worst(struct table *t, const struct analysis *a);
void table_parallel_replayers(struct table *t, const struct analysis *a);
void table_parallel_nodes(struct table *t, const struct analysis *a);
void table_device(struct table *t, const struct analysis *a);	   /* a row per case that was observed at its device */

/* Shared by them: the two columns that name a cell, and their content. */
void table_cell_columns(struct table *t);
void table_cell_names(struct table *t, const struct analysis *a, const struct cell *c);

#endif
