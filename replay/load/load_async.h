/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asynchronous requests (Linux AIO, io_uring) become requests of channels: additional threads of
 * the load that the program did not have. A thread gets as many channels as it had requests in
 * flight, so that every engine has the same number of requests in flight. A request that no other
 * request of its thread overlapped stays in its thread.
 *
 * Calls that submit requests or fetch results are replayed without a call and have no duration: a
 * submission happens at its begin, fetching at its end. The other time is kept in load_more.from
 * for the pauses of timing `think`. */
#ifndef REPLAY_LOAD_ASYNC_H
#define REPLAY_LOAD_ASYNC_H

#include <stdbool.h>

#include "replay/load/load.h"

/* Sets the times of submissions and fetches. A request whose descriptor was closed while it was in
 * flight ends before the close. l->request is in issue order. Returns true if begins were changed:
 * then the requests must be sorted again. */
bool load_async_settle(struct load *l);
/* Moves requests to channels, which are added after the other threads. l->request is in issue
 * order. */
void load_async_spread(struct load *l);

#endif
