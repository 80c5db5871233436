/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The forms of a study between laboratories. They only format: all numbers are computed before. */
#pragma once

#include "reports/forms/study_form.h"
#include "validate/pool/pool.h"

/* Makes tables with a row for each case, for each case and laboratory, for each laboratory, and for
 * each missing case. Ownership: tables_release. */
void pool_tables_build(struct tables *ts, const void *study);
/* Makes the figures of Mandel's h and k of every case, grouped by laboratory. Ownership:
 * figures_release. */
void pool_figures_build(struct figures *fs, const void *study);

void pool_sentence_add(struct strbuf *out, const struct pool *p); /* one line, not escaped */
/* A warning as a sentence without a period, on one line, not escaped. */
void pool_warning_add(struct strbuf *out, const struct pool_warning *w);
void pool_json_add(struct strbuf *out, const void *study);
void pool_html_add(struct strbuf *out, const void *study, const struct tables *ts,
		   const struct figures *fs);

extern const char pool_introduction[]; /* of the page; its tables explain their columns */

extern const struct study_form pool_form; /* a study is a struct pool */
