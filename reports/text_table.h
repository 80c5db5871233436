/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms of a table: text for a terminal, CSV, LaTeX; and the parts of the terminal summary. */
#pragma once

#include "reports/tables/tables.h"

/* Appends a table whose columns are as wide as their content, with text aligned left and numbers
 * right. Text is cut to `name_max` columns. */
void text_add_table(struct strbuf *out, const struct table *t, size_t name_max);

/* Appends one table as CSV with a header line. */
void csv_add_table(struct strbuf *out, const struct table *t);
/* Appends all tables, each after its name, separated by empty lines. */
void csv_add_tables(struct strbuf *out, const struct tables *ts);

/* Appends a table as a fragment for \input: a tabular, or several if it is longer than a page.
 * Needs booktabs and graphicx. */
void latex_add_table(struct strbuf *out, const struct table *t);
/* Appends all tables, separated by empty lines. `with_data`: also the tables that are meant for
 * programs. */
void latex_add_tables(struct strbuf *out, const struct tables *ts, bool with_data);

/* The table of the terminal summary: a row per case, or per workload and replayer if there are too
 * many cases. */
struct terminal_style {
	size_t width;
	bool color;
};

/* Appends the table of cases; of workloads if there are too many cases. */
void terminal_add_cells(struct strbuf *out, const struct analysis *a,
			const struct terminal_style *style);
/* Appends the causes of differences and the rated ranges, a line each (terminal_why.c). */
void terminal_add_why(struct strbuf *out, const struct analysis *a,
		      const struct terminal_style *style);
/* Appends published findings with their outcome in this campaign, and parallel applications
 * (terminal_published.c). */
void terminal_add_parallel(struct strbuf *out, const struct analysis *a,
			   const struct terminal_style *style);
void terminal_add_published(struct strbuf *out, const struct analysis *a,
			    const struct terminal_style *style);
/* Text between this call and terminal_end_verdict has the colour of the verdict if the style has
 * colours. */
void terminal_begin_verdict(struct strbuf *out, enum verdict v, const struct terminal_style *style,
			    bool bold);
void terminal_end_verdict(struct strbuf *out, const struct terminal_style *style);
