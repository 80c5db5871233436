/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "validate/evidence/cell.h"

/* Appends the summary for a terminal: UTF-8 lines of at most `width` columns (80 or more). `dir` is
 * the results directory in commands; NULL: "DIR". `report_in` is the directory of report/; NULL:
 * the report is not mentioned. */
void terminal_add(struct strbuf *out, const struct analysis *a, size_t width, bool color,
		  const char *dir, const char *report_in);
