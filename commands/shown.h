/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines on a terminal: texts of others (names and messages from traces, results, devices), counts.
 */
#ifndef COMMANDS_SHOWN_H
#define COMMANDS_SHOWN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Prints at most n bytes of s, on one line: control characters become blanks, and no workflow
 * command of a CI service remains (escape_line). */
void shown_print(FILE *out, const char *s, size_t n);

/* Prints `label`, how many and what: `one` of one, `more` of another number; "note  3 requests had
 * not completed at the end". Prints nothing where there are none. */
void count_line(const char *label, uint64_t n, const char *one, const char *more);

#endif
