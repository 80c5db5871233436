/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table as text for a terminal. */
#pragma once

#include "reports/table.h"

/* Appends a table whose columns are as wide as their content, with text aligned left and numbers
 * right. Text is cut to `name_max` columns. */
void text_add_table(struct strbuf *out, const struct table *t, size_t name_max);
