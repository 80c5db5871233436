/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dependencies of a whole trace inferred from its times (infer.h), and a trace that has them
 * beside its requests. */
#ifndef REPLAY_INFER_TRACE_H
#define REPLAY_INFER_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"
#include "replay/order/infer.h"

/* Think times of the trace where they can be seen: from the last end to the next begin while
 * nothing is under way. The smallest is the estimate of the threshold: a larger one would take some
 * of them for independent, and the error of taking a dependent pair for independent is the worse
 * one (hfplayer paper, section 3.1). */
struct think_times {
	uint64_t n;
	int64_t least_ns; /* 0 where there are none */
};
#define THINK_TIMES_ENOUGH 100 /* fewer tell nothing of the smallest */

/* Reads all of `t` (from its beginning). Errors: those of reading; EINVAL as infer_feed. */
int think_times_read(struct think_times *h, struct trace *t, struct err *e);

struct infer_what {
	int64_t threshold_ns;
	uint64_t n_unknown; /* out: requests whose begin is unknown; they are left out */
	/* Each request that was fed, NULL: not wanted. `request`: the how-manieth of those. */
	void (*fed)(void *ctx, uint64_t request, const struct trace_record *r,
		    const struct infer_parents *p);
	void (*ended)(void *ctx, uint64_t request, uint64_t rank);
	void *ctx;
};

/* Reads all of `t` (from its beginning). Errors: as think_times_read, naming the record. */
int infer_trace(struct infer_what *w, struct trace *t, struct infer_summary *s, struct err *e);

/* Writes `t` again, each request with a heap item (doc/formats/trace.md): the first rank of its
 * parents, 8 bytes, and their number, 4 bytes. The threshold goes into the extra metadata. Errors:
 * as infer_trace, and those of writing. */
int infer_annotate(struct trace *t, int64_t threshold_ns, const char *path, struct err *e);

#endif
