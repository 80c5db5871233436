/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/figures/figure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/files.h"
#include "common/xalloc.h"
#include "reports/escape.h"
#include "reports/figures/figures.h"
#include "reports/figures/gnuplot.h"
#include "reports/output.h"
#include "reports/figures/palette.h"

#define GNUPLOT_TIMEOUT_S 120
#define SVG_MAX_BYTES (8u << 20)

struct figure *figure_add(struct figures *fs, const char *section, const char *part, unsigned int width,
			  unsigned int height)
{
	GROW(fs->figure, fs->n, fs->cap);
	struct figure *f = &fs->figure[fs->n++];
	*f = (struct figure){.section = xstrdup(section), .width = width, .height = height};
	f->name = part ? xasprintf("%s-%s", section, part) : xstrdup(section);
	for (char *p = f->name; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-", *p))
			*p = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : '-';
	strbuf_init(&f->data);
	strbuf_init(&f->script);
	strbuf_init(&f->svg);
	f->caption = xstrdup("");
	f->alt = xstrdup("");
	return f;
}

void figure_caption(struct figure *f, const char *fmt, ...)
{
	struct strbuf b = STRBUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	free(f->caption);
	free(f->alt);
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
	free(f->name);
	free(f->section);
	free(f->caption);
	free(f->alt);
	strbuf_release(&f->data);
	strbuf_release(&f->script);
	strbuf_release(&f->svg);
}

void figures_release(struct figures *fs)
{
	for (size_t i = 0; i < fs->n; i++)
		figure_release(&fs->figure[i]);
	free(fs->figure);
	free(fs->missing);
	*fs = (struct figures){0};
}

static void add_drawing(struct figures *fs, const struct analysis *a)
{
	if (!a->n_sources)
		return;
	struct figure *f = figure_add(fs, "sources", NULL, 0, 0);
	f->drawn = true;
	fishbone_add(&f->data, a, &f->width, &f->height);
	figure_caption(f, "Sources of uncertainty that act on the measured response time. Filled: quantified in the "
			  "budget. Open: named, "
			  "not quantified. Triangle: could not be controlled as asked.");
}

void figures_build(struct figures *fs, const struct analysis *a)
{
	*fs = (struct figures){0};
	add_drawing(fs, a);
	figures_forest(fs, a);
	figures_shape(fs, a);
	figures_runs(fs, a);
	figures_linearity(fs, a);
	figures_concurrency(fs, a);
	figures_budget(fs, a);
	figures_issue(fs, a);
	figures_control(fs, a);
	figures_courses(fs, a);
	figures_parallel(fs, a);
}

/* --- writing and running ------------------------------------------------------------------------------------------ */

static void add_prelude(struct strbuf *out, const struct figure *f)
{
	strbuf_addf(out,
		    "# gnuplot %s.gp makes %s.svg of %s.dat, in this directory\n"
		    "reset\n"
		    "set encoding utf8\n"
		    "set terminal svg noenhanced size %u,%u font 'sans-serif,13'\n"
		    "set output '%s.svg'\n"
		    "set border 3 lc rgb '%s' lw 1\n"
		    "set tics nomirror out scale 0.6 textcolor rgb '%s'\n"
		    "set key textcolor rgb '%s' noenhanced\n"
		    "set clip two\n"
		    "file = '%s.dat'\n",
		    f->name, f->name, f->name, f->width, f->height, f->name, palette[PALETTE_MUTED].hex,
		    palette[PALETTE_TEXT].hex, palette[PALETTE_TEXT].hex, f->name);
}

static int write_figure(const struct figure *f, const char *dir, struct err *e)
{
	char *name = xasprintf("%s.%s", f->name, f->drawn ? "svg" : "dat");
	int ret = output_file(dir, name, &f->data, e);
	free(name);
	if (ret || f->drawn)
		return ret;
	struct strbuf script = STRBUF_INIT;
	add_prelude(&script, f);
	strbuf_add(&script, f->script.s, f->script.len);
	strbuf_addstr(&script, "unset output\n");
	name = xasprintf("%s.gp", f->name);
	ret = output_file(dir, name, &script, e);
	free(name);
	strbuf_release(&script);
	return ret;
}

/* Writes the file again as the script makes it without this run's particulars. */
static int write_forgetful(const struct figure *f, const char *dir, struct strbuf *svg, struct err *e)
{
	if (!svg_forget(svg))
		return 0;
	char *name = xasprintf("%s.svg", f->name);
	int ret = output_file(dir, name, svg, e);
	free(name);
	return ret;
}

/* Reads back the figure that gnuplot made. A damaged or unreadable file is removed: the figure has no svg then. The error is of a file that
 * cannot be read or written; a figure that gnuplot did not make is no error. */
static int read_figure(struct figure *f, const char *dir, struct err *e)
{
	struct strbuf svg = STRBUF_INIT;
	if (f->drawn) {
		svg_inline(&f->svg, f->data.s, f->alt);
		return 0;
	}
	char *path = xasprintf("%s/%s.svg", dir, f->name);
	int ret = file_read(path, &svg, SVG_MAX_BYTES, e);
	bool whole = !ret && svg_inline(&f->svg, svg.s, f->alt);
	if (whole)
		ret = write_forgetful(f, dir, &svg, e);
	if (!whole || ret) {
		strbuf_reset(&f->svg);
		unlink(path);
	}
	free(path);
	strbuf_release(&svg);
	return ret == -ENOENT ? 0 : ret;
}

/* All at once, for starting gnuplot costs more than most figures; one by one when it stopped at one of them. */
static void run_gnuplot(struct figures *fs, const char *dir)
{
	struct err e = ERR_INIT;
	char **script = xcalloc(fs->n + 1, sizeof *script);
	size_t n = 0;
	for (size_t i = 0; i < fs->n; i++)
		if (!fs->figure[i].drawn)
			script[n++] = xasprintf("%s.gp", fs->figure[i].name);
	int ret = n ? gnuplot_run(dir, script, n, GNUPLOT_TIMEOUT_S, &e) : 0;
	if (ret)
		fs->missing = xstrdup(e.msg);
	for (size_t i = 0; i < n && ret == -EIO; i++)
		gnuplot_run(dir, script + i, 1, GNUPLOT_TIMEOUT_S / 4, NULL);
	for (size_t i = 0; i < n; i++)
		free(script[i]);
	free(script);
}

int figures_render(struct figures *fs, const char *plots_dir, struct err *e)
{
	for (size_t i = 0; i < fs->n; i++) {
		int ret = write_figure(&fs->figure[i], plots_dir, e);
		if (ret)
			return ret;
	}
	run_gnuplot(fs, plots_dir);
	for (size_t i = 0; i < fs->n; i++) {
		struct err why = ERR_INIT;
		if (read_figure(&fs->figure[i], plots_dir, &why) && !fs->missing)
			fs->missing = xstrdup(why.msg);
		if (!fs->figure[i].svg.len && !fs->missing)
			fs->missing = xstrdup("gnuplot made no plot of some of them");
	}
	return 0;
}
