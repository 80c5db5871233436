/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the parts of the terminal summary; not included elsewhere. */
#pragma once

#include "reports/terminal/terminal.h"

/* The table of the terminal summary: a row per case, or per workload and replayer if there are too
 * many cases. */
struct terminal_style {
	size_t width;
	bool color;
};

void terminal_add_heading(struct strbuf *out, const char *text, const struct terminal_style *style);
/* Appends a text, wrapped: the first line with `first` blanks, the others with `rest` blanks. */
void terminal_add_line(struct strbuf *out, const char *text, size_t first, size_t rest,
		       const struct terminal_style *style);
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
