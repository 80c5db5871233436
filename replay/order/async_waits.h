/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the channels of asynchronous requests (load_async.h) leave of the order of the thread that made them: a request comes after the
 * calls of its thread that had ended when it was handed over; the call that fetched its result, or else the first of its thread that
 * began when it had ended, comes after it. For every order that keeps that of threads. */
#ifndef REPLAY_ASYNC_WAITS_H
#define REPLAY_ASYNC_WAITS_H

#include "replay/load/load.h"
#include "replay/order/process_waits.h"

/* Those of one thread with itself are left out. Ownership: process_waits_release. */
void async_waits_find(struct process_waits *p, const struct load *l);

#endif
