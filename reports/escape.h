/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Escaping of text. Names and reasons come from protocol files, traces and other programs, so every
 * form writes them through these functions. All functions append to `out`. Bytes that are not valid
 * UTF-8 become U+FFFD, so a report is always valid text. No text contains a workflow command of a
 * CI service ("::error::", "##[group]", "##vso[task]"): its last character is replaced. */
#pragma once

#include "common/std.h"

/* Appends valid UTF-8 on one line. Control characters (newlines, escape sequences, direction
 * overrides) become blanks. */
void escape_line(struct strbuf *out, const char *s);
/* Appends valid UTF-8 with newlines and tabs. Other control characters are removed. */
void escape_text(struct strbuf *out, const char *s);
/* Appends the exact name of a file or thread: control characters, and bytes that are not valid
 * UTF-8, become \xNN. Workflow commands are not changed. */
void escape_bytes(struct strbuf *out, const char *s);
/* Appends HTML or XML text on one line. Also valid in attribute values in single or double
 * quotes. */
void escape_html(struct strbuf *out, const char *s);
/* Like escape_html, but keeps newlines and tabs, for <pre>. */
void escape_html_text(struct strbuf *out, const char *s);
/* Appends HTML or XML as printf() does, with the conversions %s, %zu and %%. Texts are escaped by
 * escape_html(). */
void html_addf(struct strbuf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends LaTeX text. Signs in numbers (± − ≤ × µ ...) become commands. A character that the fonts
 * of pdflatex lack becomes "U+20AC". */
void escape_latex(struct strbuf *out, const char *s);
/* Appends a field of CSV (RFC 4180), quoted if needed. `formula_safe`: puts an apostrophe before a
 * text that a spreadsheet would run as a formula. */
void escape_csv(struct strbuf *out, const char *s, int formula_safe);
/* Appends text for a single-quoted gnuplot string, in which gnuplot expands and runs nothing. */
void escape_gnuplot(struct strbuf *out, const char *s);

/* Terminal columns of valid UTF-8. */
size_t text_width(const char *s);
/* Appends at most `width` columns of s. An ellipsis replaces the rest. */
void text_cut(struct strbuf *out, const char *s, size_t width);
/* Like text_cut, for a name: the ellipsis is inside the name, because names of one campaign differ
 * at their ends. */
void text_cut_name(struct strbuf *out, const char *s, size_t width);
/* Appends s wrapped at blanks to lines of at most `width` columns; longer words are cut. The
 * first line begins at column `column`, further lines with `indent` blanks. Adds no newline at
 * the end. */
void text_wrap(struct strbuf *out, const char *s, size_t column, size_t indent, size_t width);
/* Like text_wrap, with a newline at the end. */
void text_paragraph(struct strbuf *out, const char *s, size_t column, size_t indent, size_t width);
/* Appends the line s[len] from column `indent`, with a newline. A line wider than `width` (0: any
 * width) is wrapped, and continues at `indent`. */
void text_line(struct strbuf *out, const char *s, size_t len, size_t indent, size_t width);
/* Appends lines. Each line wider than `width` (0: any width) is wrapped. It continues below its
 * first word, or below the text behind a label, which ends in two blanks or more. */
void text_fit(struct strbuf *out, const char *lines, size_t width);
