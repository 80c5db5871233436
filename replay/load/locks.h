/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a request does to locks of a file: fcntl(2), lockf(3), flock(2). */
#ifndef REPLAY_LOCKS_H
#define REPLAY_LOCKS_H

#include <stdbool.h>

#include "replay/load/load.h"

enum lock_act {
	LOCK_NONE,
	LOCK_TAKEN, /* an exclusive lock */
	LOCK_SHARED,
	LOCK_RELEASED,
	LOCK_QUERIED, /* looked for, or not taken: the result depends on the locks of others */
};

/* *of_process: the lock belongs to the process (F_SETLK and its like, lockf), and not to the
 * open file (F_OFD_SETLK and its like, flock).
 * Source: fcntl_locking(2), flock(2). */
enum lock_act lock_act(const struct load *l, const struct load_request *r, bool *of_process);

#endif
