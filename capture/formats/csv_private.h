/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of the CSV reader, and conversion of fields to a record. Private to capture/. */
#pragma once

#include "capture/csv_args.h"
#include "capture/trace_private.h"

#define COLUMNS_MAX 64

enum csv_column {
	COL_PID,
	COL_TID,
	COL_BEGIN,
	COL_END,
	COL_FUNCTION,
	COL_ARGS,
	COL_RVALUE,
	COL_REQUIRED, /* the columns before this one are mandatory */
	COL_ERROR = COL_REQUIRED,
	COL_SEQ,
	COL_INTENDED,
	COL_DISPATCH,
	COL_N,
	COL_IGNORED = COL_N, /* its name begins with "x-" */
};

struct csv_field {
	char *s; /* points into the text of the row */
	size_t len;
	bool is_quoted, is_doubled; /* is_doubled: contains doubled quotes */
};

struct csv_row {
	struct csv_field field[COLUMNS_MAX];
	unsigned int n;	  /* number of fields; fields beyond COLUMNS_MAX are only counted */
	uint64_t n_lines; /* number of lines of the row */
	const char *why;  /* error in the last field; NULL: none */
	char *end;	  /* end of the row, including its line end */
};

struct csv_trace {
	struct trace base;
	char *path;
	int fd;
	bool at_end;
	/* chunk[cap + 1]; chunk[at..n_chunk) was not parsed yet, and is followed by a line feed */
	char *chunk;
	size_t at, n_chunk, cap;
	uint64_t n_lenient; /* bad lines that may be omitted */
	struct err error; /* first error in the text; nothing after it is read */

	enum csv_column columns[COLUMNS_MAX];
	unsigned int n_columns; /* 0: the header was not read yet */
	unsigned int args_column;

	uint64_t line;	    /* 1-based: first line of the row */
	unsigned int field; /* index of the next field of the row, from 0 */
	struct trace_record row;
	bool has_seq;
	const char *args_s; /* arguments of this row */
	size_t args_len;
	struct csv_args args;
	uint64_t n_rows;

	struct trace_record *record; /* records of the current chunk */
	size_t n_records, cap_records;
	struct strbuf heap; /* heap items of the current chunk, in the form of a trace file */
};

/* Stores the first error in the text, with file, line and column. */
void csv_fail(struct csv_trace *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Read the header of the file, and append the record of a row. Both report errors by csv_fail(). */
void csv_header_read(struct csv_trace *t, const struct csv_row *r);
void csv_row_read(struct csv_trace *t, const struct csv_row *r);

/* Splits the first row of the text [s, end), which a line feed follows, and replaces doubled quotes
 * by single quotes. False: the row continues after the text, and the text is not the end of the
 * file (`at_end`). */
bool csv_split(struct csv_row *r, char *s, char *end, bool at_end);
