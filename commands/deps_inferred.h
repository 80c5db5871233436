/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate deps of a block-level trace: dependencies inferred from its times. */
#ifndef COMMANDS_DEPS_INFERRED_H
#define COMMANDS_DEPS_INFERRED_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"

struct deps_inferred_config {
	const char *path;
	const char *think; /* --think-time: a duration or "auto"; NULL the default */
	const char *dot, *output; /* NULL: not wanted */
	uint64_t from, n_shown; /* of the graph: window of requests, n_shown 0 all behind `from` */
	bool json;
};

/* Errors: EINVAL for --think-time (*usage set), those of reading and writing. */
int deps_inferred(struct trace *t, const struct deps_inferred_config *c, bool *usage, struct err *e);

#endif
