/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Captured content (captured.h) for workers in any process. Content that was read in advance is in
 * shared memory. A worker reads other content itself. Compiled programs are linked with this
 * file. */
#pragma once

#include <stdatomic.h>

#include "capture/content/content.h"
#include "common/vm.h"

enum captured_state { ITEM_WANTED, ITEM_THERE, ITEM_TAKEN };

struct captured_item { /* content of a request, in issue order */
	uint64_t place, n_bytes;
	uint64_t at; /* position in the ring, if ITEM_THERE */
	_Atomic uint32_t state;
};

struct captured_shared { /* head of the shared memory; items and ring follow */
	uint64_t n_bytes, n_items;
	uint64_t items_at, ring_at, ring_bytes;
	_Atomic uint64_t n_late;
	_Atomic int failure; /* positive errno of the first failed read, 0 none */
	char why[256];	     /* its message */
};

struct captured_reader {
	struct content *content;
	struct captured_shared *shared;
	struct vm_region memory; /* of `shared` */
};

static inline struct captured_item *captured_items(const struct captured_shared *s)
{
	return (struct captured_item *)(void *)((char *)(uintptr_t)s + s->items_at);
}

static inline char *captured_ring(const struct captured_shared *s)
{
	return (char *)(uintptr_t)s + s->ring_at;
}

/* Copies at most `n` bytes of the content of request `number` to the worker's buffer. Call it once
 * for each request. */
void captured_take(const struct captured_reader *r, uint64_t number, void *to, uint64_t n);
/* Makes the pages of the shared memory present in this process. Call it after a fork. */
void captured_own(const struct captured_reader *r);
/* In another program: opens the content with the descriptors of captured_descriptors, and closes
 * these. Errors: from the system; EINVAL. Ownership: the content stays open until the process
 * ends. */
int captured_join(struct captured_reader **r, int content_fd, int memory_fd, struct err *e);
/* Stores why content could not be read; only the first failure is kept. */
void captured_failed(struct captured_shared *s, const struct err *why);
