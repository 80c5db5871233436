/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/placement.h"

#include <errno.h>
#include <string.h>

/* Half a page: as far as can be from both zones that are slow, the first bytes of a page for reads and the last ones
 * for writes. */
enum { PAGE_BYTES = 4096, LINE_BYTES = 64, OFFSET_BYTES = PAGE_BYTES / 2, N_ROTATED = 64 };

const char *const placement_names[] = {"offset", "page", "rotate", NULL};

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

int placement_init(struct placement *p, enum placement_kind kind, size_t block_bytes, bool direct,
		   unsigned int n_threads, struct err *e)
{
	memset(p, 0, sizeof *p);
	if (kind < 0 || kind > PLACEMENT_ROTATE)
		return err_set(e, EINVAL, "unknown buffer placement %d", (int)kind);
	if (block_bytes == 0 || n_threads == 0)
		return err_set(e, EINVAL, "buffers of %zu bytes for %u threads: both must be positive", block_bytes,
			       n_threads);
	if (block_bytes > SIZE_MAX / 4 / N_ROTATED / n_threads)
		return err_set(e, ENOMEM, "buffers of %zu bytes for %u threads: too large", block_bytes, n_threads);

	size_t n_slots = kind == PLACEMENT_ROTATE ? N_ROTATED : 1;
	size_t first = !direct && kind == PLACEMENT_OFFSET ? OFFSET_BYTES : 0;
	/* Successive slots of `rotate` lie one cache line further from the start of their page each time. */
	size_t step = !direct && kind == PLACEMENT_ROTATE ? LINE_BYTES : 0;
	p->slot_bytes = round_up(block_bytes, PAGE_BYTES) + PAGE_BYTES * (step > 0) + step;
	p->slot_mask = n_slots - 1;
	/* One page between threads, so that no two threads ever share a line or a page. */
	p->thread_bytes = round_up(first + n_slots * p->slot_bytes, PAGE_BYTES) + PAGE_BYTES;
	p->align_bytes = direct || kind == PLACEMENT_PAGE ? PAGE_BYTES : LINE_BYTES;
	int err = vm_alloc(&p->region, p->thread_bytes * n_threads, "request buffers", e);
	if (err < 0) {
		memset(p, 0, sizeof *p);
		return err;
	}
	p->base = (unsigned char *)p->region.base + first;
	return 0;
}

void placement_release(struct placement *p)
{
	vm_free(&p->region);
	memset(p, 0, sizeof *p);
}
