/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORTS_BASELINE_TEXT_H
#define REPORTS_BASELINE_TEXT_H

#include "common/strbuf.h"
#include "validate/compare/baseline.h"

/* What a baseline is of and what it says, for people. */
void baseline_text_add(struct strbuf *out, const struct baseline *b);

#endif
