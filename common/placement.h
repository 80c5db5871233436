/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses of the buffers of reads and writes. The time of a cached 4 KiB read depends on the
 * address by tens of per cent. Without control, the addresses differ between processes but not
 * within a process, and cause most of the noise between processes. So the same code chooses them
 * for a program and for its replay. doc/buffer-placement.md has the measurements.
 *
 * All buffers are in one pre-faulted region; request k of a thread uses slot k modulo the number of
 * slots. */
#pragma once

#include "common/vm.h"

enum placement_kind {
	PLACEMENT_OFFSET, /* one buffer per thread, at a fixed offset from the start of a page */
	PLACEMENT_PAGE,   /* one buffer per thread, at the start of a page */
	/* many buffers per thread, used in turn, on different pages and at different offsets */
	PLACEMENT_ROTATE,
};
/* in the order of the enum, NULL-terminated: for OPT_CHOICE */
extern const char *const placement_names[];
#define PLACEMENT_DEFAULT PLACEMENT_OFFSET

#define PLACEMENT_OWN_MAX ((size_t)64 << 20)

struct placement_row { /* the buffers of one thread */
	unsigned char *base; /* buffer of request 0 */
	size_t slot_bytes;   /* bytes from one slot to the next */
	uint64_t slot_mask;  /* number of slots - 1; the number of slots is a power of 2 */
	size_t room;	     /* bytes of a buffer that requests may use */
};

struct placement {
	struct placement_row *row; /* row[n_threads]; owned */
	unsigned int n_threads;
	unsigned char *common;	/* one buffer for all threads; NULL if there is none */
	size_t common_room;	/* bytes of the common buffer */
	size_t align_bytes;	/* the address of every buffer is a multiple of it */
	struct vm_region region, common_region; /* owned */
};

/* Requirements of the threads of a program or a replay. */
struct placement_need {
	/* block_bytes[n_threads]: each thread's longest request; 0 counts as 1 */
	const size_t *block_bytes;
	unsigned int n_threads;
	size_t common_bytes; /* longest request that uses the common buffer; 0: there is none */
	/* every buffer is aligned to 4096 bytes for any kind, as O_DIRECT requires */
	bool direct;
	/* the common buffer is shared with processes that are forked afterwards */
	bool across;
};

/* Lays out the buffers and makes every page present. Requests above PLACEMENT_OWN_MAX can use the
 * common buffer if their content does not matter, because they overwrite each other's data. A
 * thread has fewer slots than its kind normally has if they would take more than PLACEMENT_OWN_MAX.
 * Errors: EINVAL: no thread, or an unknown kind; ENOMEM. Ownership: placement_release. */
int placement_init_each(struct placement *p, enum placement_kind kind,
			const struct placement_need *need, struct err *e);
/* The same if all threads have the same longest request `block_bytes`, without a common buffer.
 * Errors: also EINVAL: block_bytes is 0. */
int placement_init(struct placement *p, enum placement_kind kind, size_t block_bytes, bool direct,
		   unsigned int n_threads, struct err *e);
/* `p` may be all zero */
static inline void placement_release(struct placement *p)
{
	vm_free(&p->region);
	vm_free(&p->common_region);
	free(p->row);
	*p = (struct placement){.row = NULL};
}

/* Call it in a forked process that runs the threads [from, to): copies their buffers and the common
 * buffer, and makes all pages present (vm_own). */
void placement_own(const struct placement *p, unsigned int from, unsigned int to);

/* The buffer of request `k` (0, 1, ...) of a thread. Has no branch, because it is on the measured
 * path. */
static inline void *placement_slot(const struct placement_row *r, uint64_t k)
{
	return r->base + (k & r->slot_mask) * r->slot_bytes;
}

static inline void *placement_buffer(const struct placement *p, unsigned int thread, uint64_t k)
{
	return placement_slot(&p->row[thread], k);
}
