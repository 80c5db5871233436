/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The four charts of a series, with its entries from left to right by date; and the
 * page. */
#include "reports/escape.h"
#include "reports/figures/figures.h"
#include "reports/history/history_report.h"
#include "reports/html/html.h"

#define WIDTH 480
#define HEIGHT 800

static void data_add(struct figure *f, const struct history_study *s,
		     const struct history_charts *c, size_t from)
{
	strbuf_addstr(&f->data, "# campaign, x/r - 1 in percent, moving range of ln(x/r) in "
				"percent, CUSUM up, CUSUM down, EWMA, its limit, -its limit\n");
	for (size_t i = from; i < c->n; i++) {
		double limit = ewma_limit(i + 1, HISTORY_EWMA_LAMBDA, HISTORY_EWMA_L);
		strbuf_addf(&f->data, "%lld", history_campaign_at(s, c, i)->number);
		plot_row(&f->data, 100 * expm1(c->x[i]),
			 i ? 100 * fabs(c->x[i] - c->x[i - 1]) : NAN, c->cusum[i].plus,
			 -c->cusum[i].minus, c->ewma[i], limit, -limit);
	}
}

static void line_add(struct strbuf *out, double y, const char *color, const char *dash)
{
	strbuf_addf(out, "set arrow from graph 0,first %.10g to graph 1,first %.10g nohead lw 1 dt "
		"%s lc rgb '%s'\n", y, y, dash, color);
}

/* Appends the y axis of one of the four charts. The axis contains low (0: it begins there) and
 * high. */
static void panel_add(struct strbuf *out, const char *label, double low, double high)
{
	strbuf_addf(out, "set ylabel '%s' textcolor rgb '" RGB_TEXT "'\nset yrange [", label);
	if (low < 0 || low > 0)
		strbuf_addf(out, "*<%.10g:", low);
	else
		strbuf_addstr(out, "0:");
	strbuf_addf(out, "%.10g<*]\n", high);
}

static void script_add(struct figure *f, const struct history_charts *c, double first, double last)
{
	struct strbuf *s = &f->script;
	const struct individuals_chart *l = &c->limits;
	double lower = 100 * expm1(l->lower), upper = 100 * expm1(l->upper),
	       room = (upper - lower) / 10;
	strbuf_addf(s, "set xrange [%.10g:%.10g]\nset grid ytics lc rgb '" RGB_GRID "'\nunset key\n"
		"set multiplot layout 4,1\nset lmargin 9\nset tmargin 1\nset bmargin 2\n",
		    first - 0.5, last + 0.5);
	line_add(s, 100 * expm1(l->center), RGB_MUTED, "1");
	line_add(s, lower, RGB_TEXT, "2");
	line_add(s, upper, RGB_TEXT, "2");
	panel_add(s, "x/r - 1, %", lower - room, upper + room);
	strbuf_addf(s, "plot file using 1:2 with linespoints lw 1.2 pt 7 ps 0.4 lc rgb '%s'\nunset "
		"arrow\n", palette_series(0));
	line_add(s, 100 * l->mr_upper, RGB_TEXT, "2");
	panel_add(s, "moving range, %", 0, 110 * l->mr_upper);
	strbuf_addf(s, "plot file using 1:3 with linespoints lw 1.2 pt 7 ps 0.4 lc rgb '%s'\nunset "
		"arrow\n", palette_series(1));
	line_add(s, HISTORY_CUSUM_H, RGB_TEXT, "2");
	line_add(s, -HISTORY_CUSUM_H, RGB_TEXT, "2");
	panel_add(s, "CUSUM, sigma", -1.1 * HISTORY_CUSUM_H, 1.1 * HISTORY_CUSUM_H);
	strbuf_addf(s, "plot file using 1:4 with lines lw 1.5 lc rgb '%s', file using 1:5 with "
		"lines lw 1.5 lc rgb '%s'\nunset arrow\n", palette_series(0), palette_series(1));
	strbuf_addstr(s, "set xlabel 'campaign' textcolor rgb '" RGB_TEXT "'\nset bmargin 3.5\n");
	panel_add(s, "EWMA, sigma", -1.3, 1.3);
	strbuf_addf(s, "plot file using 1:7 with lines lw 1 dt 2 lc rgb '" RGB_TEXT "', file using "
		"1:8 with lines lw 1 dt 2 lc rgb '" RGB_TEXT "', file using 1:6 with lines lw 1.5 "
		"lc rgb '%s'\nunset multiplot\n", palette_series(0));
}

static void figure_make(struct figures *fs, const struct history_study *s,
			const struct history_charts *c, size_t number)
{
	size_t from = c->n > HISTORY_DRAWN ? c->n - HISTORY_DRAWN : 0;
	struct figure *f = figure_add(fs, "history", number, WIDTH, HEIGHT);
	data_add(f, s, c, from);
	script_add(f, c, (double)history_campaign_at(s, c, from)->number,
		   (double)history_campaign_at(s, c, c->n - 1)->number);
	figure_caption(f, "%s, %s%s; limits computed from %zu entries", c->series->scenario,
		       c->series->replayer, from ? " (the latest entries)" : "", c->n_base);
}

static void figures_of(struct figures *fs, const struct history_study *s, bool with_events)
{
	for (size_t i = 0; i < s->history->n_series; i++) {
		const struct history_charts *c = &s->charts[i];
		if (c->status || (c->n_events > 0) != with_events)
			continue;
		if (fs->n < HISTORY_FIGURES)
			figure_make(fs, s, c, i + 1);
		else
			fs->n_left_out++;
	}
}

void history_figures_build(struct figures *fs, const void *study)
{
	const struct history_study *s = study;
	*fs = (struct figures){0};
	figures_of(fs, s, true);
	figures_of(fs, s, false);
}

void history_html_add(struct strbuf *out, const void *study, const struct tables *ts,
		      const struct figures *fs)
{
	const struct history_study *s = study;
	const struct html_page page = {NULL, ts, fs, NULL};
	SCOPED_STRBUF title = STRBUF_INIT, sentence = STRBUF_INIT;
	SCOPED_FREE char *warning = history_clock_warning(s->history);
	history_sentence_add(&sentence, s);
	strbuf_addf(&title, "History: %s", s->history->source);
	html_begin_page(out, title.s, true, NULL);
	html_addf(out, "<h1>%s</h1>\n", title.s);
	html_addf(out, "<div class=\"banner %s\"><p class=\"big\">%s</p></div>\n",
		  !s->n_with_limits ? "none" : s->n_events ? "inconclusive" : "trusted",
		  sentence.s);
	if (warning)
		html_addf(out, "<p class=\"warnings\"><strong>Warning:</strong> %s</p>\n", warning);
	html_add_table(out, &page, "events", NULL);
	html_add_table(out, &page, "changes", NULL);
	html_add_table(out, &page, "series", NULL);
	strbuf_addstr(out, "<h2>Control charts</h2>\n<p>For each replayer in each scenario, from "
			   "top to bottom: individual values, moving range, CUSUM (up and down) "
			   "and EWMA. Dashed: limits, computed from the first entries.</p>\n");
	html_add_figures(out, &page, "history", true);
	html_add_missing(out, fs);
	html_add_table(out, &page, "signals", NULL);
	html_addf(out, "<h2>How to read the charts</h2>\n<p>%s</p>\n", history_explanation);
	html_end_page(out);
}
