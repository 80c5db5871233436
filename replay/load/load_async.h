/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asynchronous requests of a thread that it did not wait for at once: each such thread gets
 * channels, threads of the load that no program had, as many as it had requests in flight, and each
 * of those requests is one of a channel's. So they are in flight together again, whatever engine
 * replays them. One that nothing of its thread overlapped stays where it is.
 *
 * The calls that hand requests over or fetch results are replayed without a call. They are instants
 * here: handing over at its begin, fetching at its end, when it is known that what it fetched has
 * ended. Their other time is kept (load_more.from) for the pauses of `think`. */
#ifndef REPLAY_LOAD_ASYNC_H
#define REPLAY_LOAD_ASYNC_H

#include <stdbool.h>

#include "replay/load/load.h"

/* The times of what hands over and fetches; a request whose descriptor the program closed while it
 * was in flight ends before that. `request` is in issue order. Returns whether begins were changed,
 * so that it must be sorted anew. */
bool load_async_settle(struct load *l);
/* Gives requests their channels, which come behind the other threads: `request` is in issue order.
 */
void load_async_spread(struct load *l);

#endif
