/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page, part by part. Everything that is not our own text goes through escape_html. */
#ifndef REPORTS_HTML_H
#define REPORTS_HTML_H

#include <stdbool.h>

#include "common/strbuf.h"
#include "reports/figures/figure.h"
#include "reports/first_screen.h"
#include "reports/tables/tables.h"

struct html_page { /* what the parts draw from; all borrowed */
	const struct analysis *a;
	/* NULL: those of `a`, each made where it is shown, for together they take most of the
	 * memory */
	const struct tables *tables;
	const struct figures *figures;
	const struct findings *findings;
	const struct strbuf *protocol; /* as given; empty: unknown */
};

/* html_evidence.c: the protocol of a results directory; none where there is none, or a long file.
 * Errors: of the system, from reading it. */
int html_protocol_read(struct strbuf *text, const struct results *r, struct err *e);

/* html_style.c: a page up to <body>; `more_style` may be NULL. */
void html_begin_page(struct strbuf *out, const char *title, bool with_images,
		     const char *more_style);
/* The text, escaped, between two pieces of HTML. */
void html_add_text(struct strbuf *out, const char *before, const char *text, const char *after);
/* html_verdict.c: what a stranger reads first */
void html_add_verdict(struct strbuf *out, const struct html_page *p);
void html_add_reasons(
    struct strbuf *out,
    const struct html_page *p); /* html_reasons.c: warnings, why not, how judged */
/* html_procedure.c: steps 1 to 3 */
void html_add_definition(struct strbuf *out, const struct html_page *p);
/* html_characterisation.c: step 4 */
void html_add_characterisation(struct strbuf *out, const struct html_page *p);
/* html_conclusion.c: steps 5 and 6 */
void html_add_conclusion(struct strbuf *out, const struct html_page *p);
/* html_evidence.c: cases, runs, environment */
void html_add_evidence(struct strbuf *out, const struct html_page *p);

/* html_why.c: what differences come from */
void html_add_why(struct strbuf *out, const struct html_page *p);
/* html_rated_range.c: and limits of quantification */
void html_add_rated_range(struct strbuf *out, const struct html_page *p);

/* html_parallel.c: running times of parallel applications */
void html_add_parallel(struct strbuf *out, const struct html_page *p);
/* html_published.c: the literature's findings and values */
void html_add_published(struct strbuf *out, const struct html_page *p);

/* Shared. */
struct html_table_view {
	const char *const *keys; /* columns shown, NULL-terminated; NULL: all */
	/* rows shown; NULL: all */
	bool (*wanted)(const struct table *t, size_t row, const void *arg);
	const void *arg;
};
/* html_table.c: a table of the report by name, with caption, note and a link to its CSV. Nothing
 * when it has no row to show. */
void html_add_table(struct strbuf *out, const struct html_page *p, const char *name,
		    const struct html_table_view *view);
/* The same inside <details>, closed, under `summary` (plain text of ours). */
void html_add_folded_table(struct strbuf *out, const struct html_page *p, const char *name,
			   const char *summary, const struct html_table_view *view);
/* Begins what may be wider than the window, to be closed by "</div>": it has a name, and can be
 * moved by keyboard. */
void html_begin_wide(struct strbuf *out, const char *name);
/* A number as table_cell_text writes it: with a true minus, its interval in small letters. */
void html_add_number(struct strbuf *out, const char *text);
void html_add_decision(struct strbuf *out, enum decision d); /* a chip: sign and word */
void html_add_verdict_chip(struct strbuf *out, enum verdict v);
/* The verdict of a case; where it is inconclusive its leaning. */
void html_add_case_chip(struct strbuf *out, const struct cell *c);
/* Every figure of a section, or the sentence that they are missing. `small`: several beside each
 * other. */
void html_add_figures(struct strbuf *out, const struct html_page *p, const char *section,
		      bool small);

#endif
