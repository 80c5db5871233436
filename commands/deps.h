/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate deps of a parallel application's trace: which node waits for which. */
#ifndef COMMANDS_DEPS_H
#define COMMANDS_DEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/causality/work.h"
#include "capture/trace.h"
#include "common/err.h"
#include "common/strbuf.h"
#include "replay/order/deps.h"

struct deps_parallel_config {
	const char *path, *dot; /* dot NULL: not wanted */
	/* of the graph: window of requests as they stand in the trace, n_shown 0 all behind
	 * `from` */
	uint64_t from, n_shown;
	bool json;
};

/* Errors: as causality_check, those of reading and writing. */
int deps_parallel(struct trace *t, const struct causality_facts *f,
		  const struct deps_parallel_config *c, struct err *e);

/* deps_parallel_dot.c: appends the graph for Graphviz. Errors: of reading. */
int deps_parallel_dot(struct strbuf *out, struct trace *t, const struct causality_facts *f,
		      const struct causality_work *w, const struct deps_parallel_config *c,
		      struct err *e);

/* Appends the graph of the first n_shown requests (in issue order) in Graphviz's language: a column
 * for each thread, solid lines for program order, bold ones for waits on an end, dashed ones for
 * waits on a begin. Names are escaped. */
void deps_dot(struct strbuf *out, const struct deps *d, uint64_t n_shown);

/* Appends a name from a trace, to stand between quotes. */
void dot_quoted(struct strbuf *out, const char *name);

/* validate deps of a block-level trace: dependencies inferred from its times. */
struct deps_inferred_config {
	const char *path;
	const char *think; /* --think-time: a duration or "auto"; NULL the default */
	const char *dot, *output; /* NULL: not wanted */
	uint64_t from, n_shown; /* of the graph: window of requests, n_shown 0 all behind `from` */
	bool json;
};

/* Errors: EINVAL for --think-time (*usage set), those of reading and writing. */
int deps_inferred(struct trace *t, const struct deps_inferred_config *c, bool *usage,
		  struct err *e);

#endif
