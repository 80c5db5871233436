/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the laboratories of a study measured the same thing by the same procedure. The hash of
 * the protocol holds its conditions and its scenarios; what a replayer was told to do, what was
 * replayed, and which program did it, are compared here beside it. */
#ifndef VALIDATE_POOL_ALIKE_H
#define VALIDATE_POOL_ALIKE_H

#include "validate/pool/pool.h"

/* The first thing that makes two of them different measurements: a condition, a replayer's
 * settings, the requests where the protocol holds their number. NULL: none. `p` has its
 * laboratories. Ownership: the caller frees. */
char *pool_difference(const struct pool *p);

/* What a reader must know though it refuses nothing, a sentence each, added to p->warning: requests
 * whose number each laboratory searched for, another program under a replayer's name, another
 * version of this one. */
void pool_warnings_add(struct pool *p);

#endif
