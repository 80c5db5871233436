/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORTS_LATEX_H
#define REPORTS_LATEX_H

#include "reports/tables/table.h"

/* Appends one table as a fragment to \input: tabular, or longtable where it does not fit a page. Needs booktabs and
 * longtable. */
void latex_add_table(struct strbuf *out, const struct table *t);

#endif
