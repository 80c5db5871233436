/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits a trace into several files, PATH.000, PATH.001 ...: parts of a long capture. */
#pragma once

#include "capture/trace.h"

struct trace_parts { /* size of a part: one member is set, the other is 0 */
	uint64_t bytes; /* bytes of requests and their heap items, before compression */
	/* ns, counted from the start of the first request; a part without requests is omitted */
	int64_t ns;
};

/* Parses a size ("64M") or a duration ("1h"). Errors: EINVAL for other text; ERANGE below 64 KiB or
 * 1 ms. */
int trace_parts_parse(struct trace_parts *p, const char *text, struct err *e);

/* Replaces the trace file PATH by its parts. Each part has all metadata, object names, the number
 * of lost events, and the fact `part` {"of": PATH's last component, "index": number}; only the
 * first part has the list of files. *n: number of parts. Existing files are replaced. Errors: of
 * reading and writing; then PATH and the complete parts remain. */
int trace_split(const char *path, const struct trace_parts *p, bool compress, uint32_t *n,
		struct err *e);

/* The file name of a part. The caller frees it. */
char *trace_part_name(const char *path, uint32_t index);
/* Index of a part, from its extra metadata. -1: the trace is not a part. */
int64_t trace_part_index(const struct trace_meta *meta);
