/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace in memory while a replay is prepared: checked, sorted into issue order, and assigned to
 * threads and descriptor instances. The order (order.h), the files to open (slots.h) and the plan
 * (plan.h) are derived from it; then it is freed.
 *
 * A trace is untrusted data: a record that cannot be replayed safely is refused here, with its
 * number. */
#pragma once

#include "capture/op.h"
#include "replay/options/config.h"

#define REPLAY_MAX_REQUEST_BYTES (UINT64_C(1) << 30) /* longest read or write that is replayed */
/* longest buffer of all other calls: names, attributes, directory entries */
#define CALL_BUFFER_MAX (UINT32_C(1) << 20)
#define REPLAY_MAX_REQUESTS ((UINT64_C(1) << 30) - 1)
#define NONE32 UINT32_MAX

/* Why a request is skipped. A skipped request keeps its place in the order, but no call is made.
 * The replay trace and the summary report it. */
enum skip_reason {
	SKIP_NONE,   /* it is replayed */
	SKIP_OBJECT, /* its file is a pipe, socket, terminal or event descriptor */
	SKIP_SYSTEM, /* its file is below /proc, /sys or /dev */
	/* it would create a device or a privileged attribute, or leave the directory (chroot) */
	SKIP_FORBIDDEN,
	/* it failed because its two names were on different file systems (EXDEV); the replay has
	 * one directory for all names */
	SKIP_ACROSS,
	/* the trace lacks an argument: the range of a lock, the argument of an ioctl, a path */
	SKIP_MISSING,
	/* an action of the page cache instead of a call: pages added, faults on unknown mappings */
	SKIP_KERNEL,
	SKIP_READ,    /* --reads leaves it out */
	SKIP_DISCARD, /* block level: a discard, without --discards */
	SKIP_NO_DATA, /* block level: it moves no data at a known offset */
	SKIP_FORMAT,  /* the trace format of the foreign replayer cannot represent it */
	/* computing or waiting of a parallel application instead of a request; engine parallel
	 * replays it */
	SKIP_CAUSE,
	SKIP_UNFINISHED, /* it never returned in the traced run, so its effect is unknown */
	SKIP_N
};
extern const char *const skip_reasons[SKIP_N]; /* "replayed", "pipes, sockets and terminals", ... */

struct load_request { /* 64 bytes: there may be many */
	int64_t begin_ns;
	/* the argument of the call, or the file position if it is known, or OFFSET_NONE */
	uint64_t offset;
	/* as recorded: bytes, or the quantity that the operation's row names (op.h). For calls that
	 * create a file: its mode after the umask */
	uint64_t length;
	int64_t rvalue;		  /* traced result, or the negative errno */
	/* in ns; with is_long an index into load.long_end_ns, or LOAD_NO_END; use load_end_ns() */
	uint32_t duration : 29;
	uint32_t is_long : 1;
	/* set by slots_find: O_APPEND was set, so a write goes to the end of the file */
	uint32_t appends : 1;
	/* page faults during this request precede it and have the same start */
	uint32_t after_touches : 1;
	uint32_t record;	  /* its index in the file */
	uint32_t index;		  /* number of the request within its thread, from 0 */
	uint32_t flags;
	union {
		uint32_t object; /* before slots_find; or OBJECT_NONE */
		/* set by slots_find: its path, an index into slots.file, or NONE32. A request on a
		 * descriptor has its path in slot.file */
		uint32_t name;
	};
	union {
		int32_t fd; /* before slots_find; -1 none */
		/* set by slots_find: its descriptor instance (slots.h); for open, fopen and opendir
		 * the instance that it creates; 0 none */
		uint32_t slot;
	};
	uint32_t more;	 /* index into load.more; 0: none */
	uint16_t thread : 15;
	uint16_t has_fd : 1;  /* its record has a descriptor number */
	uint8_t op;
	uint8_t skipped; /* enum skip_reason; set by slots_find */
};
_Static_assert(sizeof(struct load_request) == 64, "a request fits a cache line");
_Static_assert(OP_N <= UINT8_MAX && REPLAY_MAX_THREADS < 1u << 15,
	       "operations and threads have room");
#define LOAD_NO_END ((UINT32_C(1) << 29) - 1)

/* Whether the request is a touch: a page fault on a mapped file is replayed as an access to its
 * page. `offset` is a byte of that page in the file, `length` is 1. A page fault during a call of
 * its own thread, which copied from or to mapped memory, was moved before that call. */
static inline bool load_is_touch(const struct load_request *r)
{
	return r->op == OP_PAGE_FAULT;
}

static inline bool load_closes(const struct load_request *r)
{
	return r->op == OP_CLOSE || r->op == OP_FCLOSE || r->op == OP_CLOSEDIR;
}

/* Returns begin + n_bytes, or UINT64_MAX if the sum overflows. */
static inline uint64_t load_end_of(uint64_t begin, uint64_t n_bytes)
{
	return begin + n_bytes < begin ? UINT64_MAX : begin + n_bytes;
}

/* Whether the call follows a link in the last component of its path. */
bool load_follows_link(const struct load_request *r);

/* Whether the request is asynchronous: it begins at its submission and ends when its result was
 * fetched (load_async.c). */
static inline bool load_is_async(const struct load_request *r)
{
	return r->op >= OP_AIO_READ && r->op <= OP_AIO_FDATASYNC;
}

/* flags of an asynchronous request: a submission call precedes it */
#define LOAD_HANDED_OVER 1u

/* further data of requests with a heap item, a second path, a second descriptor or a mapping */
struct load_more {
	/* position and length of the heap item in load.bytes, aligned to 8 and NUL-terminated; len
	 * 0: none */
	uint64_t at;
	uint32_t len;
	/* rename, link: the second path, an index into slots.file; otherwise NONE32 */
	uint32_t name;
	/* dup, dup2, F_DUPFD: the new descriptor instance; copies: the instance that is written to;
	 * 0 none */
	uint32_t slot;
	uint32_t map;	/* mappings: index into slots.map, NONE32 none */
	/* Copies: offset of the write, OFFSET_NONE unknown. Mappings and touches: first byte within
	 * the mapping. fscanf: number of bytes consumed, as far as a later ftell shows it. ftell,
	 * fgetc: number of bytes that macros consumed before and that the trace lacks. Submissions
	 * of asynchronous requests: end of the call. Fetches: start of the call */
	uint64_t from;
	bool itself; /* dup2 to the same number */
	/* preadv2, pwritev2, copies: the call uses and moves the file position; to_position: that
	 * of the target */
	bool at_position, to_position;
};

struct load_thread {
	uint32_t pid, tid;
	uint32_t n_requests;
	uint32_t of; /* channel: index of the thread that submitted its asynchronous requests */
	bool is_channel;
};

struct load {
	struct load_request *request; /* request[n], ordered by (begin, record): issue order */
	uint32_t n;
	/* number of records in the file, including requests that were never issued (start
	 * unknown) */
	uint64_t n_records;
	uint64_t n_causes;  /* number of omitted records of computing, signals and waits */
	int64_t *long_end_ns; /* long_end_ns[n_long]: ends of requests of a second or more */
	uint32_t n_long, long_cap;
	struct load_more *more; /* more[n_more], more[0] unused */
	uint32_t n_more, more_cap;
	char *bytes; /* bytes[n_bytes]: heap items */
	size_t n_bytes, bytes_cap;
	struct load_thread *thread; /* thread[n_threads], by (pid, tid) */
	uint32_t n_threads;
	uint32_t n_channels; /* how many of them are channels (load_async.c) */
	int64_t first_begin_ns, last_end_ns; /* 0 when empty */
	/* captured content of writes (content/captured.h), NULL: not replayed; borrowed */
	struct captured *captured;
	struct reads *reads; /* how reads are replayed (reads.h); NULL: unchanged */
};

/* Reads all records of T. With `causes` it also reads computing, signals and waits, and
 * asynchronous requests stay in their threads. Errors: EINVAL, E2BIG, ENOMEM with the number of the
 * record; of reading. Ownership: load_release. */
int load_read(struct load *l, struct trace *t, bool causes, struct err *e);
void load_release(struct load *l); /* a zeroed struct is fine */

/* The end of a request; INT64_MAX if the trace does not have it. */
static inline int64_t load_end_ns(const struct load *l, const struct load_request *r)
{
	if (!r->is_long)
		return r->begin_ns + r->duration;
	return r->duration == LOAD_NO_END ? INT64_MAX : l->long_end_ns[r->duration];
}
/* Finds the requests of each thread: of[first[t] + k] is the k-th request of thread t. `first` has
 * n_threads + 1 elements, `of` has n. */
void load_index(const struct load *l, uint32_t *first, uint32_t *of);
/* Sets the end of a request whose start is final. */
void load_end_set(struct load *l, struct load_request *r, int64_t end_ns);

/* The heap item of a request: NUL-terminated, borrowed; NULL and *len 0 if it has none. */
static inline const char *load_heap(const struct load *l, const struct load_request *r,
				    uint32_t *len)
{
	*len = r->more ? l->more[r->more].len : 0;
	return *len ? l->bytes + l->more[r->more].at : NULL;
}
static inline struct load_more *load_more(const struct load *l, const struct load_request *r)
{
	return r->more ? &l->more[r->more] : NULL;
}

/* Start and end of the call itself, also for calls whose duration in the load is 0. Pauses are
 * computed from these times. */
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

/* The requests in flight during a walk through a trace in issue order: a heap ordered by end. */
struct flight {
	uint32_t *item; /* item[n]: indices into load.request */
	uint32_t n, cap;
};
void flight_push(struct flight *f, const struct load *l, uint32_t request);
/* Removes and returns the next request that ended at or before `now_ns`, or NONE32. If an end and a
 * start have the same time, the end comes first. */
uint32_t flight_pop_ended(struct flight *f, const struct load *l, int64_t now_ns);

/* --- arguments.c: what the arguments of a request say -------------------- */

#define CALL_TCGETS 0x5401u /* the ioctl of isatty(3); on a file it fails with ENOTTY */

/* Why a request cannot be replayed; SKIP_NONE if it can. */
enum skip_reason call_refusal(const struct load *l, const struct load_request *r);

enum lock_act {
	LOCK_NONE,     /* not a call on a lock */
	LOCK_TAKEN,    /* an exclusive lock */
	LOCK_SHARED,
	LOCK_RELEASED,
	/* a query, or a lock that was not obtained: the result depends on other locks */
	LOCK_QUERIED,
};

/* What a request does to the locks of a file. *of_process: the lock belongs to the process (F_SETLK
 * and lockf), not to the open file (F_OFD_SETLK and flock). Source: fcntl_locking(2), flock(2). */
enum lock_act lock_act(const struct load *l, const struct load_request *r, bool *of_process);

/* Asynchronous requests (Linux AIO, io_uring) become requests of channels: additional threads of
 * the load that the program did not have. A thread gets as many channels as it had requests in
 * flight, so that every engine has the same number of requests in flight. A request that no other
 * request of its thread overlapped stays in its thread.
 *
 * Calls that submit requests or fetch results are replayed without a call and without duration: a
 * submission happens at its start, and fetching at its end. The other end of the call is in
 * load_more.from, for the pauses of timing `think`. */
/* Sets the times of submissions and fetches. If a descriptor was closed while a request on it was
 * in flight, the request ends before the close. l->request is in issue order. Returns true if
 * starts were changed: then the requests must be sorted again. */
bool load_async_settle(struct load *l);
/* Moves asynchronous requests to channels, which are added after the other threads. l->request is
 * in issue order. */
void load_async_spread(struct load *l);
