/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Infers the dependencies of a whole trace (infer.h), and writes a trace that contains them. */
#pragma once

#include "capture/trace.h"
#include "replay/order/infer.h"

/* Visible think times: from the last end to the next start while no request is in flight. The
 * smallest visible think time estimates the threshold: a larger threshold would treat some
 * dependent pairs as independent, which is the worse error (hfplayer paper, section 3.1). */
struct think_times {
	uint64_t n;
	int64_t least_ns; /* 0 if there are none */
};
#define THINK_TIMES_ENOUGH 100 /* with fewer think times the minimum is not meaningful */

/* Reads all records of `t` from its beginning. Errors: those of reading; EINVAL as infer_feed. */
int think_times_read(struct think_times *h, struct trace *t, struct err *e);

struct infer_what {
	int64_t threshold_ns;
	/* output: number of requests whose start is unknown; they are ignored */
	uint64_t n_unknown;
	/* called for each request; NULL: not used. `request`: its number, from 0 */
	void (*fed)(void *ctx, uint64_t request, const struct trace_record *r,
		    const struct infer_parents *p);
	void (*ended)(void *ctx, uint64_t request, uint64_t rank);
	void *ctx;
};

/* Reads all records of `t` from its beginning. Errors: those of think_times_read, with the
 * record. */
int infer_trace(struct infer_what *w, struct trace *t, struct infer_summary *s, struct err *e);

/* Copies `t` and adds to each request a heap item (doc/formats/trace.md): the first rank of its
 * parents in 8 bytes, and their number in 4 bytes. The threshold is added to the extra metadata.
 * Errors: those of infer_trace, and of writing. */
int infer_annotate(struct trace *t, int64_t threshold_ns, const char *path, struct err *e);
