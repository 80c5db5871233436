/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that the laboratories of a study made the same measurement. The hash of the protocol
 * covers conditions and scenarios. Settings of replayers, requests and replayer programs are
 * compared here. */
#pragma once

#include "validate/pool/pool.h"

/* Returns the first difference that makes two of the measurements unequal: a condition, a
 * replayer's settings, or the requests if the protocol fixes their number. NULL: none. `p` must
 * have its laboratories. Ownership: the caller frees. */
char *pool_difference(const struct pool *p);

/* Adds differences that do not prevent the study to p->warning, a sentence each: different numbers
 * of requests that the campaigns determined, another program of a replayer, another version of this
 * program. */
void pool_warnings_add(struct pool *p);
