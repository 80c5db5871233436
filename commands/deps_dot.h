/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef COMMANDS_DEPS_DOT_H
#define COMMANDS_DEPS_DOT_H

#include <stdint.h>

#include "common/strbuf.h"
#include "replay/order/deps.h"

/* Appends the graph of the first n_shown requests (in issue order) in Graphviz's language: a column for each thread, solid
 * lines for program order, bold ones for waits on an end, dashed ones for waits on a begin. Names are escaped. */
void deps_dot(struct strbuf *out, const struct deps *d, uint64_t n_shown);

/* Appends a name from a trace, to stand between quotes. */
void dot_quoted(struct strbuf *out, const char *name);

#endif
