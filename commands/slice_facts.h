/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the extra facts of a trace tell of times and processes, as they are for a slice of it. */
#ifndef COMMANDS_SLICE_FACTS_H
#define COMMANDS_SLICE_FACTS_H

#include "commands/slice_filter.h"
#include "commands/trace_set.h"

/* The extra facts of the first trace with the processes of the first n, retimed as the requests were: to be asked for when all is read. `hidden`:
 * what an anonymised trace has of the others, NULL: they stay. NULL: there are none that would have changed. The caller frees. */
char *slice_facts_text(const struct trace_set *set, size_t n, const struct slice_filter *f, const char *hidden);

#endif
