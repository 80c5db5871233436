/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table as data: typed cells in typed columns. It is built once (tables.h), and every form
 * renders it. */
#pragma once

#include "validate/evidence/cell.h"

enum table_format {
	FORMAT_TEXT,
	FORMAT_COUNT, /* whole number */
	FORMAT_TIME,  /* ns */
	FORMAT_RATE,  /* 1/s */
	FORMAT_BYTES,
	FORMAT_RELATIVE, /* ratio shown as a percentage with its sign */
	FORMAT_SHARE,    /* ratio shown as a percentage */
	FORMAT_PERCENT,  /* already a percentage */
	FORMAT_NUMBER,   /* dimensionless */
	FORMAT_P,        /* probability */
	FORMAT_DECISION, /* of a component */
	FORMAT_VERDICT,
};

struct table_column {
	char *key;   /* for CSV: lower case, without the unit, which the form adds; owned */
	char *title; /* for people; owned */
	enum table_format format;
	bool estimate; /* cells have limits, for which CSV has columns */
};

enum table_cell_kind {
	CELL_NONE,
	CELL_TEXT,
	CELL_NUMBER,
	CELL_ESTIMATE,
	CELL_DECISION,
	CELL_VERDICT
};

struct table_cell {
	enum table_cell_kind kind;   /* selects the member of the union */
	/* status of CELL_NUMBER and CELL_ESTIMATE; STAT_OK for other cells */
	enum stat_status status;
	union {
		char *text;		   /* CELL_TEXT; owned */
		double value;		   /* CELL_NUMBER */
		struct estimate *estimate; /* CELL_ESTIMATE; owned */
		enum decision decision;
		enum verdict verdict;
	};
	double u; /* CELL_NUMBER: determines the last digit that is shown; NaN: four digits */
};

struct table {
	const char *name;   /* of the file: "bias" */
	/* each one line; the note explains the numbers; owned, note may be NULL */
	char *title, *note;
	struct table_column *column;
	size_t n_columns, cap_columns;
	struct table_cell *cell; /* row after row */
	size_t n_cells, cap_cells;
	size_t n_row_headers; /* number of columns at the left that are headers of the row */
	bool data_only;       /* for programs: only CSV */
	bool in_heads;	      /* set while the columns are named (tables.h) */
};

/* Starts an empty table. Borrows `name`. Ownership: table_release(). */
void table_init(struct table *t, const char *name, const char *title);
/* Sets the note, or replaces it. */
void table_note(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_release(struct table *t);

/* Adds a column, before the first cell. `key` is its name in data files, `title` its head in tables
 * for people. */
void table_column(struct table *t, enum table_format format, const char *key, const char *title);
/* If the columns are being named, adds the column and returns false. Otherwise returns true: the
 * caller adds the cell. `estimate`: the cells are values with limits. */
bool table_head(struct table *t, enum table_format format, const char *key, const char *title,
		bool estimate);

/* Each of these functions appends a cell, from left to right. A row is full when every column has a
 * cell. */
void table_none(struct table *t);
void table_text(struct table *t, const char *s); /* NULL: none */
void table_textf(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_count(struct table *t, double n);
void table_number_u(struct table *t, double value, double u); /* rounded by u; NaN: undefined */
void table_number_status(struct table *t, enum stat_status status, double value, double u);
void table_estimate(struct table *t, const struct estimate *e); /* NULL: not assessed */
void table_decision(struct table *t, enum decision d);
void table_verdict(struct table *t, enum verdict v);

size_t table_n_rows(const struct table *t);
const struct table_cell *table_at(const struct table *t, size_t row, size_t column);

/* --- cells in data files: CSV and SQLite --- */
bool table_column_is_text(const struct table_column *c);
/* Returns "ns", "ratio"; "" for text or without a unit. */
const char *table_unit(const struct table_column *c);
/* Returns the number of fields. An estimate has six fields: its value, NAME_lo90, NAME_hi90,
 * NAME_lo95, NAME_hi95 and NAME_df; any other column has one field. table_field_name appends the
 * name with its unit: "bias_lo90_ratio". */
size_t table_n_fields(const struct table_column *c);
void table_field_name(struct strbuf *out, const struct table_column *c, size_t field);
/* Sets *x to a number of a CELL_NUMBER or CELL_ESTIMATE and returns NULL; if there is none, returns
 * the reason ("too_few", "infinite"). */
const char *table_field_value(const struct table_cell *c, size_t field, double *x);

/* Appends the cell as a line of rounded text, not escaped. `half_width`: an estimate becomes "value
 * ± half of its 95 % interval", otherwise "value [lo, hi]". */
void table_cell_text(struct strbuf *out, const struct table_column *c,
		     const struct table_cell *cell, bool half_width);
/* Returns the status in words for a table: "ok", "too few"; "–" for STAT_NOT_APPLICABLE. */
const char *table_status_words(enum stat_status s);
/* Returns its meaning: "too few values". */
const char *table_status_text(enum stat_status s);
