/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate info: what its forms (text, page, JSON) are made from, and what they share. */
#ifndef REPORTS_INFO_H
#define REPORTS_INFO_H

#include <jansson.h>

#include "common/strbuf.h"
#include "common/units.h"
#include "replay/load/replayable.h"
#include "reports/tables/table.h"
#include "validate/profile/profile.h"

struct info {
	const char *path;
	uint64_t file_bytes;
	const char *format;
	const struct trace_meta *meta;
	const struct trace *trace; /* for its objects, and for what its reader noticed */
	uint64_t n_objects;
	const struct profile *profile;
	const struct replayable *replay; /* NULL: not asked for */
};

#define INFO_TOP 10u  /* objects and threads that are named */
#define INFO_SIZES 5u /* common sizes */

/* The i-th warning: of the reader, then of the figures; NULL when there are no more. */
const char *info_warning(const struct info *x, unsigned int i, char *buf, size_t size);

/* --- text and page: info_facts.c and info_sheets.c build, info_text.c and info_html.c show --- */

/* Texts are as they are to be read: strangers' bytes that a terminal would obey are \xNN already.
 */
struct info_fact { /* "Clock": "tsc, resolution 1 ns" */
	const char *label; /* "" goes on with the one before */
	char *text;	   /* may have several lines */
};

struct info_page {
	struct info_fact *fact;
	size_t n_facts, facts_cap;
	struct table *sheet; /* their cells are texts */
	size_t n_sheets, sheets_cap;
};

void info_facts_build(struct info_page *page, const struct info *x);
void info_sheets_build(struct info_page *page, const struct info *x);
void info_page_release(struct info_page *page);

struct info_text_options {
	unsigned int plot_columns, plot_rows; /* size of the terminal; 0: no plots */
};
/* Errors: plots that cannot be made are said on stderr and are no error. */
void info_print_text(const struct info *x, const struct info_text_options *o);

/* The first n_records requests, read from the beginning; both leave them out where it is 0. */
int info_print_records(struct trace *t, uint64_t n_records, struct err *e);

/* One self-contained page at PATH, which appears whole or not at all; "-" is standard output. */
int info_write_html(const struct info *x, const char *path, struct err *e);

/* One JSON object on stdout; doc/info-schema.json describes it, its keys are only ever added to. */
int info_print_json(const struct info *x, struct trace *t, uint64_t n_records, struct err *e);

/* --- info_words.c: texts ------------------------------------------------- */

/* Whatever bytes a stranger's text has: what is no UTF-8, and what a terminal obeys instead of
 * showing, as \xNN. */
void info_add_printable(struct strbuf *out, const char *text);
void info_add_object(struct strbuf *out, const struct info *x, uint32_t id);
struct short_text plural_text(uint64_t n, const char *one, const char *more);
struct short_text rate_text(double per_s); /* "1,234 a second" */
struct short_text share_text(double part, double whole); /* "12.3 %" */
struct short_text error_text(unsigned int error); /* "ENOENT" */
/* "" for an empty histogram */
struct short_text quantile_text(const struct histogram *h, double p, bool bytes);

/* --- info_plot.c --------------------------------------------------------- */

struct figures;
/* The figures of the page, without their SVG. Ownership: figures_release. */
void info_figures_build(struct figures *fs, const struct info *x);
/* Plots made of characters, by gnuplot. Errors: of gnuplot_run (ENOENT: there is none). */
int info_plot_text(struct strbuf *out, const struct info *x, unsigned int columns,
		   unsigned int rows, struct err *e);

/* --- info_json*.c -------------------------------------------------------- */

/* all that the profile tells beyond the operations */
void info_json_profile(json_t *top, const struct info *x);

#endif
