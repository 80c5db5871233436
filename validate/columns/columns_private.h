/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef VALIDATE_COLUMNS_COLUMNS_PRIVATE_H
#define VALIDATE_COLUMNS_COLUMNS_PRIVATE_H

#include "validate/columns/columns.h"

struct column_cell { /* not NUL-terminated, but what follows it may be read */
	const char *text;
	/* at: character of the line it begins with, from 1; 0 where that is not known */
	size_t len, at;
};

struct columns_reader {
	struct columns *c;
	const struct column_choice *choice;
	enum columns_header header;
	bool text;  /* not CSV */
	bool begun; /* the first line was seen */
	size_t line, cap;
	struct err *e;
};

/* One line's cells, with reader->line set. Returns 0 or a negative errno. */
int columns_row(struct columns_reader *r, const struct column_cell *cell, size_t n);

/* Each splits a whole file into rows. */
int columns_split_text(struct columns_reader *r, const char *text, size_t len);
int columns_split_csv(struct columns_reader *r, const char *text, size_t len, char delimiter);

/* Whether a file is one JSON object. */
bool columns_is_json(const char *text, size_t len);

/* Appends the chosen series of a known JSON form, one number a line. `selector` is its name, its
 * number from 1, or NULL for the only one. Errors: EBADMSG, ENOENT, ENODATA. */
struct strbuf;
int columns_of_json(struct strbuf *out, const char *path, const char *text, size_t len,
		    const char *selector, struct err *e);

#endif
