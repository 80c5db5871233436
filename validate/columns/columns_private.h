/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "validate/columns/columns.h"

struct column_cell { /* not NUL-terminated, but the byte after it is readable */
	const char *text;
	/* at: position of the first character in the line, from 1; 0 unknown */
	size_t len, at;
};

struct columns_reader {
	struct columns *c;
	const struct column_choice *choice;
	enum columns_header header;
	bool text;  /* not CSV */
	bool begun; /* the first line was processed */
	size_t line, cap;
	struct err *e;
};

/* Processes the cells of a line; reader->line must be set. Returns 0 or a negative errno. */
int columns_row(struct columns_reader *r, const struct column_cell *cell, size_t n);

/* Splits a file into rows. */
int columns_split_text(struct columns_reader *r, const char *text, size_t len);
int columns_split_csv(struct columns_reader *r, const char *text, size_t len, char delimiter);

/* True if the file is a JSON object. */
bool columns_is_json(const char *text, size_t len);

struct strbuf;
/* Appends the chosen series of a known JSON form, one number per line, and its name to *name.
 * `selector`: name or number (from 1) of the series, or NULL for the only series. Errors: EBADMSG,
 * ENOENT, ENODATA. */
int columns_of_json(struct strbuf *out, struct strbuf *name, const char *path, const char *text,
		    size_t len, const char *selector, struct err *e);
