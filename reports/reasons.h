/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reasons of decisions, verdicts and notes in words, the same in every form. */
#pragma once

#include "validate/evidence/cell.h"

/* Fills in the texts of the reasons of all components and verdicts, in their members `reason` and
 * `verdict_reason`, and those of the sources of uncertainty. */
void analysis_word(struct analysis *a);
/* Fills in only the texts of the sources of uncertainty. */
void sources_word(struct analysis *a);

/* Appends the template `t` with the numbers x and the text; the head of reasons.c lists the
 * conversions. `kind` is COMPONENT_N for a template without conversions of a component. */
void words_add_template(struct strbuf *out, const char *t, const double *x, const char *text,
			enum component_kind kind);
/* Appends the clause of a difference of shares: "64.1 % of the program's requests and 50.9 % of the
 * replay's requests take ...". Returns false if r is another reason or NULL. */
bool words_add_shares(struct strbuf *out, const struct reason *r);
/* Moves `text` to sentence[size]. A text that does not fit is cut between characters and ends in
 * "...". */
void sentence_keep(char *sentence, size_t size, struct strbuf *text);
