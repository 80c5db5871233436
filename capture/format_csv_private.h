/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading CSV: the state of it, and how the fields of a line become a record. Private to capture/.
 */
#ifndef CAPTURE_FORMAT_CSV_PRIVATE_H
#define CAPTURE_FORMAT_CSV_PRIVATE_H

#include <csv.h>

#include "capture/csv_args.h"
#include "capture/trace_private.h"
#include "common/strbuf.h"

#define COLUMNS_MAX 64
/* behind the text in memory: a line feed, and what is read with it at once */
#define CSV_SLACK 2 * CSV_ARGS_SLACK

enum column {
	COL_PID,
	COL_TID,
	COL_BEGIN,
	COL_END,
	COL_FUNCTION,
	COL_ARGS,
	COL_RVALUE,
	COL_REQUIRED, /* those before must be there */
	COL_ERROR = COL_REQUIRED,
	COL_SEQ,
	COL_INTENDED,
	COL_DISPATCH,
	COL_N,
	COL_IGNORED = COL_N, /* its name begins with "x-" */
};

struct csv_trace {
	struct trace base;
	char *path;
	int fd;
	struct csv_parser parser;
	bool has_parser, at_end;
	char *chunk; /* chunk[cap + CSV_SLACK]; chunk[at..n_chunk) is not taken in yet, and a line
		      * feed stands behind it
		      */
	size_t at, n_chunk, cap;
	bool only_libcsv;
	bool at_row; /* a row begins there; else libcsv is within one */
	bool skipping; /* what is left of a line that libcsv could not split */
	uint64_t n_lenient; /* bad lines that may be left out */
	struct err error; /* the first bad line: nothing is read behind it */

	enum column columns[COLUMNS_MAX];
	unsigned int n_columns; /* 0: the header was not seen yet */
	unsigned int args_column;

	uint64_t line, row_line; /* 1-based: being read; where the row began */
	uint64_t n_inside;	 /* line feeds inside the row's fields, so far */
	bool after_cr;
	unsigned int field; /* of the row, 0-based: the next to come */
	struct trace_record row;
	bool has_seq;
	const char *args_s; /* of this row */
	size_t args_len;
	const char *readable; /* up to there memory may be read behind a field of this row */
	struct strbuf args_text; /* a copy of it where libcsv gave it */
	struct csv_op_memo {
		char name[22]; /* no operation's is longer */
		uint16_t op, len;
	} op_memo[64]; /* of the last ones named, by what their names look like */
	struct csv_args args;
	uint64_t n_rows;

	struct trace_record *record; /* of this chunk */
	size_t n_records, cap_records;
	struct strbuf heap; /* of this chunk, items as in a trace file */
};

/* Notes the first thing that is wrong with the text, with file, line and column. */
void csv_fail(struct csv_trace *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct csv_field {
	const char *s;
	size_t len;
};

void csv_row_begin(struct csv_trace *t);
/* One field of the header, and its end; one field of a line, which need not stay, or all f[n] of
 * the chunk's; and its end, which appends the record. */
void csv_header_field(struct csv_trace *t, const char *s, size_t len);
void csv_header_end(struct csv_trace *t);
void csv_row_field(struct csv_trace *t, const char *s, size_t len);
void csv_row_fields(struct csv_trace *t, const struct csv_field *f, unsigned int n);
void csv_row_end(struct csv_trace *t);
/* A line is over, of the header or of a request, or blank. `c`: the character that ended it, -1 for
 * the end of the file. */
void csv_line_end(struct csv_trace *t, int c);

/* Takes in plain lines from the beginning of s[len], at which a row begins, up to the first that is
 * none: gives their bytes. s[len] must be a line feed, and CSV_SLACK bytes readable from there on.
 * A line is plain if it ends in LF or CR LF, is not blank, and each field is without quotes, blanks
 * at its ends and CR, or wholly in quotes with no quote inside. What comes of it is the same as by
 * libcsv. */
size_t csv_scan(struct csv_trace *t, const char *s, size_t len);

/* As the format's open, but libcsv splits all lines: what csv_scan() is compared with. */
int csv_open_by_libcsv(struct trace **t, const char *path, const struct trace_open_options *o,
		       struct err *e);

#endif
