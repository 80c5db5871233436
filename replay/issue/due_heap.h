/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A binary heap of lanes by the time at which their next request is due. */
#ifndef REPLAY_DUE_HEAP_H
#define REPLAY_DUE_HEAP_H

#include <stdint.h>

struct due_lane {
	uint64_t due_ticks;
	uint32_t lane;
};

struct due_heap {
	struct due_lane *item; /* item[n_room], the earliest first */
	uint32_t n;
};

void due_heap_init(struct due_heap *h, uint32_t n_room); /* Ownership: due_heap_release */
void due_heap_release(struct due_heap *h);
/* at most n_room at a time */
void due_heap_add(struct due_heap *h, uint64_t due_ticks, uint32_t lane);
/* the earliest; there must be one. Equal times: in no order */
uint32_t due_heap_take(struct due_heap *h);

static inline uint64_t due_heap_first(const struct due_heap *h)
{
	return h->item[0].due_ticks;
}

#endif
