/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files a workload or a trace needs, and their state: creating, restoring by overwriting in place, evicting from the
 * page cache, and verifying by residency that it worked. Paths are relative to a directory and are never followed out
 * of it (openat2 with RESOLVE_BENEATH, no links made). */
#ifndef CAPTURE_FILESET_H
#define CAPTURE_FILESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct fileset_entry {
	const char *path; /* relative, no "..", owned by whoever made the set */
	uint64_t size;	  /* bytes */
	bool directory;
};

struct fileset {
	struct fileset_entry *entry; /* entry[n] */
	size_t n;
};

/* Makes DIR hold the set: missing directories and files are created, content (seeded, incompressible: a function of
 * `seed`, path and offset) is written where it is missing, was changed since the last restore, or `rewrite` says so; files are
 * overwritten in place, never truncated below their size, so that their blocks stay where they are. fsyncs what it wrote.
 * Errors: ENOSPC and the others of the system, with the path; EEXIST-like refusals (a link, a device in the way) as EPERM. */
int fileset_restore(const struct fileset *s, int dir_fd, uint64_t seed, bool rewrite, struct err *e);

/* Asks the kernel to drop the set's cached pages (fsync, posix_fadvise DONTNEED per file). Needs no privilege. */
int fileset_evict(const struct fileset *s, int dir_fd, struct err *e);
/* Reads every file once, so that it is cached as far as memory (or the cgroup) allows. */
int fileset_warm(const struct fileset *s, int dir_fd, struct err *e);

struct fileset_residency {
	uint64_t total_bytes, cached_bytes, dirty_bytes; /* dirty only where cachestat(2) exists, else 0 */
	bool by_cachestat;				  /* otherwise mincore(2) */
};
int fileset_residency(const struct fileset *s, int dir_fd, struct fileset_residency *r, struct err *e);

/* Removes exactly the files and directories of the set, nothing else; a directory that is not empty stays. */
int fileset_remove(const struct fileset *s, int dir_fd, struct err *e);

#endif
