/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a workload or a trace needs: creates them, restores them by overwriting in place,
 * evicts them from the page cache, and verifies that by residency. Paths are relative to a
 * directory and never leave it (openat2 with RESOLVE_BENEATH, no links). */
#pragma once

#include "common/residency.h"
#include "common/u64_map.h"

struct fileset_hole { /* a range of a file without blocks */
	uint64_t offset, length;
};

struct fileset_entry {
	const char *path; /* relative, no "..", owned by the creator of the set */
	uint64_t size;	  /* bytes */
	bool directory;
};

enum { FILESET_DIGEST = 32 };

struct fileset_detail { /* further attributes of an entry in the original */
	uint32_t mode;	  /* permissions; 0: unknown */
	const char *link; /* target of a symbolic link; otherwise NULL */
	const struct fileset_hole *hole; /* hole[n_holes], ascending */
	size_t n_holes;
	bool holes_cut;	/* there are more holes */
	bool has_digest;
	uint8_t digest[FILESET_DIGEST]; /* SHA-256 of the content */
	/* entries with the same number are names of one file (hard links); 0: no other name known.
	 * The state of the first of them counts */
	uint32_t same_file;
};

struct fileset {
	struct fileset_entry *entry; /* entry[n] */
	size_t n;
	struct fileset_detail *detail; /* detail[n], or NULL: unknown */
};

/* The target of entry i if it is a link, otherwise NULL. */
static inline const char *fileset_link(const struct fileset *s, size_t i)
{
	return s->detail ? s->detail[i].link : NULL;
}

/* The index of the first entry that is a name of the same file as entry i. `known`: an empty map
 * before entry 0; the entries are asked for in their order. */
static inline uint32_t fileset_first_name(const struct fileset *s, struct u64_map *known,
					  uint32_t i)
{
	const uint32_t number = s->detail ? s->detail[i].same_file : 0;
	return number ? *u64_map_at(known, number, i) : i;
}

/* first[n]: for each entry, the index of the first entry that is a name of the same file; its own
 * index if there is none. Ownership: the caller frees it. */
uint32_t *fileset_first_names(const struct fileset *s);

/* The state of each file after a restore, kept between restores. A file is unchanged only if
 * device, inode, size, blocks, mtime and ctime are equal. Programs cannot set ctime, and a restore
 * does not return before the kernel's file time has passed the recorded times: a later change
 * cannot have the same time. */
struct fileset_stamp {
	uint64_t key; /* of the content: seed and path. 0: unknown */
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

/* Makes DIR contain the set. Missing directories and files are created. Content is a function of
 * `seed`, path and offset, and incompressible. It is written if it is missing, if the file has
 * changed since the last restore, or with `rewrite`. Files are overwritten in place and never
 * truncated below their size, so that their blocks stay (a longer file is cut to its size, a file
 * with holes is written completely). Written files are fsynced. Other files in DIR stay. Known
 * permissions are set, always with read and write permission for the owner. Symbolic links are
 * created if their name is free, with any target: nothing here follows them. Holes are filled,
 * because reads must come from storage. Names of one file become hard links: a file that has one of
 * these names and is another file is removed. If the digest of a file's content is known, a file
 * with that content stays (a copy of the original can be used), and generated content is a function
 * of `seed`, digest and offset: equal files stay equal.
 *
 * `payload` generates the content, by the file's key (payload_make); NULL: the content above.
 * `state` has the results of the previous restore and is updated; if it is empty or NULL, every
 * file is written. Errors: ENOSPC in advance if the file system reports too little space, or later;
 * others of the system, with the path; EPERM for refused files (a link, device, FIFO or directory
 * in place of a file, or a file with a name outside the set); EINVAL for paths that leave DIR. */
int fileset_restore(const struct fileset *s, int dir_fd, uint64_t seed, bool rewrite,
		    const struct payload *payload, struct fileset_state *state, struct err *e);

/* Generates the bytes [offset, offset + len) of the content of `path`. */
void fileset_content(uint64_t seed, const char *path, uint64_t offset, void *to, size_t len);

/* Asks the kernel to drop the cached pages of the set (fsync, posix_fadvise DONTNEED per file).
 * Needs no privilege. */
int fileset_evict(const struct fileset *s, int dir_fd, struct err *e);
/* Reads every file once, to cache as much as memory (or the cgroup) allows. */
int fileset_warm(const struct fileset *s, int dir_fd, struct err *e);

int fileset_residency(const struct fileset *s, int dir_fd, struct fileset_residency *r,
		      struct err *e);

/* Removes the files and directories of the set and nothing else; non-empty directories stay. A name
 * of the set that is not a file (a link, a device) stays, too, and is an error (EPERM) after the
 * rest is removed. */
int fileset_remove(const struct fileset *s, int dir_fd, struct err *e);

/* Removes everything below the directory `top` that is not in the set, such as files of a run.
 * `is_ours` tells by the name (without directory) whether the workload creates it. If another file
 * is found, or a link, or another file system, nothing is removed. Without `top` nothing happens.
 * `look_only`: files that are not in the set are the error EEXIST. Errors: EPERM with the path; of
 * the system. */
int fileset_clear(const struct fileset *s, int dir_fd, const char *top,
		  bool (*is_ours)(const char *name), bool look_only, struct err *e);
