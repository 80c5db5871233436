/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The set of files that a workload or a trace needs. Creates them, restores them by overwriting in
 * place, evicts them from the page cache, and verifies the eviction. Paths are relative to a
 * directory and cannot leave it (openat2 with RESOLVE_BENEATH, no links). */
#pragma once

#include "capture/file_list.h"
#include "common/residency.h"
#include "common/u64_map.h"

/* Index of the first entry that is a name of the same file as entry i. `known`: an empty map before
 * entry 0. Call it for the entries in their order. */
static inline uint32_t fileset_first_name(const struct fileset *s, struct u64_map *known,
					  uint32_t i)
{
	const uint32_t number = s->detail ? s->detail[i].same_file : 0;
	return number ? *u64_map_at(known, number, i) : i;
}

/* first[n]: for each entry, the index of the first entry that is a name of the same file (its own
 * index if there is no other). Ownership: the caller frees it. */
uint32_t *fileset_first_names(const struct fileset *s);

/* The state of each file after a restore, kept between restores. A file is unchanged only if
 * device, inode, size, blocks, mtime and ctime are equal. Programs cannot set ctime, and a restore
 * returns only after the kernel's clock of file times has passed the recorded times. So a later
 * change cannot have the same time. */
struct fileset_stamp {
	uint64_t key; /* identifies the content: from seed and path. 0: unknown */
	uint64_t device, inode, size, blocks;
	int64_t mtime_ns, ctime_ns;
};

struct fileset_state {
	struct fileset_stamp *stamp; /* stamp[n], of each entry */
	size_t n;
	uint64_t n_files_written, n_bytes_written; /* by the last restore */
};
#define FILESET_STATE_INIT { NULL, 0, 0, 0 }
void fileset_state_release(struct fileset_state *state);

struct payload; /* common/payload.h */

/* Makes DIR contain the set. Missing directories and files are created. The content is
 * incompressible and depends on `seed`, path and offset only. A file is written if it is missing,
 * if it has changed since the last restore, or with `rewrite`. Files are overwritten in place and
 * never truncated below their size, so that they keep their blocks. (A longer file is cut to its
 * size, and a file with holes is written completely.) Written files are fsynced. Other files in DIR
 * remain. Known permissions are set, always with read and write permission for the owner. Symbolic
 * links are created if their name is free, with any target, because no function here follows them.
 * Holes are filled, because reads must come from storage, unless a file has more than
 * FILESET_HOLES_FILLED bytes of holes. Names of one file become hard links; a
 * different file with such a name is removed. If the digest of a file's content is known, a file
 * with that content remains, so a copy of the original can be used. Generated content then depends
 * on `seed`, digest and offset, so equal files remain equal.
 *
 * `payload` generates the content, by the file's key (payload_make); NULL: the content is as
 * described above. `state` has the results of the previous restore and is updated; if it is empty
 * or NULL, every file is written. Errors: ENOSPC in advance if the file system reports too little
 * space, or later; others of the system, with the path; EPERM for refused files (a link, device,
 * FIFO or directory in place of a file, or a file with a name outside the set); EINVAL for paths
 * that leave DIR. */
int fileset_restore(const struct fileset *s, int dir_fd, uint64_t seed, bool rewrite,
		    const struct payload *payload, struct fileset_state *state, struct err *e);

/* Asks the kernel to drop the cached pages of the set (fsync, posix_fadvise DONTNEED per file).
 * Needs no privilege. */
int fileset_evict(const struct fileset *s, int dir_fd, struct err *e);
/* Drops all caches of the machine (caches_drop). Repeats this up to four times while a name of the
 * set is still in the dentry cache: the kernel skips dentries that are in use, and file systems
 * that are locked at this moment. Errors: as caches_drop(). */
int fileset_drop(const struct fileset *s, int dir_fd, struct err *e);
/* Reads every file once, to fill the page cache as far as memory (or the cgroup) allows. */
int fileset_warm(const struct fileset *s, int dir_fd, struct err *e);

/* Counts the bytes of all files of the set that are in the page cache. Errors: of the system. */
int fileset_residency(const struct fileset *s, int dir_fd, struct fileset_residency *r,
		      struct err *e);

/* Removes the files and directories of the set and nothing else. Non-empty directories remain. If a
 * name of the set is not a file (a link, a device), it remains, and the function returns EPERM
 * after it has removed the rest. */
int fileset_remove(const struct fileset *s, int dir_fd, struct err *e);

/* Removes everything below the directory `top` that is not in the set, such as files of a run.
 * `is_ours` states for a name (without directory) whether the workload creates such a file. If any
 * other file, a link or another file system is found, nothing is removed. `top` NULL: does nothing.
 * `look_only`: removes nothing; files that are not in the set are the error EEXIST. Errors: EPERM
 * with the path; of the system. */
int fileset_clear(const struct fileset *s, int dir_fd, const char *top,
		  bool (*is_ours)(const char *name), bool look_only, struct err *e);
