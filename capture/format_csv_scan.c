/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/format_csv_private.h"

/* The next comma, quote or line end. There always is one: a line feed follows the text. */
static inline const char *next_mark(const char *p)
{
	while (*p != ',' && *p != '"' && *p != '\n' && *p != '\r')
		p++;
	return p;
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The end of the field that begins at s, where a comma or a line end stands; NULL if it is not
 * plain. */
static inline const char *plain_field(const char *s, struct csv_field *f)
{
	if (*s != '"') {
		const char *p = next_mark(s);
		*f = (struct csv_field){s, (size_t)(p - s)};
		return *p == '"' || (p > s && (is_blank(*s) || is_blank(p[-1]))) ? NULL : p;
	}
	const char *p = s + 1;
	while (*p != '"' && *p != '\n')
		p++;
	if (*p != '"')
		return NULL;
	*f = (struct csv_field){s + 1, (size_t)(p - s - 1)};
	return p[1] == ',' || p[1] == '\n' || p[1] == '\r' ? p + 1 : NULL;
}

/* The fields of the line, and the position of its line feed; NULL if it is not plain. */
static const char *plain_line(const char *s, struct csv_field *f, unsigned int *n)
{
	*n = 0;
	if (*s == '\n' || *s == '\r')
		return NULL;
	while (*n < COLUMNS_MAX) {
		const char *p = plain_field(s, &f[(*n)++]);
		if (!p)
			return NULL;
		if (*p == '\r' && p[1] == '\n')
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
	unsigned int n;
	while (s < end && !t->error.code && (lf = plain_line(s, f, &n)) && lf < end) {
		t->after_cr = false;
		csv_row_fields(t, f, n);
		csv_line_end(t, '\n');
		s = lf + 1;
	}
	return (size_t)(s - text);
}
