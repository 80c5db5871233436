/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORTS_CSV_H
#define REPORTS_CSV_H

#include "reports/tables/table.h"

/* Appends one table as CSV with a header line. */
void csv_add_table(struct strbuf *out, const struct table *t);

#endif
