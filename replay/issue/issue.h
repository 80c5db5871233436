/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Issues one request between stamps. All arguments of the call are in registers before the first
 * stamp. Between the stamps there is only the call, and the publication of its start if another
 * thread waits for it. */
#pragma once

#include "replay/issue/crew.h"

#define INLINE static inline __attribute__((always_inline))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Data that all calls of a run share, in registers and on the stack of a loop. */
struct site {
	struct runner *runner;
	const struct clock clock;
	const struct gates gates;
	_Atomic int *const fds;
	const struct hot_open *const open;
	const struct rooted *const root;
	const _Atomic uint32_t *const pause; /* control word, read before each request */
	uint32_t index; /* of the lane, and its gate */
	const struct placement_row buffers; /* of the runner */
	void *const common; /* buffer of requests with HOT_COMMON */
	const uint64_t common_room;
};

INLINE struct site site_of(struct runner *w)
{
	const struct replay_plan *p = w->crew->plan;
	return (struct site){w,
			     p->clock,
			     w->crew->gates,
			     p->fds,
			     p->open,
			     &p->root,
			     w->crew->pause.word,
			     w->index,
			     w->crew->placement.row[w->index],
			     w->crew->placement.common,
			     w->crew->placement.common_room};
}

/* The buffer of the runner's k-th request. */
INLINE void *buffer_of(const struct site *s, const struct hot_request *h, uint64_t k)
{
	return UNLIKELY(h->flags & HOT_COMMON) ? s->common : placement_slot(&s->buffers, k);
}

/* Called between two requests: pauses while a controller holds the process. */
INLINE void pause_between(const struct site *s, struct runner *w)
{
	if (UNLIKELY(pause_wanted(s->pause)))
		pause_here(&w->crew->pause, w->index);
}

/* Adds the delay of a mutant after the call, inside the timed region. */
void issue_linger(const struct runner *w, uint64_t begin);

struct operands {
	int fd;
	void *buffer;
	size_t n_bytes;
	uint64_t offset;
	const struct hot_open *open;
};

INLINE int64_t issue_call(const struct site *s, const enum trace_op op, struct operands a)
{
	switch (op) {
	case HOT_NOTHING:
		return 0;
	case OP_READ:
		return read(a.fd, a.buffer, a.n_bytes);
	case OP_PREAD:
		return pread(a.fd, a.buffer, a.n_bytes, (off_t)a.offset);
	case OP_WRITE:
		return write(a.fd, a.buffer, a.n_bytes);
	case OP_PWRITE:
		return pwrite(a.fd, a.buffer, a.n_bytes, (off_t)a.offset);
	case OP_LSEEK:
		return lseek(a.fd, (off_t)a.offset, (int)a.n_bytes);
	case OP_FSYNC:
		return fsync(a.fd);
	case OP_FDATASYNC:
		return fdatasync(a.fd);
	case OP_OPEN:
		return rooted_open_timed(s->root, a.open->path, a.open->flags, a.open->mode);
	default:
		return close(a.fd);
	}
}

/* Issues a request between stamps. `op` and `careful` are constants in every use, so between the
 * stamps there is a single call without a branch. */
INLINE void issue_stamped(const struct site *s, const enum trace_op op, struct operands a,
			  bool publish, uint32_t begun, const bool careful, struct outcome *out)
{
	__asm__ __volatile__("" ::"r"(a.n_bytes), "r"(a.offset), "r"(a.fd), "r"(a.buffer)
			     : "memory");
	uint64_t begin = clock_begin(&s->clock);
	if (publish)
		gate_publish(&s->gates, s->index, begun);
	int64_t got = issue_call(s, op, a);
	if (careful)
		issue_linger(s->runner, begin);
	/* every operation has a separate end stamp, on the cache line to which its call returns */
	__asm__ __volatile__("" ::"i"(op));
	uint64_t end = clock_end(&s->clock);
	outcome_set(out, begin, end, UNLIKELY(got < 0) ? -errno : got);
}

/* Kinds of requests. A loop that is compiled for one trace has no code for other kinds. */
enum issue_kind {
	ISSUE_READ = 1,
	ISSUE_PREAD = 2,
	ISSUE_WRITE = 4,
	ISSUE_PWRITE = 8,
	ISSUE_LSEEK = 16,
	ISSUE_FSYNC = 32,
	ISSUE_FDATASYNC = 64,
	ISSUE_OPEN = 128,
	ISSUE_CLOSE = 256,
	ISSUE_CALL = 512,
	ISSUE_NOTHING = 1024,
	ISSUE_ANY = 2047
};

static inline unsigned int issue_kind_of(unsigned int op)
{
	switch (op) {
	case OP_READ:
		return ISSUE_READ;
	case OP_PREAD:
		return ISSUE_PREAD;
	case OP_WRITE:
		return ISSUE_WRITE;
	case OP_PWRITE:
		return ISSUE_PWRITE;
	case OP_LSEEK:
		return ISSUE_LSEEK;
	case OP_FSYNC:
		return ISSUE_FSYNC;
	case OP_FDATASYNC:
		return ISSUE_FDATASYNC;
	case OP_OPEN:
		return ISSUE_OPEN;
	case OP_CLOSE:
		return ISSUE_CLOSE;
	case HOT_CALL:
		return ISSUE_CALL;
	default:
		return ISSUE_NOTHING;
	}
}

/* After the stamps: checks that the opened file is a regular file or directory. Returns 0 or a
 * negative errno. */
static inline int issue_opened(const struct site *s, const struct hot_open *o, _Atomic int *place,
			       int fd)
{
	fd = rooted_settle(s->root, fd, o->path, o->flags);
	if (fd < 0)
		return -errno;
	atomic_store_explicit(place, fd, memory_order_release);
	return 0;
}

/* Whether the request is of this kind. Decided at compile time if `kinds` has only this kind or
 * lacks it. */
INLINE bool issue_is(const struct hot_request *h, const unsigned int kind, const unsigned int kinds,
		     const unsigned int op)
{
	return kinds & kind && (kinds == kind || h->op == op);
}

/* Issues a request. `publish`: another thread waits for its start; `begun` is the progress to
 * publish. `careful`: with mutants. `kinds` (enum issue_kind) includes the kind of the request. */
INLINE void issue_request(const struct site *s, const struct hot_request *h, void *buffer,
			  bool publish, uint32_t begun, const bool careful,
			  const unsigned int kinds, struct outcome *out)
{
	_Atomic int *place = &s->fds[h->slot];
	struct operands a = {atomic_load_explicit(place, memory_order_acquire), buffer, h->length,
			     h->offset, &s->open[h->slot]};
	/* comparisons for the frequent kinds, because the load and indirect jump of a jump table
	 * could still be executing at the first stamp */
	if (LIKELY(issue_is(h, ISSUE_READ, kinds, OP_READ)))
		issue_stamped(s, OP_READ, a, publish, begun, careful, out);
	else if (LIKELY(issue_is(h, ISSUE_PREAD, kinds, OP_PREAD)))
		issue_stamped(s, OP_PREAD, a, publish, begun, careful, out);
	else if (LIKELY(issue_is(h, ISSUE_WRITE, kinds, OP_WRITE)))
		issue_stamped(s, OP_WRITE, a, publish, begun, careful, out);
	else if (LIKELY(issue_is(h, ISSUE_PWRITE, kinds, OP_PWRITE)))
		issue_stamped(s, OP_PWRITE, a, publish, begun, careful, out);
	else if (issue_is(h, ISSUE_LSEEK, kinds, OP_LSEEK))
		issue_stamped(s, OP_LSEEK, a, publish, begun, careful, out);
	else if (issue_is(h, ISSUE_FSYNC, kinds, OP_FSYNC))
		issue_stamped(s, OP_FSYNC, a, publish, begun, careful, out);
	else if (issue_is(h, ISSUE_FDATASYNC, kinds, OP_FDATASYNC))
		issue_stamped(s, OP_FDATASYNC, a, publish, begun, careful, out);
	else if (issue_is(h, ISSUE_OPEN, kinds, OP_OPEN)) {
		issue_stamped(s, OP_OPEN, a, publish, begun, careful, out);
		if (out->rvalue >= 0)
			out->rvalue = issue_opened(s, a.open, place, (int)out->rvalue);
	} else if (issue_is(h, ISSUE_CLOSE, kinds, OP_CLOSE)) {
		/* clear the slot first: after the close, the number may refer to another file */
		a.fd = atomic_exchange(place, -1);
		issue_stamped(s, OP_CLOSE, a, publish, begun, careful, out);
	} else if (issue_is(h, ISSUE_CALL, kinds, HOT_CALL)) {
		call_issue(s, h, buffer, publish, begun, careful, out);
	} else {
		issue_stamped(s, HOT_NOTHING, a, publish, begun, careful, out);
	}
}
