/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loops of a visit: calls of volume_client_run with the same number of requests. A loop is
 * disturbed if the client waited for a CPU for longer than usual in it. The usual share of the time
 * is the lower quartile over the loops of the visit. */
#pragma once

#include "microbench/volume/client.h"

struct loops {
	uint32_t n_requests;		/* of a loop; set it first, the rest is zero */
	struct volume_request *request; /* request[n * n_requests], owned */
	size_t n, cap;
	struct loop {
		int64_t duration_ns;
		double waited; /* run-queue delay of the client, as a share of the duration */
	} *loop; /* loop[n], owned */
};

/* Returns room for the requests of the next loop; borrowed, until the next call. */
struct volume_request *loops_room(struct loops *l);
/* Adds the loop whose requests are there. */
void loops_add(struct loops *l, int64_t duration_ns, int64_t waited_ns);
/* Returns the sum of the durations of the loops that are not disturbed. */
int64_t loops_usable_ns(const struct loops *l);
/* Removes the disturbed loops (at least one loop stays), and adds their number to *n_left_out.
 * Returns the run-queue delay in the others, as a share of their duration. There must be a loop. */
double loops_leave_out(struct loops *l, uint64_t *n_left_out);
void loops_release(struct loops *l);
