/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mandel's plots: a bar for each case, grouped by laboratory, with the critical values. They show a
 * laboratory that differs in all cases, and a laboratory that differs in a single case. Source: ISO
 * 5725-2, 7.3.1. */
#include "reports/escape.h"
#include "reports/figures/figures.h"
#include "reports/html/html.h"
#include "reports/pool/pool_report.h"

#define WIDTH 640
#define HEIGHT 300

static const struct outlier_finding *statistic_of(const struct pool_group *g, bool scatter)
{
	return scatter ? &g->k : &g->h;
}

/* Finds the smallest critical values of all cases. With equal numbers of replicates they are
 * equal. */
static void critical_find(const struct pool *p, bool scatter, double *at5, double *at1)
{
	*at5 = *at1 = NAN;
	for (size_t i = 0; i < p->n_cases; i++)
		for (size_t k = 0; k < p->one[i].n_groups && !p->one[i].status; k++) {
			const struct outlier_finding *f =
			    statistic_of(&p->one[i].group[k], scatter);
			if (f->status)
				continue;
			*at5 = isnan(*at5) || f->critical_5 < *at5 ? f->critical_5 : *at5;
			*at1 = isnan(*at1) || f->critical_1 < *at1 ? f->critical_1 : *at1;
		}
}

/* Adds a row for each bar: place, value; with a gap between laboratories. Returns the number of
 * bars. */
static size_t data_add(struct strbuf *out, const struct pool *p, size_t laboratory, bool scatter,
		       size_t at)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n_cases; i++)
		for (size_t k = 0; k < p->one[i].n_groups && !p->one[i].status; k++) {
			const struct pool_group *g = &p->one[i].group[k];
			if (g->laboratory != laboratory || statistic_of(g, scatter)->status)
				continue;
			strbuf_addf(out, "%zu", at + n++);
			plot_row(out, statistic_of(g, scatter)->statistic);
		}
	return n;
}

/* Adds a line with a label: below the line at the left, or above it at the right, so that labels
 * and lines do not overlap. */
static void line_add(struct strbuf *out, double y, const char *dash, const char *label, bool left)
{
	if (isnan(y))
		return;
	strbuf_addf(out, "set arrow from graph 0,first %.6g to graph 1,first %.6g nohead lw 1 dt "
		"%s lc rgb '" RGB_TEXT "'\n", y, y, dash);
	if (label)
		strbuf_addf(
		    out,
		    "set label '%s' at graph %s,first %.6g %s textcolor rgb '" RGB_TEXT "'\n",
		    label, left ? "0.005" : "0.995", y,
		    left ? "left offset 0,-0.6" : "right offset 0,0.6");
}

static void script_add(struct figure *f, const struct pool *p, bool scatter, const size_t *first,
		       const size_t *n, size_t end)
{
	struct strbuf *s = &f->script;
	double at5, at1;
	critical_find(p, scatter, &at5, &at1);
	line_add(s, at5, "2", "5 %", true);
	line_add(s, at1, "1", "1 %", false);
	if (!scatter) {
		line_add(s, -at5, "2", NULL, false);
		line_add(s, -at1, "1", NULL, false);
	}
	strbuf_addf(s, "set xrange [-1:%zu]\nunset key\nset xzeroaxis lc rgb '" RGB_TEXT "'\n"
		       "set grid ytics lc rgb '" RGB_GRID "'\n"
		       "set ylabel '%s' textcolor rgb '" RGB_TEXT "'\nset boxwidth 0.8\n"
		       "set style fill solid 0.8 noborder\n", end, scatter ? "k" : "h");
	double room = isnan(at1) ? 1 : 1.15 * at1;
	if (scatter)
		strbuf_addf(s, "set yrange [0:%.6g<*]\n", room);
	else
		strbuf_addf(s, "set yrange [*<%.6g:%.6g<*]\n", -room, room);
	strbuf_addstr(s, "set xtics (");
	for (size_t i = 0; i < p->n_laboratories; i++) {
		strbuf_addstr(s, i ? ", " : "");
		plot_string(s, p->laboratory[i].name, 24);
		strbuf_addf(s, " %.6g", (double)first[i] + ((double)n[i] - 1) / 2);
	}
	strbuf_addf(s, ") scale 0\nplot file using 1:2 with boxes lc rgb '%s'\n",
		    palette_series(0));
}

static void figure_make(struct figures *fs, const struct pool *p, bool scatter)
{
	SCOPED_STRBUF data = STRBUF_INIT;
	size_t first[256], n[256], at = 0, n_values = 0,
	    n_laboratories = p->n_laboratories < 256 ? p->n_laboratories : 256;
	for (size_t i = 0; i < n_laboratories; i++) {
		first[i] = at;
		n[i] = data_add(&data, p, i, scatter, at);
		at += n[i] + 2;
		n_values += n[i];
	}
	if (!n_values) /* equal laboratories have no h */
		return;
	struct figure *f = figure_add(fs, scatter ? "mandel-k" : "mandel-h", 0, WIDTH, HEIGHT);
	strbuf_addf(&f->data, "# place, Mandel's %s\n%s", scatter ? "k" : "h", data.s);
	script_add(f, p, scatter, first, n, at);
	if (scatter)
		figure_caption(f, "Mandel's k: scatter of each laboratory divided by the common "
				  "scatter, one bar per case, by laboratory. Lines: critical "
				  "values. If all bars of a laboratory are high, it measures less "
				  "precisely than the others.");
	else
		figure_caption(f, "Mandel's h: mean of each laboratory minus the mean of all, in "
			"standard deviations of these means, one bar per case, by laboratory. "
			"Lines: critical values. If all bars of a laboratory are on one side of "
			"0, and all other bars are on the other side, its results are biased.");
}

void pool_figures_build(struct figures *fs, const void *study)
{
	const struct pool *p = study;
	*fs = (struct figures){0};
	figure_make(fs, p, false);
	figure_make(fs, p, true);
}

static bool has_outlier(const struct pool *p)
{
	for (size_t i = 0; i < p->n_laboratories; i++)
		if (p->laboratory[i].n_outlying)
			return true;
	return false;
}

static void warning_add(struct strbuf *out, const char *text)
{
	html_addf(out, "<p class=\"warnings\"><strong>Warning:</strong> %s</p>\n", text);
}

void pool_html_add(struct strbuf *out, const void *study, const struct tables *ts,
		   const struct figures *fs)
{
	const struct pool *p = study;
	const struct html_page page = {NULL, ts, fs, NULL};
	SCOPED_STRBUF title = STRBUF_INIT, sentence = STRBUF_INIT;
	pool_sentence_add(&sentence, p);
	strbuf_addf(&title, "Between laboratories: %s", p->laboratory[0].baseline->title);
	html_begin_page(out, title.s, true, NULL);
	html_addf(out, "<h1>%s</h1>\n", title.s);
	html_addf(out, "<div class=\"banner %s\"><p class=\"big\">%s</p></div>\n<p>%s</p>\n",
		  has_outlier(p) ? "inconclusive" : "trusted", sentence.s, pool_introduction);
	if (p->difference)
		warning_add(out, p->difference);
	for (size_t i = 0; i < p->n_warnings; i++) {
		strbuf_reset(&sentence);
		pool_warning_add(&sentence, &p->warning[i]);
		warning_add(out, sentence.s);
	}
	html_add_table(out, &page, "league", NULL);
	html_add_table(out, &page, "classes", &(struct html_table_view){.keys =
		"scenario replayer laboratory verdict bias U95 n_results"});
	html_add_table(out, &page, "machines", NULL);
	html_add_table(out, &page, "tally", NULL);
	strbuf_addstr(out, "<h2>How far results differ</h2>\n");
	html_add_table(out, &page, "pool", NULL);
	strbuf_addstr(out, "<h2>Laboratories that differ</h2>\n");
	html_add_figures(out, &page, "mandel-h", false);
	html_add_figures(out, &page, "mandel-k", false);
	html_add_missing(out, fs);
	html_add_table(out, &page, "suspects", NULL);
	strbuf_addstr(out, "<p class=\"note\">h and k of each laboratory in each case: "
		"<a href=\"tables/laboratories.csv\">tables/laboratories.csv</a>.</p>\n");
	html_add_table(out, &page, "missing", NULL);
	html_end_page(out);
}
