/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What volume.c, volume_create.c and volume_remove.c share. */
#ifndef MICROBENCH_VOLUME_VOLUME_PRIVATE_H
#define MICROBENCH_VOLUME_VOLUME_PRIVATE_H

#include "microbench/volume/volume.h"

/* ROOT as given, or the usual one. The caller frees. */
char *volume_root(const char *root);
/* Errors: EINVAL. */
int volume_name_check(const char *name, struct err *e);
/* The volume in ROOT/NAME, as far as it is made. */
void volume_read(struct volume *v, const char *root, const char *name);
char *volume_inside(const struct volume *v, const char *name); /* DIR/NAME; the caller frees */
/* Opens the lock; whoever holds it is alive. -errno. */
int volume_lock_open(const struct volume *v);

#endif
