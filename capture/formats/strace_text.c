/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits the text of a call into arguments, strings and decorations of descriptors. */

#include "capture/formats/strace_parsed.h"
#include "capture/number.h"

/* The position after the closing quote of a string. */
static const char *past_string(const char *s, const char *end)
{
	for (s++; s < end && *s != '"'; s++)
		s += *s == '\\' && s + 1 < end;
	return s < end ? s + 1 : end;
}

/* The position after a decoration, which begins with '<': "</a/b>", "<TCP:[1->2]>",
 * "</dev/pts/0<char 136:0>>". In a path, strace escapes the brackets, and "->" is not an arrow. */
static const char *past_decoration(const char *s, const char *end)
{
	unsigned int depth = 0;
	bool path = s + 1 < end && s[1] == '/';
	const char *close = path ? memchr(s + 1, '>', (size_t)(end - s - 1)) : NULL;
	if (close && !memchr(s + 1, '<', (size_t)(close - s - 1)))
		return close + 1;
	for (; s < end; s++) {
		depth += *s == '<';
		if (*s == '>' && (path || s[-1] != '-') && !--depth)
			return s + 1;
	}
	return end;
}

/* Bytes with a syntactic meaning outside strings. */
enum { TEXT = 0, QUOTE, COMMA, OPENS, CLOSES, BRACKET };
static const unsigned char meaning[256] = {
    ['"'] = QUOTE,  [','] = COMMA,  ['('] = OPENS,  ['['] = OPENS,  ['{'] = OPENS,
    [')'] = CLOSES, [']'] = CLOSES, ['}'] = CLOSES, ['<'] = BRACKET};

/* The first byte with a meaning at or after p, outside strings and outside the decorations of the
 * argument that begins at `first`. */
static const char *next_outside(const char *first, const char *p, const char *end)
{
	while (p < end) {
		const unsigned char what = meaning[(unsigned char)*p];
		if (what == QUOTE)
			p = past_string(p, end);
		else if (what == BRACKET && p > first && p[-1] > ' ')
			p = past_decoration(p, end);
		else if (what == TEXT)
			p++;
		else
			break;
	}
	return p;
}

static void add_part(struct part *arg, unsigned int *n, const char *first, const char *end,
		     char next)
{
	while (first < end && *first == ' ')
		first++;
	while (first < end && end[-1] == ' ') /* the blank before "<unfinished ...>" */
		end--;
	if (*n < PARTS_MAX && (end > first || next == ','))
		arg[(*n)++] = (struct part){first, (size_t)(end - first)};
}

unsigned int strace_split(const char **s, const char *end, struct part *arg)
{
	const char *p = *s, *first = p;
	unsigned int n = 0, depth = 0;
	for (; (p = next_outside(first, p, end)) < end; p++) {
		const unsigned char what = meaning[(unsigned char)*p];
		depth += what == OPENS;
		if (!depth && (what == COMMA || *p == ')')) {
			add_part(arg, &n, first, p, *p);
			first = p + 1;
			if (*p == ')') {
				*s = first;
				return n;
			}
		}
		depth -= what == CLOSES && depth;
	}
	*s = NULL;
	return n;
}

bool strace_next_part(const char **s, const char *end, struct part *part)
{
	const char *p = *s;
	unsigned int depth = 0;
	while (p < end && *p == ' ')
		p++;
	const char *first = p;
	for (; (p = next_outside(first, p, end)) < end; p++) {
		const unsigned char what = meaning[(unsigned char)*p];
		if (!depth && (what == COMMA || what == CLOSES))
			break;
		depth += what == OPENS;
		depth -= what == CLOSES;
	}
	*part = (struct part){first, (size_t)(p - first)};
	*s = p < end && *p == ',' ? p + 1 : end;
	return p > first;
}

bool strace_result_decoration(const struct strace_parsed *p, struct part *d)
{
	const char *s = p->ret;
	uint64_t fd;
	return s && scan_u64(&s, p->end, &fd) && strace_decoration(s, p->end, d);
}

int64_t strace_take_duration(const char *s, const char **end)
{
	const bool closed = *end > s && (*end)[-1] == '>';
	const char *open = closed ? memrchr(s, '<', (size_t)(*end - s)) : NULL,
		   *at = open ? open + 1 : NULL;
	int64_t ns;
	if (!open || !scan_decimal(&at, *end, 1000000000, &ns, NULL) || at != *end - 1)
		return -1;
	*end = open;
	return ns;
}

int64_t strace_first_fd(const char *s, const char *end)
{
	int64_t fd;
	return scan_i64(&s, end, &fd) ? fd : -1;
}

bool strace_unquote(struct strbuf *to, const struct part *a)
{
	return strace_unquote_bytes(to, a) && !memchr(to->s ? to->s : "", 0, to->len);
}

bool strace_unquote_bytes(struct strbuf *to, const struct part *a)
{
	const char *s = a->s, *end = s + a->len;
	strbuf_reset(to);
	if (s == end || *s != '"')
		return false;
	for (s++; s < end && *s != '"'; s++) {
		char c = *s;
		if (c == '\\' && s + 1 < end) {
			static const char from[] = "ntrvfab\"\\", into[] = "\n\t\r\v\f\a\b\"\\";
			const char *simple = strchr(from, *++s);
			if (simple) {
				c = into[simple - from];
			} else if (*s == 'x') {
				unsigned int v = 0, k = 0;
				for (; k < 2 && s + 1 < end && hex_digit(s[1]) < 16; k++, s++)
					v = v * 16 + hex_digit(s[1]);
				c = (char)v;
			} else if (*s >= '0' && *s <= '7') {
				unsigned int v = 0, k = 0;
				for (; k < 3 && s < end && *s >= '0' && *s <= '7'; k++)
					v = v * 8 + (unsigned int)(*s++ - '0');
				s--;
				c = (char)v;
			} else {
				c = *s;
			}
		}
		strbuf_addch(to, c);
	}
	return s < end;
}

bool strace_decoration(const char *s, const char *end, struct part *d)
{
	if (s == end || *s != '<')
		return false;
	const char *stop = past_decoration(s, end) - 1;
	d->s = s + 1;
	const char *inner = stop > d->s ? memchr(d->s, '<', (size_t)(stop - d->s)) : NULL;
	stop = inner ? inner : stop;
	d->len = stop > d->s ? (size_t)(stop - d->s) : 0; /* "<<" has an empty name */
	return d->len > 0;
}
