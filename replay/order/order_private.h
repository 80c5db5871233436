/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the derivation of an order. Private to replay/order. */
#pragma once

#include "replay/order/fs_model.h"
#include "replay/order/order.h"

/* process_waits.c. Waits that follow from the start of processes and from waits for their end
 * (slot_process). The first request of each thread of a process follows the requests of its
 * parent's threads that had ended when it began, and the processes for which the parent had waited.
 * The requests of a thread after a wait for a process follow all requests of that process. A parent
 * without requests, such as a shell or timeout(1), is replaced by the processes that it started and
 * waited for. If a parent is only inferred, the process begins with its first request. The same
 * holds for the threads that a thread created and waited for (slot_thread). Used for rule `process`
 * of order fs (order_fs.c). */

struct process_wait { /* indices into load.request; `earlier` ended before `request` began */
	uint32_t request, earlier;
};

struct process_waits {
	struct process_wait *wait; /* wait[n], by request */
	size_t n, cap;
};

/* Ownership: process_waits_release. */
void process_waits_find(struct process_waits *p, const struct load *l, const struct slots *s);
void process_waits_release(struct process_waits *p); /* a zeroed struct is fine */

/* process_waits.c. Waits between asynchronous requests in channels (load_async.c) and the calls of
 * their thread. A request follows the calls of its thread that had ended at its submission. The
 * request is followed by the call that fetched its result, otherwise by the first call of its
 * thread that began after its end. For all orders that keep the order of threads. Waits within one
 * thread of the load are left out. Ownership: process_waits_release. */
void async_waits_find(struct process_waits *p, const struct load *l);

/* order_linear.c. Finds an order in which the traced calls can have taken effect, one after
 * another.
 *
 * The trace does not contain the order in which overlapping calls took effect. Often their results
 * show it: an opened file existed already, a short read did not see a concurrent write. Each call
 * gets a place between its start and its end, in the order of its thread, such that a model of the
 * file system (fs_model.h) returns the traced results. The first guess is the order of ends. If a
 * result contradicts it, the search first places calls that had begun before it, then the call
 * before calls that overlap it, then other orders of such calls. A result that remains unexplained
 * is accepted. The number of attempts is limited, so that no trace takes long. Source:
 * linearizability, Herlihy and Wing 1990; search as in Wing and Gong 1993, with a first guess. */

struct linear {
	uint32_t *request;	/* request[l->n]: indices into load.request */
	uint32_t *first; /* first[n_threads]: number of requests of all earlier threads */
	uint64_t n_moved;	/* number of calls that are not in the order of ends */
	uint64_t n_unexplained; /* number of calls whose results no attempted order explains */
};

typedef void fs_events_take(void *ctx, const uint64_t *word, size_t n);

/* Finds the order. Passes the events of the model (fs_model.h) to `take` when the places of their
 * requests are final, in batches of whole requests. `take` NULL: events are not used. Errors:
 * ENOMEM. Ownership: linear_release. */
int order_linearise(struct linear *out, const struct load *l, const struct slots *s,
		    fs_events_take *take, void *ctx, struct err *e);
void linear_release(struct linear *x); /* a zeroed struct is fine */

/* order_reduce.c. Transitive reduction: removes the edges that other edges and program order imply,
 * and sorts the remaining edges by request. Input: edges as they were derived. The edges of a
 * request are together, at most one to each thread, and requests are in `order`. All edges are for
 * ends, and no thread waits for a request twice. The progress that a thread knows of the other
 * threads (a vector clock: Fidge 1988, Mattern 1989) is stored for each request for which others
 * wait, until the last of them. With more than 64 threads, or more than 64 MiB of such clocks, the
 * only edges left out are those that earlier waits of the same thread imply; the derivation has
 * already left them out. Errors: ENOMEM. */
int edges_reduce(struct edges *d, const struct load *l, const struct linear *order, struct err *e);
