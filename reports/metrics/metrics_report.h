/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The forms of validate metrics: text and JSON. */
#pragma once

#include "validate/metrics/metrics.h"

struct metrics_paths {
	const char *reference, *replay;
};

extern const char *const metrics_point_names[POINT_N + 1]; /* "issue", ... NULL-terminated */
extern const char *const metrics_scope_names[SCOPE_N + 1];

/* Returns why the method of matching was chosen; NULL: the caller chose it. */
const char *metrics_match_words(enum match_reason reason);

/* Lines are at most `width` columns wide; 0: any width. */
void metrics_print_text(const struct metrics *m, const struct metrics_paths *p, size_t width);
/* Appends the part of the text for `point` (enum metrics_point); `all` is metrics_document(). */
void metrics_add_order(struct strbuf *out, const struct metrics *m, int point, const json_t *all);

/* Returns all numbers as a JSON object, which both forms print. validate-metrics(1) lists its keys;
 * later versions only add keys. The caller owns it. */
json_t *metrics_document(const struct metrics *m, const struct metrics_paths *p);
void metrics_print_json(const struct metrics *m, const struct metrics_paths *p);

/* The tables of validate metrics: rows with a label and numbers, in columns of equal width. "-"
 * stands for a number that is not finite. */
#define CELLS_LABEL_WIDTH 34
#define CELLS_WIDTH 13
#define CELLS_WIDTH_LEAST 10

/* formats: plain, ns, plain, ratio shown in per cent, bytes */
enum cell_unit { CELL_COUNT, CELL_DURATION, CELL_DECIMAL, CELL_SHARE, CELL_BYTES };

/* Returns the number at a path such as "ro_gap.mean" or "ro_n_reordering_degree.2". NaN: null or
 * absent. 0 after the end of an array, because its numbers from there on are 0. */
double cells_number(const json_t *o, const char *path);

/* The numbers of a row that is wider than `width` (0: any width) stand in the line below its
 * label. */
void cells_add_heads(struct strbuf *out, const char *title, const char *const *head, size_t n,
		     size_t width);
void cells_add_label(struct strbuf *out, const char *label);
void cells_add_row(struct strbuf *out, const char *label, const double *x, size_t n,
		   enum cell_unit unit, size_t width);
/* Adds a row with reference, replay, and their difference. */
void cells_add_pair(struct strbuf *out, const char *label, double reference, double replay,
		    enum cell_unit unit);
