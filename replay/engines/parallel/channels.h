/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which signals answer which waits. Private to replay/parallel. */
#ifndef REPLAY_PARALLEL_CHANNELS_H
#define REPLAY_PARALLEL_CHANNELS_H

#include "capture/causality/causality.h"
#include "replay/engines/parallel/layout.h"

/* Fills in the ranks' channels, and the numbers of signals and waits. Errors: EINVAL. */
int channels_find(struct layout *y, struct replay_plan *p, const struct causality_facts *f, const struct load *l, struct err *e);

#endif
