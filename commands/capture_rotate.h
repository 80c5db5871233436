/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --rotate: a capture's trace in parts. */
#ifndef COMMANDS_CAPTURE_ROTATE_H
#define COMMANDS_CAPTURE_ROTATE_H

#include "capture/trace_split.h"

/* Reads the option's text; `text` NULL: it was not given. Errors: EINVAL, ERANGE. */
int rotate_check(struct trace_parts *p, const char *text, struct err *e);
/* Replaces the trace by its parts and says how many there are. `text` NULL: nothing to do. Errors:
 * as trace_split. */
int rotate_apply(const struct trace_parts *p, const char *text, const char *output, bool compress,
		 struct err *e);

#endif
