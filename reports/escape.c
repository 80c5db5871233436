/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/escape.h"

#include "capture/csv_args.h"

#define REPLACEMENT 0xfffdu

/* Returns the next character of *s and advances *s. A byte of a malformed, overlong or surrogate
 * sequence gives U+FFFD. */
static uint32_t next_char(const char **s)
{
	const unsigned char *p = (const unsigned char *)*s;
	const size_t n = utf8_char_len(p, strnlen(*s, 4));
	*s += n ? n : 1;
	if (n < 2)
		return n ? p[0] : REPLACEMENT;
	uint32_t c = p[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++)
		c = c << 6 | (p[i] & 0x3fu);
	return c;
}

static void add_char(struct strbuf *out, uint32_t c)
{
	unsigned int n = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3; /* bytes that follow */
	strbuf_addch(out, (char)(n ? (0xf0 << (3 - n) & 0xff) | c >> 6 * n : c));
	while (n--)
		strbuf_addch(out, (char)(0x80 | (c >> 6 * n & 0x3f)));
}

/* Whether c is a control character (C0, C1), or a character that changes the reading direction or
 * breaks the line. No name needs such characters, but terminals and pages obey them. XML forbids
 * unassigned non-characters. */
static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 ||
	       (c >= 0x200e && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || c == 0xfeff || (c & 0xfffe) == 0xfffe;
}

static bool ends_with(const struct strbuf *b, const char *text)
{
	const size_t len = strlen(text);
	return b->len >= len && !memcmp(b->s + b->len - len, text, len);
}

/* Whether c completes the start of a workflow command: "::" at the start of a line (GitHub), or
 * "##[" (both services) and "##vso[" (Azure) anywhere. */
static bool is_command(const struct strbuf *out, uint32_t c)
{
	return (c == ':' && ends_with(out, ":")) ||
	       (c == '[' && (ends_with(out, "##") || ends_with(out, "##vso")));
}

/* Appends a character so that the output of a CI job contains no workflow command: the second colon
 * of "::" becomes U+2236, and the bracket a parenthesis. */
static void add_shown(struct strbuf *out, uint32_t c)
{
	add_char(out, !is_command(out, c) ? c : c == ':' ? 0x2236 : '(');
}

void escape_line(struct strbuf *out, const char *s)
{
	while (*s) {
		uint32_t c = next_char(&s);
		add_shown(out, is_control(c) ? ' ' : c);
	}
}

void escape_text(struct strbuf *out, const char *s)
{
	while (*s) {
		uint32_t c = next_char(&s);
		if (c == '\n' || c == '\t' || !is_control(c))
			add_shown(out, c);
	}
}

void escape_bytes(struct strbuf *out, const char *s)
{
	for (const char *from = s; *s; from = s) {
		const uint32_t c = next_char(&s);
		const bool plain = !is_control(c) && (c != REPLACEMENT || s - from == 3);
		if (plain)
			strbuf_add(out, from, (size_t)(s - from));
		for (; !plain && from < s; from++)
			strbuf_addf(out, "\\x%02x", (unsigned char)*from);
	}
}

struct sign {
	uint32_t c; /* 0 ends a list */
	const char *text;
};

/* NULL: the character is no sign of the list. */
static const char *sign_text(const struct sign *s, uint32_t c)
{
	while (s->c && s->c != c)
		s++;
	return s->text;
}

static void add_html(struct strbuf *out, uint32_t c)
{
	static const struct sign signs[] = {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"},
					    {'"', "&quot;"}, {'\'', "&#39;"}, {0, NULL}};
	const char *text = sign_text(signs, c);
	if (is_command(out, c))
		strbuf_addf(out, "&#%u;", (unsigned int)c);
	else if (text)
		strbuf_addstr(out, text);
	else
		add_char(out, c);
}

void escape_html(struct strbuf *out, const char *s)
{
	while (*s) {
		uint32_t c = next_char(&s);
		add_html(out, is_control(c) ? ' ' : c);
	}
}

void escape_html_text(struct strbuf *out, const char *s)
{
	while (*s) {
		uint32_t c = next_char(&s);
		if (c == '\n' || c == '\t' || !is_control(c))
			add_html(out, c);
	}
}

void html_addf(struct strbuf *out, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	for (const char *p = fmt; *p; p++) {
		const size_t plain = strcspn(p, "%");
		strbuf_add(out, p, plain);
		p += plain;
		if (!*p)
			break;
		if (*++p == 's')
			escape_html(out, va_arg(ap, const char *));
		else if (*p == 'z')
			strbuf_addf(out, "%zu", va_arg(ap, size_t));
		else
			strbuf_addch(out, '%');
		p += *p == 'z';
	}
	va_end(ap);
}

static const struct sign latex_signs[] = {
    {'\\', "\\textbackslash{}"},
    {'{', "\\{"},
    {'}', "\\}"},
    {'$', "\\$"},
    {'&', "\\&"},
    {'#', "\\#"},
    {'_', "\\_"},
    {'%', "\\%"},
    {'^', "\\textasciicircum{}"},
    {'~', "\\textasciitilde{}"},
    {'<', "\\textless{}"},
    {'>', "\\textgreater{}"},
    {'|', "\\textbar{}"},
    {'"', "\\char34{}"},
    {'\'', "\\textquotesingle{}"},
    {'`', "\\textasciigrave{}"},
    {'-', "{-}"},
    {'[', "{[}"},
    {']', "{]}"},
    {'*', "{*}"},
    {0xa0, "~"},
    {0xb1, "$\\pm$"},
    {0xb2, "$^2$"},
    {0xb5, "\\textmu{}"},
    {0x3bc, "\\textmu{}"},
    {0xd7, "$\\times$"},
    {0x2013, "--"},
    {0x2014, "---"},
    {0x2026, "\\dots{}"},
    {0x2212, "$-$"},
    {0x2264, "$\\le$"},
    {0x2265, "$\\ge$"},
    {0x221e, "$\\infty$"},
    {0x3bd, "$\\nu$"},
    {0x3c3, "$\\sigma$"},
    {0x3c1, "$\\rho$"},
    {REPLACEMENT, "?"},
    {0x202f, "\\,"},
    {0x2009, "\\,"},
    {0, NULL},
};

void escape_latex(struct strbuf *out, const char *s)
{
	while (*s) {
		uint32_t c = next_char(&s);
		if (is_control(c))
			c = ' ';
		const char *text = sign_text(latex_signs, c);
		if (text)
			strbuf_addstr(out, text);
		else if (c < 0x180)
			add_shown(out, c);
		else /* pdflatex would stop at a character that its fonts lack */
			strbuf_addf(out, "U+%04X", (unsigned int)c);
	}
}

void escape_csv(struct strbuf *out, const char *s, int formula_safe)
{
	SCOPED_STRBUF clean = STRBUF_INIT;
	while (*s) {
		uint32_t c = next_char(&s);
		if (c != '\n' && c != '\t' && c != '\r' && is_control(c))
			continue;
		/* a spreadsheet decides by the first character whether a text is a formula */
		if (!clean.len && formula_safe && c < 0x80 && strchr("=+-@\t\r\n", (int)c))
			strbuf_addch(&clean, '\'');
		add_shown(&clean, c);
	}
	if (!strpbrk(clean.s, ",\"\r\n\t;'") && clean.s[0] != ' ' &&
	    !(clean.len && clean.s[clean.len - 1] == ' ')) {
		strbuf_add(out, clean.s, clean.len);
	} else {
		strbuf_addch(out, '"');
		for (const char *p = clean.s; *p; p++) {
			if (*p == '"')
				strbuf_addch(out, '"');
			strbuf_addch(out, *p);
		}
		strbuf_addch(out, '"');
	}
}

void escape_gnuplot(struct strbuf *out, const char *s)
{
	while (*s) {
		uint32_t c = next_char(&s);
		if (c == '\'')
			strbuf_addstr(out, "''");
		else if (c == '`') /* single quotes prevent expansion; replaced all the same */
			add_char(out, 0x2018);
		else
			add_shown(out, is_control(c) ? ' ' : c);
	}
}

static size_t char_width(uint32_t c)
{
	if (c >= 0x300 && c < 0x370)
		return 0; /* combining */
	if (c == 0x200b || c == 0x200c || c == 0x200d || (c >= 0xfe00 && c < 0xfe10))
		return 0;
	bool wide = (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) || (c >= 0xac00 &&
		c < 0xd7a4) || (c >= 0xf900 && c < 0xfb00) || (c >= 0xfe30 && c < 0xfe70) ||
		(c >= 0xff00 && c < 0xff61) || (c >= 0xffe0 && c < 0xffe7) ||
		(c >= 0x1f300 && c < 0x1fb00) || (c >= 0x20000 && c < 0x40000);
	return wide ? 2 : 1;
}

size_t text_width(const char *s)
{
	size_t width = 0;
	while (*s)
		width += char_width(next_char(&s));
	return width;
}

void text_cut(struct strbuf *out, const char *s, size_t width)
{
	if (text_width(s) <= width) {
		escape_line(out, s);
		return;
	}
	size_t column = 0;
	while (*s) {
		uint32_t c = next_char(&s);
		if (column + char_width(c) + 1 > width)
			break;
		column += char_width(c);
		add_shown(out, is_control(c) ? ' ' : c);
	}
	if (width)
		add_char(out, 0x2026);
}

void text_cut_name(struct strbuf *out, const char *s, size_t width)
{
	size_t left = text_width(s), column = 0;
	if (left <= width || !width) {
		text_cut(out, s, width);
		return;
	}
	for (const char *next = s;; s = next) {
		const uint32_t c = next_char(&next);
		if (column + char_width(c) > (width - 1) / 3)
			break;
		column += char_width(c);
		left -= char_width(c);
		add_shown(out, is_control(c) ? ' ' : c);
	}
	add_char(out, 0x2026);
	for (const char *next = s; *next; s = next) { /* keep an accent with its letter */
		const size_t w = char_width(next_char(&next));
		if (w && column + 1 + left <= width)
			break;
		left -= w;
	}
	escape_line(out, s);
}

/* Returns the length in bytes of the word at s, and its columns. A percent sign stays with its
 * number. */
static size_t word_at(const char *s, size_t *columns)
{
	const char *p = s;
	*columns = 0;
	while (*p && (*p != ' ' || p[1] == '%'))
		*columns += char_width(next_char(&p));
	return (size_t)(p - s);
}

static void new_line(struct strbuf *out, size_t indent)
{
	strbuf_addf(out, "\n%*s", (int)indent, "");
}

void text_wrap(struct strbuf *out, const char *s, size_t column, size_t indent, size_t width)
{
	SCOPED_STRBUF clean = STRBUF_INIT;
	escape_line(&clean, s);
	const char *p = clean.s;
	if (width < indent + 8)
		width = indent + 8;
	bool first_word = true;
	while (*p) {
		size_t blanks = strspn(p, " "), columns;
		size_t len = word_at(p + blanks, &columns);
		if (!len)
			break;
		p += blanks;
		size_t gap = first_word ? 0 : 1;
		if (column + gap + columns > width && column > indent) {
			new_line(out, indent);
			column = indent;
			gap = 0;
		}
		if (gap)
			strbuf_addch(out, ' ');
		column += gap;
		for (const char *end = p + len; p < end;) {
			uint32_t c = next_char(&p);
			if (column + char_width(c) > width) {
				new_line(out, indent);
				column = indent;
			}
			add_char(out, c);
			column += char_width(c);
		}
		first_word = false;
	}
}

void text_paragraph(struct strbuf *out, const char *s, size_t column, size_t indent, size_t width)
{
	text_wrap(out, s, column, indent, width);
	strbuf_addch(out, '\n');
}

void text_line(struct strbuf *out, const char *s, size_t len, size_t indent, size_t width)
{
	SCOPED_FREE char *text = xasprintf("%.*s", (int)len, s);
	if (width && indent + text_width(text) > width)
		text_wrap(out, text, indent, indent, width);
	else
		strbuf_addstr(out, text);
	strbuf_addch(out, '\n');
}

/* Returns the end of the blanks behind a label: of the last two blanks in the first half of the
 * line. Without a label: the end of the blanks at its beginning. */
static size_t label_end(const char *s, size_t width)
{
	size_t end = strspn(s, " ");
	for (size_t i = end; i < width / 2 && s[i] && s[i] != '\n'; i++)
		if (i && s[i - 1] == ' ' && s[i] == ' ')
			end = i + 1;
	return end;
}

void text_fit(struct strbuf *out, const char *lines, size_t width)
{
	for (size_t len; *lines; lines += len + (lines[len] == '\n')) {
		len = strcspn(lines, "\n");
		const size_t indent = label_end(lines, width);
		strbuf_add(out, lines, indent);
		text_line(out, lines + indent, len - indent, indent, width);
	}
}
