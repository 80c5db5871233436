/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of validate info: one file that needs nothing from anywhere. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands/info.h"
#include "common/files.h"
#include "common/xalloc.h"
#include "reports/escape.h"
#include "reports/figures/figure.h"
#include "reports/html/html.h"
#include "reports/output.h"

static void add_facts(struct strbuf *out, const struct info_page *page)
{
	strbuf_addstr(out, "<dl>\n");
	for (size_t i = 0; i < page->n_facts; i++) {
		const struct info_fact *f = &page->fact[i];
		if (*f->label)
			strbuf_addf(out, "<dt>%s</dt>", f->label);
		strbuf_addstr(out, *f->label ? "<dd>" : "<dd style=\"grid-column:2\">");
		escape_html(out, f->text);
		strbuf_addstr(out, "</dd>\n");
	}
	strbuf_addstr(out, "</dl>\n");
}

/* What makes the trace doubtful comes first, for whoever reads no further. */
static void add_warnings(struct strbuf *out, const struct info *x)
{
	const struct tally *s = &x->profile->tally;
	struct strbuf line = STRBUF_INIT;
	char text[1000];
	size_t n = 0;
	for (uint64_t i = 0; i < s->n_damage && i < TALLY_DAMAGE_MAX; i++) {
		strbuf_addstr(out, n++ ? "" : "<h2>Warnings</h2>\n<ul class=\"warnings\">\n");
		strbuf_reset(&line);
		info_add_printable(&line, s->damage[i]);
		strbuf_addstr(out, "<li>");
		escape_html(out, line.s);
		strbuf_addstr(out, "</li>\n");
	}
	for (unsigned int i = 0; info_warning(x, i, text, sizeof text); i++) {
		strbuf_addstr(out, n++ ? "" : "<h2>Warnings</h2>\n<ul class=\"warnings\">\n");
		strbuf_reset(&line);
		info_add_printable(&line, text);
		strbuf_addstr(out, "<li>");
		escape_html(out, line.s);
		strbuf_addstr(out, "</li>\n");
	}
	strbuf_addstr(out, n ? "</ul>\n" : "");
	strbuf_release(&line);
}

static void add_cell(struct strbuf *out, const struct info_sheet *s, size_t column, const char *text, bool head)
{
	bool left = s->left >> column & 1;
	const char *tag = head ? "th" : "td";
	strbuf_addf(out, "<%s%s%s>", tag, head ? " scope=\"col\"" : "",
		    left ? column ? " class=\"w\"" : "" : " class=\"n\"");
	escape_html(out, text);
	strbuf_addf(out, "</%s>", tag);
}

static void add_sheet(struct strbuf *out, const struct info_sheet *s)
{
	strbuf_addstr(out, "<h2>");
	escape_html(out, s->title);
	strbuf_addstr(out, "</h2>\n");
	html_begin_wide(out, s->title);
	strbuf_addstr(out, "<table>\n<thead><tr>");
	for (size_t c = 0; c < s->n_columns; c++)
		add_cell(out, s, c, s->column[c], true);
	strbuf_addstr(out, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < s->n_cells; i++) {
		size_t c = i % s->n_columns;
		strbuf_addstr(out, c ? "" : "<tr>");
		add_cell(out, s, c, s->cell[i], false);
		strbuf_addstr(out, c + 1 == s->n_columns ? "</tr>\n" : "");
	}
	strbuf_addstr(out, "</tbody></table></div>\n");
	if (!s->note)
		return;
	strbuf_addstr(out, "<p class=\"note\">");
	escape_html(out, s->note);
	strbuf_addstr(out, "</p>\n");
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
		strbuf_addstr(out, "</div><figcaption>");
		escape_html(out, f->caption);
		strbuf_addstr(out, "</figcaption></figure>\n");
	}
	strbuf_addstr(out, "</div>\n");
	if (fs->missing) {
		strbuf_addstr(out, "<p class=\"note\">Plots are missing: ");
		escape_html(out, fs->missing);
		strbuf_addstr(out, "</p>\n");
	}
}

static void add_page(struct strbuf *out, const struct info *x, const struct figures *fs)
{
	struct info_page page = {0};
	struct strbuf name = STRBUF_INIT;
	const char *slash = strrchr(x->path, '/');
	info_add_printable(&name, slash && slash[1] ? slash + 1 : x->path);
	info_facts_build(&page, x);
	info_sheets_build(&page, x);
	strbuf_addstr(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
			   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
			   "'unsafe-inline'; img-src data:\">\n<title>");
	escape_html(out, name.s);
	strbuf_addstr(out, "</title>\n");
	html_add_style(out);
	strbuf_addstr(out, "</head>\n<body>\n");
	svg_add_symbols(out);
	strbuf_addstr(out, "<main>\n<h1>");
	escape_html(out, name.s);
	strbuf_addstr(out, "</h1>\n");
	add_warnings(out, x);
	add_facts(out, &page);
	add_figures(out, fs);
	for (size_t i = 0; i < page.n_sheets; i++)
		add_sheet(out, &page.sheet[i]);
	strbuf_addstr(out, "</main>\n</body>\n</html>\n");
	info_page_release(&page);
	strbuf_release(&name);
}

static int write_page(const char *path, const struct strbuf *page, struct err *e)
{
	return strcmp(path, "-") ? file_write_atomic(path, page->s, page->len, e) : output_stream(stdout, page, e);
}

int info_write_html(const struct info *x, const char *path, struct err *e)
{
	struct strbuf out = STRBUF_INIT;
	struct figures figures;
	char *dir = info_plot_directory(e);
	if (!dir)
		return -e->code;
	info_figures_build(&figures, x);
	int rc = figures_render(&figures, dir, e);
	int removed = dir_remove_tree(dir, rc ? NULL : e);
	rc = rc ? rc : removed;
	if (!rc)
		add_page(&out, x, &figures);
	if (!rc)
		rc = write_page(path, &out, e);
	figures_release(&figures);
	free(dir);
	strbuf_release(&out);
	return rc;
}
