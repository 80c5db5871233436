/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests by their begins, but for those that waited for a lock.
 *
 * Of several requests that wait for one lock, the trace shows which of them got it first: it ended
 * first. A replay in which another one gets it cannot go on, because what the first one did comes
 * before the other's end. So a request that took a lock counts as begun at the end of the last
 * request that took a lock of the same file, which excludes its own, and ended before it. */
#ifndef REPLAY_LOCK_TURNS_H
#define REPLAY_LOCK_TURNS_H

#include <stdint.h>

#include "replay/load/load.h"
#include "replay/load/slots.h"

struct lock_turn {
	int64_t ns;
	uint32_t request;
};

struct lock_turns {
	/* turn[n], sorted: requests that count as begun later than they were */
	struct lock_turn *turn;
	uint32_t *left_out;	/* left_out[n]: the same requests, sorted */
	uint32_t n, at, n_left_out, next;
};

/* Ownership: lock_turns_release. */
void lock_turns_find(struct lock_turns *t, const struct load *l, const struct slots *s);
/* The next request, and when it counts as begun; NONE32 after the last. */
uint32_t lock_turns_next(struct lock_turns *t, const struct load *l, int64_t *begin_ns);
void lock_turns_release(struct lock_turns *t);

#endif
