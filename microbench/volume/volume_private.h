/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What volume.c, volume_create.c and volume_remove.c share. */
#ifndef MICROBENCH_VOLUME_VOLUME_PRIVATE_H
#define MICROBENCH_VOLUME_VOLUME_PRIVATE_H

#include <stdbool.h>

#include "microbench/volume/volume.h"

/* ROOT as given, or the usual one; from / on and without links where it is there, as the kernel
 * names a loop device's file. The caller frees. */
char *volume_root(const char *root);
/* Errors: EINVAL. */
int volume_name_check(const char *name, struct err *e);
/* Whether DIR is a volume, whole or half made or half removed: a directory of this user's own,
 * closed to others, with nothing in it but what volumes have. What is none is neither listed nor
 * removed, whatever directory is named as their root. */
bool volume_is(const char *dir);
/* The volume in ROOT/NAME, as far as it is made. */
void volume_read(struct volume *v, const char *root, const char *name);
char *volume_inside(const struct volume *v, const char *name); /* DIR/NAME; the caller frees */
/* Opens the lock; whoever holds it is alive. -errno. */
int volume_lock_open(const struct volume *v);

#endif
