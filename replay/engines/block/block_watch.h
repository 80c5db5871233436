/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking, from outside of the workers, whether a replay goes on and its device is there. */
#ifndef REPLAY_BLOCK_WATCH_H
#define REPLAY_BLOCK_WATCH_H

#include <stdint.h>

#include "common/err.h"
#include "replay/engines/block/block_crew.h"

struct block_watch { /* all zero at first */
	uint64_t n_ended;
	int64_t since_ns;
};

/* Now and then, while requests run. Errors: ETIMEDOUT where nothing has ended for --watchdog though
 * something is under way, naming the oldest request; ENODEV where the device has gone. */
int block_watch_look(struct block_watch *v, const struct block_crew *c, struct err *e);
/* ENODEV, naming the first request that failed. */
int block_watch_gone(const struct block_crew *c, struct err *e);

#endif
