/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables as CSV and LaTeX. */
#pragma once

#include "reports/tables/tables.h"

/* Appends one table as CSV with a header line. */
void csv_add_table(struct strbuf *out, const struct table *t);
/* Appends all tables, each after its name, separated by empty lines. */
void csv_add_tables(struct strbuf *out, const struct tables *ts);

/* Appends a table as a fragment for \input: a tabular, or several if it is longer than a page.
 * Needs booktabs and graphicx. */
void latex_add_table(struct strbuf *out, const struct table *t);
/* Appends all tables, separated by empty lines. `with_data`: also the tables that are meant for
 * programs. */
void latex_add_tables(struct strbuf *out, const struct tables *ts, bool with_data);
