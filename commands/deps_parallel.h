/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate deps of a parallel application's trace: which node waits for which. */
#ifndef COMMANDS_DEPS_PARALLEL_H
#define COMMANDS_DEPS_PARALLEL_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/causality/work.h"
#include "common/strbuf.h"

struct deps_parallel_config {
	const char *path, *dot; /* dot NULL: not wanted */
	uint64_t from, n_shown; /* of the graph: window of requests as they stand in the trace, n_shown 0 all behind `from` */
	bool json;
};

/* Errors: as causality_check, those of reading and writing. */
int deps_parallel(struct trace *t, const struct causality_facts *f, const struct deps_parallel_config *c, struct err *e);

/* deps_parallel_dot.c: appends the graph for Graphviz. Errors: of reading. */
int deps_parallel_dot(struct strbuf *out, struct trace *t, const struct causality_facts *f, const struct causality_work *w,
		      const struct deps_parallel_config *c, struct err *e);

#endif
