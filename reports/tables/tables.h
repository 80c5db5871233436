/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of a report, made from an analysis. Each form chooses the tables that it shows. */
#pragma once

#include "reports/model.h"

struct tables {
	struct table *table; /* in the order of the report */
	size_t n;
};

/* Builds all tables. An analysis without cases gives tables without rows. Ownership:
 * tables_release. */
void tables_build(struct tables *ts, const struct analysis *a);
/* Builds one table, so that the tables need not all be in memory at once. Returns false if there is
 * no table `index`. Ownership: table_release. */
bool table_build(struct table *t, const struct analysis *a, size_t index);
/* false: none of that name */
bool table_build_named(struct table *t, const struct analysis *a, const char *name);
void tables_release(struct tables *ts);
/* NULL: none of that name */
const struct table *tables_find(const struct tables *ts, const char *name);

/* How a table is made. `row` names each column together with its value (the COL macros). It is
 * first called with t->in_heads: then it only adds the columns and reads no value, so a table
 * without rows has its columns as well. A row may add nothing. With `item` instead of `row`, row i
 * has n_items() lines. With `cell` instead of n_rows and `row`, each case has a row, which begins
 * with the names of the case. */
struct table_kind {
	const char *name, *title;
	size_t (*n_rows)(const struct analysis *a);
	void (*row)(struct table *t, const struct analysis *a, size_t i);
	void (*cell)(struct table *t, const struct cell *c);
	size_t (*n_items)(const struct analysis *a, size_t i);
	void (*item)(struct table *t, const struct analysis *a, size_t i, size_t k);
	const char *note;
	size_t n_row_headers; /* 0: 2 with COL_CELL, else 1 */
	bool data_only;
};

/* Defines a static function for n_rows: a number of the analysis `a`. */
#define ROWS_OF(name, number)                                                                      \
	static size_t name(const struct analysis *a)                                               \
	{                                                                                          \
		return number;                                                                     \
	}

/* All tables in the order of the report. Each is named table_NAME and is in the file of its
 * subject. */
#define TABLES(X) \
	X(summary) X(components) X(limits) X(scenarios) X(replayers) X(sources) \
	X(response_time) X(precision) X(bias) X(distribution) X(parts) X(quantiles) \
	X(linearity_precision) X(linearity_bias) X(linearity) X(time) X(order) X(in_flight) \
	X(concurrency) X(issue_error) X(fidelity) X(calibration) X(diagnostics) X(control) \
	X(sessions) X(session_groups) X(uncertainty) X(budget) X(paper) X(replicates) \
	X(runs) X(why) X(rated_range) X(blank) X(claims) X(claim_comparisons) \
	X(claim_values) X(published) X(published_values) X(operations) X(pace) \
	X(issue_distribution) X(issue_rate) X(costs) X(stamps) X(league) X(observation) \
	X(device) X(added) X(parallel_replayers) X(parallel_worst) X(parallel) \
	X(parallel_hosts) X(parallel_nodes)
#define TABLE_EXTERN(name) extern const struct table_kind table_##name;
#define TABLE_ADDRESS(name) &table_##name,
TABLES(TABLE_EXTERN)

/* Address of the item that a row describes. NULL while columns are named, because row 0 may not
 * exist. */
#define ROW_ITEM(t, address) ((t)->in_heads ? NULL : (address))

/* A column and its value. The value is not evaluated while columns are named. */
#define COL(t, f, key, title, cell)                                                                \
	do {                                                                                       \
		if (table_head(t, FORMAT_##f, key, title, false)) {                                \
			cell;                                                                      \
		}                                                                                  \
	} while (0)
#define COL_TEXT(t, key, title, s) COL(t, TEXT, key, title, table_text(t, s)) /* NULL: none */
#define COL_YES(t, key, title, b) COL_TEXT(t, key, title, (b) ? "yes" : "no")
#define COL_COUNT(t, key, title, n) COL(t, COUNT, key, title, table_count(t, (double)(n)))
#define COL_NUMBER(t, f, key, title, x, u) COL(t, f, key, title, table_number_u(t, x, u))
#define COL_STATUS(t, f, key, title, s, x, u)                                                      \
	COL(t, f, key, title, table_number_status(t, s, x, u))
/* Rounded to three significant digits. */
#define COL_TENTH(t, f, key, title, s, x) COL_STATUS(t, f, key, title, s, x, fabs(x) / 10)
#define COL_KNOWN(t, f, key, title, x) /* NaN: not assessed */                                     \
	COL_STATUS(t, f, key, title, isnan(x) ? STAT_NOT_ASSESSED : STAT_OK, x, NAN)
#define COL_COUNT_IF(t, key, title, known, n)                                                      \
	COL(t, COUNT, key, title, if (known) table_count(t, (double)(n)); else table_none(t))
#define COL_NUMBER_IF(t, f, key, title, known, x, u)                                               \
	COL(t, f, key, title, if (known) table_number_u(t, x, u); else table_none(t))
#define COL_DECISION(t, key, title, d) COL(t, DECISION, key, title, table_decision(t, d))
#define COL_VERDICT(t, key, title, v) COL(t, VERDICT, key, title, table_verdict(t, v))
#define COL_ESTIMATE(t, f, key, title, e)                                                          \
	do {                                                                                       \
		if (table_head(t, FORMAT_##f, key, title, true))                                   \
			table_estimate(t, e);                                                      \
	} while (0)
#define COL_WORDS(t, key, title, words) /* appends to the string buffer s_ */                      \
	COL(t, TEXT, key, title, struct strbuf s_ = STRBUF_INIT; words; table_text(t, s_.s);       \
	    strbuf_release(&s_))
#define COL_WORDS_IF(t, key, title, words) /* like COL_WORDS; an empty cell if nothing is
					    * appended */          \
	COL(t, TEXT, key, title, struct strbuf s_ = STRBUF_INIT; words;                            \
	    table_text(t, s_.len ? s_.s : NULL); strbuf_release(&s_))
/* A column of field `f` of *s, a struct TAG; the field may be that of a nested struct
 * ("order.all"). Unit, status and value are those of the field's row in the model. `key` NULL: the
 * name there without its unit. COL_OF_U: the last digit of a number is placed by u. */
#define COL_OF(t, tag, s, f, key, title) COL_OF_U(t, tag, s, f, key, title, NAN)
#define COL_OF_U(t, tag, s, f, key, title, u)                                                      \
	table_of(t, &model_##tag, offsetof(struct tag, f), 0 ? (const struct tag *)NULL : (s),     \
		 key, title, (t)->in_heads ? NAN : (u))
void table_of(struct table *t, const struct model_list *list, size_t at, const void *s,
	      const char *key, const char *title, double u);
/* Calls a row function, which returns nothing, only to name the columns. */
#define TABLE_HEADS(t, row) ((t)->in_heads = true, row, (t)->in_heads = false)
/* The two columns that name a cell. */
#define COL_CELL(t, a, c) table_cell(t, a, (t)->in_heads ? NULL : (c))
void table_cell(struct table *t, const struct analysis *a, const struct cell *c);

size_t table_n_cells(const struct analysis *a);
size_t table_n_scenarios(const struct analysis *a);
