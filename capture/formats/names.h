/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of constants as tools print them (O_RDONLY, ENOENT, SEEK_SET, ...), and their values on
 * Linux. */
#pragma once

#include "common/std.h"

#define NAME_SLOTS 1024u

/* A hash table that is filled once. Names are borrowed. */
struct name_table {
	struct name_slot {
		const char *name;
		size_t len;
		int64_t value;
	} slot[NAME_SLOTS];
};

/* Adds a name, or finds its value. False: the name is unknown. */
void name_table_add(struct name_table *t, const char *name, int64_t value);
bool name_table_find(const struct name_table *t, const char *s, size_t len, int64_t *value);

/* Adds the names of errors, and of the flags of open, fcntl, the *at calls, mmap, fallocate and
 * others. */
void name_table_add_constants(struct name_table *t);

/* Evaluates "A|B|0x10", "0" or "07". Unknown names count as 0 and set *all to false. */
uint64_t names_or(const struct name_table *t, const char *s, size_t len, bool *all);
