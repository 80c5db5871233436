/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/escape.h"
#include "reports/figures/figures.h"
#include "reports/number.h"

#define ROWS_A_PANEL 45 /* number of rows after which a new panel begins, at the next workload */
#define ROWS_AT_MOST 70
#define LABEL_WIDTH 40
#define CHARACTER 7 /* approximate width in px */
#define KEY_LINE 18

void plot_number(struct strbuf *out, double x)
{
	if (isnan(x))
		strbuf_addstr(out, " NaN");
	else
		strbuf_addf(out, " %.10g", fmax(-1e12, fmin(1e12, x)));
}

void plot_numbers(struct strbuf *out, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		plot_number(out, x[i]);
	strbuf_addch(out, '\n');
}

void plot_key_above(struct figure *f, size_t n)
{
	const unsigned int height = (unsigned int)(KEY_LINE * ((n + 1) / 2) + 10);
	f->height += height;
	strbuf_addf(&f->script, "set grid ytics lc rgb '" RGB_GRID "'\nset tmargin at screen %.4f\n"
		"set key at screen 0.02, screen 0.99 left top Left reverse horizontal maxcols 2 "
		"samplen 2\n", 1 - (double)height / f->height);
}

void plot_string(struct strbuf *out, const char *text, size_t width)
{
	SCOPED_STRBUF cut = STRBUF_INIT;
	text_cut(&cut, text, width);
	strbuf_addch(out, '\'');
	escape_gnuplot(out, cut.s);
	strbuf_addch(out, '\'');
}

double plot_step(double lo, double hi, size_t most)
{
	double raw = (hi - lo) / (double)most, power = pow(10, floor(log10(raw))),
	       digit = raw / power;
	return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

static void add_tic(struct strbuf *out, double ns)
{
	const struct number_unit unit = number_unit_time(ns);
	strbuf_addf(out, "%s'%.4g %s' %.10g", out->s[out->len - 1] == '(' ? "" : ", ",
		    ns * unit.scale, unit.name, ns);
}

void plot_time_axis(struct strbuf *script, char axis, double lo_ns, double hi_ns, size_t most)
{
	const double lo = fmax(lo_ns, 0.1) / 1.02, hi = fmax(hi_ns, lo * 1.05) * 1.02;
	strbuf_addf(script, "set logscale %c 10\nset %crange [%.10g:%.10g]\nset %ctics (", axis,
		    axis, lo, hi, axis);
	if (hi / lo < 5) {
		/* on a logarithmic axis, equal steps become shorter */
		const double step = plot_step(lo, hi, most);
		const double apart = pow(hi / lo, 0.95 / (double)most);
		double last = 0;
		for (double at = ceil(lo / step) * step; at <= hi; at += step) {
			if (at < last * apart)
				continue;
			add_tic(script, at);
			last = at;
		}
	} else {
		static const int digit[] = {1, 2, 5};
		const double decades = log10(hi / lo);
		const bool fine = 3 * decades <= (double)most;
		const double factor = pow(10, fmax(1, ceil(decades / (double)most)));
		for (double power = pow(10, floor(log10(lo))); power <= hi;
		     power *= fine ? 10 : factor)
			for (size_t i = 0; i < (fine ? 3 : 1); i++)
				if (power * digit[i] >= lo && power * digit[i] <= hi)
					add_tic(script, power * digit[i]);
	}
	strbuf_addstr(script, ")\n");
}

static void add_row(struct panels *ps, const struct cell *c, const char *label, size_t indent)
{
	struct panel *p = &ps->panel[ps->n - 1];
	APPEND(p->row, p->n, p->cap, (struct panel_row){c, xstrdup(label), indent});
}

static void new_panel(struct panels *ps)
{
	APPEND(ps->panel, ps->n, ps->cap, (struct panel){0});
}

static void add_scenario(struct panels *ps, const struct analysis *a, size_t scenario,
			 bool (*wanted)(const struct cell *))
{
	const struct protocol *p = &a->results->protocol;
	bool titles = p->n_replayers > 1, first = true;
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		if (c->scenario != scenario || !wanted(c))
			continue;
		if (first && (!ps->n || ps->panel[ps->n - 1].n > ROWS_AT_MOST))
			new_panel(ps);
		if (first && titles)
			add_row(ps, NULL, p->scenario[scenario].name, 0);
		first = false;
		add_row(ps, c, titles ? p->replayer[c->replayer].name : p->scenario[scenario].name,
			titles ? 2 : 0);
	}
}

void panels_build(struct panels *ps, const struct analysis *a, bool (*wanted)(const struct cell *))
{
	const struct protocol *p = &a->results->protocol;
	SCOPED_FREE bool *done = xcalloc(p->n_scenarios, sizeof *done);
	*ps = (struct panels){0};
	for (size_t i = 0; i < p->n_scenarios; i++) {
		if (done[i])
			continue;
		if (ps->n && ps->panel[ps->n - 1].n > ROWS_A_PANEL / 2 &&
		    ps->panel[ps->n - 1].n + 2 * p->n_replayers > ROWS_A_PANEL)
			new_panel(ps);
		for (size_t k = i; k < p->n_scenarios; k++)
			if (!strcmp(p->scenario[k].workload, p->scenario[i].workload)) {
				add_scenario(ps, a, k, wanted);
				done[k] = true;
			}
	}
	if (ps->n && !ps->panel[ps->n - 1].n)
		ps->n--;
}

void panels_release(struct panels *ps)
{
	for (size_t i = 0; i < ps->n; i++) {
		for (size_t k = 0; k < ps->panel[i].n; k++)
			free(ps->panel[i].row[k].label);
		free(ps->panel[i].row);
	}
	free(ps->panel);
	*ps = (struct panels){0};
}

size_t panel_number(const struct panels *ps, size_t i)
{
	return ps->n < 2 ? 0 : i + 1;
}

unsigned int panel_height(const struct panel *p)
{
	return 96 + 17 * (unsigned int)p->n;
}

/* Labels are at the left. Labels of cases below a title are indented and grey. */
void panel_add_axis(struct strbuf *script, const struct panel *p, unsigned int width)
{
	size_t widest = 0;
	for (size_t i = 0; i < p->n; i++) {
		size_t w = text_width(p->row[i].label) + 2 * p->row[i].indent;
		widest = p->row[i].cell && w > widest ? w : widest;
	}
	widest = widest < 12 ? 12 : widest > LABEL_WIDTH ? LABEL_WIDTH : widest;
	strbuf_addf(script, "set yrange [%zu.6:0.4]\nunset ytics\nset lmargin at screen %.4f\n",
		    p->n, (double)(widest * CHARACTER + 14) / width);
	for (size_t i = 0; i < p->n; i++) {
		strbuf_addstr(script, "set label ");
		plot_string(script, p->row[i].label,
			    p->row[i].cell ? LABEL_WIDTH - p->row[i].indent : 2 * LABEL_WIDTH);
		strbuf_addf(script, " at screen %.4f, first %zu left textcolor rgb '%s'\n",
			    (double)(2 + 6 * p->row[i].indent) / width, i + 1,
			    p->row[i].indent ? RGB_MUTED : RGB_TEXT);
	}
}

size_t *scenarios_choose(const struct analysis *a, size_t max, size_t *n, size_t *n_left_out)
{
	static const enum verdict order[] = {VERDICT_NOT_TRUSTED, VERDICT_INCONCLUSIVE,
					     VERDICT_TRUSTED};
	size_t n_all = a->results->protocol.n_scenarios, n_seen = 0;
	size_t *chosen = xcalloc(n_all, sizeof *chosen);
	SCOPED_FREE bool *seen = xcalloc(n_all, sizeof *seen), *take = xcalloc(n_all, sizeof *take);
	for (size_t k = 0; k < sizeof order / sizeof *order; k++)
		for (size_t i = 0; i < a->n_cells; i++) {
			const size_t s = a->cell[i].scenario;
			if (a->cell[i].verdict != order[k] || seen[s])
				continue;
			seen[s] = true;
			take[s] = n_seen++ < max;
		}
	*n = 0;
	for (size_t s = 0; s < n_all; s++)
		if (take[s])
			chosen[(*n)++] = s;
	*n_left_out = n_seen - *n;
	return chosen;
}
