/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens files only below a directory. Paths come from files of others, which are untrusted: a path
 * must be relative and must not contain "..", and no symbolic link in the path is followed.
 * openat2(2) does this in one step (RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS). If openat2 is missing
 * (before Linux 5.6) or forbidden in a container, the path is opened component by component. */
#pragma once

#include "common/std.h"

/* Checks the text of a path. Errors: EINVAL, with the path: it is empty or absolute, or contains
 * "..". */
int confined_path_check(const char *path, struct err *e);

/* As open(2) below dir_fd, but only for regular files and directories. The file is inspected
 * (O_PATH) before it is opened, so that no FIFO blocks and no device driver is called, even if the
 * file is replaced meanwhile. O_CLOEXEC, O_NOFOLLOW and O_NOCTTY are added. `mode` applies only
 * with O_CREAT. Returns a descriptor or a negative errno; EPERM if a link, device, FIFO or socket
 * was found. */
int confined_open(int dir_fd, const char *path, int flags, mode_t mode, struct err *e);

/* Whether an open with these flags can only give a directory, a new file, or a descriptor without
 * read and write access. Before any other open, the file must be inspected. */
static inline bool confined_harmless(int flags)
{
	return flags & (O_PATH | O_DIRECTORY) || (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
}

/* Opens the file behind the O_PATH descriptor `name`, and closes `name`. Returns a descriptor, or
 * -1 with errno: ELOOP for a link; EPERM for a device, FIFO or socket. *refused: its type (S_IFMT)
 * after EPERM, otherwise 0. Needs /proc. */
int confined_open_found(int name, int flags, mode_t *refused);
/* Text for a file type that is never opened, such as "a block device". */
const char *confined_kind_name(mode_t mode);

/* Opens the directory that contains the last component of `path` (O_PATH), for the ...at() calls.
 * *name points to this component in `path`. With `create`, missing directories are created (mode
 * 0777 minus the umask). */
int confined_parent(int dir_fd, const char *path, bool create, const char **name, struct err *e);

/* --- a directory without devices ----------------------------------------- */

/* A directory below which no device can be opened. The directory's mounts are cloned (open_tree)
 * with the attribute nodev (mount_setattr), and all names are looked up in the clone. The kernel
 * then refuses to open a device node with EACCES, before any driver is called. The clone is private
 * to the holder of its descriptor: no mount table shows it, the process needs no mount namespace,
 * and the clone disappears when the descriptor is closed. It contains the mounts below the
 * directory, each with nodev.
 *
 * A short-lived child process, which shares the table of descriptors, makes the clone. Cloning
 * needs CAP_SYS_ADMIN; for an ordinary user the child enters a user namespace, in which it has that
 * capability. The descriptor of the directory keeps its number. So a capture of this process, which
 * recorded the open of the directory, still knows the path. If neither is permitted (old kernels,
 * some containers), the directory is opened without a clone, and every open must examine the file
 * first (replay/target/rooted.h). */

/* Opens the directory for reading and returns the descriptor. *tree is the clone's descriptor,
 * which must stay open as long as anything below the directory is in use; -1 if no clone is
 * permitted. Errors: of open(2), with the path. Ownership: the caller closes both. Source:
 * open_tree(2), mount_setattr(2). */
int no_devices_open(const char *dir, int *tree, struct err *e);
