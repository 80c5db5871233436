/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One request, stamped. Everything the call needs is in registers before the first stamp; between the stamps is the call, the
 * choice of it, and, where somebody waits for that, the publication that it has begun. */
#ifndef REPLAY_ISSUE_H
#define REPLAY_ISSUE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "capture/trace.h"
#include "replay/crew.h"
#include "replay/rooted.h"

#define INLINE static inline __attribute__((always_inline))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

INLINE int64_t issue_call(const struct replay_plan *p, unsigned int op, int fd, void *buffer, size_t n_bytes, uint64_t offset,
			  const struct hot_open *o)
{
	switch (op) {
	case OP_READ:
		return read(fd, buffer, n_bytes);
	case OP_PREAD:
		return pread(fd, buffer, n_bytes, (off_t)offset);
	case OP_WRITE:
		return write(fd, buffer, n_bytes);
	case OP_PWRITE:
		return pwrite(fd, buffer, n_bytes, (off_t)offset);
	case OP_LSEEK:
		return lseek(fd, (off_t)offset, (int)n_bytes);
	case OP_FSYNC:
		return fsync(fd);
	case OP_FDATASYNC:
		return fdatasync(fd);
	case OP_OPEN:
		return rooted_open(p->dir_fd, o->path, o->flags, o->mode);
	default:
		return close(fd);
	}
}

/* What a mutant does after the call, inside the timed region. */
void issue_linger(const struct runner *w, uint64_t begin);

/* `own`: the gate to publish "begun" at, NULL for none, with the progress to publish. `careful`: a constant; with mutants. */
INLINE void issue(const struct runner *w, const struct clock *clock, const struct hot_request *h, void *buffer,
		  struct gate *own, uint32_t begun, const bool careful, struct outcome *out)
{
	const struct replay_plan *p = w->crew->plan;
	_Atomic int *place = &p->fds[h->slot];
	const struct hot_open *o = &p->open[h->slot];
	unsigned int op = h->op;
	size_t n_bytes = h->length;
	uint64_t offset = h->offset;
	int fd = atomic_load_explicit(place, memory_order_relaxed);
	if (UNLIKELY(op == OP_CLOSE)) /* who comes later must not use a number that means another file by then */
		fd = atomic_exchange(place, -1);
	__asm__ __volatile__("" ::"r"(op), "r"(n_bytes), "r"(offset), "r"(fd), "r"(buffer) : "memory");
	uint64_t begin = clock_begin(clock);
	if (own)
		gate_publish(own, begun, &w->crew->rules);
	int64_t got = issue_call(p, op, fd, buffer, n_bytes, offset, o);
	if (careful)
		issue_linger(w, begin);
	uint64_t end = clock_end(clock);
	if (UNLIKELY(got < 0))
		got = -errno;
	if (UNLIKELY(op == OP_OPEN && got >= 0)) {
		atomic_store_explicit(place, (int)got, memory_order_relaxed);
		got = 0;
	}
	*out = (struct outcome){begin, end, got};
}

#endif
