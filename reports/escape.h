/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and reasons come from protocol files, traces and other people's programs: every form writes
 * them through one of these. All append to `out`; what is no valid UTF-8 becomes U+FFFD, so that a
 * report is always valid text. No text holds a workflow command of a CI service ("::error::",
 * "##[group]", "##vso[task]"): the sign that would complete it is replaced. */
#ifndef REPORTS_ESCAPE_H
#define REPORTS_ESCAPE_H

#include <stddef.h>

#include "common/strbuf.h"

/* Valid UTF-8 on one line: control characters (newlines, escape sequences, direction overrides)
 * become blanks. */
void escape_line(struct strbuf *out, const char *s);
/* Valid UTF-8, newlines and tabs kept, other control characters dropped. */
void escape_text(struct strbuf *out, const char *s);
/* HTML or XML text and attribute values in either quotes; one line. */
void escape_html(struct strbuf *out, const char *s);
/* As escape_html, but keeping newlines and tabs, for <pre>. */
void escape_html_text(struct strbuf *out, const char *s);
/* LaTeX text; the signs that our own numbers use (± − ≤ × µ ...) become commands, and what
 * pdflatex's fonts lack becomes "U+20AC". */
void escape_latex(struct strbuf *out, const char *s);
/* One field of CSV (RFC 4180), quoted where needed. `formula_safe`: a text that a spreadsheet would
 * run as a formula gets an apostrophe in front. */
void escape_csv(struct strbuf *out, const char *s, int formula_safe);
/* Inside a single-quoted gnuplot string: nothing there is expanded or executed. */
void escape_gnuplot(struct strbuf *out, const char *s);

/* Columns that valid UTF-8 takes on a terminal. */
size_t text_width(const char *s);
/* Appends at most `width` columns of s, the last one an ellipsis when something was cut. */
void text_cut(struct strbuf *out, const char *s, size_t width);
/* The same of a name, cut within: those of one campaign differ at their ends. */
void text_cut_name(struct strbuf *out, const char *s, size_t width);
/* Appends s wrapped at blanks (longer words are cut in two) to lines of at most `width` columns;
 * lines after the first begin with `indent` blanks, and the first is taken to begin at column
 * `column`. No newline at the end. */
void text_wrap(struct strbuf *out, const char *s, size_t column, size_t indent, size_t width);

#endif
