/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What writes write where that is what the traced program wrote (--payload captured): from the file
 * beside the trace (capture/content/content.h), fetched ahead of the requests in issue order, by a
 * fixed horizon, into locked memory. A worker takes its content from there into its buffer, before
 * the first stamp; what is not there yet, because another worker is behind or it is larger than all
 * of the memory, it reads itself. Workers may be of other processes: the memory is shared. */
#ifndef REPLAY_CAPTURED_H
#define REPLAY_CAPTURED_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"

struct captured;

struct captured_summary {
	uint64_t n_requests, n_bytes; /* that have content */
	uint64_t n_late;	      /* read by their worker */
	uint64_t n_locked_bytes;
};

/* The content of the trace at `path`. Errors: of the system; ENOENT where the trace says that
 * nothing was kept; EINVAL where the file beside it is another trace's, or damaged. Ownership:
 * captured_free. */
int captured_open(struct captured **c, const char *path, const struct trace *t, struct err *e);
void captured_free(struct captured *c); /* NULL is fine; stops it */

/* Whether content is kept of the trace's record number `record`; then *number is what captured_take
 * wants. Called in issue order, once for each. */
bool captured_add(struct captured *c, uint64_t record, uint64_t *number);

/* Fetches what fits into `memory_bytes` and goes on beside the requests. Errors: ENOMEM; of the
 * content, as captured_stop. */
int captured_start(struct captured *c, uint64_t memory_bytes, struct err *e);
/* What workers take it by (captured_take.h), once it has started. Borrowed. */
struct captured_reader;
const struct captured_reader *captured_reader(const struct captured *c);
/* For another program's workers: descriptors of the file and of the shared memory, borrowed, -1
 * where there is nothing to take; NULL is fine. */
void captured_descriptors(const struct captured *c, int *content_fd, int *memory_fd);
/* Errors: of the system, or EIO, where some content could not be read: what was written instead is
 * anything. */
int captured_stop(struct captured *c, struct captured_summary *s, struct err *e);

#endif
