/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies one or several traces into a new trace file: all requests or those that pass a filter,
 * with objects optionally renamed. Import and slice use it. Several traces are merged by the begin
 * of their requests. */
#pragma once

#include "capture/trace.h"

struct pour {
	/* Whether to copy a request, which it may change: 1 yes, 0 no, 2 no and end here. NULL:
	 * copy all unchanged. */
	int (*filter)(void *ctx, struct trace *t, struct trace_record *r);
	/* Appends a new name to `out`: of an object, of the second path of a rename or link, of a
	 * symbolic link's target (OBJECT_PATH), or of an extended attribute (kind 0). NULL: names
	 * stay. With renaming, unknown kinds of heap items are left out. */
	int (*rename)(void *ctx, enum object_kind kind, const char *name, struct strbuf *out,
		      struct err *e);
	/* Called after the last request, may change the metadata. NULL: they stay. */
	void (*finish)(void *ctx, struct trace_meta *meta);
	void *ctx;
	struct trace_write_options write;
	/* keep the order of the input; otherwise requests are sorted by begin if necessary */
	bool keep_order;
	bool new_seq;		    /* number the requests anew */

	/* results */
	uint64_t n_read, n_written, n_unordered;
	bool sorted;
};

/* Writes the traces t[n], each from its beginning, to `path`, which appears complete or not at all.
 * `meta`: metadata of the new trace. shift_ns[n], or NULL, is added to the times of each trace.
 * Errors: of reading and of the system; EBADMSG; EINVAL if `path` is a
 * device, a pipe or similar. */
int pour(struct pour *p, struct trace *const *t, const int64_t *shift_ns, size_t n,
	 const struct trace_meta *meta, const char *path, struct err *e);

/* Sorts a trace file by begin into `to`, in bounded memory with an unnamed file in the directory of
 * `to`. Requests without a begin stay after the previous request; equal begins keep their order.
 * Errors: as trace_copy. */
int trace_sort(const char *from, const char *to, const struct trace_write_options *o,
	       struct err *e);
