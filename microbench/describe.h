/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes a configuration for the trace's metadata: as options, and as the command that repeats
 * the run. */
#pragma once

#include <jansson.h>

#include "microbench/microbench.h"

/* The options that a protocol could set for this workload: numbers in bytes and ns, choices as
 * text. New reference; NULL: no memory. */
json_t *describe_options(const struct workload *w, const struct microbench_config *c);

/* Appends a command such as "validate microbench random-read --level 2 ... --dir DIR -o TRACE",
 * with the options that differ from the defaults. */
void describe_command(const struct workload *w, const struct microbench_config *c,
		      struct strbuf *out);
