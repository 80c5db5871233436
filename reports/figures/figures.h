/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builders of figures by subject, and functions that they share. */
#pragma once

#include "reports/figures/figure.h"

void figures_cases(struct figures *fs, const struct analysis *a);    /* four for each case */
void figures_linearity(struct figures *fs, const struct analysis *a);
void figures_budget(struct figures *fs, const struct analysis *a);   /* shares of the uncertainty */
void figures_control(struct figures *fs, const struct analysis *a);  /* chart of individuals */
void figures_courses(struct figures *fs, const struct analysis *a);  /* over the time of a run */
void figures_parallel(struct figures *fs, const struct analysis *a); /* errors of execution times */
void figures_issue(struct figures *fs, const struct analysis *a); /* issue error of timed replays */

/* A row of a panel: a case, or a title above cases. */
struct panel_row {
	const struct cell *cell; /* NULL: only a title */
	char *label;             /* owned, not escaped */
	size_t indent;
};

struct panel { /* rows of one figure; whole workloads if possible */
	struct panel_row *row;
	size_t n, cap;
};

struct panels {
	struct panel *panel;
	size_t n, cap;
};

/* Collects the cases for which `wanted` returns true, by workload, scenario and
 * replayer. Ownership: panels_release. */
void panels_build(struct panels *ps, const struct analysis *a, bool (*wanted)(const struct cell *));
void panels_release(struct panels *ps);
/* Returns the number of the panel, from 1; 0: it is the only one. */
size_t panel_number(const struct panels *ps, size_t i);
/* Returns the height in px of a figure with this panel. panel_add_axis adds yrange and ytics to its
 * script; row i is at y = i + 1 from above. */
unsigned int panel_height(const struct panel *p);
void panel_add_axis(struct strbuf *script, const struct panel *p, unsigned int width);

/* Chooses at most `max` scenarios for figures: first those that are not trusted, then inconclusive
 * scenarios. Returns them in the order of the protocol. *n_left_out counts the other scenarios that
 * have a case. The caller frees the array. */
size_t *scenarios_choose(const struct analysis *a, size_t max, size_t *n, size_t *n_left_out);

/* Appends a logarithmic axis ('x' or 'y') of times in ns, with at most about `most` labels such as
 * "10 µs". */
void plot_time_axis(struct strbuf *script, char axis, double lo_ns, double hi_ns, size_t most);
/* Returns the distance between at most about `most` labels from lo to hi: 1, 2 or 5 times a power
 * of ten. */
double plot_step(double lo, double hi, size_t most);
/* Appends a number for a data file: "NaN" if undefined, huge numbers clipped. */
void plot_number(struct strbuf *out, double x);
/* Appends a line of numbers to a data file. */
#define plot_row(out, ...)                                                                         \
	plot_numbers(out, (const double[]){__VA_ARGS__},                                           \
		     sizeof(const double[]){__VA_ARGS__} / sizeof(double))
void plot_numbers(struct strbuf *out, const double *x, size_t n);
/* Makes room above the plot for a key with n lines, and adds a grid of horizontal lines. */
void plot_key_above(struct figure *f, size_t n);
/* Appends the text in single quotes, cut to `width` characters. */
void plot_string(struct strbuf *out, const char *text, size_t width);
