/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the derivation of an order. Private to replay/order. */
#ifndef REPLAY_ORDER_PRIVATE_H
#define REPLAY_ORDER_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "replay/load/load.h"
#include "replay/load/slots.h"
#include "replay/order/fs_model.h"
#include "replay/order/order.h"

/* process_waits.c. What follows from who started which process, and who waited for its end
 * (slot_process): the first request of each thread of a process comes after those of its parent's
 * threads that had ended when it began, and after the processes that the parent had waited for by
 * then; what a thread does after it has waited for a process's end comes after all that process's
 * requests. A parent without requests of its own, for example a shell or timeout(1), stands for
 * those that it started and waited for. Where a parent is only inferred the process began, as far
 * as is known, with its first request. For rule `process` of order fs (order_fs.c). */

struct process_wait { /* indices into load.request; `earlier` ended before `request` began */
	uint32_t request, earlier;
};

struct process_waits {
	struct process_wait *wait; /* wait[n], by request */
	size_t n, cap;
};

/* Ownership: process_waits_release. */
void process_waits_find(struct process_waits *p, const struct load *l, const struct slots *s);
void process_waits_release(struct process_waits *p); /* an all-zero one is fine */

/* async_waits.c. What the channels of asynchronous requests (load_async.h) leave of the order of
 * the thread that made them: a request comes after the calls of its thread that had ended when it
 * was handed over; the call that fetched its result, or else the first of its thread that began
 * when it had ended, comes after it. For every order that keeps that of threads. */

/* Those of one thread with itself are left out. Ownership: process_waits_release. */
void async_waits_find(struct process_waits *p, const struct load *l);

/* relay.c. Passes the events of the model (fs_model.h) to another thread, in order and in batches.
 * A bounded number of batches is in flight: a faster sender waits. */

typedef void relay_take(void *ctx, const uint64_t *word, size_t n);

/* `take` is called in a new thread, or by relay_give if no thread can be started. Ownership:
 * relay_end, which waits until all events were taken. */
struct relay *relay_begin(relay_take *take, void *ctx);
void relay_end(struct relay *r); /* NULL is fine */

/* Sends the first n words; the others move to the beginning. */
void relay_give(struct relay *r, struct fs_events *told, size_t n);

/* order_linear.c. An order in which the traced calls can have taken effect, one after another.
 *
 * Calls that overlap took effect in some order that nobody recorded; often their results betray it:
 * a file that was opened was there already, a read that came back short did not see the write
 * beside it. Here each call is given a moment between its begin and its end, each thread's in their
 * order, so that a model of the file system (fs_model.h) returns what the trace says. The first
 * guess is the order of ends. Where a result contradicts it, calls that had begun are tried before
 * it, then it before those that overlap it, then such pairs the other way round. What remains
 * unexplained is taken as it is; there is a limit on the trying, so that no trace takes long.
 * Source: linearizability, Herlihy and Wing 1990; the search in the manner of Wing and Gong 1993,
 * with a first guess. */

struct linear {
	uint32_t *request;	/* request[l->n]: indices into load.request */
	/* first[n_threads]: of requests counted thread by thread, the thread's first */
	uint32_t *first;
	uint64_t n_moved;	/* not where their ends are */
	uint64_t n_unexplained; /* whose results no order that was tried gives */
};

/* What the model tells of the requests in that order (fs_model.h) goes to `take` as soon as their
 * places are settled, stretch by stretch and each with whole requests, from a thread of its own
 * where one can be had: it reads `l` and `s`, which must not change meanwhile, and all has been
 * taken when this returns. NULL: nobody wants to know. Errors: ENOMEM. Ownership: linear_release.
 */
int order_linearise(struct linear *out, const struct load *l, const struct slots *s,
		    relay_take *take, void *ctx, struct err *e);
void linear_release(struct linear *x); /* an all-zero one is fine */

/* order_reduce.c. Leaving out waits that follow from others: the transitive reduction of an order,
 * program order included. */

/* Drops the redundant edges and sorts the others by request. They come as they were derived: those
 * of a request together, at most one to each thread, and requests in `order`. All are for ends,
 * none is against it, and no thread waits for a request twice. Each thread's knowledge of the
 * others (a vector clock: Fidge 1988, Mattern 1989) is kept for requests that somebody waits for
 * until the last has; with more than 64 threads, or more than 64 MiB of such knowledge at a time,
 * only what direct waits of a thread's own earlier requests imply is dropped, which the derivation
 * has done already. Errors: ENOMEM. */
int edges_reduce(struct edges *d, const struct load *l, const struct linear *order, struct err *e);

#endif
