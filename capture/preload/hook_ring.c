/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The queues of a liburing ring. A program writes entries to the submission queue and reads results
 * from the completion queue, both in memory. The library inspects both queues at each call on the
 * ring. A request begins with the call that submitted it. It ends at the first inspection after its
 * result arrived, which is usually the end of the call that waited for it. */
#include "capture/preload/uring.h"

#include "capture/op.h"

enum { N_RINGS = 64, N_FILES = 1024 };
/* values of linux/io_uring.h, for older headers */
enum { SETUP_SQE128 = 1u << 10, SETUP_CQE32 = 1u << 11, SQE_SKIP = 1u << 6, CQE_MORE = 1u << 1 };

struct followed_ring { /* state of a ring */
	const struct io_uring *_Atomic of;
	_Atomic uint32_t seen; /* tail of the completion queue at the last inspection */
	/* the addresses and flags at that inspection; the program may free `of` before it ends */
	struct uring_completion queue;
	unsigned int flags;
	_Atomic uint32_t n_files;
	_Atomic int32_t file[N_FILES]; /* registered descriptors */
};
static struct followed_ring rings[N_RINGS];

/* --- rings ---------------------------------------------------------------- */

/* Returns the ring if it was inspected before. */
static struct followed_ring *ring_find(const struct io_uring *u)
{
	for (int i = 0; i < N_RINGS; i++)
		if (atomic_load_explicit(&rings[i].of, memory_order_acquire) == u)
			return &rings[i];
	return NULL;
}

static struct followed_ring *ring_of(const struct io_uring *u)
{
	struct followed_ring *r = ring_find(u);
	if (r || !u->cq.head) /* NULL: the program has not mapped the ring yet */
		return r;
	for (int i = 0; i < N_RINGS; i++) {
		const struct io_uring *none = NULL;
		if (!atomic_compare_exchange_strong(&rings[i].of, &none, u))
			continue;
		atomic_store(&rings[i].seen, __atomic_load_n(u->cq.head, __ATOMIC_RELAXED));
		atomic_store(&rings[i].n_files, 0);
		return &rings[i];
	}
	return NULL; /* too many rings: the results of this ring are lost */
}

static uint64_t key_of(const struct io_uring *u, uint64_t user_data)
{
	return user_data ^ (uintptr_t)u * 0x9e3779b97f4a7c15u;
}

static void completions_note(struct followed_ring *r, const struct uring_completion *q,
			     unsigned int flags, const struct io_uring *u, uint32_t tail,
			     uint64_t now)
{
	const uint32_t mask = *q->ring_mask, shift = flags & SETUP_CQE32 ? 1 : 0;
	uint32_t from = atomic_load(&r->seen);
	do {
		if ((int32_t)(tail - from) <= 0)
			return;
		/* two threads must not record the same results */
	} while (!atomic_compare_exchange_weak(&r->seen, &from, tail));
	if (tail - from > mask + 1)
		from = tail - mask - 1; /* older results were overwritten */
	for (; from != tail; from++) {
		const struct io_uring_cqe *c = &q->cqes[(from & mask) << shift];
		const uint64_t key = key_of(u, c->user_data);
		if (!(c->flags & CQE_MORE) && !uring_named_done(key, c->res, now))
			async_note_done(key, c->res, now);
	}
}

void uring_completions_note(const struct io_uring *u, uint32_t tail, uint64_t now)
{
	struct followed_ring *r = ring_of(u);
	if (!r)
		return;
	if (r->queue.tail != u->cq.tail || r->flags != u->flags) {
		r->queue = u->cq;
		r->flags = u->flags;
	}
	completions_note(r, &u->cq, u->flags, u, tail, now);
}

/* The program may have unmapped the queue by a call without a hook. */
static bool is_there(const struct uring_completion *q, unsigned int flags)
{
	return capture_readable(q->tail, sizeof *q->tail) &&
	       capture_readable(q->ring_mask, sizeof *q->ring_mask) &&
	       capture_readable(q->cqes, ((size_t)*q->ring_mask + 1) * sizeof *q->cqes
						 << (flags & SETUP_CQE32 ? 1 : 0));
}

void uring_look(void)
{
	for (int i = 0; i < N_RINGS; i++) {
		const struct io_uring *u = atomic_load(&rings[i].of);
		/* a copy: another thread may inspect the ring for the first time */
		const struct uring_completion q = rings[i].queue;
		const unsigned int flags = rings[i].flags;
		/* restricted system calls: the addresses cannot be tested */
		if (!u || capture_confined || !is_there(&q, flags))
			continue;
		const uint32_t tail = __atomic_load_n(q.tail, __ATOMIC_ACQUIRE);
		completions_note(&rings[i], &q, flags, u, tail, clock_now(&capture_clock));
	}
}

void uring_forked(void)
{
	for (int i = 0; i < N_RINGS; i++)
		rings[i].queue.tail = NULL;
}

/* --- entries -------------------------------------------------------------- */

static uint64_t total_of(const struct io_uring_sqe *s)
{
	const struct iovec *v = (const struct iovec *)(uintptr_t)s->addr;
	const uint32_t n = s->len < 1024 ? s->len : 1024;
	uint64_t total = 0;
	if (!capture_readable(v, n * sizeof *v)) /* the kernel rejects the request */
		return 0;
	for (uint32_t i = 0; i < n; i++)
		total += v[i].iov_len;
	return total;
}

/* Operations on files that have no row in the table are recorded as AIO_OTHER with their number. */
static bool is_other(uint8_t opcode)
{
	return (opcode >= IORING_OP_FALLOCATE && opcode <= IORING_OP_CLOSE) ||
	       opcode == IORING_OP_STATX || opcode == IORING_OP_FADVISE ||
	       opcode == IORING_OP_MADVISE || opcode == IORING_OP_OPENAT2 ||
	       opcode == IORING_OP_SPLICE || opcode == IORING_OP_SYNC_FILE_RANGE ||
	       (opcode >= 33 /* TEE */ && opcode <= 39 /* LINKAT */ &&
		opcode != 34 /* SHUTDOWN */) ||
	       (opcode >= 41 /* FSETXATTR */ && opcode <= 44 /* GETXATTR */) ||
	       opcode == 55 /* FTRUNCATE */;
}

static uint16_t op_of(const struct io_uring_sqe *s)
{
	switch (s->opcode) {
	case IORING_OP_READ:
	case IORING_OP_READ_FIXED:
		return OP_AIO_READ;
	case IORING_OP_WRITE:
	case IORING_OP_WRITE_FIXED:
		return OP_AIO_WRITE;
	case IORING_OP_READV:
		return OP_AIO_READV;
	case IORING_OP_WRITEV:
		return OP_AIO_WRITEV;
	case IORING_OP_FSYNC:
		return s->fsync_flags & IORING_FSYNC_DATASYNC ? OP_AIO_FDATASYNC : OP_AIO_FSYNC;
	default:
		return is_other(s->opcode) ? OP_AIO_OTHER : OP_INVALID; /* not a file operation */
	}
}

static const struct io_uring_sqe *entry_at(const struct io_uring *u, uint32_t i)
{
	return &u->sq.sqes[(size_t)(i & *u->sq.ring_mask) << (u->flags & SETUP_SQE128 ? 1 : 0)];
}

static struct async_request request_of(const struct io_uring *u, const struct followed_ring *r,
				       uint32_t i)
{
	const struct io_uring_sqe *s = entry_at(u, i);
	struct async_request a = {
	    key_of(u, s->user_data), s->off, s->len, s->fd, op_of(s), s->opcode};
	if (s->flags & IOSQE_FIXED_FILE) {
		uint32_t n = r ? atomic_load(&r->n_files) : 0;
		a.fd = s->fd >= 0 && (uint32_t)s->fd < n ? atomic_load(&r->file[s->fd]) : -1;
	}
	if (a.op == OP_AIO_READV || a.op == OP_AIO_WRITEV)
		a.length = total_of(s);
	if (a.op == OP_AIO_WRITE || a.op == OP_AIO_WRITEV)
		a.bytes = (const void *)(uintptr_t)s->addr;
	a.n_vector = a.op == OP_AIO_WRITEV ? s->len : 0;
	if (s->flags & SQE_SKIP)
		a.key = ~a.key; /* on success, there is no completion entry */
	return a;
}

static bool is_polled(const struct io_uring *u)
{
	/* With SQPOLL, a kernel thread takes the entries, so `head` does not show what this call
	 * submitted. */
	return u->flags & IORING_SETUP_SQPOLL;
}

void uring_watch_begin(struct uring_watch *w, const struct io_uring *u, bool submits)
{
	w->from = is_polled(u) ? u->sq.sqe_head : __atomic_load_n(u->sq.head, __ATOMIC_ACQUIRE);
	w->n = submits ? u->sq.sqe_tail - w->from : 0;
	const struct followed_ring *r = ring_of(u);
	const uint32_t tail = uring_tail(u);
	uring_completions_note(u, tail, clock_now(&capture_clock));
	w->n_before = w->n < URING_NOTED_BEFORE ? w->n : URING_NOTED_BEFORE;
	for (uint32_t i = 0; i < w->n_before; i++)
		w->before[i] = request_of(u, r, w->from + i);
}

void uring_watch_end(const struct uring_watch *w, const struct io_uring *u, uint64_t begin,
		     uint64_t end, uint32_t tail, uint32_t length, int got)
{
	const struct followed_ring *r = ring_of(u);
	uint32_t n = is_polled(u) ? u->sq.sqe_head - w->from
				  : __atomic_load_n(u->sq.head, __ATOMIC_ACQUIRE) - w->from;
	int saved = errno;
	errno = got < 0 ? -got : 0;
	capture_io(OP_IO_URING_ENTER, begin, end, u->ring_fd, 0, length, LOG_BY_LIBURING,
		   got < 0 ? -1 : got);
	errno = saved;
	for (uint32_t i = 0; i < n && i < w->n; i++) {
		const struct async_request a =
		    i < w->n_before ? w->before[i] : request_of(u, r, w->from + i);
		const struct io_uring_sqe *s = entry_at(u, w->from + i);
		/* whether no other thread has reused the entry */
		const bool same = s->opcode == a.what && key_of(u, s->user_data) == a.key;
		if (!same || !uring_named_store(s, a.key, a.fd, begin))
			async_note_submit(&a, begin, end);
	}
	uring_completions_note(u, tail, end);
}

void uring_entry_note(const struct io_uring *u, uint32_t i, uint64_t begin, uint64_t end)
{
	const struct async_request a = request_of(u, ring_of(u), i);
	if (!uring_named_store(entry_at(u, i), a.key, a.fd, begin))
		async_note_submit(&a, begin, end);
}

void uring_forget(const struct io_uring *u)
{
	struct followed_ring *r = ring_find(u);
	if (!r)
		return;
	r->queue.tail = NULL;
	atomic_store(&r->of, NULL);
}

void uring_files_register(const struct io_uring *u, uint32_t at, const int *fd, uint32_t n,
			  uint32_t n_files)
{
	struct followed_ring *r = capture_is_on() ? ring_of(u) : NULL;
	for (uint32_t i = 0; r && i < n && at < N_FILES && i < N_FILES - at; i++)
		atomic_store(&r->file[at + i], fd ? fd[i] : -1);
	if (r && n_files != UINT32_MAX)
		atomic_store(&r->n_files, n_files < N_FILES ? n_files : N_FILES);
}
