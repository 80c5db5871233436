/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forest plots: a row per case with its interval, against the limits. */
#include <math.h>
#include <stdio.h>

#include "reports/figures/figures.h"
#include "reports/number.h"
#include "reports/figures/figure.h"
#include "reports/tables/table.h"
#include "validate/components/component.h"

#define WIDTH 560

static const struct {
	const char *title;
	enum palette color;
	int point;
} decision_style[] = {
    [DECISION_ACCEPT] = {"accepted", PALETTE_BLUE, 7},
    [DECISION_REJECT] = {"rejected", PALETTE_VERMILLION, 5},
    [DECISION_INCONCLUSIVE] = {"inconclusive", PALETTE_ORANGE, 9},
    [DECISION_NOT_ASSESSED] = {"not assessed", PALETTE_MUTED, 13},
    [DECISION_NOT_APPLICABLE] = {"not applicable", PALETTE_MUTED, 11},
};
#define N_DECISIONS 5

/* What a forest plot shows of a case, in the plot's unit. */
struct interval {
	bool defined;
	double value, thin_lo, thin_hi, thick_lo, thick_hi;
};

struct forest {
	const char *section, *name; /* of its figures; name NULL: the section's */
	enum component_kind kind;
	struct interval (*of)(const struct cell *c, enum component_kind kind);
	double lo, hi; /* of the axis */
	bool log;
};

/* Thick: the interval that accepting is decided from; where none was judged, the 90 % interval.
 * Thin: the 95 % interval. */
static struct interval change_of(const struct cell *c, enum component_kind kind)
{
	const struct component *k = &c->component[kind];
	const struct estimate *e = kind == COMPONENT_BIAS ? &c->bias : &k->estimate;
	bool judged = isfinite(k->accept_lo) && isfinite(k->accept_hi);
	return (struct interval){e->status == STAT_OK && !isnan(e->value),
				 100 * e->value,
				 100 * e->lo95,
				 100 * e->hi95,
				 100 * (judged ? k->accept_lo : e->lo90),
				 100 * (judged ? k->accept_hi : e->hi90)};
}

static struct interval precision_of(const struct cell *c, enum component_kind kind)
{
	(void)kind;
	const struct estimate *e = &c->precision_ratio;
	return (struct interval){e->status == STAT_OK && e->value > 0,
				 e->value,
				 c->precision_lower95,
				 c->precision_upper95,
				 NAN,
				 NAN};
}

/* One block of data per decision, so that each has its colour, sign and line of the key; empty ones
 * are left out. */
static void add_data(struct figure *f, const struct forest *s, const struct panel *p, bool *present)
{
	strbuf_addstr(&f->data, "# row value lo hi");
	strbuf_addstr(&f->data, s->log ? " (one-sided 95 %) - -\n"
				       : " (95 %, percent) lo hi (that decides, percent)\n");
	for (size_t d = 0; d < N_DECISIONS; d++) {
		present[d] = false;
		for (size_t i = 0; i < p->n; i++) {
			const struct cell *c = p->row[i].cell;
			if (!c || c->component[s->kind].decision != (enum decision)d)
				continue;
			struct interval v = s->of(c, s->kind);
			if (!v.defined)
				continue;
			if (!present[d])
				strbuf_addf(&f->data, "# %s\n", decision_style[d].title);
			present[d] = true;
			strbuf_addf(&f->data, "%zu", i + 1);
			plot_number(&f->data, v.value);
			plot_number(&f->data, v.thin_lo);
			plot_number(&f->data, v.thin_hi);
			plot_number(&f->data, v.thick_lo);
			plot_number(&f->data, v.thick_hi);
			strbuf_addch(&f->data, '\n');
		}
		if (present[d])
			strbuf_addstr(&f->data, "\n\n");
	}
}

/* Rows without a number, and those beyond the axis, say so in words. */
static void add_word(struct strbuf *out, const struct forest *s, const struct cell *c, size_t row)
{
	struct strbuf text = STRBUF_INIT;
	struct interval v = s->of(c, s->kind);
	bool below = v.defined && v.value < s->lo, above = v.defined && v.value > s->hi;
	if (!v.defined) {
		strbuf_addstr(&text, table_status_words((s->kind == COMPONENT_PRECISION
							     ? &c->precision_ratio
							     : &c->component[s->kind].estimate)
							    ->status));
	} else {
		strbuf_addstr(&text, below ? "◂ " : "");
		number_add(&text, v.value, v.value, (struct number_unit){s->log ? "" : "%", 1},
			   !s->log);
		strbuf_addstr(&text, above ? " ▸" : "");
	}
	if (!v.defined || below || above) {
		strbuf_addstr(out, "set label ");
		plot_string(out, text.s, 40);
		strbuf_addf(out, " at graph %d, first %zu %s offset %d,0 textcolor rgb '%s'\n",
			    !below, row, below ? "left" : "right", below ? 1 : -1,
			    palette[decision_style[c->component[s->kind].decision].color].hex);
	}
	strbuf_release(&text);
}

static void add_plot(struct strbuf *out, const struct forest *s, const bool *present)
{
	size_t index = 0;
	strbuf_addstr(out, "plot NaN notitle");
	for (size_t d = 0; d < N_DECISIONS; d++) {
		if (!present[d])
			continue;
		const char *color = palette[decision_style[d].color].hex;
		strbuf_addf(out,
			    ", \\\n  file index %zu using 3:1:($4-$3):(0) with vectors nohead lw "
			    "1.5 lc rgb '%s' notitle",
			    index, color);
		if (!s->log)
			strbuf_addf(out,
				    ", \\\n  file index %zu using 5:1:($6-$5):(0) with vectors "
				    "nohead lw 4.5 lc rgb "
				    "'%s' notitle",
				    index, color);
		strbuf_addf(out,
			    ", \\\n  file index %zu using 2:1 with points pt %d ps 0.75 lc rgb "
			    "'%s' title '%s'",
			    index, decision_style[d].point, color, decision_style[d].title);
		index++;
	}
	strbuf_addch(out, '\n');
}

static void add_limits(struct strbuf *out, const struct forest *s, double limit_lo, double limit_hi,
		       double ideal)
{
	strbuf_addf(out,
		    "set object rectangle from %.10g, graph 0 to %.10g, graph 1 behind fc rgb '%s' "
		    "fs solid noborder\n",
		    fmax(limit_lo, s->lo), fmin(limit_hi, s->hi), palette[PALETTE_BAND].hex);
	for (int i = 0; i < 2; i++) {
		double x = i ? limit_hi : limit_lo;
		if (x > s->lo && x < s->hi)
			strbuf_addf(out,
				    "set arrow from %.10g, graph 0 to %.10g, graph 1 nohead dt 2 "
				    "lc rgb '%s'\n",
				    x, x, palette[PALETTE_MUTED].hex);
	}
	strbuf_addf(out, "set arrow from %.10g, graph 0 to %.10g, graph 1 nohead lc rgb '%s'\n",
		    ideal, ideal, palette[PALETTE_TEXT].hex);
}

/* 1, 2 or 5 times a power of ten, so that about five marks fit between -span and span. */
static double nice_step(double span)
{
	double raw = span / 2.5, power = pow(10, floor(log10(raw))), digit = raw / power;
	return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

static struct figure *add_forest(struct figures *fs, const struct forest *s,
				 const struct panels *ps, size_t i, double limit,
				 const char *xlabel)
{
	char number[24], part[64];
	bool present[N_DECISIONS];
	const struct panel *p = &ps->panel[i];
	const char *which = panel_part(ps, i, number);
	if (s->name) {
		snprintf(part, sizeof part, "%s%s%s", s->name, which ? "-" : "",
			 which ? which : "");
		which = part;
	}
	struct figure *f = figure_add(fs, s->section, which, WIDTH, panel_height(p));
	add_data(f, s, p, present);
	panel_add_axis(&f->script, p, WIDTH);
	strbuf_addf(&f->script,
		    "set xrange [%.10g:%.10g]\nset xlabel '%s' textcolor rgb '%s'\nset grid xtics "
		    "lc rgb '%s'\n",
		    s->lo, s->hi, xlabel, palette[PALETTE_TEXT].hex, palette[PALETTE_GRID].hex);
	strbuf_addstr(&f->script, "set border 1\nset key above horizontal right Left reverse\n");
	if (s->log)
		strbuf_addstr(&f->script, "set logscale x 2\nset format x '%g'\n");
	else
		strbuf_addf(&f->script, "set format x '%%g %%%%'\nset xtics %.10g\n",
			    nice_step(s->hi));
	add_limits(&f->script, s, s->log ? s->lo : -limit, limit, s->log ? 1 : 0);
	for (size_t k = 0; k < p->n; k++)
		if (p->row[k].cell)
			add_word(&f->script, s, p->row[k].cell, k + 1);
	add_plot(&f->script, s, present);
	return f;
}

/* Wide enough for what is there, but not so wide that the limits vanish. */
static void find_range(struct forest *s, const struct analysis *a, double limit)
{
	double most = 0;
	for (size_t i = 0; i < a->n_cells; i++) {
		struct interval v = s->of(&a->cell[i], s->kind);
		if (!v.defined)
			continue;
		double lo =
			   s->log ? fabs(log2(v.thin_lo)) : fmax(fabs(v.thin_lo), fabs(v.thick_lo)),
		       hi =
			   s->log ? fabs(log2(v.thin_hi)) : fmax(fabs(v.thin_hi), fabs(v.thick_hi));
		if (isfinite(lo))
			most = fmax(most, lo);
		if (isfinite(hi))
			most = fmax(most, hi);
	}
	if (s->log) {
		double edge = log2(fmax(limit, 1.2));
		double span = fmin(fmax(most, 1.4 * edge), fmax(3 * edge, 3));
		s->lo = exp2(-span);
		s->hi = exp2(span);
	} else {
		double edge = limit > 0 ? limit : 1;
		double span = fmin(fmax(most * 1.05, 1.4 * edge), 4 * edge);
		s->lo = -span;
		s->hi = span;
	}
}

static bool is_shown(const struct analysis *a, enum component_kind kind)
{
	for (size_t i = 0; i < a->n_cells; i++)
		if (change_of(&a->cell[i], kind).defined)
			return true;
	return kind == COMPONENT_BIAS;
}

static void forests_of_change(struct figures *fs, const struct analysis *a, const struct panels *ps,
			      enum component_kind kind)
{
	struct forest s = {.section = kind == COMPONENT_BIAS ? "bias" : "beyond", .name = kind == COMPONENT_BIAS ? NULL : component_names[kind],
			   .kind = kind, .of = change_of};
	double limit = 100 * accept_limit(&a->results->protocol.accept, kind);
	if (!is_shown(a, kind))
		return;
	find_range(&s, a, limit);
	for (size_t i = 0; i < ps->n; i++) {
		struct figure *f =
		    add_forest(fs, &s, ps, i, limit, "deviation of the replay from the program");
		figure_caption(
		    f,
		    "%s of each case%s. Thick: the interval that decides; the case is accepted "
		    "when it is inside the shaded "
		    "limits of ±%.4g %%. Thin: the 95 %% interval; the case is rejected when it is "
		    "wholly outside%s.",
		    components[kind]->title,
		    kind == COMPONENT_OPERATION || kind == COMPONENT_HALF
			? ", the part that deviates most"
			: "",
		    limit, a->results->protocol.n_looks > 1 ? ", at the level of this look" : "");
	}
}

void figures_forest(struct figures *fs, const struct analysis *a)
{
	static const enum component_kind changes[] = {
	    COMPONENT_BIAS, COMPONENT_TYPICAL, COMPONENT_TAIL, COMPONENT_OPERATION, COMPONENT_HALF};
	const struct accept_limits *l = &a->results->protocol.accept;
	struct forest precision = {
	    .section = "precision", .kind = COMPONENT_PRECISION, .of = precision_of, .log = true};
	struct panels ps;
	panels_build(&ps, a, NULL);
	find_range(&precision, a, l->precision_ratio);
	for (size_t i = 0; i < ps.n; i++) {
		struct figure *f = add_forest(fs, &precision, &ps, i, l->precision_ratio,
					      "scatter of the replay / scatter of the program");
		figure_caption(
		    f,
		    "Precision ratio of each case, between its one-sided 95 %% limits; 1 is as "
		    "steady as the program. "
		    "Accepted when the right end is inside the shaded region, up to %.4g.",
		    l->precision_ratio);
	}
	for (size_t k = 0; k < sizeof changes / sizeof *changes; k++)
		forests_of_change(fs, a, &ps, changes[k]);
	panels_release(&ps);
}
