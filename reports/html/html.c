/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report/index.html: one self-contained page. First the verdict, then the cases, then methods and
 * data as an appendix. */
#include "reports/forms.h"
#include "reports/html/html.h"
#include "reports/output.h"
#include "reports/words.h"

static void add_contents(struct strbuf *out, const struct html_page *p)
{
	const struct {
		bool shown;
		const char *id, *title;
	} entry[] = {{p->a->n_cells, "intervals", "What decides"},
		     {p->a->n_cells, "cases", "Every case"},
		     {p->a->parallel, "parallel", "Parallel applications"},
		     {p->a->n_claims || p->a->n_published, "published", "Published findings"},
		     {p->findings->n_warnings, "warnings", "Warnings"},
		     {p->a->n_league > 1, "league", "League table"},
		     {true, "appendix", "Methods and data"},
		     {true, "glossary", "Glossary"}};
	strbuf_addstr(out, "<nav aria-label=\"Contents\"><ol>\n");
	for (size_t i = 0; i < sizeof entry / sizeof *entry; i++)
		if (entry[i].shown)
			strbuf_addf(out, "<li><a href=\"#%s\">%s</a></li>\n", entry[i].id,
				    entry[i].title);
	strbuf_addstr(out, "</ol></nav>\n");
}

static void add_page(struct strbuf *out, const struct html_page *p)
{
	SCOPED_STRBUF title = STRBUF_INIT;
	strbuf_addf(&title, "%s (%s)", words_title(p->a), words_claim_verdict(p->a, p->a->verdict));
	html_begin_page(out, title.s, true, NULL);
	add_contents(out, p);
	html_add_verdict(out, p);
	html_add_cases(out, p);
	html_add_parallel(out, p);
	html_add_published(out, p);
	html_add_appendix(out, p);
	html_end_page(out);
}

/* Writes the figures into plots_dir, which exists; NULL: does not write them. */
static int make_page(struct strbuf *out, const struct analysis *a, const char *plots_dir,
		     struct err *e)
{
	SCOPED(figures_release) struct figures figures;
	SCOPED_STRBUF protocol = STRBUF_INIT;
	figures_build(&figures, a);
	int ret = figures_render(&figures, plots_dir, e);
	ret = ret ? ret : html_protocol_read(&protocol, a->results, e);
	if (!ret) {
		SCOPED(findings_release) struct findings findings;
		findings_collect(&findings, a);
		add_page(out, &(struct html_page){a, NULL, &figures, &findings, &protocol});
	}
	return ret;
}

static int html_write(const struct analysis *a, const char *report_dir, struct err *e)
{
	SCOPED_STRBUF page = STRBUF_INIT;
	SCOPED_FREE char *plots = xasprintf("%s/plots", report_dir);
	int ret = output_dir(report_dir, "plots", e);
	ret = ret ? ret : make_page(&page, a, plots, e);
	ret = ret ? ret : output_file(report_dir, "index.html", &page, e);
	return ret;
}

static int html_print(const struct analysis *a, FILE *out, struct err *e)
{
	SCOPED_STRBUF page = STRBUF_INIT;
	int ret = make_page(&page, a, NULL, e);
	ret = ret ? ret : output_stream(out, &page, e);
	return ret;
}

const struct report_form report_form_html = {
    .name = "html",
    .help = "one self-contained page with figures",
    .write = html_write,
    .print = html_print,
};
