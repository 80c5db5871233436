/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop for mutants and --stop-on-mismatch, and how a pool takes requests. */
#pragma once

#include "replay/issue/crew.h"

/* Replays requests with any order and timing, and checks each outcome. */
void careful_loop(struct runner *w);

/* Requests k to end of a lane, taken by one runner of a pool. */
struct lane_part {
	uint32_t lane, k, end;
};

/* Takes the next requests. Returns false when all lanes are empty. A runner with a separate lane
 * takes several requests at a time from it, because each take transfers a cache line between CPUs
 * (a single runner takes all at once). When its lane is empty, it takes requests from other lanes,
 * one at a time. From a common lane it always takes one request, in issue order. */
bool lane_part_take(const struct runner *w, struct lane_part *r);

/* Returns the last chunk of a lane that is read ahead, after k requests. If the lane has more
 * requests, threads that wait for them are woken. */
void lane_fed(const struct runner *w, uint32_t k);
