/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that the laboratories of a study made the same measurement. The hash of the protocol
 * covers conditions and scenarios. Settings of replayers, requests and replayer programs are
 * compared here. */
#pragma once

#include "validate/pool/pool.h"

/* Errors: EPROTO with the first difference that makes two of the measurements unequal: a condition,
 * a replayer's settings, or the requests if the protocol fixes their number. `p` must have its
 * laboratories. */
int pool_check(const struct pool *p, struct err *e);

/* Adds differences that do not prevent the study to p->warning. */
void pool_warnings_add(struct pool *p);
