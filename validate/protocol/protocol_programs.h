/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by [workload NAME] and [replayer NAME]: keys that are options of a program, and lists that
 * make a grid. `own`: keys of the section that are not options. `reserved`: options that a protocol
 * must not set. Both are NULL-terminated. */
#pragma once

#include "validate/protocol/protocol_grid.h"
#include "validate/protocol/protocol_read.h"

extern const char *const workload_own[];
/* Whether [workload NAME] has only this type, which is not a workload of microbench. */
bool type_is(const struct key_grid *g, const char *type);
/* Checks every item of every list separately, so that the message has the line of the key.
 * `scratch`: a configuration of the program. */
int items_check(const struct protocol_file *f, const struct key_grid *g,
		const struct option_spec *table, void *scratch, const char *const *own,
		const char *const *reserved, struct err *e);
/* Returns the options of the present combination. Ownership: the caller's. */
void settings_take(const struct key_grid *g, const char *const *own, struct setting **option,
		   size_t *n);
/* Sets options of a configuration. Errors: those of options_set(). */
int settings_apply(const struct option_spec *table, void *config, const struct setting *option,
		   size_t n, struct err *e);
const struct grid_key *grid_find(const struct key_grid *g,
				 const char *name); /* NULL: no such key */
/* Returns the item of a key in the present combination; `otherwise` if there is no such key. */
const char *item_now(const struct key_grid *g, const char *name, const char *otherwise);
