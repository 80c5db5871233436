/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of validate info: one self-contained file. */

#include "reports/info/info.h"
#include "common/files.h"
#include "reports/escape.h"
#include "reports/html/html.h"
#include "reports/output.h"

#define STACK_COLUMNS 4 /* with more columns, a row becomes a paragraph on a narrow screen */

static void add_facts(struct strbuf *out, const struct info_page *page)
{
	strbuf_addstr(out, "<dl>\n");
	for (size_t i = 0; i < page->n_facts; i++) {
		const struct info_fact *f = &page->fact[i];
		if (*f->label)
			strbuf_addf(out, "<dt>%s</dt>", f->label);
		html_addf(out, "<dd>%s</dd>\n", f->text);
	}
	strbuf_addstr(out, "</dl>\n");
}

static void add_warning(struct strbuf *out, const char *text)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	escape_bytes(&line, text);
	html_addf(out, "<li>%s</li>\n", line.s);
}

/* Damage and warnings come first. */
static void add_warnings(struct strbuf *out, const struct info *x)
{
	const struct tally *s = &x->profile->tally;
	SCOPED(words_list_release) struct words_list warnings = {0};
	info_warnings(&warnings, x);
	if (!s->n_damage && !warnings.n)
		return;
	strbuf_addstr(out, "<h2>Warnings</h2>\n<ul class=\"warnings\">\n");
	for (uint64_t i = 0; i < s->n_damage && i < TALLY_DAMAGE_MAX; i++)
		add_warning(out, s->damage[i]);
	for (size_t i = 0; i < warnings.n; i++)
		add_warning(out, warnings.v[i]);
	strbuf_addstr(out, "</ul>\n");
}

static void add_cell(struct strbuf *out, const struct table *s, size_t column, const char *text,
		     const char *tag)
{
	bool left = s->column[column].format == FORMAT_TEXT;
	strbuf_addf(out, "<%s%s", tag, !left ? " class=\"n\"" : column ? " class=\"w\"" : "");
	if (column && !strcmp(tag, "td")) /* the name of the value on a narrow screen */
		html_addf(out, " data-l=\"%s\"", s->column[column].title);
	html_addf(out, ">%s", text);
	strbuf_addf(out, "</%.2s>", tag);
}

static void add_sheet(struct strbuf *out, const struct table *s)
{
	html_addf(out, "<h2>%s</h2>\n", s->title);
	html_begin_wide(out, s->title);
	strbuf_addf(out, "<table%s>\n<thead><tr>",
		    s->n_columns > STACK_COLUMNS ? " class=\"stack\"" : "");
	for (size_t c = 0; c < s->n_columns; c++)
		add_cell(out, s, c, s->column[c].title, "th scope=\"col\"");
	strbuf_addstr(out, "</tr></thead>\n<tbody>\n");
	for (size_t r = 0; r < table_n_rows(s); r++) {
		strbuf_addstr(out, "<tr>");
		for (size_t c = 0; c < s->n_columns; c++)
			add_cell(out, s, c, table_at(s, r, c)->text, "td");
		strbuf_addstr(out, "</tr>\n");
	}
	strbuf_addstr(out, "</tbody></table></div>\n");
	if (!s->note)
		return;
	html_addf(out, "<p class=\"note\">%s</p>\n", s->note);
}

static void add_figures(struct strbuf *out, const struct figures *fs)
{
	if (!fs->n)
		return;
	strbuf_addstr(out, "<div class=\"grid\">\n");
	for (size_t i = 0; i < fs->n; i++) {
		const struct figure *f = &fs->figure[i];
		if (!f->svg.len)
			continue;
		strbuf_addstr(out, "<figure><div class=\"plot\">\n");
		strbuf_add(out, f->svg.s, f->svg.len);
		html_addf(out, "</div><figcaption>%s</figcaption></figure>\n", f->caption);
	}
	strbuf_addstr(out, "</div>\n");
	if (fs->missing)
		html_addf(out, "<p class=\"note\">Plots are missing: %s</p>\n", fs->missing);
}

static void add_page(struct strbuf *out, const struct info *x, const struct figures *fs)
{
	SCOPED(info_page_release) struct info_page page = {0};
	SCOPED_STRBUF name = STRBUF_INIT;
	const char *slash = strrchr(x->path, '/');
	escape_bytes(&name, slash && slash[1] ? slash + 1 : x->path);
	info_facts_build(&page, x);
	info_sheets_build(&page, x);
	html_begin_page(out, name.s, true, NULL);
	html_addf(out, "<h1>%s</h1>\n", name.s);
	add_warnings(out, x);
	add_figures(out, fs);
	add_facts(out, &page);
	for (size_t i = 0; i < page.n_sheets; i++)
		add_sheet(out, &page.sheet[i]);
	html_end_page(out);
}

int info_write_html(const struct info *x, const char *path, struct err *e)
{
	SCOPED_STRBUF out = STRBUF_INIT;
	SCOPED(figures_release) struct figures figures;
	info_figures_build(&figures, x);
	int ret = figures_render(&figures, NULL, e);
	if (!ret)
		add_page(&out, x, &figures);
	if (!ret)
		ret = strcmp(path, "-") ? file_write_atomic(path, out.s, out.len, e)
				: output_stream(stdout, &out, e);
	return ret;
}
