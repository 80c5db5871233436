/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to the fileset's files in capture/. */
#pragma once

#include "capture/fileset/fileset.h"

/* The content key of entry i: from its digest if known, otherwise from its path. */
uint64_t content_key_of(const struct fileset *s, size_t i, uint64_t seed);
void content_make(uint64_t key, uint64_t offset, void *to, size_t len);

/* Whether the file has the content of entry i's digest. False also if no digest is known, or if the
 * file cannot be read. */
bool digest_matches(const struct fileset *s, size_t i, int fd);

/* n[s->n]: for the first name of each file, the number of names in the set that are now names of
 * that file on disk, at least 1. `first` is from fileset_first_names. Ownership: the caller frees
 * it. */
uint32_t *names_there(const struct fileset *s, const uint32_t *first, int dir_fd);
/* Makes `path` a hard link to the file `first`. Returns 1 if it was created, 0 if it already
 * existed. Errors: EPERM: `path` is not a regular file; of the system. */
int name_make(int dir_fd, const char *first, const char *path, struct err *e);

/* Opens a regular file of the set. Other types are refused before they are opened: opening a FIFO
 * may block, and opening a device may have effects. Returns a descriptor or a negative errno; EPERM
 * for a refusal. */
int fileset_open_file(int dir_fd, const char *path, int flags, struct err *e);
