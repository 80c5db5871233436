/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORTS_CSV_H
#define REPORTS_CSV_H

#include "reports/tables/tables.h"

/* Appends one table as CSV with a header line. */
void csv_add_table(struct strbuf *out, const struct table *t);
/* All of them, each with its name before it, with an empty line between them. */
void csv_add_tables(struct strbuf *out, const struct tables *ts);

#endif
