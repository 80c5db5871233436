/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table as text for a terminal. */
#pragma once

#include "reports/table.h"

/* Appends a table whose columns are as wide as their content, with text aligned left and numbers
 * right. Text is cut to `name_max` columns. If the table is wider than `width_max`, it continues
 * below with the row headers again, and its last column of text is cut. */
void text_add_table(struct strbuf *out, const struct table *t, size_t name_max, size_t width_max);
