/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published values and findings in words, the same in every form. */
#ifndef REPORTS_PUBLISHED_WORDS_H
#define REPORTS_PUBLISHED_WORDS_H

#include "common/strbuf.h"
#include "validate/analysis/claims.h"

/* "102.5 µs", "1.6 %", "7.5": a value of the measure, with its interval behind it where it has one; else the word why not. */
void published_add_value(struct strbuf *out, enum measure m, const struct estimate *e);
/* "20.73 µs ± 118 %" */
void published_add_literature(struct strbuf *out, const struct published_value *v);
/* A difference as measure_difference() gives it: "+91 % [80, 102]" of the other, or in points where the measure is a ratio. */
void published_add_difference(struct strbuf *out, enum measure m, const struct estimate *e);
/* What was found here: "8 of 8 comparisons; difference +91 % to +105 %". */
void published_add_outcome(struct strbuf *out, const struct analysis *a, size_t claim);
/* "mean response time of the replay (read)" */
void published_add_measure(struct strbuf *out, enum measure m, const char *operation);
const char *published_unit(enum measure m); /* "ns", "ratio", "1", "bytes": of base units */

/* What is known to be wrong in the metrology paper's numbers, one sentence each, NULL-terminated: for reports that show F ratios or
 * uncertainties published there. An empty list where this one shows none. Source: doc/metrology-notes.md. */
const char *const *published_defects(const struct analysis *a);

#endif
