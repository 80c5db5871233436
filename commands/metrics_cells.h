/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of validate metrics: rows of a label and of numbers in columns of one width. What is not finite is "-". */
#ifndef COMMANDS_METRICS_CELLS_H
#define COMMANDS_METRICS_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include "common/strbuf.h"

#define CELLS_LABEL_WIDTH 34
#define CELLS_WIDTH 13

/* of numbers: as they are, ns, as they are, in per cent, bytes */
enum cell_unit { CELL_COUNT, CELL_DURATION, CELL_NUMBER, CELL_PERCENT, CELL_BYTES };

void cells_add_printable(struct strbuf *out, const char *text); /* other bytes as \xNN */
void cells_add_heads(struct strbuf *out, const char *title, const char *const *head, size_t n);
void cells_add_label(struct strbuf *out, const char *label);
void cells_add_row(struct strbuf *out, const char *label, const double *x, size_t n, enum cell_unit unit);
/* Reference, replay, and by how much they differ. */
void cells_add_pair(struct strbuf *out, const char *label, double reference, double replay, enum cell_unit unit);

#endif
