/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace in memory while it is being prepared: checked, sorted into issue order, dealt to threads, each request tied to the
 * descriptor instance it works on. From here come the order (order.h), the files to open (slots.h) and the hot form (plan.h);
 * then it is freed.
 *
 * A trace is data from strangers: whatever cannot be replayed safely is refused here, naming the record. */
#ifndef REPLAY_LOAD_H
#define REPLAY_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"

#define REPLAY_MAX_REQUEST_BYTES (UINT64_C(1) << 30) /* longest read or write that is replayed */
#define REPLAY_MAX_REQUESTS (UINT64_C(1) << 30)
#define REPLAY_MAX_THREADS 30000u
#define NONE32 UINT32_MAX

struct load_request {
	int64_t begin_ns, end_ns; /* end_ns: INT64_MAX where the trace does not know */
	uint64_t offset;	  /* argument, or the position it worked at as far as it can be told, or OFFSET_NONE */
	int64_t rvalue;		  /* traced result, or the negative errno */
	uint32_t record;	  /* its index in the file */
	uint32_t thread, index;	  /* whose, and the how-manieth of that thread */
	uint32_t length, flags;
	uint32_t object; /* or OBJECT_NONE */
	uint32_t slot;	 /* descriptor instance (slots.h); for an open the one it makes */
	int32_t fd;
	uint32_t op;
};

struct load_thread {
	uint32_t pid, tid;
	uint32_t n_requests;
	uint32_t max_length; /* longest read or write, bytes */
};

struct load {
	struct load_request *request; /* request[n], by (begin, record): issue order */
	uint32_t n;
	uint64_t n_records; /* of the file; those that were never issued (begin unknown) are not among the n */
	struct load_thread *thread; /* thread[n_threads], by (pid, tid) */
	uint32_t n_threads;
	uint32_t max_length; /* at least 1 */
	int64_t first_begin_ns, last_end_ns; /* 0 when empty */
	double total_response_ns;	     /* over the requests with known end: for the mean */
	uint64_t n_with_end;
};

/* Reads every record of T. Errors: EINVAL, E2BIG, ENOMEM with the record's number; those of reading. */
int load_read(struct load *l, struct trace *t, struct err *e);
void load_release(struct load *l); /* an all-zero one is fine */

/* The requests in flight while a trace is walked in issue order: a heap by end. */
struct flight {
	uint32_t *item; /* item[n]: indices into load.request */
	uint32_t n, cap;
};
void flight_push(struct flight *f, const struct load *l, uint32_t request);
/* The next request that ended at or before `now_ns` (ends come before begins at equal times), or NONE32. */
uint32_t flight_pop_ended(struct flight *f, const struct load *l, int64_t now_ns);
void flight_release(struct flight *f);

#endif
