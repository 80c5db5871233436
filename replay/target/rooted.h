/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens the paths of a trace without leaving the target directory, and opens only regular files and
 * directories. All engines and all calls that open files use these functions.
 *
 * Paths: absolute paths, "..", and links are resolved as if the target directory were the root
 * (openat2 with RESOLVE_IN_ROOT), as in a container. Links of /proc are not followed. This costs
 * about 0.2 us more than open(2). If openat2 is missing or forbidden, common/confine.h is used,
 * which refuses links instead. Mounts below the directory belong to it. A name that has no slash
 * and is not ".." cannot leave its directory if a link is not followed (O_NOFOLLOW): in this case
 * open(2) is used.
 *
 * Types: the type of a file is checked when it is opened, because a trace can rename, link and
 * replace a file that was checked before. With a clone of the directory that permits no devices
 * (common/confine.h), the kernel refuses devices. Files are opened with O_NONBLOCK, so that no
 * FIFO blocks, and examined afterwards (rooted_settle): fstat, and fcntl to clear O_NONBLOCK. An
 * open has these two further calls, unless its result can only be a new file or a directory.
 * Without the clone, the name is looked up with O_PATH, examined, and opened through its
 * descriptor: four calls.
 *
 * A refused open fails with EPERM and is counted. */
#pragma once

#include <stdatomic.h>

#include "common/confine.h"

struct rooted_refused { /* in memory that all workers share */
	_Atomic uint64_t n; /* calls that were refused */
	_Atomic uint32_t mode; /* type of the first object that was refused (S_IFMT) */
	char path[160]; /* path of this object, truncated if it is longer */
};

struct rooted { /* the target directory */
	int fd;
	/* descriptor of the clone, -1 none; it must stay open in some process, but not in
	 * workers */
	int tree;
	bool no_devices; /* fd is inside such a clone */
	struct rooted_refused *refused; /* borrowed; NULL: not counted */
};

/* Opens the directory. Errors: from the system, with the path. Ownership: rooted_release. */
static inline int rooted_begin(struct rooted *r, const char *dir, struct err *e)
{
	*r = (struct rooted){.tree = -1};
	r->fd = no_devices_open(dir, &r->tree, e);
	r->no_devices = r->tree >= 0;
	return r->fd < 0 ? r->fd : 0;
}
/* fd -1: nothing is open */
static inline void rooted_release(struct rooted *r)
{
	fd_close(r->fd);
	if (r->fd >= 0)
		fd_close(r->tree);
	r->fd = r->tree = -1;
}

/* Returns the flags of an open that are replayed: a trace may have any bits, and openat2 refuses
 * unknown bits. */
static inline uint32_t rooted_flags(uint32_t traced)
{
	const uint32_t known = O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_NONBLOCK |
			       O_SYNC | O_DSYNC | O_DIRECT | O_DIRECTORY | O_NOFOLLOW | O_NOATIME |
			       O_TMPFILE | O_PATH | O_CLOEXEC;
	if (traced & O_PATH)
		return traced & (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return (traced & known) | O_NOCTTY;
}

/* Like openat() from any directory inside the target, with paths resolved as above. Types are not
 * checked. */
int rooted_call(int dir_fd, const char *path, uint32_t flags, uint32_t mode);

/* rooted_open in two parts, so that only the first part is timed. The descriptor must not be used
 * before rooted_settle. rooted_settle returns it, or closes it and returns -1 with errno. */
int rooted_open_timed(const struct rooted *r, const char *path, uint32_t flags, uint32_t mode);
int rooted_settle(const struct rooted *r, int fd, const char *path, uint32_t flags);

/* Returns the descriptor or -1 with errno, as open does; EPERM if the path names neither a file nor
 * a directory. `flags`: from rooted_flags; `mode`: only used if the call may create a file. */
static inline int rooted_open(const struct rooted *r, const char *path, uint32_t flags,
			      uint32_t mode)
{
	return rooted_settle(r, rooted_open_timed(r, path, flags, mode), path, flags);
}

/* Looks up a path from any directory inside the target, without opening the file (adds O_PATH).
 * Returns a descriptor, or -1 with errno, as open does. */
static inline int rooted_look(int dir_fd, const char *path, uint32_t flags)
{
	return rooted_call(dir_fd, path, flags | O_PATH | O_CLOEXEC, 0);
}

/* Refuses a call on an object of this mode: counts it, sets errno to EPERM, returns -1. */
int rooted_refuse(const struct rooted *r, const char *path, uint32_t mode);

/* Like rooted_look, but only if every name of the path is in the kernel's dentry cache: reads
 * nothing from storage and adds nothing to a cache. Errors: EAGAIN if a name is not in the cache,
 * EOPNOTSUPP before Linux 5.12 or if openat2 is forbidden, and those of rooted_look. Source:
 * openat2(2), RESOLVE_CACHED. */
int rooted_look_cached(int dir_fd, const char *path, uint32_t flags);

/* Returns what a path inside the directory names: 1 for a file or directory, 0 if it is missing or
 * not in the dentry cache, -EPERM for a device, FIFO or socket, which a replay never opens. Gives a
 * clear message before the run and does not read metadata from storage. The check at the open
 * decides. */
int rooted_kind(const struct rooted *r, const char *path, struct err *e);
