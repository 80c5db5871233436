/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Colours of figures: the eight of Okabe and Ito (Color Universal Design, 2008), which people with any colour vision
 * tell apart, and a few greys. Scripts name them by `hex`; in a page they become the CSS variable, which has a light
 * and a dark value. */
#ifndef REPORTS_PALETTE_H
#define REPORTS_PALETTE_H

#include <stddef.h>

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

#endif
