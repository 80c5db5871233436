/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A directory below which no device can be opened. The directory's mounts are cloned (open_tree)
 * with the attribute nodev (mount_setattr), and all names are looked up in the clone. The kernel
 * then refuses to open a device node with EACCES, before any driver is called. The clone is private
 * to the holder of its descriptor: no mount table shows it, it needs no mount namespace of the
 * process, and it ends with the descriptor. It contains the mounts below the directory, each with
 * nodev.
 *
 * A short-lived child process, which shares the table of descriptors, makes the clone. Cloning
 * needs CAP_SYS_ADMIN; for an ordinary user the child enters a user namespace, in which it has that
 * capability. The directory keeps its descriptor's number, so that a capture of this process, which
 * saw the directory opened, still knows its path. If neither is permitted (old kernels, some
 * containers), the directory is opened without a clone, and every open must examine the file first
 * (confine.h, replay/target/rooted.h). */
#pragma once

#include "common/std.h"

/* Opens the directory for reading and returns the descriptor. *tree is the clone's descriptor,
 * which must stay open as long as anything below the directory is in use; -1 if no clone is
 * permitted. Errors: of open(2), with the path. Ownership: the caller closes both. Source:
 * open_tree(2), mount_setattr(2). */
int no_devices_open(const char *dir, int *tree, struct err *e);
