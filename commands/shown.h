/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text of others on a terminal: names and messages from traces, results, replayers and devices. */
#ifndef COMMANDS_SHOWN_H
#define COMMANDS_SHOWN_H

#include <stddef.h>
#include <stdio.h>

/* Prints at most n bytes of s, on one line: control characters become blanks, and no workflow command of a CI service
 * remains (escape_line). */
void shown_print(FILE *out, const char *s, size_t n);

#endif
