/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/issue/due_heap.h"

#include "common/std.h"

void due_heap_init(struct due_heap *h, uint32_t n_room)
{
	*h = (struct due_heap){.item = xcalloc((size_t)n_room + 1, sizeof *h->item)};
}

void due_heap_release(struct due_heap *h)
{
	free(h->item);
	*h = (struct due_heap){.n = 0};
}

void due_heap_add(struct due_heap *h, uint64_t due_ticks, uint32_t lane)
{
	uint32_t i = h->n++;
	for (; i && h->item[(i - 1) / 2].due_ticks > due_ticks; i = (i - 1) / 2)
		h->item[i] = h->item[(i - 1) / 2];
	h->item[i] = (struct due_lane){due_ticks, lane};
}

uint32_t due_heap_take(struct due_heap *h)
{
	uint32_t first = h->item[0].lane, i = 0;
	struct due_lane last = h->item[--h->n];
	for (uint32_t child; (child = 2 * i + 1) < h->n; i = child) {
		if (child + 1 < h->n && h->item[child + 1].due_ticks < h->item[child].due_ticks)
			child++;
		if (h->item[child].due_ticks >= last.due_ticks)
			break;
		h->item[i] = h->item[child];
	}
	h->item[i] = last;
	return first;
}
