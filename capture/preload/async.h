/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asynchronous requests in the preload library. The library records two events for each request:
 * its submission and the fetch of its result. The collector combines both events into one request
 * by their key, which is unique while the request is in flight. */
#pragma once

#include <linux/aio_abi.h>
#include <stdbool.h>
#include <stdint.h>

struct async_request {
	uint64_t key, offset, length;
	int32_t fd;
	/* enum trace_op. OP_INVALID: an operation without a file, which is recorded so that its
	 * result has a partner. */
	uint16_t op;
	uint8_t what; /* OP_AIO_OTHER: number of the operation */
	uint32_t n_vector;
	/* the data that the request writes; n_vector > 0: struct iovec[n_vector]; NULL: no data */
	const void *bytes;
};

__attribute__((visibility("hidden"))) void async_note_submit(const struct async_request *a,
							     uint64_t begin, uint64_t end);
/* `result` may be a negative errno. The time stamp of the event is `end`, because a waiting call
 * may have started before the request was submitted. */
__attribute__((visibility("hidden"))) void async_note_done(uint64_t key, int64_t result,
							   uint64_t end);
/* Handles a libaio system call that a program makes by syscall(3). Returns false for other calls.
 * *got: return value for the caller of syscall(3). */
__attribute__((visibility("hidden"))) bool async_by_number(long number, const long *a, long *got);

/* --- hook_aio_ring.c: results of libaio requests that a program fetches without a call --- */

/* 0: the following functions have nothing to do, except aio_ring_submitted */
extern __attribute__((visibility("hidden"))) _Atomic uint32_t aio_n_rings;
/* Records the results that the program fetched since the last inspection. Call it before a
 * submission. */
__attribute__((visibility("hidden"))) void aio_ring_look(aio_context_t context);
/* inspects the rings of all contexts */
__attribute__((visibility("hidden"))) void aio_rings_look(void);
/* Call it after the kernel accepted a submission. */
__attribute__((visibility("hidden"))) void aio_ring_submitted(aio_context_t context);
/* Call them before and after a call that fetches results. */
__attribute__((visibility("hidden"))) void aio_ring_fetching(aio_context_t context);
__attribute__((visibility("hidden"))) void aio_ring_fetched(aio_context_t context);
/* Call it before io_destroy(2), which unmaps the ring. */
__attribute__((visibility("hidden"))) void aio_ring_forget(aio_context_t context);
/* Call it in a forked child, which has no contexts. */
__attribute__((visibility("hidden"))) void aio_rings_forked(void);
