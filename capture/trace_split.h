/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace in several files, PATH.000, PATH.001 ...: the parts of a long capture. */
#ifndef CAPTURE_TRACE_SPLIT_H
#define CAPTURE_TRACE_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"

struct trace_parts { /* how large a part is: one of both, the other 0 */
	uint64_t bytes; /* of requests and of what belongs to them, before compression */
	/* from the first request's begin on; a part without a request is left out */
	int64_t ns;
};

/* "64M" is a size, "1h" a duration. Errors: EINVAL for text that is neither; ERANGE below 64 KiB or
 * 1 ms. */
int trace_parts_parse(struct trace_parts *p, const char *text, struct err *e);

/* Replaces the trace file PATH by its parts. Each part has the whole metadata, names of objects,
 * the number of lost events, and a fact `part` {"of": PATH's last component, "index": number}; the
 * list of files is in the first only. *n: number of parts. A part that is there already is
 * replaced. Errors: of reading, of writing; PATH then stays, and so do whole parts. */
int trace_split(const char *path, const struct trace_parts *p, bool compress, uint32_t *n,
		struct err *e);

/* The name of a part; the caller frees. */
char *trace_part_name(const char *path, uint32_t index);
/* The number of the part that a trace is, by its extra metadata; -1: it is none. */
int64_t trace_part_index(const struct trace_meta *meta);

#endif
