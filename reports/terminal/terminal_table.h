/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of the terminal summary: a row per case, or per workload and replayer where that would be too many. */
#ifndef REPORTS_TERMINAL_TABLE_H
#define REPORTS_TERMINAL_TABLE_H

#include <stdbool.h>

#include "common/strbuf.h"
#include "validate/analysis/analysis.h"

struct terminal_style {
	size_t width;
	bool color;
};

void terminal_add_cells(struct strbuf *out, const struct analysis *a, const struct terminal_style *style);
/* What explains the differences, and the rated ranges, a line each (terminal_why.c). */
void terminal_add_why(struct strbuf *out, const struct analysis *a, const struct terminal_style *style);
/* Findings of the literature and their outcome here (terminal_published.c). */
void terminal_add_parallel(struct strbuf *out, const struct analysis *a, const struct terminal_style *style);
void terminal_add_published(struct strbuf *out, const struct analysis *a, const struct terminal_style *style);
/* Text between the two has the colour of the verdict, where colour is wanted. */
void terminal_begin_verdict(struct strbuf *out, enum verdict v, const struct terminal_style *style, bool bold);
void terminal_end_verdict(struct strbuf *out, const struct terminal_style *style);

#endif
