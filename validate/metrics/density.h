/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two densities of reordering of RFC 5236, computed request by request.
 *
 * Displacement (reorder density, RD): receive index minus number; early < 0, late > 0. Arrivals get
 * receive indices in turn; the numbers of lost requests are not used as indices. With a threshold
 * DT, an arrival that is displaced by more counts as lost: its number gets no index and it gets no
 * displacement. The same applies to an arrival for which no index is left, because every waiting
 * number is below the next index. Source: RFC 5236 sections 3.1 to 3.6; section 7.1 for the
 * algorithm that stays back DT + 1 arrivals (section 6, method b), which does not define the latter
 * case.
 *
 * Occupancy (reorder buffer-occupancy density, RBD): the number of arrivals in a hypothetical
 * buffer that releases all requests in order. If the buffer contains BT arrivals and another early
 * arrival comes, the expected number counts as lost: the next number that is present becomes the
 * expected number, and the arrival that caused this is not held, as in the RFC's algorithm. Numbers
 * below the expected number and duplicates of held numbers are not counted. Source: RFC 5236
 * sections 3.7 to 3.11 and 7.2.
 *
 * Numbers are those of the reference, from 1. */
#pragma once

#include "common/std.h"

#define DENSITY_UNBOUNDED UINT64_MAX
#define DENSITY_MAX_DT 65536u

/* Memory: one bit for each number between the expected number and the largest number so far. If all
 * bytes are zero, it is empty and number 0 is expected. */
struct occupancy {
	uint64_t expected, n_held;
	uint64_t *held; /* [cap / 64] ring of bits by number */
	uint64_t cap;	/* a power of two, or 0 */
};
void occupancy_release(struct occupancy *o);

/* Adds the next arrival; numbers count from 0. Sets *b to the occupancy after the arrival. Returns
 * false if the arrival is not counted. */
bool occupancy_add(struct occupancy *o, uint64_t s, uint64_t bt, uint64_t *b);

struct stay_back;
/* Displacements with a finite threshold. Memory: 40 bytes for each of DT + 1 arrivals. */
struct stay_back *stay_back_open(uint64_t dt); /* 0 .. DENSITY_MAX_DT; never NULL */
void stay_back_close(struct stay_back *b);     /* NULL: no effect */

typedef void stay_back_take(void *context, int64_t displacement);
/* Adds the next arrival, whose number must be unique. Calls `take` with the displacements of
 * earlier arrivals, in the order of arrival. */
void stay_back_add(struct stay_back *b, uint64_t s, stay_back_take *take, void *context);
/* Ends the input. Returns the number of arrivals that count as lost. */
uint64_t stay_back_finish(struct stay_back *b, stay_back_take *take, void *context);
