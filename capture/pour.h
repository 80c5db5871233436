/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies one or several traces into a new trace file. A filter may select requests, and objects may
 * be renamed. Import and slice use it. Several traces are merged by the start of their requests. */
#pragma once

#include "capture/trace.h"

struct pour {
	/* Decides whether to copy a request, and may change the request. Returns 1: copy; 0: omit;
	 * 2: omit, and end here. NULL: copies all requests unchanged. */
	int (*filter)(void *ctx, struct trace *t, struct trace_record *r);
	/* Appends the new name to `out`. The name is that of an object, of the second path of a
	 * rename or link, of a symbolic link's target (OBJECT_PATH), or of an extended attribute
	 * (kind 0). NULL: names do not change. If names change, heap items of unknown kinds are
	 * omitted. */
	int (*rename)(void *ctx, enum object_kind kind, const char *name, struct strbuf *out,
		      struct err *e);
	/* Called after the last request; may change the metadata. NULL: the metadata do not
	 * change. */
	void (*finish)(void *ctx, struct trace_meta *meta);
	void *ctx;
	struct trace_write_options write;
	/* keep the order of the input; otherwise, sort requests by start if necessary */
	bool keep_order;
	bool new_seq;		    /* renumber the requests */

	/* results */
	uint64_t n_read, n_written, n_unordered;
	bool sorted;
};

/* Writes the traces t[n], each from its beginning, to `path`, which appears when it is complete.
 * `meta`: metadata of the new trace. shift_ns[n] is added to the times of each trace; NULL: no
 * shift. Errors: of reading and of the system; EBADMSG; EINVAL if `path` is a device, a pipe or
 * similar. */
int pour_traces(struct pour *p, struct trace *const *t, const int64_t *shift_ns, size_t n,
		const struct trace_meta *meta, const char *path, struct err *e);

/* Sorts a trace file by start into `to`. Uses bounded memory and an unnamed file in the directory
 * of `to`. A request without a start remains after the request that precedes it. Requests with
 * equal starts keep their order. Errors: as trace_copy. */
int trace_sort(const char *from, const char *to, const struct trace_write_options *o,
	       struct err *e);
