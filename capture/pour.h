/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From one trace or several into a new trace file: everything, or what a filter lets through, with
 * objects renamed where wanted. What import and slice stand on. Several traces are merged by the
 * begin of their requests. */
#ifndef CAPTURE_POUR_H
#define CAPTURE_POUR_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"
#include "common/strbuf.h"

struct pour {
	/* Whether the request goes on; it may be changed. NULL: all go on as they are. 1 yes, 0 no,
	 * 2 no and none behind it. */
	int (*filter)(void *ctx, struct trace *t, struct trace_record *r);
	/* Appends the new name of an object, of the second path of a rename or link, of what a
	 * symbolic link points at (OBJECT_PATH), or of an extended attribute (kind 0), to `out`.
	 * NULL: names stay. Where they are changed, what else the heap may hold for an operation
	 * that is not known to keep anything there is left out. */
	int (*rename)(void *ctx, enum object_kind kind, const char *name, struct strbuf *out,
		      struct err *e);
	/* When all are read: changes what is only known then. NULL: the metadata stays as it is. */
	void (*finish)(void *ctx, struct trace_meta *meta);
	void *ctx;
	/* damaged blocks are left out and counted; else they are an error */
	bool skip_damage;
	struct trace_write_options write;
	/* else requests that are not in the order of their begins are sorted */
	bool keep_order;
	bool new_seq;		    /* requests are numbered anew */

	/* what came of it */
	uint64_t n_read, n_written, n_damaged, n_unordered;
	bool sorted;
};

/* Writes the n traces t[] (from their beginnings) to `path`, which appears whole or not at all.
 * `meta` is of the new trace. shift_ns[n] is added to the times of each, or NULL. Errors: of
 * reading and of the system; EBADMSG only without skip_damage; EINVAL where `path` is a device, a
 * pipe or the like. */
int pour(struct pour *p, struct trace *const *t, const int64_t *shift_ns, size_t n,
	 const struct trace_meta *meta, const char *path, struct err *e);

/* Sorts a trace file by begin (requests without one stay behind the one before them; equal ones
 * stay in order) into `to`, with bounded memory: runs in an unnamed file in the directory of `to`,
 * merged. Errors: as trace_copy. */
int trace_sort(const char *from, const char *to, const struct trace_write_options *o,
	       struct err *e);

#endif
