/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/vm.h"

#include "common/process_memory.h"
#include "common/units.h"

#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define UNCHECKED_BYTES ((size_t)1 << 20) /* up to this size, the available memory is not checked */

static int no_memory(struct err *e, size_t n_bytes, const char *what_for, size_t available)
{
	SCOPED_STRBUF size = STRBUF_INIT;
	format_size(&size, n_bytes);
	strbuf_addstr(&size, " needed");
	if (available != SIZE_MAX) {
		strbuf_addstr(&size, ", ");
		format_size(&size, available);
		strbuf_addstr(&size, " available");
	}
	return err_set(e, ENOMEM, "not enough memory for %s: %s", what_for, size.s);
}

/* Returns a mapping that begins at the boundary of a huge page: kernels before 6.7 do not align
 * it. */
static void *map_aligned(size_t n_bytes)
{
	size_t slack = n_bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : 0;
	char *p =
	    mmap(NULL, n_bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || !slack)
		return p;
	size_t head = -(uintptr_t)p & (HUGE_PAGE_BYTES - 1);
	if (head)
		munmap(p, head);
	if (slack - head)
		munmap(p + head + n_bytes, slack - head);
	return p + head;
}

static int pages_populate(char *p, size_t n_bytes, size_t page)
{
#ifdef MADV_POPULATE_WRITE
	while (madvise(p, n_bytes, MADV_POPULATE_WRITE) < 0) {
		if (errno == EINTR || errno == EAGAIN)
			continue;
		if (errno != EINVAL) /* EINVAL: kernels before 5.14 */
			return -errno;
		break;
	}
#endif
	for (size_t i = 0; i < n_bytes; i += page)
		((volatile char *)p)[i] = 0;
	return 0;
}

int vm_get(struct vm_region *r, enum vm_kind kind, size_t n_bytes, const char *what_for,
	   struct err *e)
{
	*r = (struct vm_region){NULL, 0};
	if (!n_bytes)
		return 0;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	if (n_bytes > PTRDIFF_MAX - HUGE_PAGE_BYTES - page)
		return no_memory(e, n_bytes, what_for, SIZE_MAX);
	/* touching more memory than is available starts the out-of-memory killer */
	uint64_t bytes = n_bytes <= UNCHECKED_BYTES ? UINT64_MAX : memory_available_bytes();
	size_t available = bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
	n_bytes = round_up(n_bytes, page);
	if (n_bytes > available)
		return no_memory(e, n_bytes, what_for, available);
	char *p = kind == VM_SHARED ? mmap(NULL, n_bytes, PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0)
				    : map_aligned(n_bytes);
	if (p == MAP_FAILED)
		return no_memory(e, n_bytes, what_for, available);
	if (kind != VM_SHARED)
		(void)madvise(p, n_bytes, MADV_HUGEPAGE);
	if (kind != VM_RESERVED && pages_populate(p, n_bytes, page) < 0) {
		munmap(p, n_bytes);
		return no_memory(e, n_bytes, what_for, available);
	}
	*r = (struct vm_region){p, n_bytes};
	return 0;
}

int vm_map_file(struct vm_region *r, int fd, uint64_t at, size_t n_bytes, const char *what_for,
		struct err *e)
{
	*r = (struct vm_region){NULL, 0};
	if (!n_bytes)
		return 0;
	void *p = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
	if (p == MAP_FAILED)
		return err_sys(e, errno, "cannot map a file for %s", what_for);
	*r = (struct vm_region){p, n_bytes};
	return 0;
}

int vm_lock(const struct vm_region *r, struct err *e)
{
	if (!r->n_bytes || !mlock(r->base, r->n_bytes))
		return 0;
	return err_sys(e, errno, "cannot lock %zu bytes of memory (\"ulimit -l\" shows the limit)",
		       r->n_bytes);
}

void vm_own(void *p, size_t n_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (uintptr_t)p & (page - 1);
	volatile char *at = (char *)p - before;
	if (!p || !n_bytes)
		return;
	n_bytes = round_up(n_bytes + before, page);
#ifdef MADV_POPULATE_WRITE
	if (madvise((void *)(uintptr_t)at, n_bytes, MADV_POPULATE_WRITE) == 0 ||
	    errno != EINVAL) /* EINVAL: kernels before 5.14 */
		return;
#endif
	for (size_t i = 0; i < n_bytes; i += page) /* no other thread writes to the memory yet */
		at[i] = at[i];
}

void vm_forget(void *p, size_t n_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), before = -(uintptr_t)p & (page - 1);
	if (n_bytes > before && (n_bytes - before) / page)
		(void)madvise((char *)p + before, (n_bytes - before) / page * page, MADV_DONTNEED);
}

void vm_fill_random(struct vm_region *r, uint64_t seed)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15u | 1;
	unsigned char *p = r->base;
	for (size_t i = 0; i + sizeof x <= r->n_bytes; i += sizeof x) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(p + i, &x, sizeof x);
	}
}
