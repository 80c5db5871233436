/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORTS_LATEX_H
#define REPORTS_LATEX_H

#include "reports/tables/tables.h"

/* Appends one table as a fragment to \input: tabular, or longtable where it does not fit a page. Needs booktabs,
 * graphicx and longtable. */
void latex_add_table(struct strbuf *out, const struct table *t);
/* All of them, with an empty line between them; `with_data`: also those that are for machines. */
void latex_add_tables(struct strbuf *out, const struct tables *ts, bool with_data);

#endif
