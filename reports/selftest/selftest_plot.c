/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a self-test: rates as CSV, and the detection rate over the size of each fault as a
 * plot. */
#include "reports/selftest/selftest.h"
#include "common/files.h"
#include "reports/figures/figure.h"

#define GNUPLOT_TIMEOUT_S 60

static int write_in(const char *dir, const char *name, const struct strbuf *text, struct err *e)
{
	SCOPED_FREE char *path = xasprintf("%s/%s", dir, name);
	return file_write_atomic(path, text->s, text->len, e);
}

static void field_add(struct strbuf *out, const char *s, char end)
{
	strbuf_addch(out, '"');
	for (; *s; s++) {
		if (*s == '"')
			strbuf_addch(out, '"');
		strbuf_addch(out, *s);
	}
	strbuf_addch(out, '"');
	strbuf_addch(out, end);
}

static int csv_write(const struct rates *rates, const char *dir, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	strbuf_addstr(&text, "part,group,name,condition,k,n,lo95,hi95,standing\n");
	for (size_t i = 0; i < rates->n; i++) {
		const struct rate *r = &rates->rate[i];
		field_add(&text, r->part, ',');
		field_add(&text, r->group, ',');
		field_add(&text, r->name, ',');
		field_add(&text, r->condition, ',');
		strbuf_addf(&text, "%llu,%llu,%.6g,%.6g,", (unsigned long long)r->k,
			    (unsigned long long)r->n, r->lo, r->hi);
		field_add(&text, standing_names[rate_standing(r)], '\n');
	}
	return write_in(dir, "rates.csv", &text, e);
}

static bool is_plotted(const struct rate *r)
{
	return isfinite(r->size) && r->n > 0;
}

/* A block of lines for each fault, separated by two empty lines: size, rate, limits. */
static size_t data_build(const struct rates *rates, struct strbuf *data, struct strbuf *script)
{
	size_t n_series = 0;
	const char *last = NULL;
	for (size_t i = 0; i < rates->n; i++) {
		const struct rate *r = &rates->rate[i];
		if (!is_plotted(r))
			continue;
		if (!last || strcmp(last, r->name)) {
			strbuf_addf(data, "%s# %s, %s\n", last ? "\n\n" : "", r->name,
				    r->condition);
			strbuf_addf(script, "set title '%s'\nplot file index %zu using 1:2:3:4 "
				"with yerrorlines lc rgb '" RGB_BLUE "' pt 7 ps 0.6 notitle\n",
				r->name, n_series++);
		}
		last = r->name;
		strbuf_addf(data, "%g %.6g %.6g %.6g\n", r->size, 100 * rate_value(r), 100 * r->lo,
			    100 * r->hi);
	}
	strbuf_addch(data, '\n');
	return n_series;
}

/* Runs gnuplot for the series. If it fails, prints the reason. Errors: of writing the plot. */
static int plot_draw(const struct strbuf *data, const struct strbuf *script, const char *dir,
		     struct err *e)
{
	struct gnuplot_plot plot = {STRBUF_INIT, STRBUF_INIT};
	struct err why = ERR_INIT;
	int ret = 0;
	gnuplot_add_data(&plot.script, data);
	strbuf_addstr(&plot.script, "file = '$data'\n");
	strbuf_add(&plot.script, script->s, script->len);
	if (gnuplot_run(&plot, 1, GNUPLOT_TIMEOUT_S, &why))
		fprintf(stderr, "no plot: %s\n", why.msg);
	else
		ret = write_in(dir, "detection.svg", &plot.text, e);
	strbuf_release(&plot.script);
	strbuf_release(&plot.text);
	return ret;
}

/* Writes the script of the plot, for use with gnuplot in that directory. */
static int script_write(const struct strbuf *script, const char *dir, struct err *e)
{
	SCOPED_STRBUF alone = STRBUF_INIT;
	strbuf_addstr(&alone, "set output 'detection.svg'\nfile = 'detection.dat'\n");
	strbuf_add(&alone, script->s, script->len);
	return write_in(dir, "detection.gp", &alone, e);
}

int selftest_plot(const struct rates *rates, const char *dir, struct err *e)
{
	SCOPED_STRBUF data = STRBUF_INIT, script = STRBUF_INIT, plots = STRBUF_INIT;
	size_t n = data_build(rates, &data, &plots), n_columns = 4,
	       n_rows = (n + n_columns - 1) / n_columns;
	int ret = csv_write(rates, dir, e);
	if (!ret && n) {
		strbuf_addf(&script,
			    "set terminal svg size 900,%zu dynamic enhanced font 'sans-serif,11'\n"
			    "set multiplot layout %zu,%zu\nset yrange [-5:105]\nset xrange "
			    "[0.7:14]\nset logscale x\n"
			    "set xtics (1, 2, 3, 4, 10)\nset ytics 25\n"
			    "set grid lc rgb '" RGB_GRID "'\nset ylabel '%% found'\n"
			    "set xlabel 'size of the fault'\n", 210 * n_rows, n_rows, n_columns);
		strbuf_add(&script, plots.s, plots.len);
		strbuf_addstr(&script, "unset multiplot\n");
		ret = write_in(dir, "detection.dat", &data, e);
		ret = ret ? ret : script_write(&script, dir, e);
		ret = ret ? ret : plot_draw(&data, &script, dir, e);
	}
	return ret;
}
