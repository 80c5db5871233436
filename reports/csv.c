/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report/tables/NAME.csv: every table with all digits (RFC 4180). The header has the units
 * (doc/report.md). A word stands for a number that does not exist. */
#include "common/xalloc.h"
#include "reports/escape.h"
#include "reports/text_table.h"
#include "reports/output.h"
#include "reports/forms.h"
#include "reports/tables/tables.h"

/* Shortest decimal that strtod() converts back to the same double. */
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

static void add_number(struct strbuf *out, enum stat_status status, double x)
{
	if (status != STAT_OK)
		strbuf_addstr(out, stat_status_name(status));
	else if (isnan(x))
		strbuf_addstr(out, "undefined");
	else if (isinf(x))
		strbuf_addstr(out, x > 0 ? "infinite" : "-infinite");
	else
		add_double(out, x);
}

static const char *unit_suffix(enum table_format f)
{
	switch (f) {
	case FORMAT_TIME:
		return "_ns";
	case FORMAT_RATE:
		return "_per_s";
	case FORMAT_BYTES:
		return "_bytes";
	case FORMAT_RELATIVE:
	case FORMAT_SHARE:
		return "_ratio";
	case FORMAT_PERCENT:
		return "_percent";
	default:
		return "";
	}
}

static void add_header(struct strbuf *out, const struct table *t)
{
	static const char *const limits[] = {"lo90", "hi90", "lo95", "hi95"};
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct table_column *c = &t->column[i];
		const char *unit = unit_suffix(c->format);
		strbuf_addf(out, "%s%s%s", i ? "," : "", c->key, unit);
		for (size_t k = 0; c->estimate && k < 4; k++)
			strbuf_addf(out, ",%s_%s%s", c->key, limits[k], unit);
		if (c->estimate)
			strbuf_addf(out, ",%s_df", c->key);
	}
	strbuf_addstr(out, "\r\n");
}

static void add_value(struct strbuf *out, const struct table_column *column,
		      enum stat_status status, double value)
{
	if (column->format == FORMAT_COUNT && status == STAT_OK && isfinite(value))
		strbuf_addf(out, "%.0f", value);
	else
		add_number(out, status, value);
}

static void add_cell(struct strbuf *out, const struct table_column *column,
		     const struct table_cell *cell)
{
	switch (cell->kind) {
	case CELL_NONE:
		break;
	case CELL_TEXT:
		escape_csv(out, cell->text, 1);
		break;
	case CELL_DECISION:
		strbuf_addstr(out, decision_name(cell->decision));
		break;
	case CELL_VERDICT:
		strbuf_addstr(out, verdict_name(cell->verdict));
		break;
	case CELL_NUMBER:
		add_value(out, column, cell->status, cell->value);
		break;
	case CELL_ESTIMATE:
		add_value(out, column, cell->status, cell->estimate->value);
		break;
	}
	if (!column->estimate)
		return;
	if (cell->kind != CELL_ESTIMATE) {
		strbuf_addstr(out, ",,,,,");
		return;
	}
	const struct estimate *e = cell->estimate;
	const double limit[] = {e->lo90, e->hi90, e->lo95, e->hi95, e->df};
	for (size_t k = 0; k < 5; k++) {
		strbuf_addch(out, ',');
		add_number(out, e->status, limit[k]);
	}
}

void csv_add_table(struct strbuf *out, const struct table *t)
{
	add_header(out, t);
	for (size_t r = 0; r < table_n_rows(t); r++) {
		for (size_t i = 0; i < t->n_columns; i++) {
			if (i)
				strbuf_addch(out, ',');
			add_cell(out, &t->column[i], table_at(t, r, i));
		}
		strbuf_addstr(out, "\r\n");
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
