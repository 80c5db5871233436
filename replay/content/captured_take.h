/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workers' side of captured content (captured.h), in whatever process they are: what was
 * fetched lies in memory that all of them share with the one that fetches, and what was not is read
 * by who wants it. Compiled programs are linked with this. */
#ifndef REPLAY_CAPTURED_TAKE_H
#define REPLAY_CAPTURED_TAKE_H

#include <stdatomic.h>
#include <stdint.h>

#include "capture/content/content.h"
#include "common/err.h"
#include "common/vm.h"

enum captured_state { ITEM_WANTED, ITEM_THERE, ITEM_TAKEN };

struct captured_item { /* content of a request, in issue order */
	uint64_t place, n_bytes;
	uint64_t at; /* in the ring, where it is there */
	_Atomic uint32_t state;
};

struct captured_shared { /* the shared memory begins with it; items and the ring lie behind */
	uint64_t n_bytes, n_items;
	uint64_t items_at, ring_at, ring_bytes;
	_Atomic uint64_t n_late;
	_Atomic int failure; /* positive errno of what could not be read, and */
	char why[256];	     /* what was said, by who set it */
};

struct captured_reader {
	struct content *content;
	struct captured_shared *shared;
	struct vm_region memory; /* where it is */
};

static inline struct captured_item *captured_items(const struct captured_shared *s)
{
	return (struct captured_item *)(void *)((char *)(uintptr_t)s + s->items_at);
}

static inline char *captured_ring(const struct captured_shared *s)
{
	return (char *)(uintptr_t)s + s->ring_at;
}

/* At most `n` bytes of what request `number` wrote, into a worker's buffer; once. */
void captured_take(const struct captured_reader *r, uint64_t number, void *to, uint64_t n);
/* After a fork: the shared memory is made present. */
void captured_own(const struct captured_reader *r);
/* In another program, by the descriptors that captured_descriptors told: of the file and of the
 * memory. Both are closed. Errors: of the system; EINVAL. Ownership: the process'. */
int captured_join(struct captured_reader **r, int content_fd, int memory_fd, struct err *e);

/* What could not be read; only the first failure is kept. */
void captured_failed(struct captured_shared *s, const struct err *why);

#endif
