/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A binary heap of lanes, ordered by the due time of their next request. */
#pragma once

#include <stdint.h>

struct due_lane {
	uint64_t due_ticks;
	uint32_t lane;
};

struct due_heap {
	struct due_lane *item; /* item[n_room], the earliest first */
	uint32_t n;
};

void due_heap_init(struct due_heap *h, uint32_t n_room); /* Ownership: due_heap_release. */
void due_heap_release(struct due_heap *h);
/* The heap holds at most n_room lanes. */
void due_heap_add(struct due_heap *h, uint64_t due_ticks, uint32_t lane);
/* Removes and returns the lane with the earliest due time. The heap must not be empty. Lanes with
 * equal times come in any order. */
uint32_t due_heap_take(struct due_heap *h);

static inline uint64_t due_heap_first(const struct due_heap *h)
{
	return h->item[0].due_ticks;
}
