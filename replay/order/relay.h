/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tellings of the model (fs_model.h) handed over, stretch by stretch and in their order, to somebody who works beside the one that tells. Few
 * stretches are under way at a time: who tells faster waits. */
#ifndef REPLAY_RELAY_H
#define REPLAY_RELAY_H

#include "replay/order/fs_model.h"

typedef void relay_take(void *ctx, const uint64_t *word, size_t n);

/* `take` is called in a thread of its own; where none can be had, by relay_give. Ownership: relay_end, which waits until all is taken. */
struct relay *relay_begin(relay_take *take, void *ctx);
void relay_end(struct relay *r); /* NULL is fine */

/* Gives away the first n words; the others come to the beginning. */
void relay_give(struct relay *r, struct fs_told *told, size_t n);

#endif
