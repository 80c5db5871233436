/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rated range in words. */
#ifndef REPORTS_RATED_WORDS_H
#define REPORTS_RATED_WORDS_H

#include "common/strbuf.h"
#include "validate/analysis/rated_range.h"

/* "random-read, event: trusted up to 5000 requests/s; at 9000 requests/s (random-read level=2) inconclusive; ..." One line, as
 * it came: not escaped. */
void rated_add_words(struct strbuf *out, const struct analysis *a, const struct rated_range *r);

#endif
