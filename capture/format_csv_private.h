/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of the CSV reader, and the conversion of fields to a record. Private to capture/. */
#pragma once

#include <csv.h>

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
	COL_REQUIRED, /* the columns before are mandatory */
	COL_ERROR = COL_REQUIRED,
	COL_SEQ,
	COL_INTENDED,
	COL_DISPATCH,
	COL_N,
	COL_IGNORED = COL_N, /* the name begins with "x-" */
};

struct csv_trace {
	struct trace base;
	char *path;
	int fd;
	struct csv_parser parser;
	bool has_parser, at_end;
	/* chunk[cap + 1]; chunk[at..n_chunk) is not consumed yet, and a line feed follows */
	char *chunk;
	size_t at, n_chunk, cap;
	bool only_libcsv;
	bool at_row; /* a row begins at `at`; otherwise libcsv is inside one */
	bool skipping; /* until the end of a line that libcsv could not split */
	uint64_t n_lenient; /* bad lines that may be omitted */
	struct err error; /* the first bad line: nothing after it is read */

	enum csv_column columns[COLUMNS_MAX];
	unsigned int n_columns; /* 0: the header was not read yet */
	unsigned int args_column;

	uint64_t line, row_line; /* 1-based: current line; first line of the row */
	uint64_t n_inside;	 /* line feeds inside the row's fields so far */
	bool after_cr;
	unsigned int field; /* 0-based index of the row's next field */
	struct trace_record row;
	bool has_seq;
	const char *args_s; /* of this row */
	size_t args_len;
	struct strbuf args_text; /* a copy of the arguments if they come from libcsv */
	struct csv_op_memo {
		char name[22]; /* longer than any operation's name */
		uint16_t op, len;
	} op_memo[64]; /* cache of operations by a hash of the name */
	struct csv_args args;
	uint64_t n_rows;

	struct trace_record *record; /* of the current chunk */
	size_t n_records, cap_records;
	struct strbuf heap; /* of the current chunk, with items as in a trace file */
};

/* Records the first error in the text, with file, line and column. */
void csv_fail(struct csv_trace *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct csv_field {
	const char *s;
	size_t len;
};

void csv_row_begin(struct csv_trace *t);
/* A field and the end of the header; one field, or all fields f[n], and the end of a row, which
 * appends the record. Fields of csv_row_field() are borrowed for the call, those of
 * csv_row_fields() until the end of the row. */
void csv_header_field(struct csv_trace *t, const char *s, size_t len);
void csv_header_end(struct csv_trace *t);
void csv_row_field(struct csv_trace *t, const char *s, size_t len);
void csv_row_fields(struct csv_trace *t, const struct csv_field *f, unsigned int n);
void csv_row_end(struct csv_trace *t);
/* Ends a line of the header or of a request, or a blank line. `c`: the character that ended it, -1
 * at the end of the file. */
void csv_line_end(struct csv_trace *t, int c);

/* Consumes plain lines from the beginning of s[len], where a row begins, up to the first line that
 * is not plain. Returns their number of bytes. s[len] must be a line feed. A line is plain if it
 * ends in LF or CR LF and is not blank, and if each field either has no quotes, outer blanks or CR,
 * or is in quotes without a quote inside. The result equals libcsv's. */
size_t csv_scan(struct csv_trace *t, const char *s, size_t len);

/* Opens with libcsv splitting all lines, for comparison with csv_scan(). */
int csv_open_by_libcsv(struct trace **t, const char *path, const struct trace_open_options *o,
		       struct err *e);
