/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists in a section make a grid: each combination of items is a scenario or a replayer variant.
 * Private to validate/protocol/. */
#pragma once

#include "common/options.h"
#include "common/words.h"
#include "validate/protocol/ini_file.h"

struct grid_key {
	const struct ini_key *key; /* borrowed */
	struct words_list item;
	size_t at; /* index of the present combination's item */
};

struct key_grid {
	const struct ini_section *section; /* borrowed */
	struct grid_key *key;              /* keys in file order; the last key varies fastest */
	size_t n_keys;
};

/* Splits the values of a section, without the keys in `without` (NULL-terminated). Errors: EINVAL
 * for empty and repeated items, with path and line. */
int grid_make(struct key_grid *g, const struct ini_section *s, const char *const *without,
	      const char *path, struct err *e);
void grid_release(struct key_grid *g);
/* Returns the number of combinations; SIZE_MAX on overflow. */
size_t grid_size(const struct key_grid *g);
/* Moves to the next combination; returns false after the last. */
bool grid_next(struct key_grid *g);
/* Appends the name of the current combination: the section's name and " key=value" for each key
 * with several items except `but` (NULL: none). */
void grid_name(const struct key_grid *g, const char *but, struct strbuf *out);
