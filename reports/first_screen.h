/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a reader needs first, in plain words, the same on the terminal and on the page: the verdict,
 * the main cause for each replayer, and what to do next. All text is UTF-8 without line breaks;
 * names are as in the protocol, not escaped. */
#ifndef REPORTS_FIRST_SCREEN_H
#define REPORTS_FIRST_SCREEN_H

#include "common/strbuf.h"
#include "validate/analysis/analysis.h"

/* "Trusted in 14 of 16 cases; 1 not trusted; 1 undecided (looks right, not proven)" */
void first_screen_verdict(struct strbuf *out, const struct analysis *a);

/* "trusted in 7 of 8 scenarios; execution time is 8.2 % longer with level=2 (looks wrong, not
 * proven)" */
void first_screen_replayer(struct strbuf *out, const struct analysis *a, size_t replayer);

/* One sentence with the time it takes, and the one command; `dir` stands for the results directory
 * there. Either may stay empty. */
void first_screen_next(struct strbuf *text, struct strbuf *command, const struct analysis *a,
		       const char *dir);

#endif
