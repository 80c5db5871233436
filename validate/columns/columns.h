/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of numbers from text files: results of replicates, one per line.
 *
 * There are two text forms, distinguished by the first line that is neither blank nor a comment;
 * and JSON of hyperfine, pytest-benchmark and fio (columns_json.c):
 *   text: columns separated by blanks or tabs; "#" begins a comment anywhere
 *   CSV:  that line has a comma (or a semicolon and no comma) or a quote; RFC 4180; lines
 *         that begin with "#" are comments
 * The first line is a header if one of its cells is not a number. In text this cell must begin with
 * a letter or "_", so that a mistyped number is not taken for a header. The parameter `header`
 * overrides this rule. Columns have names only if there is a header. A number is a finite decimal
 * number (1, -2.5, 3e-6). Anything else in a chosen column is an error with file:line:column; other
 * columns may contain anything. Blank lines are skipped. */
#pragma once

#include "common/std.h"

enum columns_header { COLUMNS_HEADER_AUTO, COLUMNS_HEADER_YES, COLUMNS_HEADER_NO };

struct column_choice {
	/* number of the column from 1, or its name; NULL: the only column, in text the first */
	const char *selector;
	bool labels;	      /* words, not numbers */
	/* use only lines whose cell equals this text; NULL: all lines */
	const char *where;
	bool except;	      /* only lines whose cell does not */
};

struct column {
	char *name;    /* from the header, or "column N" */
	size_t number; /* from 1 */
	double *x;     /* [n], or NULL */
	char **label;  /* [n], or NULL */
};

struct columns {
	char *path; /* "standard input" for "-" */
	struct column *column; /* [n_columns], in the order of the choices */
	size_t n_columns, n;
	/* unit of the times in ns, if the lines of a text are like "1.5 ms" and no column was
	 * chosen; 0: unknown */
	int64_t unit_ns;
};

/* Reads the chosen columns; path "-" is standard input. Errors: errno of the file; EBADMSG with
 * path:line:column; EILSEQ for a byte 0; ENOENT for a missing column, with the existing names;
 * ENODATA if there is no value. Ownership: columns_release(). */
int columns_read(struct columns *c, const char *path, const struct column_choice *choice,
		 size_t n_choices, enum columns_header header, struct err *e);

/* Like columns_read, from memory; `path` is for messages. */
int columns_parse(struct columns *c, const char *path, const char *text, size_t len,
		  const struct column_choice *choice, size_t n_choices, enum columns_header header,
		  struct err *e);
void columns_release(struct columns *c);
