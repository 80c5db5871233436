/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rings of io_uring inside the preload library: rings that liburing manages, and rings that a
 * program maps itself. */
#ifndef CAPTURE_PRELOAD_URING_H
#define CAPTURE_PRELOAD_URING_H

#include <linux/io_uring.h>
#include <signal.h>
#include <sys/uio.h>

#include "capture/preload/async.h"
#include "capture/preload/core.h"

/* The layouts are those of liburing's ABI 2 (liburing.so.2), whose fields up to `features` have
 * never moved. */
struct uring_submission {
	unsigned int *head, *tail, *ring_mask, *ring_entries, *ring_flags, *dropped, *array;
	struct io_uring_sqe *sqes;
	/* entries that the program has filled in and not handed over */
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

struct uring_watch { /* one call of the library */
	uint32_t from, n_before, n;
	struct asked before[URING_NOTED_BEFORE];
};

/* Before and after a call on the ring. `submits`: the call hands entries over; else those that go
 * meanwhile are another thread's. */
HIDDEN void uring_watch_begin(struct uring_watch *w, const struct io_uring *u, bool submits);
HIDDEN void uring_watch_end(const struct uring_watch *w, const struct io_uring *u, uint64_t begin,
			    uint64_t end, uint32_t length, int got);
/* Notes the results that have arrived since the last look, as fetched at `now`. */
HIDDEN void uring_completions_note(const struct io_uring *u, uint64_t now);
/* Notes the entry in place `i` of the array of entries as handed over. */
HIDDEN void uring_entry_note(const struct io_uring *u, uint32_t i, uint64_t begin, uint64_t end);
HIDDEN void uring_forget(const struct io_uring *u);
/* Files first .. first + n - 1 of the registered ones are fd[n]; NULL: none. `n_files`: how many
 * there are now; UINT32_MAX: as many as before. */
HIDDEN void uring_files_register(const struct io_uring *u, uint32_t first, const int *fd,
				 uint32_t n, uint32_t n_files);

/* --- hook_ring_named.c: entries that do what a call with a path or a position does. Each is one
 * record of that call. */

/* Keeps the entry until its result arrives. false: it is another kind of entry, or there is no
 * room: it is to be noted as others are. */
HIDDEN bool uring_named_ask(const struct io_uring_sqe *s, uint64_t key, int fd, uint64_t begin);
/* The result of the entry with this key. false: none was kept. */
HIDDEN bool uring_named_done(uint64_t key, int64_t result, uint64_t now);

/* --- hook_ring_mapped.c: rings that a program sets up and maps by syscall(3) and mmap(2) --- */

/* 0: none of the functions below has anything to do */
extern HIDDEN _Atomic uint32_t uring_n_mapped;
HIDDEN void uring_mapped_setup(int fd, const struct io_uring_params *p);
HIDDEN void uring_mapped_map(int fd, uint64_t offset, void *at);
HIDDEN void uring_mapped_unmap(const void *at, size_t n); /* before the call */
HIDDEN void uring_mapped_close(int fd);			   /* before the call */
/* in the child: its parent may have kept the memory from it */
HIDDEN void uring_mapped_forked(void);
HIDDEN void uring_mapped_register(int fd, unsigned int what, const void *arg, unsigned int n);
/* Looks at all of them: at an instant when a program waits for events, or has waited. */
HIDDEN void uring_mapped_look(void);
/* Notes what a call of io_uring_enter on this ring handed over. false: the ring is not known. */
HIDDEN bool uring_mapped_entered(int fd, uint64_t begin, uint64_t end);

#endif
