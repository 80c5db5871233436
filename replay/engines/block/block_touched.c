/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/block/block_touched.h"

#include "common/sort.h"
#include "replay/engines/block/block_load.h"
#include "capture/kernel/block_requests.h"

ORDER_BY(by_place, struct block_range, from)

/* Merges overlapping ranges in place. Returns their number. */
static size_t ranges_merge(struct block_range *r, size_t n)
{
	size_t kept = 0;
	qsort(r, n, sizeof *r, by_place);
	for (size_t i = 0; i < n; i++) {
		if (kept && r[i].from <= r[kept - 1].to)
			r[kept - 1].to = r[i].to > r[kept - 1].to ? r[i].to : r[kept - 1].to;
		else
			r[kept++] = r[i];
	}
	return kept;
}

void block_touched_find(struct block_touched *t, const struct block_input *l, uint64_t device_bytes)
{
	*t = (struct block_touched){.is = true,
				    .device_bytes = device_bytes,
				    .written = xcalloc((size_t)l->n + 1, sizeof *t->written)};
	uint64_t *const count[] = {[BLOCK_READ] = &t->n_reads,
				   [BLOCK_WRITE] = &t->n_writes,
				   [BLOCK_DISCARD] = &t->n_discards,
				   [BLOCK_FLUSH] = &t->n_flushes};
	for (uint32_t i = 0; i < l->n; i++) {
		const struct block_loaded *r = &l->r[i];
		++*count[r->direction];
		if ((r->direction == BLOCK_WRITE || r->direction == BLOCK_DISCARD) && r->length)
			t->written[t->n_written++] =
			    (struct block_range){r->offset, r->offset + r->length};
	}
	if (t->n_written)
		t->n_written = ranges_merge(t->written, t->n_written);
	for (size_t i = 0; i < t->n_written; i++)
		t->written_bytes += t->written[i].to - t->written[i].from;
}

void block_touched_release(struct block_touched *t)
{
	free(t->written);
	*t = (struct block_touched){.is = false};
}
