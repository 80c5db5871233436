/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the extra metadata of a captured trace (doc/formats/trace.md). Private to capture/. */
#pragma once

#include <jansson.h>

#include "capture/app/app_private.h"

enum { DESCRIPTORS_MAX = 65536 };

/* Adds an initial descriptor of a program from the record LOG_FD. `full`: its absolute path, or the
 * kernel's name if it is not a file; `name`: its name in the trace. */
void facts_descriptor_add(json_t *table, uint32_t pid, const struct log_record *r, const char *full,
			  const char *name);

/* Returns the threads that are restricted to some CPUs, or NULL if no affinity is known. New
 * reference. */
json_t *facts_affinity(const struct spool *s);

/* Makes the text of all metadata. The lists (NULL: none) are borrowed. Times of samples are
 * relative to `epoch_ns`. The caller frees the text. */
char *facts_text(const struct app_config *c, const struct app_outcome *o, const json_t *descriptors,
		 const json_t *processes, const json_t *threads, const json_t *affinity,
		 const struct app_memory *m, int64_t epoch_ns);
