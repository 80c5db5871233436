/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rings that a program sets up and maps without liburing (libuv and Node.js): io_uring_setup and
 * io_uring_enter by syscall(3), and mmap of the descriptor. With IORING_SETUP_SQPOLL, a request may
 * complete without any call, so the library also inspects the queues when a program waits for
 * events. Entries that were overwritten before an inspection count as lost. */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#include "capture/preload/uring.h"

/* A thread waits about 2 s at most for another thread that uses the same ring. */
enum { N_MAPPED = 64, SPINS = 1000, NAPS = 20000, NAP_NS = 50000 };
enum { SETUP_NO_MMAP = 1u << 14, SETUP_NO_SQARRAY = 1u << 16 };
/* opcodes of io_uring_register(2) */
enum {
	REGISTER_FILES = 2,
	UNREGISTER_FILES = 3,
	REGISTER_FILES_UPDATE = 6,
	REGISTER_FILES2 = 13,
	REGISTER_FILES_UPDATE2 = 14
};

/* struct io_uring_rsrc_update2; struct io_uring_files_update has the same first members */
struct files_update {
	uint32_t offset, reserved;
	uint64_t data, tags;
	uint32_t n, reserved2;
};
struct files_register { /* struct io_uring_rsrc_register */
	uint32_t n, flags;
	uint64_t reserved, data, tags;
};

static struct mapped_ring {
	_Atomic int fd; /* descriptor + 1; 0: the entry is free */
	/* address of a variable of the thread that uses the entry; NULL: none */
	const bool *_Atomic user;
	const bool *first; /* the same of the thread that entered the ring first */
	bool is_shared;	   /* several threads enter the ring */
	struct io_uring_params p;
	struct io_uring u;
	const char *sq, *cq, *sqes; /* addresses of the mappings; NULL: not mapped */
	uint32_t seen; /* head or tail of the submission queue at the last inspection */
	uint64_t newest; /* the latest time at which a recorded entry was submitted */
} mapped[N_MAPPED];
_Atomic uint32_t uring_n_mapped;

/* Locks the ring's entry. NULL: a call that this signal handler interrupted has the lock, or
 * another thread keeps it. */
static struct mapped_ring *mapped_take(struct mapped_ring *m)
{
	static const struct timespec nap = {.tv_nsec = NAP_NS};
	for (int i = 0; i < SPINS + NAPS; i++) {
		const bool *user = NULL;
		if (atomic_compare_exchange_strong(&m->user, &user, &capture_within))
			return m;
		if (user == &capture_within || (i >= SPINS && capture_confined))
			break;
		if (i >= SPINS)
			RAW(SYS_nanosleep, &nap, NULL);
	}
	return NULL;
}

static void mapped_put(struct mapped_ring *m)
{
	atomic_store_explicit(&m->user, NULL, memory_order_release);
}

static struct mapped_ring *mapped_of(int fd)
{
	for (int i = 0; fd >= 0 && uring_n_mapped && i < N_MAPPED; i++)
		if (atomic_load(&mapped[i].fd) == fd + 1)
			return mapped_take(&mapped[i]);
	return NULL;
}

static bool is_whole(const struct mapped_ring *m)
{
	return m->sq && m->cq && m->sqes;
}

static void pointers_set(struct mapped_ring *m)
{
	const struct io_sqring_offsets *s = &m->p.sq_off;
	const struct io_cqring_offsets *c = &m->p.cq_off;
#define IN(base, at) ((void *)(uintptr_t)((base) + (at)))
	m->u.sq.head = IN(m->sq, s->head);
	m->u.sq.tail = IN(m->sq, s->tail);
	m->u.sq.ring_mask = IN(m->sq, s->ring_mask);
	m->u.sq.array = IN(m->sq, s->array);
	m->u.sq.sqes = IN(m->sqes, 0);
	m->u.cq.head = IN(m->cq, c->head);
	m->u.cq.tail = IN(m->cq, c->tail);
	m->u.cq.ring_mask = IN(m->cq, c->ring_mask);
	m->u.cq.cqes = IN(m->cq, c->cqes);
#undef IN
	m->u.flags = m->p.flags;
	m->u.features = m->p.features;
	m->seen = __atomic_load_n(m->u.sq.head, __ATOMIC_ACQUIRE);
	/* from now on: the program may fetch results before the first inspection */
	const uint32_t tail = uring_tail(&m->u);
	uring_completions_note(&m->u, tail, clock_now(&capture_clock));
}

/* Records the entries from `m->seen` to `to`. */
static void entries_note(struct mapped_ring *m, uint32_t to, uint64_t begin, uint64_t end)
{
	const struct io_uring *u = &m->u;
	m->newest = m->seen != to && m->newest < begin ? begin : m->newest;
	for (; m->seen != to; m->seen++) {
		const uint32_t at = m->seen & *u->sq.ring_mask;
		uring_entry_note(u, m->p.flags & SETUP_NO_SQARRAY ? at : u->sq.array[at], begin,
				 end);
	}
}

/* Records the entries that the kernel has taken (with SQPOLL: may have taken), then the results.
 * Another thread may submit meanwhile, so the completion queue is read first. For the same reason,
 * results are not recorded as fetched before the submission of a recorded entry. */
static void ring_look(struct mapped_ring *m, uint64_t begin, uint64_t end)
{
	const struct io_uring *u = &m->u;
	if (!is_whole(m))
		return;
	const uint32_t done = uring_tail(u);
	const uint32_t tail = __atomic_load_n(u->sq.tail, __ATOMIC_ACQUIRE),
		       n_entries = m->p.sq_entries;
	uint32_t to =
	    m->p.flags & IORING_SETUP_SQPOLL ? tail : __atomic_load_n(u->sq.head, __ATOMIC_ACQUIRE);
	if ((int32_t)(to - m->seen) < 0)
		to = m->seen; /* another thread is submitting: uring_mapped_entering() */
	for (; tail - m->seen > n_entries && m->seen != to; m->seen++)
		capture_lost(); /* entries that later entries have overwritten */
	entries_note(m, to, begin, end);
	uring_completions_note(u, done, end > m->newest ? end : clock_now(&capture_clock));
}

static void mapped_forget(struct mapped_ring *m)
{
	uring_forget(&m->u);
	m->u.cq.head = NULL; /* the next ring in this place is not mapped yet */
	m->sq = m->cq = m->sqes = NULL;
	m->first = NULL;
	m->is_shared = false;
	if (atomic_exchange(&m->fd, 0))
		uring_n_mapped--;
}

void uring_mapped_setup(int fd, const struct io_uring_params *p)
{
	uring_mapped_close(fd);
	for (int i = 0; i < N_MAPPED && fd >= 0 && !(p->flags & SETUP_NO_MMAP); i++) {
		struct mapped_ring *m = atomic_load(&mapped[i].fd) ? NULL : mapped_take(&mapped[i]);
		if (m && !atomic_load(&m->fd)) {
			m->p = *p;
			m->u.ring_fd = fd;
			atomic_store(&m->fd, fd + 1);
			uring_n_mapped++;
			i = N_MAPPED;
		}
		if (m)
			mapped_put(m);
	}
}

void uring_mapped_map(int fd, uint64_t offset, void *at)
{
	struct mapped_ring *m = mapped_of(fd);
	if (!m)
		return;
	if (offset == IORING_OFF_SQ_RING) {
		m->sq = at;
		if (m->p.features & IORING_FEAT_SINGLE_MMAP)
			m->cq = at;
	} else if (offset == IORING_OFF_CQ_RING) {
		m->cq = at;
	} else if (offset == IORING_OFF_SQES) {
		m->sqes = at;
	}
	if (is_whole(m))
		pointers_set(m);
	mapped_put(m);
}

void uring_mapped_unmap(const void *at, size_t n)
{
	const uintptr_t from = (uintptr_t)at;
	for (int i = 0; i < N_MAPPED; i++) {
		struct mapped_ring *m = atomic_load(&mapped[i].fd) ? mapped_take(&mapped[i]) : NULL;
		if (!m)
			continue;
		if ((uintptr_t)m->sq - from < n || (uintptr_t)m->cq - from < n ||
		    (uintptr_t)m->sqes - from < n) {
			const uint64_t now = clock_now(&capture_clock);
			ring_look(m, now, now);
			mapped_forget(m);
		}
		mapped_put(m);
	}
}

/* The memory remains mapped, but another ring may reuse the number of the descriptor. A vfork child
 * closes its own descriptor, and its parent continues to use the ring. */
void uring_mapped_close(int fd)
{
	const struct recorder *r = capture_mine();
	struct mapped_ring *m = r && r->depth ? NULL : mapped_of(fd);
	if (!m)
		return;
	const uint64_t now = clock_now(&capture_clock);
	ring_look(m, now, now);
	mapped_forget(m);
	mapped_put(m);
}

void uring_mapped_forked(void)
{
	for (int i = 0; i < N_MAPPED && uring_n_mapped; i++) {
		mapped_forget(&mapped[i]);
		mapped_put(&mapped[i]);
	}
}

void uring_mapped_register(int fd, unsigned int what, const void *arg, unsigned int n)
{
	struct mapped_ring *m = mapped_of(fd);
	struct files_register all;
	struct files_update some;
	if (!m)
		return;
	switch (what) {
	case REGISTER_FILES:
		uring_files_register(&m->u, 0, arg, n, n);
		break;
	case UNREGISTER_FILES:
		uring_files_register(&m->u, 0, NULL, 0, 0);
		break;
	case REGISTER_FILES2:
		memcpy(&all, arg, sizeof all);
		uring_files_register(&m->u, 0, (const int *)(uintptr_t)all.data, all.n, all.n);
		break;
	case REGISTER_FILES_UPDATE:
	case REGISTER_FILES_UPDATE2:
		memcpy(&some, arg,
		       what == REGISTER_FILES_UPDATE ? offsetof(struct files_update, tags)
						     : sizeof some);
		uring_files_register(&m->u, some.offset, (const int *)(uintptr_t)some.data,
				     what == REGISTER_FILES_UPDATE ? n : some.n, UINT32_MAX);
		break;
	default:
		break;
	}
	mapped_put(m);
}

void uring_mapped_look(void)
{
	for (int i = 0; i < N_MAPPED; i++) {
		struct mapped_ring *m = atomic_load(&mapped[i].fd) ? mapped_take(&mapped[i]) : NULL;
		if (!m)
			continue;
		const uint64_t now = clock_now(&capture_clock);
		ring_look(m, now, now);
		mapped_put(m);
	}
}

void uring_mapped_entering(int fd, uint32_t n)
{
	struct mapped_ring *m = mapped_of(fd);
	if (!m)
		return;
	m->first = m->first ? m->first : &capture_within;
	m->is_shared |= m->first != &capture_within;
	if (m->is_shared && is_whole(m) && !(m->p.flags & IORING_SETUP_SQPOLL)) {
		const uint64_t now = clock_now(&capture_clock);
		const uint32_t n_new =
		    __atomic_load_n(m->u.sq.tail, __ATOMIC_ACQUIRE) - m->seen;
		entries_note(m, m->seen + (n < n_new ? n : n_new), now, now);
	}
	mapped_put(m);
}

bool uring_mapped_entered(int fd, uint64_t begin, uint64_t end)
{
	struct mapped_ring *m = mapped_of(fd);
	const bool known = m && is_whole(m);
	if (known)
		ring_look(m, begin, end);
	if (m)
		mapped_put(m);
	return known;
}

/* --- calls that wait for descriptors -------------------------------------- */

#ifndef CAPTURE_CAUSES /* libvalidate-causality.so has other hooks for these calls */
static void rings_look(void)
{
	uring_mapped_look();
	aio_rings_look();
}

#define LOOKED(name, ...)                                                                          \
	do {                                                                                       \
		__typeof__(&name) real = REAL(name);                                               \
		if (likely(!uring_n_mapped && !aio_n_rings) || !capture_is_on())                   \
			return real(__VA_ARGS__);                                                  \
		rings_look();                                                                      \
		const int got = real(__VA_ARGS__), saved = errno;                                  \
		rings_look();                                                                      \
		errno = saved;                                                                     \
		return got;                                                                        \
	} while (0)

HOOK(int, epoll_wait, (int fd, struct epoll_event *to, int n, int limit),
     LOOKED(epoll_wait, fd, to, n, limit))
HOOK(int, epoll_pwait, (int fd, struct epoll_event *to, int n, int limit, const sigset_t *mask),
     LOOKED(epoll_pwait, fd, to, n, limit, mask))
HOOK(int, poll, (struct pollfd *fds, nfds_t n, int limit), LOOKED(poll, fds, n, limit))
HOOK(int, ppoll, (struct pollfd *fds, nfds_t n, const struct timespec *limit, const sigset_t *mask),
     LOOKED(ppoll, fds, n, limit, mask))
#endif
