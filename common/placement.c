/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/placement.h"

/* Two parts of a page are slow: its first bytes for reads, its last bytes for writes. The offset of
 * half a page is the furthest from both. */
enum { PAGE_BYTES = 4096, LINE_BYTES = 64, OFFSET_BYTES = PAGE_BYTES / 2, N_ROTATED = 64 };

const char *const placement_names[] = {"offset", "page", "rotate", NULL};

static void row_lay(struct placement_row *r, enum placement_kind kind, size_t step,
		    size_t block_bytes)
{
	size_t n_slots = kind == PLACEMENT_ROTATE ? N_ROTATED : 1;
	r->room = block_bytes ? block_bytes : 1;
	r->slot_bytes = round_up(r->room, PAGE_BYTES) + PAGE_BYTES * (step > 0) + step;
	while (n_slots > 1 && n_slots * r->slot_bytes > PLACEMENT_OWN_MAX)
		n_slots /= 2;
	r->slot_mask = n_slots - 1;
}

/* One page is between the slots of two threads, so that they never share a cache line or a page. */
static size_t row_bytes(const struct placement_row *r, size_t first)
{
	return round_up(first + (r->slot_mask + 1) * r->slot_bytes, PAGE_BYTES) + PAGE_BYTES;
}

static int need_check(enum placement_kind kind, const struct placement_need *need, struct err *e)
{
	size_t longest = need->common_bytes;
	if (kind < 0 || kind > PLACEMENT_ROTATE)
		return err_set(e, EINVAL, "unknown buffer placement %d", (int)kind);
	if (need->n_threads == 0)
		return err_set(e, EINVAL, "the number of threads must be at least 1, not 0");
	for (unsigned int i = 0; i < need->n_threads; i++)
		longest = need->block_bytes[i] > longest ? need->block_bytes[i] : longest;
	if (longest > SIZE_MAX / 4 / N_ROTATED / need->n_threads)
		return err_set(e, ENOMEM, "buffers of %zu bytes for %u threads are too large",
			       longest, need->n_threads);
	return 0;
}

int placement_init_each(struct placement *p, enum placement_kind kind,
			const struct placement_need *need, struct err *e)
{
	const size_t first = !need->direct && kind == PLACEMENT_OFFSET ? OFFSET_BYTES : 0;
	/* each slot of `rotate` begins one cache line further from the start of its page */
	const size_t step = !need->direct && kind == PLACEMENT_ROTATE ? LINE_BYTES : 0;
	size_t n_bytes = 0;
	*p = (struct placement){.align_bytes = need->direct || kind == PLACEMENT_PAGE ? PAGE_BYTES
										      : LINE_BYTES};
	int ret = need_check(kind, need, e);
	if (ret)
		return ret;
	p->row = xcalloc(need->n_threads, sizeof *p->row);
	p->n_threads = need->n_threads;
	for (unsigned int i = 0; i < need->n_threads; i++) {
		row_lay(&p->row[i], kind, step, need->block_bytes[i]);
		n_bytes += row_bytes(&p->row[i], first);
	}
	ret = vm_alloc(&p->region, n_bytes, "request buffers", e);
	if (!ret && need->common_bytes)
		ret = vm_get(&p->common_region, need->across ? VM_SHARED : VM_PRESENT,
			     first + need->common_bytes, "the common request buffer", e);
	if (ret) {
		placement_release(p);
		return ret;
	}
	unsigned char *base = p->region.base;
	for (unsigned int i = 0; i < need->n_threads; i++) {
		p->row[i].base = base + first;
		base += row_bytes(&p->row[i], first);
	}
	if (need->common_bytes)
		p->common = (unsigned char *)p->common_region.base + first;
	p->common_room = need->common_bytes;
	return 0;
}

int placement_init(struct placement *p, enum placement_kind kind, size_t block_bytes, bool direct,
		   unsigned int n_threads, struct err *e)
{
	*p = (struct placement){.row = NULL};
	if (block_bytes == 0 || n_threads == 0)
		return err_set(e, EINVAL,
			       "request buffers of %zu bytes for %u threads: both numbers must be "
			       "at least 1",
			       block_bytes, n_threads);
	SCOPED_FREE size_t *each = xcalloc(n_threads, sizeof *each);
	for (unsigned int i = 0; i < n_threads; i++)
		each[i] = block_bytes;
	return placement_init_each(
	    p, kind,
	    &(struct placement_need){.block_bytes = each, .n_threads = n_threads, .direct = direct},
	    e);
}

void placement_own(const struct placement *p, unsigned int from, unsigned int to)
{
	const unsigned char *end = (unsigned char *)p->region.base + p->region.n_bytes;
	const unsigned char *until = to < p->n_threads ? p->row[to].base : end;
	if (from < to)
		vm_own(p->row[from].base, (size_t)(until - p->row[from].base));
	vm_own(p->common_region.base, p->common_region.n_bytes);
}
