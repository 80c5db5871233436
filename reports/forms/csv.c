/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report/tables/NAME.csv: every table with all digits (RFC 4180). The header has the units
 * (doc/report.md). A number that does not exist is an empty field, and the last column gives the
 * reason. */
#include "reports/escape.h"
#include "reports/forms.h"
#include "reports/forms/table_forms.h"
#include "reports/output.h"

/* Appends the shortest decimal that strtod() converts back to the same double. */
static void add_double(struct strbuf *out, double x)
{
	char text[40];
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, x);
		if (digits == 17 || strtod(text, NULL) == x)
			break;
	}
	strbuf_addstr(out, text);
}

/* Appends the number, or nothing and a reason ("bias_ratio: too_few") to `unknown`. */
static void add_number(struct strbuf *out, struct strbuf *unknown, const struct table_column *c,
		       const struct table_cell *cell, size_t field)
{
	double x;
	const char *reason = table_field_value(cell, field, &x);
	if (!reason && field == 0 && c->format == FORMAT_COUNT)
		strbuf_addf(out, "%.0f", x);
	else if (!reason)
		add_double(out, x);
	if (!reason || (field && cell->status))
		/* the reason of an unknown estimate is given only once, with its first field */
		return;
	strbuf_addstr(unknown, unknown->len ? "; " : "");
	table_field_name(unknown, c, field);
	strbuf_addf(unknown, ": %s", reason);
}

static void add_cell(struct strbuf *out, struct strbuf *unknown, const struct table_column *column,
		     const struct table_cell *cell)
{
	for (size_t k = 0; k < table_n_fields(column); k++) {
		strbuf_addstr(out, k ? "," : "");
		if (cell->kind == CELL_NUMBER || cell->kind == CELL_ESTIMATE)
			add_number(out, unknown, column, cell, k);
	}
	if (cell->kind == CELL_TEXT)
		escape_csv(out, cell->text, 1);
	else if (cell->kind == CELL_DECISION)
		strbuf_addstr(out, decision_name(cell->decision));
	else if (cell->kind == CELL_VERDICT)
		strbuf_addstr(out, verdict_name(cell->verdict));
}

static bool has_numbers(const struct table *t)
{
	for (size_t i = 0; i < t->n_columns; i++)
		if (!table_column_is_text(&t->column[i]))
			return true;
	return false;
}

void csv_add_table(struct strbuf *out, const struct table *t)
{
	SCOPED_STRBUF unknown = STRBUF_INIT;
	const bool numbers = has_numbers(t);
	for (size_t i = 0; i < t->n_columns; i++)
		for (size_t k = 0; k < table_n_fields(&t->column[i]); k++) {
			strbuf_addstr(out, i || k ? "," : "");
			table_field_name(out, &t->column[i], k);
		}
	strbuf_addstr(out, numbers ? ",unknown\r\n" : "\r\n");
	for (size_t r = 0; r < table_n_rows(t); r++) {
		strbuf_reset(&unknown);
		for (size_t i = 0; i < t->n_columns; i++) {
			strbuf_addstr(out, i ? "," : "");
			add_cell(out, &unknown, &t->column[i], table_at(t, r, i));
		}
		strbuf_addf(out, numbers ? ",%s\r\n" : "%s\r\n", unknown.s);
	}
}

void csv_add_tables(struct strbuf *out, const struct tables *ts)
{
	for (size_t i = 0; i < ts->n; i++) {
		strbuf_addf(out, "%s# %s\r\n", i ? "\r\n" : "", ts->table[i].name);
		csv_add_table(out, &ts->table[i]);
	}
}

static int csv_write(const struct analysis *a, const char *report_dir, struct err *e)
{
	struct table t;
	int ret = output_dir(report_dir, "tables", e);
	for (size_t i = 0; !ret && table_build(&t, a, i); i++) {
		ret = output_table(report_dir, &t, "csv", csv_add_table, e);
		table_release(&t);
	}
	return ret;
}

static int csv_print(const struct analysis *a, FILE *out, struct err *e)
{
	SCOPED(tables_release) struct tables ts;
	SCOPED_STRBUF text = STRBUF_INIT;
	tables_build(&ts, a);
	csv_add_tables(&text, &ts);
	return output_stream(out, &text, e);
}

const struct report_form report_form_csv = {
    .name = "csv",
    .help = "every table with all digits",
    .write = csv_write,
    .print = csv_print,
};
