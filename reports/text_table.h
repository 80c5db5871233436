/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table for a terminal: columns as wide as what is in them, names to the left, numbers to the right. */
#ifndef REPORTS_TEXT_TABLE_H
#define REPORTS_TEXT_TABLE_H

#include "reports/tables/table.h"

/* `name_max`: columns of a text at most, the rest is cut. */
void text_add_table(struct strbuf *out, const struct table *t, size_t name_max);

#endif
