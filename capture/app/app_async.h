/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matches asynchronous requests with their results, which another thread may fetch. Private to
 * capture/. */
#ifndef CAPTURE_APP_ASYNC_H
#define CAPTURE_APP_ASYNC_H

#include "capture/app/app_private.h"

struct async_request {
	uint64_t end; /* ticks; 0: its result was never fetched */
	int64_t result; /* or a negative error */
	uint64_t key;	/* while matching: of image and control block */
	uint32_t next;	/* in its chain, 0: none */
};

struct async_chain {
	uint32_t first, last; /* 0: none */
};

struct async {
	struct async_request *request; /* [n], in order of submission; [0] is unused */
	size_t n, cap;
	struct async_chain *chain; /* [n_chains], a power of two: requests under way */
	size_t n_chains;
	size_t n_replayed; /* in the second pass: requests taken */
};

void async_init(struct async *a);
void async_release(struct async *a);
void async_ask(struct async *a, const struct merge_record *r);
void async_done(struct async *a, const struct merge_record *r);
/* In the second pass: the result of the next submitted request. */
const struct async_request *async_take(struct async *a);

#endif
