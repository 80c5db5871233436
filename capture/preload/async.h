/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asynchronous requests inside the preload library. Two notes for each: when it was handed over and
 * when its result was fetched; the collector makes one request of them. They find each other by a
 * key that is the request's own while it is under way. */
#ifndef CAPTURE_PRELOAD_ASYNC_H
#define CAPTURE_PRELOAD_ASYNC_H

#include <linux/aio_abi.h>
#include <stdbool.h>
#include <stdint.h>

struct asked {
	uint64_t key, offset, length;
	int32_t fd;
	/* enum trace_op; OP_INVALID: no request on a file, noted so that its result finds it */
	uint16_t op;
	uint8_t what; /* OP_AIO_OTHER: the operation's number */
	uint32_t n_vector;
	/* what it writes; with n_vector > 0 struct iovec[n_vector] of it; NULL: nothing */
	const void *bytes;
};

__attribute__((visibility("hidden"))) void async_note_asked(const struct asked *a, uint64_t begin,
							    uint64_t end);
/* `result`: or a negative error. Its instant is `end`: a call that waits may have begun before the
 * request. */
__attribute__((visibility("hidden"))) void async_note_done(uint64_t key, int64_t result,
							   uint64_t end);
/* A call by number (syscall(3)) of the kernel's own interface, that of libaio: false where it is
 * another. *got: as syscall(3) returns it. */
__attribute__((visibility("hidden"))) bool async_by_number(long number, const long *a, long *got);

/* --- hook_aio_ring.c: results of libaio's requests that a program fetches without a call --- */

/* 0: no function below has anything to do, except aio_ring_submitted */
extern __attribute__((visibility("hidden"))) _Atomic uint32_t aio_n_rings;
/* Notes the results that the program has fetched since the last look. Before a submission. */
__attribute__((visibility("hidden"))) void aio_ring_look(aio_context_t context);
__attribute__((visibility("hidden"))) void aio_rings_look(void); /* of all contexts */
/* After a submission that the kernel has accepted. */
__attribute__((visibility("hidden"))) void aio_ring_submitted(aio_context_t context);
/* Before and after a call that fetches results. */
__attribute__((visibility("hidden"))) void aio_ring_fetching(aio_context_t context);
__attribute__((visibility("hidden"))) void aio_ring_fetched(aio_context_t context);
/* Before io_destroy(2), which unmaps the ring. */
__attribute__((visibility("hidden"))) void aio_ring_forget(aio_context_t context);
/* In the child of a fork, which has no contexts. */
__attribute__((visibility("hidden"))) void aio_rings_forked(void);

#endif
