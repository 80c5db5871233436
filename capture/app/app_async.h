/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asynchronous requests and their results, matched: who fetched a result need not be who asked.
 * Private to capture/. */
#ifndef CAPTURE_APP_ASYNC_H
#define CAPTURE_APP_ASYNC_H

#include "capture/app/app_private.h"

struct async_request {
	uint64_t end; /* ticks; 0: its result was never fetched */
	int64_t result; /* or a negative error */
	uint64_t key;	/* while matching: of image and control block */
	uint32_t next;	/* in its chain, 0 ends */
};

struct async_chain {
	uint32_t first, last; /* 0: none */
};

struct async {
	struct async_request *request; /* [n], in the order asked; [0] is unused */
	size_t n, cap;
	struct async_chain *chain; /* [n_chains], a power of two: requests under way */
	size_t n_chains;
	size_t n_replayed; /* of the second pass: how many were taken */
};

void async_init(struct async *a);
void async_release(struct async *a);
void async_ask(struct async *a, const struct merge_record *r);
void async_done(struct async *a, const struct merge_record *r);
/* In the second pass: what came of the next request asked for. */
const struct async_request *async_take(struct async *a);

#endif
