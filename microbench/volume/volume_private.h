/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that volume.c, volume_create.c and volume_remove.c share. */
#pragma once

#include "microbench/volume/volume.h"

/* ROOT as given, or the default. If it exists, the path is absolute and without links, like the
 * kernel's name of a loop device's file. The caller frees it. */
char *volume_root(const char *root);
/* Errors: EINVAL. */
int volume_name_check(const char *name, struct err *e);
/* Whether DIR is a volume, possibly incomplete: a directory of this user, closed to others, with
 * only a volume's files. Other directories are neither listed nor removed, independent of the given
 * root. */
bool volume_is(const char *dir);
/* Reads the facts of the volume in ROOT/NAME, as far as it exists. */
void volume_read(struct volume *v, const char *root, const char *name);
char *volume_inside(const struct volume *v, const char *name); /* DIR/NAME. The caller frees it. */
/* The root, resolved like that of its volumes. The caller frees it. */
char *volume_root_resolve(const char *root);
/* Opens the lock. The process that holds it is the running server. Returns a descriptor or a
 * negative errno. */
int volume_lock_open(const struct volume *v);
