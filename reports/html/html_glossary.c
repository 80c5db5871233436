/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The glossary in the page: the terms of doc/glossary.md with their meanings and sources. */
#include "common/embed.h"
#include "reports/escape.h"
#include "reports/html/html.h"

EMBED(glossary, "doc/glossary.md");

static void plain_flush(struct strbuf *out, struct strbuf *plain)
{
	escape_html(out, plain->s);
	strbuf_reset(plain);
}

/* Appends a text of the document: `code`, and the text of links without their addresses. */
static void add_markdown(struct strbuf *out, const char *text, size_t len)
{
	SCOPED_STRBUF plain = STRBUF_INIT;
	bool code = false;
	for (size_t i = 0; i < len; i++) {
		const char *end = memchr(text + i, ')', len - i);
		if (text[i] == '`') {
			plain_flush(out, &plain);
			strbuf_addstr(out, code ? "</code>" : "<code>");
			code = !code;
		} else if (!code && end && i + 1 < len && text[i] == ']' && text[i + 1] == '(') {
			i = (size_t)(end - text);
		} else if (code || text[i] != '[') {
			strbuf_addch(&plain, text[i]);
		}
	}
	plain_flush(out, &plain);
}

static void add_cell(struct strbuf *out, const char **at)
{
	const char *from = *at + strspn(*at, "| "), *end = strstr(from, " |");
	add_markdown(out, from, (size_t)(end - from));
	*at = end;
}

/* A row of the table: "| term | meaning | source | used in |". */
static void add_term(struct strbuf *out, const char *line)
{
	strbuf_addstr(out, "<dt>");
	add_cell(out, &line);
	strbuf_addstr(out, "</dt><dd>");
	add_cell(out, &line);
	strbuf_addstr(out, " <span class=\"src\">[");
	add_cell(out, &line);
	strbuf_addstr(out, "]</span></dd>\n");
}

static const char *line_after(const char *line)
{
	const char *end = strchr(line, '\n');
	return end ? end + 1 : line + strlen(line);
}

void html_add_glossary(struct strbuf *out, const struct html_page *p)
{
	(void)p;
	const char *line = line_after(strstr(glossary, "|---"));
	strbuf_addstr(out, "<p>Each term with its meaning and, in brackets, its source. \"This "
		"program\" means that <code>validate</code> defines the term.</p>\n<dl>\n");
	for (; *line == '|'; line = line_after(line))
		add_term(out, line);
	strbuf_addstr(out, "</dl>\n<ul>\n");
	for (line = strstr(line, "\n- ") + 1; *line; line = line_after(line)) {
		const char *text = line + 2; /* after "- ", or the indentation of another line */
		strbuf_addstr(out, *line == '-' ? "<li>" : "");
		add_markdown(out, text, strcspn(text, "\n"));
		strbuf_addstr(out, *line_after(line) == ' ' ? " " : "</li>\n");
	}
	strbuf_addstr(out, "</ul>\n");
}
