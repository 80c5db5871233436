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
#include "replay/order/relay.h"

struct linear {
	uint32_t *request;	/* request[l->n]: indices into load.request */
	uint32_t *first;	/* first[n_threads]: of requests counted thread by thread, the thread's first */
	uint64_t n_moved;	/* not where their ends are */
	uint64_t n_unexplained; /* whose results no order that was tried gives */
};

/* What the model tells of the requests in that order (fs_model.h) goes to `take` as soon as their places are settled, stretch by stretch
 * and each with whole requests, from a thread of its own where one can be had: it reads `l` and `s`, which nobody changes meanwhile, and
 * all has been taken when this returns. NULL: nobody wants to know. Errors: ENOMEM. Ownership: linear_release. */
int order_linearise(struct linear *out, const struct load *l, const struct slots *s, relay_take *take, void *ctx, struct err *e);
void linear_release(struct linear *x); /* an all-zero one is fine */

#endif
