/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures: a data file and a gnuplot script in report/plots/, and the SVG that gnuplot makes from
 * them. Scripts contain text from outside only inside single quotes, where gnuplot expands nothing.
 * The same analysis and gnuplot give the same bytes. Without gnuplot, data and scripts are written
 * and figures have no `svg`. */
#pragma once

#include "validate/evidence/cell.h"

struct figure {
	char *name;                 /* name of the files: "distribution-3"; [a-z0-9-] only; owned */
	const char *section;        /* "distribution"; static */
	char *caption;              /* what it shows, not escaped; owned */
	char *alt;                  /* description for screen readers; owned */
	/* data: blocks for `index`; script: without terminal and output */
	struct strbuf data, script;
	unsigned int width, height; /* px */
	bool drawn;                 /* drawn by this program instead of gnuplot */
	/* SVG element for a page (no prolog, no ids); empty: no SVG */
	struct strbuf svg;
};

struct figures {
	struct figure *figure;
	size_t n, cap;
	/* number of cases or scenarios without figures, which are omitted to keep the page small */
	size_t n_left_out;
	char *missing;     /* why figures are missing; NULL: no figure is missing */
};

/* Builds all figures of a report, without their SVG. Ownership: figures_release. */
void figures_build(struct figures *fs, const struct analysis *a);
void figures_release(struct figures *fs);

/* By name; NULL: none. */
const struct figure *figure_find(const struct figures *fs, const char *name);

/* Runs gnuplot in memory. Writes data, scripts and plots into plots_dir, which must exist (NULL:
 * writes nothing). If gnuplot is missing or fails, fs->missing says so, and this is not an error.
 * Errors: of writing. */
int figures_render(struct figures *fs, const char *plots_dir, struct err *e);

bool figure_gnuplot_found(void); /* in $PATH */

/* Adds a figure. Its name is `section`-`number`, or `section` if the number is 0. */
struct figure *figure_add(struct figures *fs, const char *section, size_t number,
			  unsigned int width, unsigned int height);
void figure_caption(struct figure *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Sets the description for screen readers if it differs from the caption. Call it after
 * figure_caption. */
void figure_alt(struct figure *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* svg.c: converts gnuplot's document to an element of a page: no prolog, no ids, colours of the
 * page's theme. Returns false if the SVG is incomplete. */
bool svg_inline(struct strbuf *out, const char *svg, const char *alt);
/* Removes a colour that depends on the previous figure: gnuplot begins a document with an empty
 * group in the last colour of the figure before. Without it a script gives the same bytes alone and
 * among others. Returns whether something changed. */
bool svg_forget(struct strbuf *svg);
/* Appends the definitions of gnuplot's point symbols. Call it once per page. */
void svg_add_symbols(struct strbuf *out);

/* fishbone.c: cause-and-effect diagram of the sources of uncertainty. */
void fishbone_add(struct strbuf *out, const struct analysis *a, unsigned int *width,
		  unsigned int *height);

/* Colours of figures: those of Okabe and Ito (Color Universal Design, 2008), which can be
 * distinguished with any colour vision, and some greys. Scripts contain them as they are. In a page
 * they are CSS variables with a light and a dark value. */
#define RGB_TEXT "#222222" /* axes and letters */
#define RGB_GRID "#cccccc"
#define RGB_BAND "#e6eef5" /* inside the limits */
#define RGB_MUTED "#777777"
#define RGB_BLUE "#0072b2"
#define RGB_VERMILLION "#d55e00"
#define RGB_GREEN "#009e73"
#define RGB_ORANGE "#e69f00"
#define RGB_PURPLE "#cc79a7"
#define RGB_SKY "#56b4e9"

struct palette_entry {
	const char *hex; /* RGB_TEXT ..., in scripts */
	const char *css; /* its name in a page */
	/* values of the CSS variable; NULL: `css` is not a variable */
	const char *light, *dark;
};
#define PALETTE_N 10
extern const struct palette_entry palette[PALETTE_N];

/* Returns the colour of the n-th series; palette_point returns its gnuplot point type. */
#define PALETTE_N_SERIES 6
const char *palette_series(size_t n);
int palette_point(size_t n);

/* Running gnuplot. */
struct gnuplot_plot {
	/* script that plots to standard output and contains its data (gnuplot_add_data) */
	struct strbuf script;
	struct strbuf text;   /* output of gnuplot */
};

/* Appends the data block $data, which a script plots as the file '$data'. */
void gnuplot_add_data(struct strbuf *script, const struct strbuf *data);

/* Runs gnuplot once for all scripts, without start-up files and with a separate environment, for at
 * most `timeout_s`. Appends each plot to its `text`. Scripts, data and plots stay in memory,
 * because gnuplot exits with status 0 even if it could not read or write a file. Errors: ENOENT: no
 * gnuplot in $PATH; ETIMEDOUT; EIO with gnuplot's first error message; EFBIG; from the system.
 * After an error `text` may contain plots that were made before it. */
int gnuplot_run(struct gnuplot_plot *plots, size_t n, unsigned int timeout_s, struct err *e);
