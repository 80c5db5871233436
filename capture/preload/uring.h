/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io_uring rings of liburing, and rings that a program maps itself. */
#pragma once

#include <linux/io_uring.h>
#include <signal.h>
#include <sys/uio.h>

#include "capture/preload/async.h"
#include "capture/preload/core.h"

/* Layouts of liburing's ABI 2 (liburing.so.2). The members up to `features` have not changed
 * since. */
struct uring_submission {
	unsigned int *head, *tail, *ring_mask, *ring_entries, *ring_flags, *dropped, *array;
	struct io_uring_sqe *sqes;
	/* entries that the program has filled but not submitted */
	unsigned int sqe_head, sqe_tail;
	size_t ring_size;
	void *ring_memory;
	unsigned int pad[4];
};

struct uring_completion {
	unsigned int *head, *tail, *ring_mask, *ring_entries, *ring_flags, *overflow;
	struct io_uring_cqe *cqes;
	size_t ring_size;
	void *ring_memory;
	unsigned int pad[4];
};

struct io_uring {
	struct uring_submission sq;
	struct uring_completion cq;
	unsigned int flags;
	int ring_fd;
	unsigned int features;
};

enum { URING_NOTED_BEFORE = 64 };

struct uring_watch { /* state during one call of the library */
	uint32_t from, n_before, n;
	struct async_request before[URING_NOTED_BEFORE];
};

/* Call them before and after a call on the ring. `submits`: the call submits entries. Otherwise,
 * entries that are submitted during the call belong to another thread. `tail`: uring_tail() after
 * the call, read before `end`. */
HIDDEN void uring_watch_begin(struct uring_watch *w, const struct io_uring *u, bool submits);
HIDDEN void uring_watch_end(const struct uring_watch *w, const struct io_uring *u, uint64_t begin,
			    uint64_t end, uint32_t tail, uint32_t length, int got);
/* Tail of the completion queue; 0 if the program has not mapped the ring. */
static inline uint32_t uring_tail(const struct io_uring *u)
{
	return u->cq.head ? __atomic_load_n(u->cq.tail, __ATOMIC_ACQUIRE) : 0;
}

/* Records the results since the last inspection, up to uring_tail() `tail`, as fetched at `now`.
 * Read the tail before `now`: another thread may submit a request later, and its result must not be
 * recorded as fetched before the submission. */
HIDDEN void uring_completions_note(const struct io_uring *u, uint32_t tail, uint64_t now);
/* The same for all rings that were inspected before. */
HIDDEN void uring_look(void);
/* Call it in a forked child: uring_look() then ignores the rings of the parent. */
HIDDEN void uring_forked(void);
/* Records entry `i` of the entry array as submitted. */
HIDDEN void uring_entry_note(const struct io_uring *u, uint32_t i, uint64_t begin, uint64_t end);
HIDDEN void uring_forget(const struct io_uring *u);
/* The registered files first .. first + n - 1 become fd[n]; NULL: they are removed. `n_files`:
 * number of registered files; UINT32_MAX: unchanged. */
HIDDEN void uring_files_register(const struct io_uring *u, uint32_t first, const int *fd,
				 uint32_t n, uint32_t n_files);

/* hook_process.c: inspects all rings, because the program may have fetched results after its last
 * call. Call it before the program ends or runs another program. Does nothing in a vfork child,
 * whose parent continues to use the rings. */
HIDDEN void rings_end(void);
/* hook_process.c: forgets all rings in a forked child, because its parent continues to use them. */
HIDDEN void rings_forked(void);

/* --- hook_ring_named.c: entries with a path or at the file's position; one record each ----- */

/* Stores the entry until its result arrives. False: another kind of entry, or no room; the entry is
 * then recorded as an asynchronous request. */
HIDDEN bool uring_named_store(const struct io_uring_sqe *s, uint64_t key, int fd, uint64_t begin);
/* Records the result of the entry with this key. False: no such entry is stored. */
HIDDEN bool uring_named_done(uint64_t key, int64_t result, uint64_t now);

/* --- hook_ring_mapped.c: rings that a program sets up and maps by syscall(3) and mmap(2) --- */

/* 0: the following functions have nothing to do */
extern HIDDEN _Atomic uint32_t uring_n_mapped;
HIDDEN void uring_mapped_setup(int fd, const struct io_uring_params *p);
HIDDEN void uring_mapped_map(int fd, uint64_t offset, void *at);
/* call it before the memory is unmapped */
HIDDEN void uring_mapped_unmap(const void *at, size_t n);
HIDDEN void uring_mapped_close(int fd); /* call it before the descriptor is closed */
/* call it in a forked child, whose parent may have excluded the memory (MADV_DONTFORK) */
HIDDEN void uring_mapped_forked(void);
HIDDEN void uring_mapped_register(int fd, unsigned int what, const void *arg, unsigned int n);
/* Inspects all rings. Call it when a program waits for events or has waited. */
HIDDEN void uring_mapped_look(void);
/* Call it before io_uring_enter submits `n` entries. If several threads use the ring, this function
 * records the entries, because another thread may fetch their results before the call ends. */
HIDDEN void uring_mapped_entering(int fd, uint32_t n);
/* Records what io_uring_enter submitted on this ring. False: an unknown ring. */
HIDDEN bool uring_mapped_entered(int fd, uint64_t begin, uint64_t end);
