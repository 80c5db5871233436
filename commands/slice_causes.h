/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals and waits of a slice: none without the other. */
#ifndef COMMANDS_SLICE_CAUSES_H
#define COMMANDS_SLICE_CAUSES_H

#include <stdbool.h>

#include "commands/slice_filter.h"

struct slice_causes;

/* Reads all of `t` once, if it is of a parallel application, to see what the filter would leave of its signals and waits; *x is NULL else.
 * Errors: as causality_links_read but for what has no partner. Ownership: slice_causes_close. */
int slice_causes_open(struct slice_causes **x, struct trace *t, const struct slice_filter_config *c, struct err *e);
void slice_causes_close(struct slice_causes *x);

/* For the records in order: whether it may stay. */
bool slice_causes_pass(struct slice_causes *x, const struct trace_record *r);
/* How many had to go that the filter would have kept. */
void slice_causes_print(const struct slice_causes *x);

#endif
