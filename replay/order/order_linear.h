/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An order in which the traced calls can have taken effect, one after another.
 *
 * Calls that overlap took effect in some order that nobody recorded; often their results betray it: a file that was opened was
 * there already, a read that came back short did not see the write beside it. Here each call is given a moment between its
 * begin and its end, each thread's in their order, so that a model of the file system (fs_model.h) returns what the trace
 * says. The first guess is the order of ends. Where a result contradicts it, calls that had begun are tried before it, then it
 * before those that overlap it, then such pairs the other way round. What remains unexplained is taken as it is; there is a limit
 * on the trying, so that no trace takes long.
 * Source: linearizability, Herlihy and Wing 1990; the search in the manner of Wing and Gong 1993, with a first guess. */
#ifndef REPLAY_ORDER_LINEAR_H
#define REPLAY_ORDER_LINEAR_H

#include <stdint.h>

#include "common/err.h"
#include "replay/load/load.h"
#include "replay/load/slots.h"

struct linear {
	uint32_t *request;	/* request[l->n]: indices into load.request */
	uint32_t *first, *of;	/* of[first[t] + k]: the k-th request of thread t */
	uint64_t n_moved;	/* not where their ends are */
	uint64_t n_unexplained; /* whose results no order that was tried gives */
	struct linear_search *search; /* while it is under way */
};

/* Errors: ENOMEM. Ownership: linear_release. */
int order_linearise(struct linear *out, const struct load *l, const struct slots *s, struct err *e);
void linear_release(struct linear *x); /* an all-zero one is fine */

/* The same in a thread of its own, so that who walks along the order need not wait for all of it. It reads `l` and `s`, which may not change
 * meanwhile. Errors: ENOMEM. Ownership: linear_release, which waits for its end. */
int linear_begin(struct linear *out, const struct load *l, const struct slots *s, struct err *e);
/* Waits until request[n] is settled; returns how many are, more than n, and l->n in the end. */
uint32_t linear_settled(const struct linear *x, uint32_t n);

static inline uint32_t linear_request_of(const struct linear *x, uint32_t thread, uint32_t index)
{
	return x->of[x->first[thread] + index];
}

#endif
