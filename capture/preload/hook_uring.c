/* SPDX-License-Identifier: GPL-3.0-or-later */
/* liburing. Most of what a program does with a ring is in line in the program: it writes entries into the submission queue and
 * reads results from the completion queue, in memory. What it must call the library for is handing over and waiting; at each such call
 * both queues are looked at. So a request begins with the call that handed it over, and ends with the first call of the library
 * after its result was there: the one that waited for it, as a rule.
 *
 * The layouts are those of liburing's ABI 2 (liburing.so.2), whose fields up to `features` have never moved. */
#include <linux/io_uring.h>
#include <signal.h>
#include <sys/uio.h>

#include "capture/op.h"
#include "capture/preload/async.h"
#include "capture/preload/core.h"

struct uring_submission {
	unsigned int *head, *tail, *ring_mask, *ring_entries, *ring_flags, *dropped, *array;
	struct io_uring_sqe *sqes;
	unsigned int sqe_head, sqe_tail; /* entries that the program has filled in and not handed over */
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

enum { N_RINGS = 64, N_FILES = 1024, NOTED_BEFORE = 64 };
/* of linux/io_uring.h, where it is older than these */
enum { SETUP_SQE128 = 1u << 10, SETUP_CQE32 = 1u << 11, SQE_SKIP = 1u << 6, CQE_MORE = 1u << 1 };

struct ring { /* what we must remember of one */
	const struct io_uring *_Atomic of;
	_Atomic uint32_t seen; /* completions noted: the queue's tail then */
	_Atomic uint32_t n_files;
	_Atomic int32_t file[N_FILES]; /* registered descriptors */
};
static struct ring rings[N_RINGS];

/* --- rings -------------------------------------------------------------------------------------------------------------- */

static struct ring *ring_of(const struct io_uring *u)
{
	for (int i = 0; i < N_RINGS; i++)
		if (atomic_load_explicit(&rings[i].of, memory_order_acquire) == u)
			return &rings[i];
	for (int i = 0; i < N_RINGS; i++) {
		const struct io_uring *none = NULL;
		if (!atomic_compare_exchange_strong(&rings[i].of, &none, u))
			continue;
		atomic_store(&rings[i].seen, __atomic_load_n(u->cq.head, __ATOMIC_RELAXED));
		atomic_store(&rings[i].n_files, 0);
		return &rings[i];
	}
	return NULL; /* too many: results of this one are not seen */
}

static uint64_t key_of(const struct io_uring *u, uint64_t user_data)
{
	return user_data ^ (uintptr_t)u * 0x9e3779b97f4a7c15u;
}

static void completions_note(const struct io_uring *u, uint64_t now)
{
	struct ring *r = ring_of(u);
	if (!r)
		return;
	const uint32_t mask = *u->cq.ring_mask, shift = u->flags & SETUP_CQE32 ? 1 : 0;
	uint32_t tail = __atomic_load_n(u->cq.tail, __ATOMIC_ACQUIRE), from = atomic_load(&r->seen);
	do {
		if ((int32_t)(tail - from) <= 0)
			return;
	} while (!atomic_compare_exchange_weak(&r->seen, &from, tail)); /* two threads must not both note them */
	if (tail - from > mask + 1)
		from = tail - mask - 1; /* the others are written over */
	for (; from != tail; from++) {
		const struct io_uring_cqe *c = &u->cq.cqes[(from & mask) << shift];
		if (!(c->flags & CQE_MORE))
			async_note_done(key_of(u, c->user_data), c->res, now);
	}
}

/* --- what is asked for --------------------------------------------------------------------------------------------------- */

static uint64_t total_of(const struct io_uring_sqe *s)
{
	const struct iovec *v = (const struct iovec *)(uintptr_t)s->addr;
	const uint32_t n = s->len < 1024 ? s->len : 1024;
	uint64_t total = 0;
	if (!capture_readable(v, n * sizeof *v)) /* for the kernel to refuse */
		return 0;
	for (uint32_t i = 0; i < n; i++)
		total += v[i].iov_len;
	return total;
}

/* Operations on files that have no row of their own are AIO_OTHER with their number. */
static bool is_other(uint8_t opcode)
{
	return (opcode >= IORING_OP_FALLOCATE && opcode <= IORING_OP_CLOSE) || opcode == IORING_OP_STATX ||
	       opcode == IORING_OP_FADVISE || opcode == IORING_OP_MADVISE || opcode == IORING_OP_OPENAT2 ||
	       opcode == IORING_OP_SPLICE || opcode == IORING_OP_SYNC_FILE_RANGE ||
	       (opcode >= 33 /* TEE */ && opcode <= 39 /* LINKAT */ && opcode != 34 /* SHUTDOWN */) ||
	       (opcode >= 41 /* FSETXATTR */ && opcode <= 44 /* GETXATTR */) || opcode == 55 /* FTRUNCATE */;
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
		return is_other(s->opcode) ? OP_AIO_OTHER : OP_INVALID; /* no request on a file */
	}
}

static struct asked asked_of(const struct io_uring *u, const struct ring *r, uint32_t i)
{
	const struct io_uring_sqe *s = &u->sq.sqes[(size_t)(i & *u->sq.ring_mask) << (u->flags & SETUP_SQE128 ? 1 : 0)];
	struct asked a = {key_of(u, s->user_data), s->off, s->len, s->fd, op_of(s), s->opcode};
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
		a.key = ~a.key; /* nothing is told of it if it succeeds */
	return a;
}

struct watch { /* one call of the library */
	uint32_t from, n_before, n;
	struct asked before[NOTED_BEFORE];
};

static bool is_polled(const struct io_uring *u)
{
	return u->flags & IORING_SETUP_SQPOLL; /* a thread of the kernel takes the entries: its pace tells nothing */
}

/* `submits`: the call hands entries over; else those that go meanwhile are another thread's. */
static void watch_begin(struct watch *w, const struct io_uring *u, bool submits)
{
	w->from = is_polled(u) ? u->sq.sqe_head : __atomic_load_n(u->sq.head, __ATOMIC_ACQUIRE);
	w->n = submits ? u->sq.sqe_tail - w->from : 0;
	const struct ring *r = ring_of(u);
	completions_note(u, clock_now(&capture_clock));
	w->n_before = w->n < NOTED_BEFORE ? w->n : NOTED_BEFORE;
	for (uint32_t i = 0; i < w->n_before; i++)
		w->before[i] = asked_of(u, r, w->from + i);
}

static void watch_end(const struct watch *w, const struct io_uring *u, uint64_t begin, uint64_t end, uint32_t length, int got)
{
	const struct ring *r = ring_of(u);
	uint32_t n = is_polled(u) ? u->sq.sqe_head - w->from : __atomic_load_n(u->sq.head, __ATOMIC_ACQUIRE) - w->from;
	int saved = errno;
	errno = got < 0 ? -got : 0;
	capture_io(OP_IO_URING_ENTER, begin, end, u->ring_fd, 0, length, LOG_BY_LIBURING, got < 0 ? -1 : got);
	errno = saved;
	for (uint32_t i = 0; i < n && i < w->n; i++) {
		const struct asked a = i < w->n_before ? w->before[i] : asked_of(u, r, w->from + i);
		async_note_asked(&a, begin, end);
	}
	completions_note(u, end);
}

/* --- the functions -------------------------------------------------------------------------------------------------------- */

struct __kernel_timespec;

/* A program may have loaded the library where the names of others do not lead. */
static void *real_of(const char *name)
{
	void *found = capture_real(name), *library;
	int saved = errno;
	if (!found && (library = dlopen("liburing.so.2", RTLD_LAZY | RTLD_NOLOAD)))
		found = dlsym(library, name);
	errno = saved;
	return found;
}

#define REAL_URING(name)                                                                                               \
	static __typeof__(&name) real;                                                                                 \
	if (unlikely(!real) && !(real = (__typeof__(&name))real_of(#name)))                                            \
	return -ENOSYS

#define WATCHED(submits, length, name, ...)                                                                            \
	REAL_URING(name);                                                                                              \
	if (!capture_is_on())                                                                                          \
		return real(__VA_ARGS__);                                                                              \
	struct watch w;                                                                                                \
	watch_begin(&w, u, submits);                                                                                   \
	uint64_t begin = clock_begin(&capture_clock);                                                                  \
	int got = real(__VA_ARGS__);                                                                                   \
	uint64_t end = clock_end(&capture_clock);                                                                      \
	watch_end(&w, u, begin, end, length, got);                                                                     \
	return got

int io_uring_submit(struct io_uring *u);
EXPORT int io_uring_submit(struct io_uring *u)
{
	WATCHED(true, w.n, io_uring_submit, u);
}

int io_uring_submit_and_wait(struct io_uring *u, unsigned int least);
EXPORT int io_uring_submit_and_wait(struct io_uring *u, unsigned int least)
{
	WATCHED(true, w.n, io_uring_submit_and_wait, u, least);
}

int io_uring_submit_and_wait_timeout(struct io_uring *u, struct io_uring_cqe **to, unsigned int least,
				     struct __kernel_timespec *timeout, sigset_t *mask);
EXPORT int io_uring_submit_and_wait_timeout(struct io_uring *u, struct io_uring_cqe **to, unsigned int least,
					    struct __kernel_timespec *timeout, sigset_t *mask)
{
	WATCHED(true, w.n, io_uring_submit_and_wait_timeout, u, to, least, timeout, mask);
}

int io_uring_submit_and_get_events(struct io_uring *u);
EXPORT int io_uring_submit_and_get_events(struct io_uring *u)
{
	WATCHED(true, w.n, io_uring_submit_and_get_events, u);
}

int io_uring_get_events(struct io_uring *u);
EXPORT int io_uring_get_events(struct io_uring *u)
{
	WATCHED(false, 0, io_uring_get_events, u);
}

/* What io_uring_wait_cqe and its like call when no result is there. */
int __io_uring_get_cqe(struct io_uring *u, struct io_uring_cqe **to, unsigned int n, unsigned int least, sigset_t *mask);
EXPORT int __io_uring_get_cqe(struct io_uring *u, struct io_uring_cqe **to, unsigned int n, unsigned int least, sigset_t *mask)
{
	WATCHED(n > 0, least, __io_uring_get_cqe, u, to, n, least, mask);
}

/* Older kernels have no time limit of their own: the library asks for it by an entry. */
static bool waiting_submits(const struct io_uring *u)
{
	return !(u->features & IORING_FEAT_EXT_ARG);
}

int io_uring_wait_cqes(struct io_uring *u, struct io_uring_cqe **to, unsigned int least, struct __kernel_timespec *timeout,
		       sigset_t *mask);
EXPORT int io_uring_wait_cqes(struct io_uring *u, struct io_uring_cqe **to, unsigned int least,
			      struct __kernel_timespec *timeout, sigset_t *mask)
{
	WATCHED(waiting_submits(u), least, io_uring_wait_cqes, u, to, least, timeout, mask);
}

int io_uring_wait_cqe_timeout(struct io_uring *u, struct io_uring_cqe **to, struct __kernel_timespec *timeout);
EXPORT int io_uring_wait_cqe_timeout(struct io_uring *u, struct io_uring_cqe **to, struct __kernel_timespec *timeout)
{
	WATCHED(waiting_submits(u), 1, io_uring_wait_cqe_timeout, u, to, timeout);
}

/* Asks the kernel for nothing, as a rule: no call of its own in the trace. */
unsigned int io_uring_peek_batch_cqe(struct io_uring *u, struct io_uring_cqe **to, unsigned int n);
EXPORT unsigned int io_uring_peek_batch_cqe(struct io_uring *u, struct io_uring_cqe **to, unsigned int n)
{
	static __typeof__(&io_uring_peek_batch_cqe) real;
	if (unlikely(!real) && !(real = (__typeof__(&io_uring_peek_batch_cqe))real_of("io_uring_peek_batch_cqe")))
		return 0;
	unsigned int got = real(u, to, n);
	if (capture_is_on())
		completions_note(u, clock_now(&capture_clock));
	return got;
}

void io_uring_queue_exit(struct io_uring *u);
EXPORT void io_uring_queue_exit(struct io_uring *u)
{
	static __typeof__(&io_uring_queue_exit) real;
	if (capture_is_on()) {
		completions_note(u, clock_now(&capture_clock));
		struct ring *r = ring_of(u);
		if (r)
			atomic_store(&r->of, NULL);
	}
	if (!real)
		real = (__typeof__(&io_uring_queue_exit))real_of("io_uring_queue_exit");
	if (real)
		real(u);
}

/* --- registered files: requests name them by their place ------------------------------------------------------------------ */

static void files_register(const struct io_uring *u, uint32_t at, const int *fd, uint32_t n, uint32_t n_files)
{
	struct ring *r = capture_is_on() ? ring_of(u) : NULL;
	for (uint32_t i = 0; r && i < n && at < N_FILES && i < N_FILES - at; i++)
		atomic_store(&r->file[at + i], fd ? fd[i] : -1);
	if (r && n_files != UINT32_MAX)
		atomic_store(&r->n_files, n_files < N_FILES ? n_files : N_FILES);
}

#define REGISTERED(at, fd, n, n_files, name, ...)                                                                      \
	REAL_URING(name);                                                                                              \
	int got = real(__VA_ARGS__);                                                                                   \
	if (got >= 0)                                                                                                  \
		files_register(u, at, fd, n, n_files);                                                                 \
	return got

int io_uring_register_files(struct io_uring *u, const int *fd, unsigned int n);
EXPORT int io_uring_register_files(struct io_uring *u, const int *fd, unsigned int n)
{
	REGISTERED(0, fd, n, n, io_uring_register_files, u, fd, n);
}

int io_uring_register_files_tags(struct io_uring *u, const int *fd, const uint64_t *tag, unsigned int n);
EXPORT int io_uring_register_files_tags(struct io_uring *u, const int *fd, const uint64_t *tag, unsigned int n)
{
	REGISTERED(0, fd, n, n, io_uring_register_files_tags, u, fd, tag, n);
}

int io_uring_register_files_sparse(struct io_uring *u, unsigned int n);
EXPORT int io_uring_register_files_sparse(struct io_uring *u, unsigned int n)
{
	REGISTERED(0, NULL, n, n, io_uring_register_files_sparse, u, n);
}

int io_uring_register_files_update(struct io_uring *u, unsigned int at, const int *fd, unsigned int n);
EXPORT int io_uring_register_files_update(struct io_uring *u, unsigned int at, const int *fd, unsigned int n)
{
	REGISTERED(at, fd, n, UINT32_MAX, io_uring_register_files_update, u, at, fd, n);
}

int io_uring_register_files_update_tag(struct io_uring *u, unsigned int at, const int *fd, const uint64_t *tag, unsigned int n);
EXPORT int io_uring_register_files_update_tag(struct io_uring *u, unsigned int at, const int *fd, const uint64_t *tag,
					      unsigned int n)
{
	REGISTERED(at, fd, n, UINT32_MAX, io_uring_register_files_update_tag, u, at, fd, tag, n);
}

int io_uring_unregister_files(struct io_uring *u);
EXPORT int io_uring_unregister_files(struct io_uring *u)
{
	REGISTERED(0, NULL, 0, 0, io_uring_unregister_files, u);
}
