/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of numbers out of text files: results of replicates, one on each line.
 *
 * Two text forms, distinguished by the first line that is neither blank nor a comment; and JSON of
 * hyperfine, pytest-benchmark and fio (columns_json.c):
 *   text: columns separated by blanks or tabs; "#" begins a comment anywhere
 *   CSV:  a comma (or, without commas, a semicolon) or a quote in that line; RFC 4180; lines that
 * begin with "#" are comments The first line is a header where a cell of it is no number: in text
 * only if it begins with a letter or "_", so that a mistyped number is not taken for one. A header
 * is needed to name columns; "header" says yes or no instead. A number is a decimal number (1,
 * -2.5, 3e-6), finite. Anything else in a chosen column is an error with file:line:column; other
 * columns may hold what they like. Blank lines are skipped. */
#ifndef VALIDATE_COLUMNS_COLUMNS_H
#define VALIDATE_COLUMNS_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

enum columns_header { COLUMNS_HEADER_AUTO, COLUMNS_HEADER_YES, COLUMNS_HEADER_NO };

struct column_choice {
	/* number from 1, or name; NULL: the only column, in text the first one */
	const char *selector;
	bool labels;	      /* words instead of numbers */
	const char *where;    /* only lines whose cell holds this text are taken; NULL: all */
	bool except;	      /* ... only those whose cell does not */
};

struct column {
	char *name;    /* from the header, or "column N" */
	size_t number; /* from 1 */
	double *x;     /* [n], or NULL */
	char **label;  /* [n], or NULL */
};

struct columns {
	char *path; /* "standard input" for "-" */
	struct column *column; /* [n_columns], in the order asked for */
	size_t n_columns, n;
};

/* Reads the columns chosen; path "-" is standard input. Errors: errno of the file; EBADMSG with
 * path:line:column; EILSEQ for a byte 0; ENOENT for a column that is not there, with the names
 * there are; ENODATA without a value. Ownership: columns_release. */
int columns_read(struct columns *c, const char *path, const struct column_choice *choice,
		 size_t n_choices, enum columns_header header, struct err *e);

/* The same from memory; `path` is for messages. */
int columns_parse(struct columns *c, const char *path, const char *text, size_t len,
		  const struct column_choice *choice, size_t n_choices, enum columns_header header,
		  struct err *e);
void columns_release(struct columns *c);

#endif
