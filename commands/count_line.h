/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a capture has to say beside its requests: "note          3 requests had not completed at the end". */
#ifndef COMMANDS_COUNT_LINE_H
#define COMMANDS_COUNT_LINE_H

#include <stdint.h>

/* Prints `label`, how many and what: `one` of one, `more` of another number. Nothing where there are none. */
void count_line(const char *label, uint64_t n, const char *one, const char *more);

#endif
