/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/formats/csv_private.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Splits a quoted field, beginning at the opening quote. Returns its end, or NULL if the text ends
 * before the closing quote. */
static char *quoted_field(char *quote, const char *end, struct csv_row *r, struct csv_field *f)
{
	char *p = quote + 1;
	*f = (struct csv_field){.s = p, .is_quoted = true};
	for (;; p++) {
		while (*p != '"' && *p != '\n')
			p++;
		if (p == end)
			return NULL;
		if (*p == '\n') {
			r->n_lines++;
		} else if (p[1] == '"') {
			f->is_doubled = true;
			p++;
		} else {
			break;
		}
	}
	f->len = (size_t)(p - f->s);
	do
		p++;
	while (is_blank(*p));
	return p;
}

/* Splits a field without quotes. Returns its end. */
static char *plain_field(char *s, struct csv_field *f)
{
	char *p = s;
	while (*p != ',' && *p != '"' && *p != '\n' && *p != '\r')
		p++;
	*f = (struct csv_field){.s = s, .len = (size_t)(p - s)};
	while (f->len && is_blank(s[f->len - 1]))
		f->len--;
	return p;
}

/* Replaces doubled quotes by single quotes. */
static void quotes_undouble(struct csv_field *f)
{
	size_t n = 0;
	for (size_t i = 0; i < f->len; i++, n++) {
		f->s[n] = f->s[i];
		i += f->s[i] == '"';
	}
	f->len = n;
}

bool csv_split(struct csv_row *r, char *s, char *end, bool at_end)
{
	struct csv_field beyond;
	r->n = 0;
	r->n_lines = 1;
	r->why = NULL;
	for (;; s++) {
		struct csv_field *f = r->n < COLUMNS_MAX ? &r->field[r->n] : &beyond;
		r->n++;
		while (is_blank(*s))
			s++;
		s = *s == '"' ? quoted_field(s, end, r, f) : plain_field(s, f);
		if (!s || *s != ',')
			break;
	}
	if (s && *s != '\n' && *s != '\r') {
		r->why = "misplaced quote, or text after a closing quote";
		s = memchr(s, '\n', (size_t)(end - s));
	} else if (!s && at_end) {
		r->why = "the file ends inside a quoted field";
	}
	const bool is_cut = !s || s == end || (*s == '\r' && s + 1 == end);
	if (is_cut && !at_end)
		return false;
	r->end = is_cut ? end : *s == '\r' && s[1] == '\n' ? s + 2 : s + 1;
	for (unsigned int i = 0; i < r->n && i < COLUMNS_MAX && !r->why; i++)
		if (r->field[i].is_doubled)
			quotes_undouble(&r->field[i]);
	return true;
}
