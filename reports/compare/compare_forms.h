/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms of a comparison. They only format: all numbers are computed before. */
#pragma once

#include "reports/machine/machine.h"
#include "validate/compare/compare.h"

struct compare_form {
	const char *name, *help;
	void (*add)(struct strbuf *out, const struct campaign_change *c);
};
/* text markdown json html junit github openmetrics prometheus, NULL */
extern const struct compare_form *const compare_forms[];
/* Finds a form by name. Errors: ENOENT with the nearest name. */
int compare_form_choose(const char *name, const struct compare_form **form, struct err *e);
/* Prints the comparison in this form. Errors: those of output_stream(). */
int compare_form_print(const struct compare_form *form, const struct campaign_change *c, FILE *out,
		       struct err *e);

/* Functions that the forms share (compare_words.c). Appends a line of at most 140 bytes: the word
 * for the whole comparison, and the number of cases with each word. */
void compare_add_headline(struct strbuf *out, const struct campaign_change *c);
/* Appends the number of failed runs of that side, and their cases. Appends nothing if no run
 * failed. */
void compare_add_failed(struct strbuf *out, const struct campaign_change *c, bool is_new);
/* Append both parts of the headline, not shortened: "worse", "not comparable"; "of 3 cases 1 worse,
 * ...". */
void compare_add_word(struct strbuf *out, const struct campaign_change *c);
void compare_add_counts(struct strbuf *out, const struct campaign_change *c);
void compare_add_title(struct strbuf *out, const struct campaign_change *c); /* "OLD against NEW" */
/* A change: "+20.1 [+18.0, +22.3] %", "1.3 [0.9, 1.9]", "+3"; and its limit: "±5 %", "2" */
void compare_add_change(struct strbuf *out, const struct aspect_change *a, enum aspect k);
void compare_add_limit(struct strbuf *out, const struct aspect_change *a, enum aspect k);
/* A side's value: "+1.2 %", "0.034" */
void compare_add_value(struct strbuf *out, double value, enum aspect k);
/* Appends only the reasons; nothing if there are none. */
void compare_add_reasons(struct strbuf *out, const struct aspect_change *a);
/* "was X, is Y; p 0.001 (Holm); why". */
void compare_add_reason(struct strbuf *out, const struct aspect_change *a, enum aspect k);
/* The value of the new side in words; NULL: none. */
const char *compare_new_value(const struct difference *d);
/* "kernel.release: 6.1 before, 6.2 now" */
void compare_add_difference(struct strbuf *out, const struct difference *d);
/* "old", or "old and new" if their names differ. */
void compare_add_replayer(struct strbuf *out, const struct case_change *c);
/* Whether all cases have the same pair of replayers. Then the names of cases omit the replayers. */
bool compare_is_of_one_replayer(const struct campaign_change *c);
/* "reads level=1", or "reads level=1, event" if the cases have different replayers; and the title
 * of a column of such names. */
void compare_add_case(struct strbuf *out, const struct campaign_change *all,
		      const struct case_change *c);
const char *compare_case_title(const struct campaign_change *c);

extern const struct compare_form compare_form_text, compare_form_json, compare_form_html;
extern const struct compare_form compare_form_markdown, compare_form_junit, compare_form_github,
    compare_form_openmetrics, compare_form_prometheus;

/* Describes a baseline for people. */
void baseline_text_add(struct strbuf *out, const struct baseline *b);
