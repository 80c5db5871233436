/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a captured trace says beside its requests, as its extra metadata (doc/formats/trace.md).
 * Private to capture/. */
#ifndef CAPTURE_APP_FACTS_H
#define CAPTURE_APP_FACTS_H

#include <jansson.h>

#include "capture/app/app_memory.h"
#include "capture/app/app_private.h"

enum { DESCRIPTORS_MAX = 65536 };

/* A row of the table of descriptors that a program had before anything was seen of it, from the
 * record LOG_FD. `full` is its absolute path, or what the kernel calls it where it is no file;
 * `name` what the trace calls it. */
void facts_descriptor_add(json_t *table, uint32_t pid, const struct log_record *r, const char *full,
			  const char *name);

/* The threads that were kept on some processors; NULL where nothing is known of any. New reference.
 */
json_t *facts_affinity(const struct spool *s);

/* The whole. The lists (NULL: none) are borrowed. Times of samples relative to `epoch_ns`. The
 * caller frees. */
char *facts_text(const struct app_config *c, const struct app_outcome *o, const json_t *descriptors,
		 const json_t *processes, const json_t *affinity, const struct app_memory *m,
		 int64_t epoch_ns);

#endif
