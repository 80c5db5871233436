/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leaving out waits that follow from others: the transitive reduction of an order, program order included. */
#ifndef REPLAY_ORDER_REDUCE_H
#define REPLAY_ORDER_REDUCE_H

#include "common/err.h"
#include "replay/load/load.h"
#include "replay/order/order.h"
#include "replay/order/order_linear.h"

/* Drops the redundant edges and sorts the others by request. They come as they were derived: those of a request together, at most one to each
 * thread, and requests in `order`. All are for ends, none is against it, and no thread waits for a request twice. Each thread's
 * knowledge of the others (a vector clock: Fidge 1988, Mattern 1989) is kept for requests that somebody waits for until the last has; with
 * more than 64 threads, or more than 64 MiB of such knowledge at a time, only what direct waits of a thread's own earlier requests imply is
 * dropped, which the derivation has done already. Errors: ENOMEM. */
int edges_reduce(struct edges *d, const struct load *l, const struct linear *order, struct err *e);

#endif
