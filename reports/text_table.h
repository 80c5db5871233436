/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table for a terminal: columns as wide as what is in them, names to the left, numbers to the
 * right. */
#ifndef REPORTS_TEXT_TABLE_H
#define REPORTS_TEXT_TABLE_H

#include <stdbool.h>

#include "common/strbuf.h"
#include "reports/tables/table.h"
#include "reports/tables/tables.h"
#include "validate/analysis/analysis.h"

/* `name_max`: columns of a text at most, the rest is cut. */
void text_add_table(struct strbuf *out, const struct table *t, size_t name_max);

/* Appends one table as CSV with a header line. */
void csv_add_table(struct strbuf *out, const struct table *t);
/* All of them, each with its name before it, with an empty line between them. */
void csv_add_tables(struct strbuf *out, const struct tables *ts);

/* Appends one table as a fragment to \input: tabular, or longtable where it does not fit a page.
 * Needs booktabs, graphicx and longtable. */
void latex_add_table(struct strbuf *out, const struct table *t);
/* All of them, with an empty line between them; `with_data`: also those that are for machines. */
void latex_add_tables(struct strbuf *out, const struct tables *ts, bool with_data);

/* The table of the terminal summary: a row per case, or per workload and replayer where that would
 * be too many. */
struct terminal_style {
	size_t width;
	bool color;
};

void terminal_add_cells(struct strbuf *out, const struct analysis *a,
			const struct terminal_style *style);
/* What explains the differences, and the rated ranges, a line each (terminal_why.c). */
void terminal_add_why(struct strbuf *out, const struct analysis *a,
		      const struct terminal_style *style);
/* Findings of the literature and their outcome here (terminal_published.c). */
void terminal_add_parallel(struct strbuf *out, const struct analysis *a,
			   const struct terminal_style *style);
void terminal_add_published(struct strbuf *out, const struct analysis *a,
			    const struct terminal_style *style);
/* Text between the two has the colour of the verdict, where colour is wanted. */
void terminal_begin_verdict(struct strbuf *out, enum verdict v, const struct terminal_style *style,
			    bool bold);
void terminal_end_verdict(struct strbuf *out, const struct terminal_style *style);

#endif
