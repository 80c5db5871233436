/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the page. Names and other text from outside go through escape_html. */
#pragma once

#include "reports/figures/figure.h"
#include "reports/first_screen.h"
#include "reports/tables/tables.h"

struct html_page { /* everything is borrowed */
	const struct analysis *a;
	const struct tables *tables; /* NULL: each table of `a` is built when it is shown */
	const struct figures *figures;
	const struct findings *findings;
	const struct strbuf *protocol; /* its text; empty: unknown */
};

/* html_appendix.c: reads the protocol of a results directory. TEXT stays empty if the protocol is
 * missing or too long. Errors: of reading. */
int html_protocol_read(struct strbuf *text, const struct results *r, struct err *e);

/* html_style.c: appends the start of a page up to <main>. `with_images`: the page has figures.
 * `more_style` may be NULL. */
void html_begin_page(struct strbuf *out, const char *title, bool with_images,
		     const char *more_style);
void html_end_page(struct strbuf *out);

/* How outcomes look. The index is an enum decision; an enum verdict and an enum claim_outcome have
 * the same numbers. */
struct html_look {
	const char *class, *sign;
};
extern const struct html_look html_looks[];

/* html_verdict.c: the first screen, and the deciding interval of each case */
void html_add_verdict(struct strbuf *out, const struct html_page *p);
/* Appends a bar with the component's estimate and its deciding interval in multiples of the limit;
 * and the scale above a column of bars. */
void html_add_bar(struct strbuf *out, const struct component *c);
void html_add_bar_scale(struct strbuf *out);
/* html_cases.c: the causes, then a section for each case */
void html_add_cases(struct strbuf *out, const struct html_page *p);
/* html_published.c */
void html_add_rated_range(struct strbuf *out, const struct html_page *p);
void html_add_parallel(struct strbuf *out, const struct html_page *p);
void html_add_published(struct strbuf *out, const struct html_page *p);
/* html_glossary.c: appends the terms of doc/glossary.md and their sources. */
void html_add_glossary(struct strbuf *out, const struct html_page *p);
/* html_environment.c: appends a table of the facts of environment.json; NULL: none. */
void html_add_environment(struct strbuf *out, const json_t *environment);
/* html_appendix.c: warnings, methods, runs */
void html_add_appendix(struct strbuf *out, const struct html_page *p);

/* Shared. */
struct html_table_view {
	const char *keys; /* columns shown, separated by blanks; NULL: all */
	/* rows shown; NULL: all */
	bool (*wanted)(const struct table *t, size_t row, const void *arg);
	const void *arg;
	const char *note; /* follows the note of the table; NULL: none */
};
/* html_table.c: appends a table of the report by name, with caption, note and a link to its CSV.
 * Appends nothing if the table has no row to show. In a table of texts, rows that differ only in
 * their first cell become one row. */
void html_add_table(struct strbuf *out, const struct html_page *p, const char *name,
		    const struct html_table_view *view);
/* Like html_add_table, inside a closed <details> under `summary` (plain text of this program). */
void html_add_folded_table(struct strbuf *out, const struct html_page *p, const char *name,
			   const char *summary, const struct html_table_view *view);
/* Begins an element that may be wider than the window, which the caller closes with "</div>". It
 * has a name, and can be scrolled by keyboard. */
void html_begin_wide(struct strbuf *out, const char *name);
/* Appends a number as table_cell_text writes it, with a minus sign, and its interval in small
 * letters. */
void html_add_number(struct strbuf *out, const char *text);
/* Appends a chip: the sign of the outcome and a word. */
void html_add_chip(struct strbuf *out, unsigned int outcome, const char *word);
/* Appends the verdict, in the words of the claim if the campaign has a claim; `a` may be NULL. */
void html_add_verdict_chip(struct strbuf *out, const struct analysis *a, enum verdict v);
/* Appends the verdict of a case; if it is inconclusive, its tendency. */
void html_add_case_chip(struct strbuf *out, const struct analysis *a, const struct cell *c);
/* Appends a figure; `above`: its caption is above it. */
void html_add_figure(struct strbuf *out, const struct figure *f, bool above);
/* Appends every figure of a section that could be made. `small`: several figures beside each
 * other. */
void html_add_figures(struct strbuf *out, const struct html_page *p, const char *section,
		      bool small);
/* Appends a note that figures are missing and why; nothing if no figure is missing. */
void html_add_missing(struct strbuf *out, const struct figures *fs);
