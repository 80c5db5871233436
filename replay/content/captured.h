/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The captured content of writes (--payload captured). A thread reads the content from the file
 * beside the trace (capture/content/content.h) ahead of the requests, in issue order, into locked
 * memory of limited size. A worker copies its content into its buffer before the first stamp. If
 * the content is not in memory yet, because another worker is behind or it is larger than the
 * memory, the worker reads it itself. Workers may belong to other processes: the memory is
 * shared. */
#pragma once

#include "capture/trace.h"

struct captured;

struct captured_summary {
	uint64_t n_requests, n_bytes; /* with captured content */
	uint64_t n_missing; /* requests whose content was not captured: other data were written */
	uint64_t n_late;	      /* requests whose worker read the content itself */
	uint64_t n_locked_bytes;
};

/* Opens the content of the trace at `path`. Errors: from the system; ENOENT if the trace has no
 * content; EINVAL if the content file belongs to another trace or is damaged. Ownership:
 * captured_free. */
int captured_open(struct captured **c, const char *path, const struct trace *t, struct err *e);
void captured_free(struct captured *c); /* also ends the reading thread */
/* Whether the trace has content for record number `record`; if so, *number is the argument of
 * captured_take. Call it once for each request, in issue order. */
bool captured_add(struct captured *c, uint64_t record, uint64_t *number);
/* Reads content into locked memory, at most `memory_bytes`, and starts the reading thread. Errors:
 * ENOMEM; those of captured_stop. */
int captured_start(struct captured *c, uint64_t memory_bytes, struct err *e);
struct captured_reader;
/* The part for workers (captured_take.h), after captured_start. Borrowed. */
const struct captured_reader *captured_reader(const struct captured *c);
/* Returns the descriptors of the content file and of the shared memory, for workers of another
 * program. They are borrowed, and -1 if there is no content. `c` may be NULL. */
void captured_descriptors(const struct captured *c, int *content_fd, int *memory_fd);
/* Ends the reading thread. Errors: from the system, or EIO, if some content could not be read. In
 * this case arbitrary bytes were written instead. */
int captured_stop(struct captured *c, struct captured_summary *s, struct err *e);
