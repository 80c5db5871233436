/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate deps for the trace of a parallel application: which node waits for which other node. */
#pragma once

#include "capture/causality/work.h"
#include "replay/order/deps.h"

struct deps_parallel_config {
	const char *path, *dot; /* dot NULL: no graph */
	/* window of the graph, in the order of the trace; n_shown 0: all requests after `from` */
	uint64_t from, n_shown;
	bool json;
};

/* Prints the dependencies. Errors: those of causality_check; of reading and writing. */
int deps_parallel(struct trace *t, const struct causality_facts *f,
		  const struct deps_parallel_config *c, struct err *e);

/* deps_parallel_dot.c: appends the graph for Graphviz. Errors: of reading. */
int deps_parallel_dot(struct strbuf *out, struct trace *t, const struct causality_facts *f,
	const struct causality_work *w, const struct deps_parallel_config *c, struct err *e);

/* Appends the graph of the first n_shown requests (in issue order) for Graphviz: one column per
 * thread, solid lines for program order, bold lines for waits on an end, dashed lines for waits on
 * a start. Names are escaped. */
void deps_dot(struct strbuf *out, const struct deps *d, uint64_t n_shown);

/* validate deps for a block-level trace: dependencies are inferred from its times. */
struct deps_inferred_config {
	const char *path;
	const char *think; /* --think-time: a duration or "auto"; NULL: the default */
	const char *dot, *output; /* NULL: none */
	uint64_t from, n_shown; /* window of the graph; n_shown 0: all requests after `from` */
	bool json;
};

/* Prints the dependencies. Errors: EINVAL for --think-time (*usage is set); of reading and
 * writing. */
int deps_inferred(struct trace *t, const struct deps_inferred_config *c, bool *usage,
		  struct err *e);
