/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/format_csv_private.h"
#include "capture/formats/byte_marks.h"

/* Commas, quotes and line ends. There always is a next one: a line feed follows the text. */
#define MARKS ',', '"', '\n', '\r'

static inline const char *next_mark(struct byte_walk *w)
{
	return byte_walk_next(w, MARKS);
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The end of the field that begins at s, where a comma or a line end stands; NULL if it is not
 * plain. */
static inline const char *plain_field(const char *s, struct byte_walk *m, struct csv_field *f)
{
	const char *p = next_mark(m);
	if (*s != '"') {
		*f = (struct csv_field){s, (size_t)(p - s)};
		return *p == '"' || (p > s && (is_blank(*s) || is_blank(p[-1]))) ? NULL : p;
	}
	do
		p = next_mark(m);
	while (*p == ',' || *p == '\r');
	if (*p != '"')
		return NULL;
	*f = (struct csv_field){s + 1, (size_t)(p - s - 1)};
	return next_mark(m) == p + 1 && p[1] != '"' ? p + 1 : NULL;
}

/* The fields of the line, and the position of its line feed; NULL if it is not plain. */
static inline const char *plain_line(const char *s, struct byte_walk *m, struct csv_field *f,
				     unsigned int *n)
{
	*n = 0;
	if (*s == '\n' || *s == '\r')
		return NULL;
	while (*n < COLUMNS_MAX) {
		const char *p = plain_field(s, m, &f[(*n)++]);
		if (!p)
			return NULL;
		if (*p == '\r' && next_mark(m) == p + 1 && p[1] == '\n')
			p++;
		if (*p != ',')
			return *p == '\n' ? p : NULL;
		s = p + 1;
	}
	return NULL;
}

size_t csv_scan(struct csv_trace *t, const char *text, size_t len)
{
	const char *s = text, *end = text + len, *lf;
	struct csv_field f[COLUMNS_MAX];
	struct byte_walk m = byte_walk_begin(text, end + 1, MARKS);
	unsigned int n;
	while (s < end && !t->error.code && (lf = plain_line(s, &m, f, &n)) && lf < end) {
		t->after_cr = false;
		csv_row_fields(t, f, n);
		csv_line_end(t, '\n');
		s = lf + 1;
	}
	return (size_t)(s - text);
}
