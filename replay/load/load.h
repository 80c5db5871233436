/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace in memory while it is being prepared: checked, sorted into issue order, dealt to threads,
 * each request tied to the descriptor instance it works on. From here come the order (order.h), the
 * files to open (slots.h) and the hot form (plan.h); then it is freed.
 *
 * A trace is data from strangers: whatever cannot be replayed safely is refused here, naming the
 * record. */
#ifndef REPLAY_LOAD_H
#define REPLAY_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/op.h"
#include "capture/trace.h"
#include "common/err.h"
#include "replay/options/config.h"

#define REPLAY_MAX_REQUEST_BYTES (UINT64_C(1) << 30) /* longest read or write that is replayed */
/* and longest buffer of any other call: names, attributes, directory entries */
#define CALL_BUFFER_MAX (UINT32_C(1) << 20)
#define REPLAY_MAX_REQUESTS ((UINT64_C(1) << 30) - 1)
#define NONE32 UINT32_MAX

/* Why a request is skipped: its turn comes and goes, nothing is called. The replay trace and the
 * summary say so. */
enum pass_reason {
	PASS_NOT,    /* it is replayed */
	PASS_OBJECT, /* of a pipe, a socket, a terminal, an event descriptor */
	PASS_SYSTEM, /* of something below /proc, /sys or /dev */
	/* would make a device, a pipe or a privileged attribute, or leave the directory (chroot) */
	PASS_FORBIDDEN,
	PASS_UNTOLD, /* the trace has not what the call needs: a lock's range, an ioctl's argument,
			a path */
	/* no call, but what the kernel's page cache did by itself: pages that came in, faults on
	   files that nothing seen mapped */
	PASS_KERNEL,
	PASS_READ,    /* the way reads are replayed leaves it out (--reads) */
	PASS_DISCARD, /* block level: discards, unless they are asked for */
	PASS_NO_DATA, /* block level: moves no data at a known place */
	PASS_FORMAT,  /* somebody else's replayer cannot be told of it */
	/* no request: what a node of a parallel application computed, and whom it waited for;
	   engine parallel replays it */
	PASS_CAUSE,
	PASS_N
};
extern const char *const pass_reasons[PASS_N]; /* "replayed", "pipes, sockets and terminals", ... */

struct load_request { /* 64 bytes: there may be many */
	int64_t begin_ns;
	/* argument, or the position it worked at as far as it can be told, or OFFSET_NONE */
	uint64_t offset;
	uint64_t length; /* as recorded: bytes, or what its operation's row says (op.h). Of calls
			  * that make a file the mode that the file gets: the umask is taken off */
	int64_t rvalue;		  /* traced result, or the negative errno */
	/* load_end_ns: in ns; or (is_long) a place in load.long_end_ns, LOAD_NO_END unknown */
	uint32_t duration : 30;
	uint32_t is_long : 1;
	/* touches that happened within it come first, at the same time */
	uint32_t after_touches : 1;
	uint32_t record;	  /* its index in the file */
	uint32_t index;		  /* the how-manieth of its thread */
	uint32_t flags;
	union {
		uint32_t object; /* until slots_find has come to it; or OBJECT_NONE */
		uint32_t name;   /* afterwards: the path it is about, index into slots.file, or
				  * NONE32. Of a request on a descriptor slot.file   says it */
	};
	union {
		int32_t fd;    /* likewise until then; -1 none */
		/* and then: descriptor instance (slots.h) it works on; for open, fopen, opendir the
		 * one it makes; 0 none */
		uint32_t slot;
	};
	uint32_t more;	 /* index into load.more; 0: there is no more */
	uint16_t thread : 15; /* whose */
	uint16_t has_fd : 1;  /* it tells a descriptor's number */
	uint8_t op;
	uint8_t passed; /* enum pass_reason; set by slots_find */
};
_Static_assert(sizeof(struct load_request) == 64, "a request fits a cache line");
_Static_assert(OP_N <= UINT8_MAX && REPLAY_MAX_THREADS < 1u << 15,
	       "operations and threads have room");
#define LOAD_NO_END ((UINT32_C(1) << 30) - 1)

/* Faults on mapped files are replayed as touches of their page: `offset` is a byte of that page in
 * the file, `length` 1. One that happened within a call of its own thread (it read from mapped
 * memory, or into it) was moved in front of that call. */
static inline bool load_is_touch(const struct load_request *r)
{
	return r->op == OP_PAGE_FAULT;
}

/* Asynchronous requests begin when they were handed over and end when their results were fetched
 * (load_async.h). */
static inline bool load_is_async(const struct load_request *r)
{
	return r->op >= OP_AIO_READ && r->op <= OP_AIO_FDATASYNC;
}

/* flags of an asynchronous request: by a call of its own, which stands before it */
#define LOAD_HANDED_OVER 1u

/* of the requests that have a heap item, a second path, a second descriptor, or a mapping */
struct load_more {
	uint64_t at;	/* of the heap item in load.bytes, aligned to 8 and followed by a NUL */
	uint32_t len;	/* of it; 0 none */
	uint32_t name;	/* rename, link: the second path, index into slots.file; else NONE32 */
	/* dup, dup2, F_DUPFD: the instance it makes; copies: the one written to; 0 none */
	uint32_t slot;
	uint32_t map;	/* mappings: index into slots.map, NONE32 none */
	uint64_t from;  /* copies: where it writes, OFFSET_NONE unknown. Mappings and touches: first
			 * byte within the map.  fscanf: bytes that it took, as far as a later ftell
			 * shows. ftell, fgetc: bytes taken  before by macros, which the trace has
			 * not. Calls of asynchronous requests: the end of one that hands over,  the
			 * begin of one that fetches */
	bool itself; /* dup2 to the same number */
	/* preadv2, pwritev2 and copies: it works at the position and moves it; and that of the
	 * other */
	bool at_position, to_position;
};

struct load_thread {
	uint32_t pid, tid;
	uint32_t n_requests;
	uint32_t of;	     /* of a channel: the thread whose asynchronous requests it has */
	bool is_channel;
};

struct load {
	struct load_request *request; /* request[n], by (begin, record): issue order */
	uint32_t n;
	/* of the file; those that were never issued (begin unknown) are not among the n */
	uint64_t n_records;
	uint64_t n_causes;  /* computing, signals and waits that were left out (FAMILY_CAUSE) */
	int64_t *long_end_ns; /* long_end_ns[n_long]: of requests that took a second or more */
	uint32_t n_long, long_cap;
	struct load_more *more; /* more[n_more], more[0] unused */
	uint32_t n_more, more_cap;
	char *bytes; /* bytes[n_bytes]: heap items */
	size_t n_bytes, bytes_cap;
	struct load_thread *thread; /* thread[n_threads], by (pid, tid) */
	uint32_t n_threads;
	uint32_t n_channels; /* of them, that the program had not (load_async.h) */
	int64_t first_begin_ns, last_end_ns; /* 0 when empty */
	/* what its requests wrote, where they are to write it again (calls/captured.h); borrowed */
	struct captured *captured;
	/* how reads are replayed (replay/load/reads.h); NULL: as they are */
	struct reads *reads;
	double total_response_ns;	     /* over the requests with known end: for the mean */
	uint64_t n_with_end;
};

/* Reads every record of T but those that are no requests (compute, signal, wait). Errors: EINVAL,
 * E2BIG, ENOMEM with the record's number; those of reading. */
int load_read(struct load *l, struct trace *t, struct err *e);
/* And those, too, for who replays them; asynchronous requests stay in their threads. */
int load_read_with_causes(struct load *l, struct trace *t, struct err *e);
void load_release(struct load *l); /* an all-zero one is fine */

/* When it ended; INT64_MAX where the trace does not know. */
static inline int64_t load_end_ns(const struct load *l, const struct load_request *r)
{
	if (!r->is_long)
		return r->begin_ns + r->duration;
	return r->duration == LOAD_NO_END ? INT64_MAX : l->long_end_ns[r->duration];
}
/* Of a request whose begin is settled. */
void load_end_set(struct load *l, struct load_request *r, int64_t end_ns);

/* The heap item of a request: NUL-terminated, borrowed; NULL and 0 where it has none. */
const char *load_heap(const struct load *l, const struct load_request *r, uint32_t *len);
/* What there is more of a request, or NULL. */
static inline struct load_more *load_more(const struct load *l, const struct load_request *r)
{
	return r->more ? &l->more[r->more] : NULL;
}

/* When the call itself began and ended, where it is an instant in the load: what pauses are
 * reckoned by. */
static inline int64_t load_call_begin(const struct load *l, const struct load_request *r)
{
	const struct load_more *m = r->op == OP_IO_GETEVENTS ? load_more(l, r) : NULL;
	return m && m->from != OFFSET_NONE ? (int64_t)m->from : r->begin_ns;
}
static inline int64_t load_call_end(const struct load *l, const struct load_request *r)
{
	const struct load_more *m =
	    r->op == OP_IO_SUBMIT || r->op == OP_IO_URING_ENTER ? load_more(l, r) : NULL;
	return m && m->from != OFFSET_NONE ? (int64_t)m->from : load_end_ns(l, r);
}

/* The requests in flight while a trace is walked in issue order: a heap by end. */
struct flight {
	uint32_t *item; /* item[n]: indices into load.request */
	uint32_t n, cap;
};
void flight_push(struct flight *f, const struct load *l, uint32_t request);
/* The next request that ended at or before `now_ns` (ends come before begins at equal times), or
 * NONE32. */
uint32_t flight_pop_ended(struct flight *f, const struct load *l, int64_t now_ns);
void flight_release(struct flight *f);

#define CALL_TCGETS 0x5401u /* what isatty(3) asks; of a file the answer is ENOTTY */
/* refusal.c: whether the arguments of a request keep it from being replayed. */
enum pass_reason call_refusal(const struct load *l, const struct load_request *r);

#endif
