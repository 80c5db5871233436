/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Large memory for the measured path: anonymous mappings. All pages are present and writable before
 * the measurement. */
#pragma once

#include <sys/mman.h>

#include "common/std.h"

struct vm_region {
	void *base;	/* page-aligned; initially zero-filled; NULL if empty */
	size_t n_bytes; /* size of the mapping, a multiple of the page size */
};

enum vm_kind {
	VM_PRESENT,  /* pre-faulted, with huge pages where the kernel grants them */
	VM_RESERVED, /* a page becomes present at its first write, or by vm_own */
	VM_SHARED,   /* pre-faulted, shared with processes that are forked later; no huge pages */
};

/* Maps `n_bytes`. Errors: ENOMEM, with the amount in the message. Ownership: vm_free. */
int vm_get(struct vm_region *r, enum vm_kind kind, size_t n_bytes, const char *what_for,
	   struct err *e);
static inline int vm_alloc(struct vm_region *r, size_t n_bytes, const char *what_for,
			   struct err *e)
{
	return vm_get(r, VM_PRESENT, n_bytes, what_for, e);
}

/* Fills the region with random numbers. The same seed gives the same numbers on every machine. */
void vm_fill_random(struct vm_region *r, uint64_t seed);
/* An empty region is permitted. */
static inline void vm_free(struct vm_region *r)
{
	if (r->base)
		munmap(r->base, r->n_bytes);
	*r = (struct vm_region){NULL, 0};
}

/* Maps `n_bytes` of a file from offset `at` on, a multiple of the page size. Writes go to the file,
 * and the kernel may reclaim the memory at any time. */
int vm_map_file(struct vm_region *r, int fd, uint64_t at, size_t n_bytes, const char *what_for,
		struct err *e);
/* Locks the region in memory. Errors: EPERM; ENOMEM: above RLIMIT_MEMLOCK. */
int vm_lock(const struct vm_region *r, struct err *e);
/* Returns the whole pages within [p, p + n_bytes) to the kernel. The memory must be private, and
 * the caller must not read it again before freeing it. */
void vm_forget(void *p, size_t n_bytes);

/* Call it after a fork. Makes memory of the parent, or reserved memory, present, and copies private
 * pages, so that later writes cause no page fault. The content does not change. Concerns the whole
 * pages around [p, p + n_bytes), which must be writable. */
void vm_own(void *p, size_t n_bytes);
