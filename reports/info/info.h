/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate info: the data of its forms (text, page, JSON), and functions that they share. */
#pragma once

#include "common/units.h"
#include "common/words.h"
#include "replay/load/replayable.h"
#include "reports/table.h"
#include "validate/profile/profile.h"

struct info {
	const char *path;
	uint64_t file_bytes;
	const char *format;
	const struct trace_meta *meta;
	const struct trace *trace; /* source of the objects and of its reader's warnings */
	uint64_t n_objects;
	const struct profile *profile;
	const struct replayable *replay; /* NULL: not requested */
};

#define INFO_TOP 10u  /* number of objects and threads in lists */
#define INFO_SIZES 5u /* number of common sizes in lists */

/* Each of these functions adds texts to a list. */
/* Adds the warnings: those of the reader, then those about the numbers. */
void info_warnings(struct words_list *out, const struct info *x);
/* Adds the reasons to doubt the numbers of a trace. */
void info_number_warnings(struct words_list *out, const struct tally *s,
			  const struct trace_meta *meta);
/* Adds the reasons why the content of a trace is incomplete, although its file may be complete: the
 * trace was made of a trace without an end; lost events; programs or rings that capture could not
 * observe; asynchronous requests of which only the submitting call is known; an interrupted
 * capture; lines that an import ignored; the unseen_facts (capture/unseen.h). The texts follow "the
 * trace is incomplete: ". */
void missing_reasons(struct words_list *out, const struct tally *s, const struct trace_meta *meta);
/* Adds the facts of a kind other than UNSEEN_REQUESTS. */
void unknown_reasons(struct words_list *out, const struct trace_meta *meta, enum unseen_kind kind);

/* --- text and page: info_facts.c and info_sheets.c build, info_text.c and info_html.c show --- */

/* A fact as texts for display: bytes from outside that a terminal would obey are already \xNN. */
struct info_fact { /* "Clock": "tsc, resolution 1 ns" */
	const char *label; /* "": continues the fact before */
	char *text;	   /* may have several lines */
};

struct info_page {
	struct info_fact *fact;
	size_t n_facts, facts_cap;
	struct table *sheet; /* their cells are texts */
	size_t n_sheets, sheets_cap;
};

/* Append the facts and the tables of a trace to a page that is zero-initialised. Ownership:
 * info_page_release(). */
void info_facts_build(struct info_page *page, const struct info *x);
void info_sheets_build(struct info_page *page, const struct info *x);
void info_page_release(struct info_page *page);

struct info_text_options {
	unsigned int plot_columns, plot_rows; /* size of the terminal in characters; 0: no plots */
	unsigned int width; /* lines are at most as wide; 0: any width */
};
/* Prints the description. If plots cannot be made, standard error says so, and this is not an
 * error. */
void info_print_text(const struct info *x, const struct info_text_options *o);

/* Prints the first n_records requests; 0: none. */
int info_print_records(struct trace *t, uint64_t n_records, struct err *e);

/* Writes a self-contained page to PATH, either the complete page or nothing; "-" is standard
 * output. */
int info_write_html(const struct info *x, const char *path, struct err *e);

/* Prints a JSON object (doc/info-schema.json). Later versions only add keys. */
int info_print_json(const struct info *x, struct trace *t, uint64_t n_records, struct err *e);

/* --- info_words.c: texts ------------------------------------------------- */

void info_add_object(struct strbuf *out, const struct info *x, uint32_t id);
struct short_text plural_text(uint64_t n, const char *one, const char *more);
struct short_text rate_text(double per_s); /* "1,234 per second" */
struct short_text share_text(double part, double whole); /* "12.3 %" */
struct short_text error_text(unsigned int error); /* "ENOENT" */
/* "" for an empty histogram */
struct short_text quantile_text(const struct histogram *h, double p, bool bytes);

/* --- info_plot.c --------------------------------------------------------- */

struct figures;
/* Builds the figures of the page, without their SVG. Ownership: figures_release. */
void info_figures_build(struct figures *fs, const struct info *x);
/* Appends text plots that gnuplot makes. Errors: those of gnuplot_run (ENOENT: there is no
 * gnuplot). */
int info_plot_text(struct strbuf *out, const struct info *x, unsigned int columns,
		   unsigned int rows, struct err *e);
