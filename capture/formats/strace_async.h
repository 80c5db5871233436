/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of libaio between io_submit and io_getevents, for the reader of strace. */
#ifndef CAPTURE_FORMATS_STRACE_ASYNC_H
#define CAPTURE_FORMATS_STRACE_ASYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/trace.h"

#define STRACE_ASYNC_CHAINS 1024u

struct strace_aio_request {
	uint32_t pid;
	uint32_t next;		/* in the hash chain, 0: none */
	uint64_t context, data; /* values of the program */
	uint64_t ticket;
	struct trace_record r; /* used if the request has lost its place in the queue */
};

struct strace_async {
	bool follows; /* false: nothing is recorded */
	struct strace_aio_request *request; /* request[n]; element 0 is unused */
	uint32_t n, cap, n_in_flight;
	uint32_t unused; /* first element of the free list, linked by `next`; 0: none */
	uint32_t first[STRACE_ASYNC_CHAINS], last[STRACE_ASYNC_CHAINS]; /* 0: none */
};

struct foreign;
struct parsed;

void strace_async_release(struct strace_async *a); /* leaves it empty; `follows` stays */
/* Adds the requests of an io_submit, or the results of an io_getevents, whose own record is in the
 * queue. Errors: as of foreign_add(). */
int strace_async_take(struct parsed *p, struct err *e);
/* At the end of the trace: requests without a result get no end. */
void strace_async_end(struct strace_async *a, struct foreign *f);

#endif
