/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report/index.html: one page that needs nothing from anywhere, after the six steps of the
 * method-validation protocol.
 */
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "reports/escape.h"
#include "reports/forms.h"
#include "reports/html/html.h"
#include "reports/output.h"
#include "reports/words.h"

static void add_contents(struct strbuf *out, const struct html_page *p)
{
	static const char *const entry[][2] = {
	    {"step-1", "1 Measurand"},        {"step-2", "2 Procedure"},   {"step-3", "3 Sources of uncertainty"},
	    {"step-4", "4 Characterisation"}, {"step-5", "5 Calibration"}, {"step-6", "6 Uncertainty"},
	    {"evidence", "Evidence"},
	};
	strbuf_addstr(out, "<nav aria-label=\"Contents\"><ol>\n");
	if (p->a->n_cells)
		strbuf_addstr(out, "<li><a href=\"#which\">Verdicts</a></li>\n");
	if (p->a->n_league > 1)
		strbuf_addstr(out, "<li><a href=\"#league\">League table</a></li>\n");
	if (p->findings->n_warnings)
		strbuf_addf(out, "<li><a href=\"#warnings\">Warnings (%zu)</a></li>\n",
			    p->findings->n_warnings);
	if (p->findings->n_groups)
		strbuf_addstr(out, "<li><a href=\"#why\">What was not accepted</a></li>\n");
	for (size_t i = 0; i < sizeof entry / sizeof entry[0]; i++)
		strbuf_addf(out, "<li><a href=\"#%s\">%s</a></li>\n", entry[i][0], entry[i][1]);
	if (p->a->n_claims || p->a->n_published)
		strbuf_addstr(out, "<li><a href=\"#published\">Published findings</a></li>\n");
	strbuf_addstr(out, "</ol></nav>\n");
}

static void add_page(struct strbuf *out, const struct html_page *p)
{
	struct strbuf title = STRBUF_INIT;
	strbuf_addf(&title, "%s: %s", words_verdict(p->a->verdict), words_title(p->a));
	html_begin_page(out, title.s, true, NULL);
	strbuf_addstr(out, "<a class=\"skip\" href=\"#step-1\">Skip to the six steps</a>\n");
	svg_add_symbols(out);
	strbuf_addstr(out, "<main>\n");
	html_add_verdict(out, p);
	add_contents(out, p);
	if (p->a->n_league > 1) {
		strbuf_addstr(out, "<h2 id=\"league\">League table</h2>\n");
		html_add_table(out, p, "league", NULL);
	}
	html_add_reasons(out, p);
	html_add_definition(out, p);
	html_add_characterisation(out, p);
	html_add_conclusion(out, p);
	html_add_parallel(out, p);
	html_add_published(out, p);
	html_add_evidence(out, p);
	strbuf_addstr(out, "</main>\n</body>\n</html>\n");
	strbuf_release(&title);
}

/* Figures are written into plots_dir, which is there already; NULL: nowhere. */
static int make_page(struct strbuf *out, const struct analysis *a, const char *plots_dir,
		     struct err *e)
{
	struct figures figures;
	struct strbuf protocol = STRBUF_INIT;
	figures_build(&figures, a);
	int ret = figures_render(&figures, plots_dir, e);
	if (!ret)
		ret = html_protocol_read(&protocol, a->results, e);
	if (!ret) {
		struct findings findings;
		findings_collect(&findings, a);
		add_page(out, &(struct html_page){a, NULL, &figures, &findings, &protocol});
		findings_release(&findings);
	}
	strbuf_release(&protocol);
	figures_release(&figures);
	return ret;
}

static int html_write(const struct analysis *a, const char *report_dir, struct err *e)
{
	struct strbuf page = STRBUF_INIT;
	char *plots = xasprintf("%s/plots", report_dir);
	int ret = output_dir(report_dir, "plots", e);
	if (!ret)
		ret = make_page(&page, a, plots, e);
	if (!ret)
		ret = output_file(report_dir, "index.html", &page, e);
	free(plots);
	strbuf_release(&page);
	return ret;
}

static int html_print(const struct analysis *a, FILE *out, struct err *e)
{
	struct strbuf page = STRBUF_INIT;
	int ret = make_page(&page, a, NULL, e);
	if (!ret)
		ret = output_stream(out, &page, e);
	strbuf_release(&page);
	return ret;
}

const struct report_form report_form_html = {
    .name = "html",
    .help = "one self-contained page with figures",
    .write = html_write,
    .print = html_print,
};
