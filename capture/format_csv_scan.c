/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "capture/format_csv_private.h"

struct field {
	const char *s;
	size_t len;
};

/* What ends a field without quotes, or makes it none. */
static const bool ends_field[256] = {[','] = true, ['\n'] = true, ['\r'] = true, ['"'] = true};

/* The field that begins at s: behind its end, where a comma or the line's end stands, or NULL where it is not plain. s[0..end]
 * with `end` the line feed. */
static const char *plain_field(const char *s, const char *end, struct field *f)
{
	const char *p = s;
	if (*s == '"') {
		p = memchr(s + 1, '"', (size_t)(end - s - 1));
		if (!p)
			return NULL;
		*f = (struct field){s + 1, (size_t)(p - s - 1)};
		p++;
		return *p == ',' || p == end || (*p == '\r' && p + 1 == end) ? p : NULL;
	}
	while (!ends_field[(unsigned char)*p])
		p++;
	*f = (struct field){s, (size_t)(p - s)};
	if (*p == '"' || (*p == '\r' && p + 1 != end))
		return NULL;
	return f->len && (*s == ' ' || *s == '\t' || p[-1] == ' ' || p[-1] == '\t') ? NULL : p;
}

/* The fields of the line, or 0 where it is not plain. */
static unsigned int plain_line(const char *s, const char *end, struct field *f)
{
	if (s == end || *s == '\r')
		return 0;
	for (unsigned int n = 0; n < COLUMNS_MAX;) {
		const char *p = plain_field(s, end, &f[n++]);
		if (!p)
			return 0;
		if (*p != ',')
			return n;
		s = p + 1;
	}
	return 0;
}

size_t csv_scan(struct csv_trace *t, const char *text, size_t len)
{
	const char *s = text, *end = text + len, *lf;
	struct field f[COLUMNS_MAX];
	while (s < end && !t->error.code && (lf = memchr(s, '\n', (size_t)(end - s)))) {
		unsigned int n = plain_line(s, lf, f);
		if (!n)
			break;
		t->after_cr = false;
		for (unsigned int i = 0; i < n && !t->error.code; i++) {
			csv_row_field(t, f[i].s, f[i].len, true);
			t->field++;
		}
		csv_line_end(t, '\n');
		s = lf + 1;
	}
	return (size_t)(s - text);
}
