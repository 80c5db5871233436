/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files a workload or a trace needs, and their state: creating, restoring by overwriting in
 * place, evicting from the page cache, and verifying by residency that it worked. Paths are
 * relative to a directory and are never followed out of it (openat2 with RESOLVE_BENEATH, no links
 * made). */
#ifndef CAPTURE_FILESET_H
#define CAPTURE_FILESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/residency.h"

struct fileset_hole { /* bytes of a file that no block is given to */
	uint64_t offset, length;
};

struct fileset_entry {
	const char *path; /* relative, no "..", owned by whoever made the set */
	uint64_t size;	  /* bytes */
	bool directory;
};

enum { FILESET_DIGEST = 32 };

struct fileset_detail { /* of an entry, as it was found where the set was taken from */
	uint32_t mode;	  /* permissions; 0: not known */
	const char *link; /* a symbolic link: what it points at; else NULL */
	const struct fileset_hole *hole; /* hole[n_holes], ascending */
	size_t n_holes;
	bool holes_cut;	/* there are more of them */
	bool has_digest;
	uint8_t digest[FILESET_DIGEST]; /* SHA-256 of the content */
};

struct fileset {
	struct fileset_entry *entry; /* entry[n] */
	size_t n;
	struct fileset_detail *detail; /* detail[n], or NULL: nothing more is known */
};

/* What the link that entry i is points at, or NULL. */
static inline const char *fileset_link(const struct fileset *s, size_t i)
{
	return s->detail ? s->detail[i].link : NULL;
}

/* What each file looked like just after it was restored; kept by whoever restores again and again.
 * A file counts as unchanged only when device, inode, size, blocks, mtime and ctime are what they
 * were. A ctime cannot be set by a program, and a restore does not return before the kernel's file
 * time has moved on from what it noted: no later change can hide in the same tick. */
struct fileset_stamp {
	uint64_t key; /* of the content: seed and path. 0: nothing known */
	uint64_t device, inode, size, blocks;
	int64_t mtime_ns, ctime_ns;
};

struct fileset_state {
	struct fileset_stamp *stamp; /* stamp[n], entry by entry */
	size_t n;
	uint64_t n_files_written, n_bytes_written; /* by the last restore */
};
#define FILESET_STATE_INIT { NULL, 0, 0, 0 }
void fileset_state_release(struct fileset_state *state);

/* Makes DIR hold the set: missing directories and files are created, content (seeded,
 * incompressible: a function of `seed`, path and offset) is written where it is missing, was
 * changed since the last restore, or `rewrite` says so; files are overwritten in place, never
 * truncated below their size, so that their blocks stay where they are (a longer one is cut to its
 * size, one with holes is written whole). fsyncs what it wrote. Files of DIR that are not of the
 * set are left alone. Permissions are set where they are known (and always so that the owner can
 * read and write), symbolic links made where nothing has their name, whatever they point at:
 * nothing here follows them. Holes are filled: what is read must come from storage. Where the
 * digest of a file's content is known, a file of that content is left as it is (a copy of what the
 * trace was taken from serves), and the content that is written otherwise is a function of `seed`,
 * digest and offset: files that were equal are equal again.
 *
 * `state` says what was restored before and is brought up to date; empty or NULL, every file is
 * written. Errors: ENOSPC before anything is written where the file system tells that the set does
 * not fit, and later where it told wrong; the others of the system, with the path; refusals (a
 * link, a device, a FIFO, a directory in the way, a file that has a second name and may be somebody
 * else's) as EPERM; EINVAL for paths that leave DIR. */
int fileset_restore_with(const struct fileset *s, int dir_fd, uint64_t seed, bool rewrite,
			 struct fileset_state *state, struct err *e);
/* The same without memory of earlier restores. */
int fileset_restore(const struct fileset *s, int dir_fd, uint64_t seed, bool rewrite,
		    struct err *e);

struct payload; /* common/payload.h */
/* The same, but content is made by payload_make, of the file's key, and every file is written.
 * `payload` NULL: as fileset_restore. */
int fileset_restore_payload(const struct fileset *s, int dir_fd, uint64_t seed,
			    const struct payload *payload, struct err *e);

/* The bytes [offset, offset + len) of the content restored to `path`: for checking, and for whoever
 * writes the like. */
void fileset_content(uint64_t seed, const char *path, uint64_t offset, void *to, size_t len);

/* Asks the kernel to drop the set's cached pages (fsync, posix_fadvise DONTNEED per file). Needs no
 * privilege. */
int fileset_evict(const struct fileset *s, int dir_fd, struct err *e);
/* Reads every file once, so that it is cached as far as memory (or the cgroup) allows. */
int fileset_warm(const struct fileset *s, int dir_fd, struct err *e);

int fileset_residency(const struct fileset *s, int dir_fd, struct fileset_residency *r,
		      struct err *e);

/* Removes exactly the files and directories of the set, nothing else; a directory that is not empty
 * stays. What has the name of a file and is none (a link, a device) stays too, and is an error
 * (EPERM) after the rest is removed. */
int fileset_remove(const struct fileset *s, int dir_fd, struct err *e);

/* Removes everything below the directory `top` that is not of the set: what a run made beside it.
 * `is_ours` says whether a name (without its directory) is one that the workload gives; where
 * anything else is found, a link or another file system among it, nothing is removed. No `top`:
 * nothing to do. `look_only`: anything that is not of the set is an error, EEXIST. Errors: EPERM
 * with the path; of the system. */
int fileset_clear(const struct fileset *s, int dir_fd, const char *top,
		  bool (*is_ours)(const char *name), bool look_only, struct err *e);

#endif
