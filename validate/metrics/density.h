/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RFC 5236's two densities of reordering, request by request.
 *
 * Displacement (reorder density, RD): receive index less number; early < 0, late > 0. Receive
 * indices are given to the arrivals in turn; numbers that were lost are left out of them. With a
 * threshold DT an arrival displaced by more is taken as lost: its own number gets no index and it
 * gets no displacement. So is one that no index is left for, because every number that waits lies
 * below the next index. Source: RFC 5236 sections 3.1 to 3.6; section 7.1 for the algorithm that
 * stays back DT + 1 arrivals (section 6, method b), which leaves the latter case open.
 *
 * Occupancy (reorder buffer-occupancy density, RBD): arrivals held back by a hypothetical buffer
 * that gives everything away in order. Where it holds BT and another early one comes, the number
 * expected is taken as lost: the expectation moves on to the next number that is there, and the
 * arrival that caused it is not held, as in the RFC's algorithm. Numbers below the one expected,
 * and duplicates of what is held, are not counted. Source: RFC 5236 sections 3.7 to 3.11 and 7.2.
 *
 * Numbers are those of the reference, from 1. */
#ifndef VALIDATE_METRICS_DENSITY_H
#define VALIDATE_METRICS_DENSITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define DENSITY_UNBOUNDED UINT64_MAX
#define DENSITY_MAX_DT 65536u

/* Memory: a bit for each number between the one expected and the largest seen. All zero: nothing
 * yet, 0 expected. */
struct occupancy {
	uint64_t expected, n_held;
	uint64_t *held; /* [cap / 64] ring of bits by number */
	uint64_t cap;	/* a power of two, or 0 */
};
void occupancy_release(struct occupancy *o);

/* The next arrival, numbers counted from 0. Returns the occupancy after it; false where it is not
 * counted. */
bool occupancy_add(struct occupancy *o, uint64_t s, uint64_t bt, uint64_t *b);

/* Displacements with a finite threshold. Memory: 40 bytes for each of DT + 1 arrivals. */
struct stay_back;
struct stay_back *stay_back_open(uint64_t dt); /* 0 .. DENSITY_MAX_DT; never NULL */
void stay_back_close(struct stay_back *b);     /* NULL is fine */

typedef void stay_back_take(void *context, int64_t displacement);
/* The next arrival, unique; displacements of earlier ones are given away, in the order of arrival.
 */
void stay_back_add(struct stay_back *b, uint64_t s, stay_back_take *take, void *context);
/* No further arrival. Returns how many were taken as lost. */
uint64_t stay_back_finish(struct stay_back *b, stay_back_take *take, void *context);

#endif
