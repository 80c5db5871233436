/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiled programs that are kept, so that a trace which is replayed many times is compiled once. Each is known by a digest of
 * everything that it is made from (source.h). The directory is the user's own and closed to others: who could put a program
 * there could have it run. */
#ifndef REPLAY_STORE_H
#define REPLAY_STORE_H

#include <stdint.h>

#include "common/err.h"

#define STORE_MAX_BYTES (UINT64_C(2) << 30) /* what is kept in all; those used longest ago go first, and nothing else goes */

/* Where programs are kept: `wanted`, or else validate/programs in $XDG_CACHE_HOME or ~/.cache. Made where it is missing. Errors: EPERM for one
 * that belongs to somebody else or that others may use; ENOENT where none is named; of the system. The caller frees. */
int store_find(const char *wanted, char **dir, struct err *e);

/* A descriptor of the kept program, -1 where there is none that can be trusted. */
int store_open(const char *dir, const char *key);

/* A directory to make one in: makes room, and removes what others left who were stopped. `*lock` is held as long as it is used: to be
 * closed afterwards. NULL with the error. The caller frees. */
char *store_workshop(const char *dir, int *lock, struct err *e);

/* Keeps WORKSHOP/program as `key`, and returns its descriptor, or a negative errno. */
int store_keep(const char *dir, const char *workshop, const char *key, struct err *e);

#endif
