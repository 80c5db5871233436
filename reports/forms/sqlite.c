/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every table of the report in one SQLite database, for notebooks: the tables of csv.c with "_" for
 * "-" in their names, and the results of every pair under the name "pairs". An unknown number is
 * null. Table "columns" has the unit and the heading of each column, and table "unknown" the reason
 * of each null. */
#include <sqlite3.h>

#include "reports/forms.h"
#include "reports/output.h"
#include "reports/tables/tables.h"

struct database {
	sqlite3 *db;
	sqlite3_stmt *column, *unknown; /* statements that insert into the tables of these names */
	int code;			/* of the first error */
};

static void code_keep(struct database *d, int code)
{
	if (!d->code && code != SQLITE_OK && code != SQLITE_DONE)
		d->code = code;
}

static void sql_run(struct database *d, const char *sql)
{
	code_keep(d, sqlite3_exec(d->db, sql, NULL, NULL, NULL));
}

static sqlite3_stmt *statement_prepare(struct database *d, const char *sql)
{
	sqlite3_stmt *s = NULL;
	code_keep(d, sqlite3_prepare_v2(d->db, sql, -1, &s, NULL));
	return s;
}

static void bind_text(struct database *d, sqlite3_stmt *s, int at, const char *text)
{
	code_keep(d, sqlite3_bind_text(s, at, text, -1, SQLITE_TRANSIENT));
}

static void statement_step(struct database *d, sqlite3_stmt *s)
{
	code_keep(d, sqlite3_step(s));
	sqlite3_reset(s);
	sqlite3_clear_bindings(s);
}

static void add_name(struct strbuf *out, const struct table *t)
{
	const char *name = strcmp(t->name, "replicates") ? t->name : "pairs";
	for (const char *c = name; *c; c++)
		strbuf_addch(out, *c == '-' ? '_' : *c);
}

/* Whether an earlier field of the table has the same name: SQLite ignores case ("s_r" and
 * "s_R"). */
static bool is_used(const struct table *t, size_t column, const char *name)
{
	for (size_t i = 0; i < column; i++)
		for (size_t k = 0; k < table_n_fields(&t->column[i]); k++) {
			SCOPED_STRBUF other = STRBUF_INIT;
			table_field_name(&other, &t->column[i], k);
			if (!strcasecmp(other.s, name))
				return true;
		}
	return false;
}

static void add_field_name(struct strbuf *out, const struct table *t, size_t column, size_t field)
{
	table_field_name(out, &t->column[column], field);
	if (is_used(t, column, out->s))
		strbuf_addstr(out, "_2");
}

/* Creates the table and prepares the statement that adds a row. */
static sqlite3_stmt *table_make(struct database *d, const struct table *t, const char *name)
{
	SCOPED_STRBUF create = STRBUF_INIT, insert = STRBUF_INIT;
	strbuf_addf(&create, "CREATE TABLE \"%s\"(", name);
	strbuf_addf(&insert, "INSERT INTO \"%s\" VALUES(", name);
	for (size_t i = 0; i < t->n_columns; i++)
		for (size_t k = 0; k < table_n_fields(&t->column[i]); k++) {
			const struct table_column *c = &t->column[i];
			SCOPED_STRBUF field = STRBUF_INIT;
			add_field_name(&field, t, i, k);
			strbuf_addf(&create, "%s\"%s\" %s", i || k ? ", " : "", field.s,
				    table_column_is_text(c)	       ? "TEXT"
				    : c->format == FORMAT_COUNT ? "INTEGER"
								: "REAL");
			strbuf_addstr(&insert, i || k ? ", ?" : "?");
			bind_text(d, d->column, 1, name);
			bind_text(d, d->column, 2, field.s);
			bind_text(d, d->column, 3,
				  k + 1 < table_n_fields(c) || !k ? table_unit(c) : "");
			bind_text(d, d->column, 4, c->title);
			statement_step(d, d->column);
		}
	strbuf_addstr(&create, ") STRICT");
	strbuf_addstr(&insert, ")");
	sql_run(d, create.s);
	return statement_prepare(d, insert.s);
}

static void bind_number(struct database *d, sqlite3_stmt *s, int at, const char *name,
			const struct table *t, size_t row, size_t column, size_t field)
{
	double x;
	const char *reason = table_field_value(table_at(t, row, column), field, &x);
	if (!reason) {
		code_keep(d, t->column[column].format == FORMAT_COUNT
			    ? sqlite3_bind_int64(s, at, (sqlite3_int64)x)
			    : sqlite3_bind_double(s, at, x));
		return;
	}
	SCOPED_STRBUF of = STRBUF_INIT;
	add_field_name(&of, t, column, field);
	bind_text(d, d->unknown, 1, name);
	code_keep(d, sqlite3_bind_int64(d->unknown, 2, (sqlite3_int64)row + 1));
	bind_text(d, d->unknown, 3, of.s);
	bind_text(d, d->unknown, 4, reason);
	statement_step(d, d->unknown);
}

static void row_add(struct database *d, sqlite3_stmt *s, const char *name, const struct table *t,
		    size_t row)
{
	int at = 1;
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct table_cell *cell = table_at(t, row, i);
		const bool number = cell->kind == CELL_NUMBER || cell->kind == CELL_ESTIMATE;
		if (cell->kind == CELL_TEXT)
			bind_text(d, s, at, cell->text);
		else if (cell->kind == CELL_DECISION)
			bind_text(d, s, at, decision_name(cell->decision));
		else if (cell->kind == CELL_VERDICT)
			bind_text(d, s, at, verdict_name(cell->verdict));
		for (size_t k = 0; k < table_n_fields(&t->column[i]); k++, at++)
			if (number)
				bind_number(d, s, at, name, t, row, i, k);
	}
	statement_step(d, s);
}

static void table_add(struct database *d, const struct table *t)
{
	SCOPED_STRBUF name = STRBUF_INIT;
	add_name(&name, t);
	sqlite3_stmt *s = table_make(d, t, name.s);
	for (size_t r = 0; r < table_n_rows(t) && !d->code; r++)
		row_add(d, s, name.s, t, r);
	sqlite3_finalize(s);
}

static void tables_add(struct database *d, const struct analysis *a)
{
	struct table t;
	sql_run(d, "BEGIN;CREATE TABLE columns(table_name TEXT, column_name TEXT, unit TEXT, "
		   "heading TEXT) STRICT;CREATE TABLE unknown(table_name TEXT, row INTEGER, "
		   "column_name TEXT, reason TEXT) STRICT");
	d->column = statement_prepare(d, "INSERT INTO columns VALUES(?, ?, ?, ?)");
	d->unknown = statement_prepare(d, "INSERT INTO unknown VALUES(?, ?, ?, ?)");
	for (size_t i = 0; !d->code && table_build(&t, a, i); i++) {
		table_add(d, &t);
		table_release(&t);
	}
	sqlite3_finalize(d->column);
	sqlite3_finalize(d->unknown);
	sql_run(d, "COMMIT");
}

static int database_print(const struct analysis *a, FILE *out, struct err *e)
{
	struct database d = {.db = NULL};
	sqlite3_int64 size = 0;
	unsigned char *bytes = NULL;
	if (isatty(fileno(out)))
		return err_set(e, EINVAL,
			"an SQLite database cannot be printed on a terminal: redirect the output "
			"to a file");
	code_keep(&d, sqlite3_open(":memory:", &d.db));
	if (!d.code)
		tables_add(&d, a);
	if (!d.code)
		bytes = sqlite3_serialize(d.db, "main", &size, 0);
	sqlite3_close(d.db);
	if (!bytes)
		return err_set(e, d.code == SQLITE_NOMEM || !d.code ? ENOMEM : EIO,
			       "the tables cannot be put into a database: %s",
			       sqlite3_errstr(d.code ? d.code : SQLITE_NOMEM));
	struct strbuf text = {(char *)bytes, (size_t)size, 0};
	const int ret = output_stream(out, &text, e);
	sqlite3_free(bytes);
	return ret;
}

const struct report_form report_form_sqlite = {
    .name = "sqlite",
    .help = "every table, with units, as an SQLite database for notebooks",
    .print = database_print,
};
