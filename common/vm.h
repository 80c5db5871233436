/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Large memory for the measured path: anonymous mappings, every page present and writable before
 * the clock starts. */
#ifndef COMMON_VM_H
#define COMMON_VM_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct vm_region {
	void *base;	/* page-aligned, zero-filled, NULL when empty */
	size_t n_bytes; /* as mapped, a multiple of the page size */
};

/* Maps and pre-faults `n_bytes` (huge pages where the kernel grants them), so that no later access
 * faults. Errors: ENOMEM with the amount in the message. Ownership: vm_free. */
int vm_alloc(struct vm_region *r, size_t n_bytes, const char *what_for, struct err *e);
/* Fills it with numbers that do not compress, and are the same for the same seed on every machine.
 */
void vm_fill_random(struct vm_region *r, uint64_t seed);
/* The same, shared with the processes that are forked afterwards; in pages of the usual size. */
int vm_alloc_shared(struct vm_region *r, size_t n_bytes, const char *what_for, struct err *e);
void vm_free(struct vm_region *r); /* an empty region is fine */

/* `n_bytes` of a file from `at` on, a multiple of the page size: what is written there goes into
 * the file, and the kernel may take the memory back at any time. */
int vm_map_file(struct vm_region *r, int fd, uint64_t at, size_t n_bytes, const char *what_for,
		struct err *e);
/* Keeps it in memory, whatever the kernel is short of. Errors: EPERM, ENOMEM: more than may be
 * locked (RLIMIT_MEMLOCK). */
int vm_lock(const struct vm_region *r, struct err *e);
/* Maps and does not pre-fault: as memory is written to it becomes present, and the rest by vm_own.
 */
int vm_reserve(struct vm_region *r, size_t n_bytes, const char *what_for, struct err *e);
/* Gives back the whole pages within [p, p + n_bytes), private memory of the caller's that is not
 * looked at again before it is freed. */
void vm_forget(void *p, size_t n_bytes);

/* After a fork: memory that came from the parent is made present and, where it is private, the
 * caller's own now, its content unchanged, so that no later write faults. Reserved memory likewise.
 * Whole pages around [p, p + n_bytes), which must be writable. */
void vm_own(void *p, size_t n_bytes);

#endif
