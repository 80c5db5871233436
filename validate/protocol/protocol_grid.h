/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists in a section make a grid: each combination of their items is a scenario or a replayer
 * variant. For protocol.c.
 */
#ifndef VALIDATE_PROTOCOL_GRID_H
#define VALIDATE_PROTOCOL_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "common/options.h"
#include "common/strbuf.h"
#include "validate/protocol/ini_file.h"

struct grid_key {
	const struct ini_key *key; /* borrowed */
	char **item;               /* item[n_items] */
	size_t n_items, at;        /* at: the item of the present combination */
};

struct grid {
	const struct ini_section *section; /* borrowed */
	struct grid_key *key;              /* in file order; the last varies fastest */
	size_t n_keys;
};

/* Splits the values of a section, leaving out the keys named in `without` (NULL-terminated).
 * Errors: EINVAL for empty and repeated items, with path and line. */
int grid_make(struct grid *g, const struct ini_section *s, const char *const *without,
	      const char *path, struct err *e);
void grid_release(struct grid *g);
/* Number of combinations, SIZE_MAX when it is larger. */
size_t grid_size(const struct grid *g);
/* Goes to the next combination; false after the last. */
bool grid_next(struct grid *g);
/* The present combination's name: the section's and " key=value" for each key with several items;
 * `but` is left out (NULL: none). */
void grid_name(const struct grid *g, const char *but, struct strbuf *out);

#endif
