/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace's metadata as JSON text and back. Private to capture/. */
#pragma once

#include "capture/trace.h"

/* The metadata and the memory that contains their strings. */
struct meta_store {
	struct trace_meta meta;
	struct meta_memory *memory;
};

/* Metadata in which everything is unknown, used if the metadata block is lost. */
static inline void meta_store_init(struct meta_store *m)
{
	*m = (struct meta_store){.meta = {.level = LEVEL_SYSCALL}};
}

void meta_store_release(struct meta_store *m);

/* Writes one JSON object with every field of `meta`; doc/formats/trace.md names the keys. Strings
 * that are not UTF-8 become {"base16": "..."}. Errors: EINVAL: extra_json is not a JSON object.
 * Ownership: the caller frees *text. */
int meta_to_json(const struct trace_meta *meta, char **text, size_t *len, struct err *e);

/* Inverse of meta_to_json, for untrusted text. Every type and range is checked. Unknown keys of
 * later versions are ignored. Replaces `m`; after an error, `m` is unchanged. Errors: EINVAL, with
 * line and key of the JSON text. */
int meta_from_json(struct meta_store *m, const char *text, size_t len, struct err *e);
