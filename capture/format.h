/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats a trace can be read from and written to: one file and one row each. */
#ifndef CAPTURE_FORMAT_H
#define CAPTURE_FORMAT_H

#include <stddef.h>

#include "capture/trace.h"
#include "common/err.h"

struct trace_format {
	const char *name, *help;
	/* How sure the format is, from the file's first bytes (up to FORMAT_HEAD_BYTES), that the file is its own: 0 not at
	 * all, 100 certain (a magic number), 50 for text that looks right. `path` may tip the balance by its ending. */
	int (*bid)(const unsigned char *head, size_t len, const char *path);
	int (*open)(struct trace **t, const char *path, struct err *e); /* as trace_open */
	/* Writes all of `t`, from its beginning, to PATH ("-": standard output, where the format is text). NULL: only read. */
	int (*write)(struct trace *t, const char *path, struct err *e);
};
#define FORMAT_HEAD_BYTES 4096u

extern const struct trace_format *const trace_formats[]; /* NULL-terminated */
const struct trace_format *format_find(const char *name);

/* Opens as one format, whatever the first bytes look like. trace_open() asks all of them. */
int trace_open_as(struct trace **t, const struct trace_format *f, const char *path, struct err *e);

/* The format that `t` is read by. */
const struct trace_format *trace_format_of(const struct trace *t);

/* Writes `t` as a trace file of our own: the same records, objects, heap and metadata. Damaged blocks of the input are an
 * error (trace_copy_with: options, as compression). */
int trace_copy(struct trace *t, const char *path, struct err *e);
int trace_copy_with(struct trace *t, const char *path, const struct trace_write_options *o, struct err *e);

/* Writes all of `t` as CSV (doc/formats/csv.md); "-" is standard output. The file appears whole or not at all.
 * Errors: EBADMSG: damaged blocks of the input were left out, everything else is written. */
int trace_export_csv(struct trace *t, const char *path, struct err *e);

extern const struct trace_format format_trace, format_csv;

#endif
