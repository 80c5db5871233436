/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/figures/palette.h"

const struct palette_entry palette[PALETTE_N] = {
    [PALETTE_TEXT] = {"#222222", 0x22, 0x22, 0x22, "currentColor", NULL, NULL},
    [PALETTE_GRID] = {"#cccccc", 0xcc, 0xcc, 0xcc, "var(--grid)", "#d4d8dd", "#3b434d"},
    [PALETTE_BAND] = {"#e6eef5", 0xe6, 0xee, 0xf5, "var(--band)", "#e6eef5", "#1d2b38"},
    [PALETTE_MUTED] = {"#777777", 0x77, 0x77, 0x77, "var(--muted)", "#5d6670", "#9aa4af"},
    [PALETTE_BLUE] = {"#0072b2", 0x00, 0x72, 0xb2, "var(--blue)", "#0072b2", "#4fb0ea"},
    [PALETTE_VERMILLION] = {"#d55e00", 0xd5, 0x5e, 0x00, "var(--vermillion)", "#c45500", "#ff8c42"},
    [PALETTE_GREEN] = {"#009e73", 0x00, 0x9e, 0x73, "var(--green)", "#00855f", "#2fcf9f"},
    [PALETTE_ORANGE] = {"#e69f00", 0xe6, 0x9f, 0x00, "var(--orange)", "#b67c00", "#f2b632"},
    [PALETTE_PURPLE] = {"#cc79a7", 0xcc, 0x79, 0xa7, "var(--purple)", "#b4588c", "#e29cc4"},
    [PALETTE_SKY] = {"#56b4e9", 0x56, 0xb4, 0xe9, "var(--sky)", "#2d8fc7", "#8fd0f5"},
};

static const enum palette series[PALETTE_N_SERIES] = {PALETTE_BLUE,   PALETTE_VERMILLION, PALETTE_GREEN,
						      PALETTE_PURPLE, PALETTE_ORANGE,     PALETTE_SKY};

const char *palette_series(size_t n)
{
	return palette[series[n % PALETTE_N_SERIES]].hex;
}

/* Filled circle, square, triangles, diamond, pentagon: told apart without colour too. */
int palette_point(size_t n)
{
	static const int point[PALETTE_N_SERIES] = {7, 5, 9, 13, 11, 15};
	return point[n % PALETTE_N_SERIES];
}
