/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/figures/figure.h"

#include "reports/figures/figures.h"
#include "reports/output.h"

#define GNUPLOT_TIMEOUT_S 120
#define SVG_MAX_BYTES (8u << 20)

struct figure *figure_add(struct figures *fs, const char *section, size_t number,
			  unsigned int width, unsigned int height)
{
	GROW(fs->figure, fs->n, fs->cap);
	struct figure *f = &fs->figure[fs->n++];
	*f = (struct figure){.section = section, .width = width, .height = height};
	f->name = number ? xasprintf("%s-%zu", section, number) : xstrdup(section);
	strbuf_init(&f->data);
	strbuf_init(&f->script);
	strbuf_init(&f->svg);
	f->caption = xstrdup("");
	f->alt = xstrdup("");
	return f;
}

const struct figure *figure_find(const struct figures *fs, const char *name)
{
	for (size_t i = 0; i < fs->n; i++)
		if (!strcmp(fs->figure[i].name, name))
			return &fs->figure[i];
	return NULL;
}

void figure_caption(struct figure *f, const char *fmt, ...)
{
	struct strbuf b = STRBUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	FREE_EACH(f->caption, f->alt);
	f->caption = strbuf_detach(&b);
	f->alt = xstrdup(f->caption);
}

void figure_alt(struct figure *f, const char *fmt, ...)
{
	struct strbuf b = STRBUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	free(f->alt);
	f->alt = strbuf_detach(&b);
}

static void figure_release(struct figure *f)
{
	FREE_EACH(f->name, f->caption, f->alt);
	strbuf_release(&f->data);
	strbuf_release(&f->script);
	strbuf_release(&f->svg);
}

void figures_release(struct figures *fs)
{
	for (size_t i = 0; i < fs->n; i++)
		figure_release(&fs->figure[i]);
	FREE_EACH(fs->figure, fs->missing);
	*fs = (struct figures){0};
}

static void add_drawing(struct figures *fs, const struct analysis *a)
{
	if (!a->n_sources)
		return;
	struct figure *f = figure_add(fs, "sources", 0, 0, 0);
	f->drawn = true;
	fishbone_add(&f->data, a, &f->width, &f->height);
	figure_caption(f, "Sources of uncertainty that act on the measured response time. A filled "
		"circle is a source that the uncertainty budget quantifies. An open circle is a "
		"source that is named, but not quantified. A triangle is a source that could not "
		"be controlled as requested.");
}

void figures_build(struct figures *fs, const struct analysis *a)
{
	*fs = (struct figures){0};
	add_drawing(fs, a);
	figures_cases(fs, a);
	figures_linearity(fs, a);
	figures_budget(fs, a);
	figures_issue(fs, a);
	figures_control(fs, a);
	figures_courses(fs, a);
	figures_parallel(fs, a);
}

/* --- writing and running ------------------------------------------------- */

/* Appends the start of a script. `alone`: the script reads and writes files that have the figure's
 * name; otherwise it uses the data block and standard output. */
static void add_prelude(struct strbuf *out, const struct figure *f, bool alone)
{
	if (alone)
		strbuf_addf(out, "# gnuplot %s.gp makes %s.svg of %s.dat, in this directory\n",
			    f->name, f->name, f->name);
	else
		gnuplot_add_data(out, &f->data);
	strbuf_addf(out, "reset\n"
		"set encoding utf8\n"
		"set terminal svg noenhanced size %u,%u font 'sans-serif,13'\n", f->width,
		f->height);
	if (alone)
		strbuf_addf(out, "set output '%s.svg'\n", f->name);
	strbuf_addf(out,
		    "set border 3 lc rgb '" RGB_MUTED "' lw 1\n"
		    "set tics nomirror out scale 0.6 textcolor rgb '" RGB_TEXT "'\n"
		    "set key textcolor rgb '" RGB_TEXT "' noenhanced\n"
		    "set clip two\n"
		    "file = '%s%s'\n", alone ? f->name : "$data", alone ? ".dat" : "");
	strbuf_add(out, f->script.s, f->script.len);
	strbuf_addstr(out, "unset output\n");
}

static int write_part(const struct figure *f, const char *dir, const char *suffix,
		      const struct strbuf *text, struct err *e)
{
	SCOPED_FREE char *name = xasprintf("%s.%s", f->name, suffix);
	return output_file(dir, name, text, e);
}

static int write_figure(const struct figure *f, const char *dir, struct err *e)
{
	int ret = write_part(f, dir, f->drawn ? "svg" : "dat", &f->data, e);
	if (ret || f->drawn)
		return ret;
	SCOPED_STRBUF script = STRBUF_INIT;
	add_prelude(&script, f, true);
	ret = write_part(f, dir, "gp", &script, e);
	return ret;
}

/* Takes a plot from gnuplot. If the plot is incomplete, the figure has no svg. */
static int take_plot(struct figure *f, struct strbuf *text, const char *dir, struct err *e)
{
	if (text->len > SVG_MAX_BYTES || !svg_inline(&f->svg, text->s, f->alt)) {
		strbuf_reset(&f->svg);
		return 0;
	}
	svg_forget(text);
	return dir ? write_part(f, dir, "svg", text, e) : 0;
}

/* Starts gnuplot once for all figures, because a start costs more than most figures. If it fails,
 * starts it once for each figure. */
static void run_gnuplot(struct figures *fs, struct gnuplot_plot *plot, size_t n)
{
	struct err why = ERR_INIT;
	int ret = n ? gnuplot_run(plot, n, GNUPLOT_TIMEOUT_S, &why) : 0;
	if (ret)
		fs->missing = xstrdup(why.msg);
	for (size_t i = 0; i < n && ret; i++) {
		strbuf_reset(&plot[i].text);
		if (ret == -EIO && gnuplot_run(plot + i, 1, GNUPLOT_TIMEOUT_S / 4, &why))
			strbuf_reset(&plot[i].text);
	}
}

int figures_render(struct figures *fs, const char *plots_dir, struct err *e)
{
	SCOPED_FREE struct gnuplot_plot *plot = xcalloc(fs->n + 1, sizeof *plot);
	size_t n = 0;
	int ret = 0;
	for (size_t i = 0; i < fs->n && !ret; i++) {
		ret = plots_dir ? write_figure(&fs->figure[i], plots_dir, e) : 0;
		strbuf_init(&plot[n].script);
		strbuf_init(&plot[n].text);
		if (!fs->figure[i].drawn)
			add_prelude(&plot[n++].script, &fs->figure[i], false);
	}
	if (!ret)
		run_gnuplot(fs, plot, n);
	for (size_t i = 0, k = 0; i < fs->n && !ret; i++) {
		struct figure *f = &fs->figure[i];
		if (f->drawn)
			svg_inline(&f->svg, f->data.s, f->alt);
		else
			ret = take_plot(f, &plot[k++].text, plots_dir, e);
		if (!f->svg.len && !fs->missing)
			fs->missing = xstrdup("their plots are incomplete or too large");
	}
	for (size_t i = 0; i < n; i++) {
		strbuf_release(&plot[i].script);
		strbuf_release(&plot[i].text);
	}
	return ret;
}
