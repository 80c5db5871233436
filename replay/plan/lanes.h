/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assigns traced threads to lanes, and so to workers. Threads that never existed at the same time
 * share a lane: the requests of the later thread follow those of the earlier one. So the number of
 * workers is the largest number of threads at one time. Source: Joukov, Wong and Zadok (FAST 2005),
 * section 2.3. */
#pragma once

#include "replay/load/load.h"

struct lanes {
	uint32_t *lane; /* lane[n_threads]: of each thread */
	uint32_t *base; /* base[n_threads]: requests of earlier threads in the same lane */
	uint32_t *n_requests; /* n_requests[n]: of each lane */
	uint32_t n;
	bool joined; /* some lane has several threads */
};

/* A thread exists from its first begin to its last end, or to the end of the trace if the end of a
 * request is unknown. Lanes are numbered by their first threads. Without `join` lane i is thread i.
 * Ownership: lanes_release. */
void lanes_assign(struct lanes *out, const struct load *l, bool join);
void lanes_release(struct lanes *x); /* a zeroed struct is fine */
