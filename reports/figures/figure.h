/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures: a data file and a gnuplot script each, kept in report/plots/, and the SVG that gnuplot
 * makes of them.
 *
 * Text reaches gnuplot only inside single quotes, where it expands nothing. The same analysis and
 * gnuplot give the same bytes. Without gnuplot data and scripts are still written, and figures have
 * no `svg`. */
#ifndef REPORTS_FIGURE_H
#define REPORTS_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"
#include "common/strbuf.h"
#include "validate/analysis/analysis.h"

struct figure {
	char *name;                 /* of its files: "bias-random-read"; [a-z0-9-] only; owned */
	char *section;              /* "bias": figures of one section follow each other; owned */
	char *caption;              /* what it is and what to look for, as it came; owned */
	char *alt;                  /* the same for who cannot see it; owned */
	/* data[]: blocks for `index`; script: without terminal and output */
	struct strbuf data, script;
	unsigned int width, height; /* px */
	bool drawn;                 /* svg is ours, not gnuplot's */
	/* the element to put into a page (no prolog, no ids); empty: missing */
	struct strbuf svg;
};

struct figures {
	struct figure *figure;
	size_t n, cap;
	size_t n_left_out; /* scenarios whose own figures were left out to keep the page small */
	char *missing;     /* why there are none, or not all; NULL */
};

/* All figures of a report, without their SVG. Ownership: figures_release. */
void figures_build(struct figures *fs, const struct analysis *a);
void figures_release(struct figures *fs);

/* By name; NULL: none. */
const struct figure *figure_find(const struct figures *fs, const char *name);

/* Lets gnuplot make the plots, in memory. Writes data, scripts and plots into plots_dir (already
 * there; NULL: nowhere). That gnuplot is missing or fails is no error: fs->missing says so. Errors:
 * of writing. */
int figures_render(struct figures *fs, const char *plots_dir, struct err *e);

bool figure_gnuplot_found(void); /* in $PATH */

/* For the builders: a new figure; `name` is made fit for a file, `part` (may be NULL) is appended
 * to it. */
struct figure *figure_add(struct figures *fs, const char *section, const char *part,
			  unsigned int width, unsigned int height);
void figure_caption(struct figure *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What the figure shows, for who cannot see it, where the caption alone does not say so. After
 * figure_caption. */
void figure_alt(struct figure *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* svg.c: gnuplot's document as an element of a page: no prolog, no ids, colours that follow the
 * page's theme. Returns false for what is not a complete SVG. */
bool svg_inline(struct strbuf *out, const char *svg, const char *alt);
/* gnuplot begins a document with an empty group in the colour that the figure before it ended with;
 * made colourless, a script gives the same bytes alone and among others. Returns whether there was
 * anything to change. */
bool svg_forget(struct strbuf *svg);
/* The definitions of gnuplot's point symbols, once per page. */
void svg_add_symbols(struct strbuf *out);

/* fishbone.c: cause-and-effect diagram of the sources of uncertainty. */
void fishbone_add(struct strbuf *out, const struct analysis *a, unsigned int *width,
		  unsigned int *height);

/* Colours of figures: the eight of Okabe and Ito (Color Universal Design, 2008), which people with
 * any colour vision tell apart, and a few greys. Scripts name them by `hex`; in a page they become
 * the CSS variable, which has a light and a dark value. */
enum palette {
	PALETTE_TEXT, /* axes and letters: the page's own text colour */
	PALETTE_GRID,
	PALETTE_BAND, /* inside the limits */
	PALETTE_MUTED,
	PALETTE_BLUE,
	PALETTE_VERMILLION,
	PALETTE_GREEN,
	PALETTE_ORANGE,
	PALETTE_PURPLE,
	PALETTE_SKY,
	PALETTE_N
};

struct palette_entry {
	const char *hex;                /* "#0072b2", as scripts write it */
	unsigned char red, green, blue; /* the same */
	const char *css;                /* what stands for it in a page */
	const char *light, *dark;       /* values of the variable; NULL where css is no variable */
};
extern const struct palette_entry palette[PALETTE_N];

/* The colour and gnuplot point type of the n-th series. */
#define PALETTE_N_SERIES 6
const char *palette_series(size_t n);
int palette_point(size_t n);

/* Running gnuplot. */
struct gnuplot_plot {
	struct strbuf script; /* plots to standard output; its data are in it (gnuplot_add_data) */
	struct strbuf text;   /* what gnuplot wrote */
};

/* Appends lines that define the data block $NAME, which a script plots as the file '$NAME'. */
void gnuplot_add_data(struct strbuf *script, const char *name, const struct strbuf *data);

/* Runs gnuplot once over the scripts, without start-up files and with an environment of its own,
 * waits at most `timeout_s`, and appends each plot to its `text`. Scripts, data and plots stay in
 * memory: gnuplot ends with status 0 although a file of it could not be read or written. Errors:
 * ENOENT when $PATH has no gnuplot; ETIMEDOUT; EIO with its first complaint when it failed, or did
 * not come to the end; EFBIG; of the system. Then `text` may hold plots before the failure. */
int gnuplot_run(struct gnuplot_plot *plots, size_t n, unsigned int timeout_s, struct err *e);

#endif
