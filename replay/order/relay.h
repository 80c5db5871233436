/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes the events of the model (fs_model.h) to another thread, in order and in batches. A bounded
 * number of batches is in flight: a faster sender waits. */
#ifndef REPLAY_RELAY_H
#define REPLAY_RELAY_H

#include "replay/order/fs_model.h"

typedef void relay_take(void *ctx, const uint64_t *word, size_t n);

/* `take` is called in a new thread, or by relay_give if no thread can be started. Ownership:
 * relay_end, which waits until all events were taken. */
struct relay *relay_begin(relay_take *take, void *ctx);
void relay_end(struct relay *r); /* NULL is fine */

/* Sends the first n words; the others move to the beginning. */
void relay_give(struct relay *r, struct fs_events *told, size_t n);

#endif
