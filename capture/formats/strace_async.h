/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading strace: requests of libaio that io_submit has handed over, until io_getevents tells what
 * came of them. Private to the reader of strace. */
#ifndef CAPTURE_FORMATS_STRACE_ASYNC_H
#define CAPTURE_FORMATS_STRACE_ASYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/trace.h"

#define STRACE_ASYNC_CHAINS 1024u

struct strace_asked {
	uint32_t pid;
	uint32_t next;		/* of the same chain, 0: none */
	uint64_t context, data; /* as the program has them */
	uint64_t ticket;
	struct trace_record r; /* for one that has lost its place */
};

struct strace_async {
	bool follows; /* else nothing here is done */
	struct strace_asked *asked; /* asked[n]; the first is unused */
	/* unused: the first of those given back, linked by `next`; 0 none */
	uint32_t n, cap, n_under_way, unused;
	uint32_t first[STRACE_ASYNC_CHAINS], last[STRACE_ASYNC_CHAINS]; /* 0: none */
};

struct foreign;
struct parsed;

void strace_async_release(struct strace_async *a); /* and makes it anew; `follows` stays */
/* A call of io_submit or io_getevents that has been handed over itself. Errors: as of
 * foreign_add(). */
int strace_async_take(struct parsed *p, struct err *e);
/* The trace is over: what was never fetched has no end. */
void strace_async_end(struct strace_async *a, struct foreign *f);

#endif
