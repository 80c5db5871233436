/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parallel applications in words, for tables, figures and the terminal. */
#ifndef REPORTS_PARALLEL_WORDS_H
#define REPORTS_PARALLEL_WORDS_H

#include "common/strbuf.h"
#include "validate/analysis/parallel.h"

/* "checkpoint", with its size and ranks where the protocol gives them: "checkpoint size=2 ranks=4". */
void parallel_add_application(struct strbuf *out, const struct scenario *s);
/* "5", or "auto" with what was found: "auto (125)"; `recording` NULL: not known. */
void parallel_add_period(struct strbuf *out, const struct scenario *s, const struct causality_summary *recording);
/* "all", or how many were drawn. */
void parallel_add_nodes(struct strbuf *out, const struct scenario *s);

/* Of a cell; its case in a->parallel. NULL: it has none. */
const struct parallel_case *parallel_case_of(const struct analysis *a, size_t cell);
const struct scenario *parallel_scenario(const struct analysis *a, size_t cell);

#endif
