/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop for mutants and for stopping on a mismatch, and how a pool takes its requests. */
#ifndef REPLAY_CAREFUL_H
#define REPLAY_CAREFUL_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/issue/crew.h"

/* For every order and timing; looks at each outcome. */
void careful_loop(struct runner *w);

/* Requests k to end of a lane, taken by one runner of a pool. */
struct ration {
	uint32_t lane, k, end;
};

/* The next ration; false when all lanes are empty. Where each runner has a lane of its own it takes
 * several at a time from it, because asking costs a cache line's way between processors where
 * others ask too (alone it takes all); then it helps the others, one request at a time. From a
 * common lane always one, in issue order. */
bool ration_take(const struct runner *w, struct ration *r);

/* A lane has ended behind k requests that was read ahead: its last chunk goes back. Where those are
 * not all, nobody shall wait for the rest. */
void lane_fed(const struct runner *w, uint32_t k);

#endif
