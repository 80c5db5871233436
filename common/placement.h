/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the buffers of reads and writes lie. The time of a cached 4 KiB read depends on it by tens of per cent, and
 * left to chance it is drawn once per process and kept for life, which makes most of the noise between processes. So it
 * is chosen on purpose, and by the same code for a program and for its replay. doc/buffer-placement.md has the
 * measurements.
 *
 * All buffers are in one pre-faulted region; request k of a thread uses slot k modulo the number of slots. */
#ifndef COMMON_PLACEMENT_H
#define COMMON_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/vm.h"

enum placement_kind {
	PLACEMENT_OFFSET, /* one buffer per thread, a fixed distance behind the start of a page */
	PLACEMENT_PAGE,   /* one buffer per thread, at the start of a page */
	PLACEMENT_ROTATE, /* many buffers per thread, used in turn, on different pages and at different distances */
};
extern const char *const placement_names[]; /* in the order of the enum, NULL-terminated: for OPT_CHOICE */
#define PLACEMENT_DEFAULT PLACEMENT_OFFSET

struct placement {
	unsigned char *base;     /* buffer of thread 0, request 0 */
	size_t slot_bytes;       /* from one slot to the next */
	size_t thread_bytes;     /* from one thread to the next */
	uint64_t slot_mask;      /* number of slots - 1, a power of two less one */
	size_t align_bytes;      /* every buffer's address is a multiple of it */
	struct vm_region region; /* owned */
};

/* Lays out buffers of `block_bytes` (the longest request) for `n_threads` threads, every page present. With `direct`
 * every buffer is aligned to 4096 bytes whatever the kind, as O_DIRECT wants it. Errors: EINVAL for no thread, no bytes
 * or an unknown kind; ENOMEM. Ownership: placement_release. */
int placement_init(struct placement *p, enum placement_kind kind, size_t block_bytes, bool direct,
		   unsigned int n_threads, struct err *e);
void placement_release(struct placement *p); /* an all-zero one is fine */

/* The buffer of request `k` (0, 1, ...) of `thread`. No branch, no memory beyond *p: cheap on the measured path. */
static inline void *placement_buffer(const struct placement *p, unsigned int thread, uint64_t k)
{
	return p->base + thread * p->thread_bytes + (k & p->slot_mask) * p->slot_bytes;
}

#endif
