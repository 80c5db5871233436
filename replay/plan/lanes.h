/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which lane, and so which worker, replays which traced thread. Threads that were never alive at
 * one time share a lane: the later one's requests come behind the earlier one's. So there are as
 * many workers as there were threads at one time, however many the program made. Source: Joukov,
 * Wong and Zadok (FAST 2005), section 2.3. */
#ifndef REPLAY_LANES_H
#define REPLAY_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/load/load.h"

struct lanes {
	uint32_t *lane; /* lane[n_threads]: of each thread */
	uint32_t *base; /* base[n_threads]: requests of the threads before it in its lane */
	uint32_t *n_requests; /* n_requests[n]: of each lane */
	uint32_t n;
	bool joined; /* some lane has several threads */
};

/* A thread is taken to be alive from its first begin to its last end; one with a request whose end
 * is not known, to the end of the trace. Lanes are numbered by their first threads; where nothing
 * is joined lane i is thread i. With `join` false nothing is. Ownership: lanes_release. */
void lanes_assign(struct lanes *out, const struct load *l, bool join);
void lanes_release(struct lanes *x); /* an all-zero one is fine */

#endif
