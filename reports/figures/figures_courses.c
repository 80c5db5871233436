/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantities over the time of a run: requests per second, requests in flight, bandwidth, issue
 * error; and the distribution of the issue error, also against the rate. */
#include "reports/figures/figures.h"
#include "validate/analysis/courses.h"

#define MAX_SCENARIOS 6
#define WIDTH 520
#define HEIGHT 260
#define LEAST_US 0.01 /* start of a logarithmic axis; smaller errors are drawn at this value */

static void add_axes(struct figure *f, size_t n_key, const char *x, const char *y)
{
	plot_key_above(f, n_key);
	strbuf_addf(&f->script, "set xlabel '%s' textcolor rgb '" RGB_TEXT "'\n"
		"set ylabel '%s' textcolor rgb '" RGB_TEXT "'\n", x, y);
}

static void add_curve(struct strbuf *plot, size_t index, const char *style, const char *color,
		      const char *title)
{
	strbuf_addf(plot, "%sfile index %zu using 1:2 with %s lc rgb '%s' title ",
		    plot->len ? ", \\\n  " : "", index, style, color);
	plot_string(plot, title, 40);
}

static void add_point(struct strbuf *data, double x, double y)
{
	plot_number(data, x);
	strbuf_addch(data, ' ');
	plot_row(data, y);
}

/* --- over time ----------------------------------------------------------- */

static void add_rate(struct figure *f, const struct course *c, const double *rate, double unit)
{
	for (size_t k = 0; k < c->n; k++)
		add_point(&f->data, (double)k * c->width_s, rate[k] / unit);
	add_point(&f->data, (double)c->n * c->width_s, c->n ? rate[c->n - 1] / unit : NAN);
	strbuf_addstr(&f->data, "\n\n");
}

static const char *replayer_name(const struct analysis *a, size_t cell)
{
	return a->results->protocol.replayer[a->cell[cell].replayer].name;
}

static bool has_course(const struct analysis *a, size_t cell, size_t scenario)
{
	return a->cell[cell].scenario == scenario && a->course[cell].n > 1;
}

/* A quantity of the program and of each replay. */
struct over_time {
	const char *section, *y, *first, *alt;
	double *(*program)(const struct course *c), *(*replay)(const struct course *c);
	double unit;
};

static double *rate_recorded(const struct course *c) { return c->recorded; }
static double *rate_replay(const struct course *c) { return c->replay; }
static double *in_flight_program(const struct course *c) { return c->in_flight_program; }
static double *in_flight_replay(const struct course *c) { return c->in_flight_replay; }

static double *bandwidth_program(const struct course *c) { return c->bandwidth_program; }
static double *bandwidth_replay(const struct course *c) { return c->bandwidth_replay; }

static const struct over_time over_time[] = {
    {"pace", "requests per second", "recorded",
     "Requests per second over the course of a run, recorded and replayed", rate_recorded,
     rate_replay, 1},
    {"in-flight-time", "requests in flight", "program",
     "Mean number of requests in flight over the course of a run", in_flight_program,
     in_flight_replay, 1},
    {"bandwidth", "MB per second", "application",
     "Bandwidth over the course of a run (figure 1 of the //TRACE paper)", bandwidth_program,
     bandwidth_replay, 1e6},
};

/* Whether the quantity is known for the scenario. Only parallel applications have a bandwidth;
 * large campaigns and old results have no courses. A plot without a point would stop gnuplot. */
static bool is_shown(const struct analysis *a, const struct over_time *kind, size_t scenario)
{
	for (size_t i = 0; i < a->n_cells; i++)
		if (has_course(a, i, scenario) && kind->program(&a->course[i]) &&
		    kind->replay(&a->course[i]))
			return true;
	return false;
}

static void add_over_time(struct figures *fs, const struct analysis *a,
			  const struct over_time *kind, size_t scenario)
{
	SCOPED_STRBUF plot = STRBUF_INIT;
	size_t index = 0;
	if (!is_shown(a, kind, scenario))
		return;
	struct figure *f = figure_add(fs, kind->section, scenario + 1, WIDTH, HEIGHT);
	strbuf_addf(&f->data, "# s, %s: %s, then each replayer\n", kind->y, kind->first);
	for (size_t i = 0, n = 0; i < a->n_cells && n < PALETTE_N_SERIES; i++) {
		if (!has_course(a, i, scenario) || !kind->program(&a->course[i]) ||
		    !kind->replay(&a->course[i]))
			continue;
		if (!index) {
			add_rate(f, &a->course[i], kind->program(&a->course[i]), kind->unit);
			add_curve(&plot, index++, "steps lw 4", RGB_GRID, kind->first);
		}
		add_rate(f, &a->course[i], kind->replay(&a->course[i]), kind->unit);
		add_curve(&plot, index++, "steps lw 1.4", palette_series(n++), replayer_name(a, i));
	}
	add_axes(f, index, "time, s", kind->y);
	strbuf_addf(&f->script, "set yrange [0:*]\nplot %s\n", plot.s);
	figure_caption(f, "%s", a->results->protocol.scenario[scenario].name);
	figure_alt(f, "%s, %s", kind->alt, a->results->protocol.scenario[scenario].name);
}

/* --- issue error --------------------------------------------------------- */

static double shown_us(double ns)
{
	return fmax(LEAST_US, ns / 1000);
}

static void data_over_time(struct strbuf *data, const struct course *c)
{
	for (size_t k = 0; k < c->n; k++)
		if (!isnan(c->issue_error_ns[k]))
			add_point(data, (double)k * c->width_s, shown_us(c->issue_error_ns[k]));
}

static void data_distribution(struct strbuf *data, const struct course *c)
{
	for (size_t k = 0; k < SUMMARY_N_ISSUE_QUANTILES; k++)
		add_point(data, shown_us(c->quantile_ns[k]),
			  (double)k / (SUMMARY_N_ISSUE_QUANTILES - 1));
}

static void data_rate(struct strbuf *data, const struct course *c)
{
	for (int k = 0; k < COURSE_RATE_CLASSES; k++)
		if (c->rate[k].n_requests > 0)
			add_point(data, ldexp(1.5, k), shown_us(c->rate[k].issue_error_ns));
}

struct issue_figure {
	const char *section, *x, *y, *settings, *style, *alt;
	void (*data)(struct strbuf *data, const struct course *c);
};

static const struct issue_figure issue_figures[] = {
    {"issue-cdf", "issue error at most, µs", "share of the requests",
     "set logscale x\nset yrange [0:1.04]\n", "lines lw 1.6", "Distribution of the issue error",
     data_distribution},
    {"issue-time", "time, s", "mean issue error, µs", "set logscale y\n", "lines lw 1.4",
     "Mean issue error over the course of a run", data_over_time},
    {"issue-by-rate", "requests issued per second", "mean issue error, µs",
     "set logscale xy\n", "linespoints lw 1.4 pt 7 ps 0.5", "Mean issue error against the rate",
     data_rate},
};

static void add_issue(struct figures *fs, const struct analysis *a, const struct issue_figure *kind,
		      size_t scenario)
{
	SCOPED_STRBUF plot = STRBUF_INIT;
	struct figure *f = NULL;
	size_t n = 0;
	for (size_t i = 0; i < a->n_cells && n < PALETTE_N_SERIES; i++) {
		if (!has_course(a, i, scenario) || !a->course[i].timed)
			continue;
		if (!f)
			f = figure_add(fs, kind->section, scenario + 1, WIDTH, HEIGHT);
		kind->data(&f->data, &a->course[i]);
		strbuf_addstr(&f->data, "\n\n");
		char style[60];
		snprintf(style, sizeof style, "%s dt %zu", kind->style, n % 5 + 1);
		add_curve(&plot, n, style, palette_series(n), replayer_name(a, i));
		n++;
	}
	if (f) {
		add_axes(f, n, kind->x, kind->y);
		strbuf_addf(&f->script, "%splot %s\n", kind->settings, plot.s);
		figure_caption(f, "%s, %s", kind->alt,
			       a->results->protocol.scenario[scenario].name);
	}
}

void figures_courses(struct figures *fs, const struct analysis *a)
{
	size_t n, n_left_out;
	if (!a->course)
		return;
	SCOPED_FREE size_t *scenario = scenarios_choose(a, MAX_SCENARIOS, &n, &n_left_out);
	for (size_t k = 0; k < sizeof over_time / sizeof *over_time; k++)
		for (size_t i = 0; i < n; i++)
			add_over_time(fs, a, &over_time[k], scenario[i]);
	for (size_t k = 0; k < sizeof issue_figures / sizeof *issue_figures; k++)
		for (size_t i = 0; i < n; i++)
			add_issue(fs, a, &issue_figures[k], scenario[i]);
	fs->n_left_out += n_left_out;
}
