/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shares of the combined uncertainty, and the issue error of timed replays. */
#include "reports/figures/figures.h"
#include "reports/number.h"

#define WIDTH 560
#define MAX_SOURCES 8

static bool has_budget(const struct cell *c)
{
	return c->budget.status == STAT_OK && c->budget.n_rows > 0;
}

static size_t find_sources(const struct panel *p, const char **source)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; p->row[i].cell && k < p->row[i].cell->budget.n_rows; k++) {
			const char *name = p->row[i].cell->budget.row[k].source;
			size_t s = 0;
			while (s < n && strcmp(source[s], name))
				s++;
			if (s == n && n < MAX_SOURCES)
				source[n++] = name;
		}
	return n;
}

/* Adds rows: y, then the running sum of the shares in percent, with a column for each source. */
static void add_shares(struct figure *f, const struct panel *p, const char *const *source, size_t n)
{
	strbuf_addstr(&f->data, "# row, then where each source's share begins and ends, percent\n");
	for (size_t i = 0; i < p->n; i++) {
		const struct cell *c = p->row[i].cell;
		double sum = 0;
		if (!c)
			continue;
		strbuf_addf(&f->data, "%zu 0", i + 1);
		for (size_t s = 0; s < n; s++) {
			for (size_t k = 0; k < c->budget.n_rows; k++)
				if (!strcmp(c->budget.row[k].source, source[s]) &&
				    isfinite(c->budget.row[k].share))
					sum += 100 * c->budget.row[k].share;
			plot_number(&f->data, sum);
		}
		strbuf_addch(&f->data, '\n');
	}
}

static void add_budget(struct figures *fs, const struct panels *ps, size_t i)
{
	static const char *const color[MAX_SOURCES] = {RGB_BLUE, RGB_ORANGE, RGB_SKY,
		RGB_VERMILLION, RGB_GREEN, RGB_PURPLE, RGB_MUTED, RGB_GRID};
	const char *source[MAX_SOURCES];
	const struct panel *p = &ps->panel[i];
	size_t n = find_sources(p, source);
	struct figure *f = figure_add(fs, "budget", panel_number(ps, i), WIDTH,
				      panel_height(p) + 14 * (unsigned int)n);
	add_shares(f, p, source, n);
	panel_add_axis(&f->script, p, WIDTH);
	strbuf_addstr(&f->script, "set xrange [0:100]\nset format x '%g %%'\nset border 1\nset "
		"xlabel 'share of the variance u_c²' textcolor rgb '" RGB_TEXT "'\nset key above "
		"left Left reverse\nset style fill solid 1.0 noborder\n");
	for (size_t k = 0; k < p->n; k++)
		if (p->row[k].cell) {
			SCOPED_STRBUF text = STRBUF_INIT;
			strbuf_addstr(&text, "U ");
			number_add(&text, p->row[k].cell->budget.U95, p->row[k].cell->budget.U95,
				   number_unit_percent, false);
			strbuf_addstr(&f->script, "set label ");
			plot_string(&f->script, text.s, 20);
			strbuf_addf(&f->script, " at graph 1, first %zu left offset 0.7,0 "
				"textcolor rgb '" RGB_TEXT "'\n", k + 1);
		}
	strbuf_addstr(&f->script, "set rmargin 12\nplot NaN notitle");
	for (size_t s = 0; s < n; s++) {
		strbuf_addf(&f->script, ", \\\n  file using %zu:1:%zu:%zu:($1-0.32):($1+0.32) with "
			"boxxyerror lc rgb '%s' title ", s + 2, s + 2, s + 3, color[s]);
		plot_string(&f->script, source[s], 30);
	}
	strbuf_addch(&f->script, '\n');
	figure_caption(f, "What the uncertainty is made of: shares of the sources in the squared "
			  "combined uncertainty, and the expanded uncertainty U of each case.");
}

void figures_budget(struct figures *fs, const struct analysis *a)
{
	SCOPED(panels_release) struct panels ps;
	panels_build(&ps, a, has_budget);
	for (size_t i = 0; i < ps.n; i++)
		add_budget(fs, &ps, i);
}

/* --- issue error --------------------------------------------------------- */

static bool is_timed(const struct cell *c)
{
	return c->issue_error.p50.status == STAT_OK;
}

static void add_issue(struct figures *fs, const struct panels *ps, size_t i)
{
	const struct panel *p = &ps->panel[i];
	double lo = INFINITY, hi = 1;
	struct figure *f =
	    figure_add(fs, "issue-error", panel_number(ps, i), WIDTH, panel_height(p));
	strbuf_addstr(&f->data, "# row, median, p99 and largest issue error, ns\n");
	for (size_t k = 0; k < p->n; k++) {
		const struct cell *c = p->row[k].cell;
		if (!c)
			continue;
		/* a logarithmic axis has no 0: values up to 1 ns are drawn at 1 ns */
		double v[3] = {fmax(c->issue_error.p50.value, 1), fmax(c->issue_error.p99.value, 1),
			       fmax(c->issue_error.max, 1)};
		strbuf_addf(&f->data, "%zu", k + 1);
		plot_row(&f->data, v[0], v[1], v[2]);
		for (int j = 0; j < 3; j++)
			if (isfinite(v[j])) {
				lo = fmin(lo, v[j]);
				hi = fmax(hi, v[j]);
			}
	}
	panel_add_axis(&f->script, p, WIDTH);
	strbuf_addf(&f->script, "set logscale x 10\nset xrange [%.10g:%.10g]\nset border 1\nset "
		"xtics ('1 ns' 1, '10 ns' 1e1, '100 ns' 1e2, '1 µs' 1e3, '10 µs' 1e4, '100 µs' "
		"1e5, '1 ms' 1e6, '10 ms' 1e7, '100 ms' 1e8, '1 s' 1e9)\n"
		"set xlabel 'issued later than intended' textcolor rgb '" RGB_TEXT "'\n"
		"set grid xtics lc rgb '" RGB_GRID "'\n"
		"set key above horizontal right Left reverse\n"
		"plot file using 2:1:($4-$2):(0) with vectors nohead lw 1 lc rgb '" RGB_MUTED "' "
		"notitle, \\\n"
		"  file using 2:1 with points pt 7 ps 0.7 lc rgb '" RGB_BLUE "' title "
		"'median', \\\n"
		"  file using 3:1 with points pt 9 ps 0.7 lc rgb '" RGB_ORANGE "' title 'p99', \\\n"
		"  file using 4:1 with points pt 5 ps 0.6 lc rgb '" RGB_VERMILLION "' title "
		"'largest'\n", fmax(fmin(lo, hi) / 2, 0.5), hi * 2);
	figure_caption(f, "Issue error of the timed replays.");
}

void figures_issue(struct figures *fs, const struct analysis *a)
{
	SCOPED(panels_release) struct panels ps;
	panels_build(&ps, a, is_timed);
	for (size_t i = 0; i < ps.n; i++)
		add_issue(fs, &ps, i);
}
