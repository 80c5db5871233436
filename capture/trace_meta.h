/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace's metadata as JSON text and back. Private to capture/. */
#pragma once

#include "capture/trace.h"

/* The metadata and the memory of its strings. */
struct meta_store {
	struct trace_meta meta;
	struct meta_memory *memory;
};

/* Metadata with everything unknown, used if the block is lost. */
static inline void meta_store_init(struct meta_store *m)
{
	*m = (struct meta_store){.meta = {.level = LEVEL_SYSCALL}};
}

void meta_store_release(struct meta_store *m);

/* One JSON object with every field of `meta`; doc/formats/trace.md names the keys. Strings that are
 * not UTF-8 become {"base16": "..."}. Errors: EINVAL if extra_json is not a JSON object. Ownership:
 * the caller frees *text. */
int meta_to_json(const struct trace_meta *meta, char **text, size_t *len, struct err *e);

/* The reverse, for untrusted text: every type and range is checked; unknown keys of later versions
 * are ignored. Replaces `m`, or leaves it unchanged on an error (EINVAL, with the JSON line and
 * key). */
int meta_from_json(struct meta_store *m, const char *text, size_t len, struct err *e);
