/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asynchronous requests of libaio and POSIX. The key is the address of the request's control block,
 * which does not change while the request is in flight. */
#include <aio.h>
#include <sys/syscall.h>

#include "capture/preload/async.h"
#include "capture/preload/core.h"

/* number of requests of a submission that are read before the call, because the program may free
 * them after it */
enum { PAGE = 4096, NOTED_BEFORE = 64 };

void async_note_submit(const struct async_request *a, uint64_t begin, uint64_t end)
{
	const int64_t got = (int64_t)a->key;
	cause_asynchronous();
	if (unlikely(capture_flags & LOG_CONTENT) && a->bytes)
		content_note_foreign(a->fd, a->bytes, a->n_vector, a->length, begin);
	NOTE_RESULT(0, .op = LOG_AIO_SUBMIT, .fd = a->fd, .dir = a->what, .offset = a->offset,
		    .length = a->length, .flags = a->op, .extra = &got, .extra_len = sizeof got);
}

void async_note_done(uint64_t key, int64_t result, uint64_t end)
{
	uint64_t begin = end;
	NOTE_RESULT(0, .op = LOG_AIO_DONE, .offset = key, .length = (uint64_t)result);
}

/* --- libaio -------------------------------------------------------------- */

int io_submit(aio_context_t context, long n, struct iocb **list);
int io_getevents(aio_context_t context, long least, long n, struct io_event *to,
		 struct timespec *timeout);
int io_pgetevents(aio_context_t context, long least, long n, struct io_event *to,
		  struct timespec *timeout, void *mask);
int io_cancel(aio_context_t context, struct iocb *cb, struct io_event *to);
int io_destroy(aio_context_t context);

/* Readability of the requests of one submission. Each page is tested only once. */
struct sound {
	uintptr_t page; /* 0: no page yet */
};

static bool is_sound(struct sound *s, const void *at, size_t n)
{
	const uintptr_t first = (uintptr_t)at / PAGE, last = ((uintptr_t)at + n - 1) / PAGE;
	if (s->page && first == s->page && last == s->page)
		return true;
	if (!capture_readable(at, n))
		return false;
	s->page = last;
	return true;
}

static struct async_request request_of(const struct iocb *cb)
{
	static const uint16_t op_of[] = {
	    [IOCB_CMD_PREAD] = OP_AIO_READ,   [IOCB_CMD_PWRITE] = OP_AIO_WRITE,
	    [IOCB_CMD_FSYNC] = OP_AIO_FSYNC,  [IOCB_CMD_FDSYNC] = OP_AIO_FDATASYNC,
	    [IOCB_CMD_PREADV] = OP_AIO_READV, [IOCB_CMD_PWRITEV] = OP_AIO_WRITEV};
	uint16_t command = cb->aio_lio_opcode;
	uint16_t op = command < sizeof op_of / sizeof *op_of ? op_of[command] : 0;
	struct async_request a = {(uintptr_t)cb, (uint64_t)cb->aio_offset, cb->aio_nbytes,
			  (int32_t)cb->aio_fildes,
			  op || command == IOCB_CMD_PREAD ? op : OP_AIO_OTHER};
	if (command == IOCB_CMD_PREADV || command == IOCB_CMD_PWRITEV) {
		const struct iovec *v = (const struct iovec *)(uintptr_t)cb->aio_buf;
		const uint64_t most = cb->aio_nbytes < 1024 ? cb->aio_nbytes : 1024,
			       n = capture_readable(v, most * sizeof *v) ? most : 0;
		a.length = 0;
		for (uint64_t i = 0; i < n; i++)
			a.length += v[i].iov_len;
	}
	if (command == IOCB_CMD_PWRITE || command == IOCB_CMD_PWRITEV)
		a.bytes = (const void *)(uintptr_t)cb->aio_buf;
	a.n_vector = command == IOCB_CMD_PWRITEV ? (uint32_t)cb->aio_nbytes : 0;
	return a;
}

/* Returns a request of a list. The key is 0 if the request is NULL or not readable, because the
 * kernel rejects such requests. */
static struct async_request request_in(struct sound *listed, struct sound *blocks,
				       struct iocb *const *at)
{
	return is_sound(listed, at, sizeof *at) && *at && is_sound(blocks, *at, sizeof **at)
		   ? request_of(*at)
		   : (struct async_request){.key = 0};
}

/* The functions of libaio return a negative errno. If the library is not found (because it was
 * loaded by dlopen), the hook makes the system call. */
#define LIBAIO(type, function, number, ...)							   \
	__typeof__(&function) real_ = REAL(function);						   \
	const bool within_ = capture_within;							   \
	capture_within = true;									   \
	uint64_t begin = clock_begin(&capture_clock);						   \
	type got = real_ ? real_(__VA_ARGS__) : (type)RAW(number, __VA_ARGS__);			   \
	uint64_t end = clock_end(&capture_clock);						   \
	capture_within = within_

static void note_library(uint16_t op, uint64_t begin, uint64_t end, uint64_t n, int64_t got)
{
	int saved = errno;
	if (got < 0)
		errno = (int)-got;
	capture_io(op, begin, end, -1, 0, n, 0, got < 0 ? -1 : got);
	errno = saved;
}

EXPORT int io_submit(aio_context_t context, long n, struct iocb **list)
{
	struct async_request before[NOTED_BEFORE];
	struct sound listed = {0}, blocks = {0};
	bool on = capture_is_on();
	long n_before = !on || n < 0 ? 0 : n < NOTED_BEFORE ? n : NOTED_BEFORE;
	for (long i = 0; i < n_before; i++)
		before[i] = request_in(&listed, &blocks, list + i);
	if (on)
		aio_ring_look(context);
	LIBAIO(int, io_submit, SYS_io_submit, context, n, list);
	if (!on)
		return got;
	if (got > 0)
		aio_ring_submitted(context);
	note_library(OP_IO_SUBMIT, begin, end, (uint64_t)n, got);
	for (long i = 0; i < got; i++) {
		const struct async_request one =
		    i < n_before ? before[i] : request_in(&listed, &blocks, list + i);
		if (one.key)
			async_note_submit(&one, begin, end);
	}
	return got;
}

static void note_events(uint64_t begin, uint64_t end, long n, long got, const struct io_event *to)
{
	if (!capture_is_on())
		return;
	note_library(OP_IO_GETEVENTS, begin, end, (uint64_t)n, got);
	for (long i = 0; i < got; i++)
		async_note_done(to[i].obj, to[i].res, end);
}

EXPORT int io_getevents(aio_context_t context, long least, long n, struct io_event *to,
			struct timespec *timeout)
{
	aio_ring_fetching(context);
	LIBAIO(int, io_getevents, SYS_io_getevents, context, least, n, to, timeout);
	aio_ring_fetched(context);
	note_events(begin, end, n, got, to);
	return got;
}

EXPORT int io_pgetevents(aio_context_t context, long least, long n, struct io_event *to,
			 struct timespec *timeout, void *mask)
{
	__typeof__(&io_pgetevents) real = REAL(io_pgetevents);
	const bool within = capture_within;
	aio_ring_fetching(context);
	capture_within = true;
	uint64_t begin = clock_begin(&capture_clock);
	int got = real ? real(context, least, n, to, timeout, mask) : -ENOSYS;
	uint64_t end = clock_end(&capture_clock);
	capture_within = within;
	aio_ring_fetched(context);
	note_events(begin, end, n, got, to);
	return got;
}

EXPORT int io_cancel(aio_context_t context, struct iocb *cb, struct io_event *to)
{
	LIBAIO(int, io_cancel, SYS_io_cancel, context, cb, to);
	if (capture_is_on())
		note_library(OP_IO_CANCEL, begin, end, 0, got);
	return got;
}

EXPORT int io_destroy(aio_context_t context)
{
	if (capture_is_on())
		aio_ring_forget(context);
	LIBAIO(int, io_destroy, SYS_io_destroy, context);
	(void)begin;
	(void)end;
	return got;
}

bool async_by_number(long number, const long *a, long *got)
{
	uint64_t begin;
	switch (number) {
	case SYS_io_submit:
		*got = io_submit((aio_context_t)a[0], a[1], (struct iocb **)a[2]);
		break;
	case SYS_io_getevents:
#ifdef SYS_io_pgetevents
	case SYS_io_pgetevents:
#endif
		aio_ring_fetching((aio_context_t)a[0]);
		begin = clock_begin(&capture_clock);
		*got = RAW(number, a[0], a[1], a[2], a[3], a[4], a[5]);
		aio_ring_fetched((aio_context_t)a[0]);
		note_events(begin, clock_end(&capture_clock), a[2], *got,
			    (const struct io_event *)a[3]);
		break;
	case SYS_io_cancel:
		*got = io_cancel((aio_context_t)a[0], (struct iocb *)a[1], (struct io_event *)a[2]);
		break;
	case SYS_io_destroy:
		*got = io_destroy((aio_context_t)a[0]);
		break;
	default:
		return false;
	}
	if (*got < 0) {
		errno = (int)-*got;
		*got = -1;
	}
	return true;
}

/* --- POSIX --------------------------------------------------------------- */

static struct async_request request_posix(const struct aiocb *cb, uint16_t op)
{
	return (struct async_request){(uintptr_t)cb,
			      (uint64_t)cb->aio_offset,
			      cb->aio_nbytes,
			      cb->aio_fildes,
			      op,
			      .bytes =
				  op == OP_AIO_WRITE ? (const void *)(uintptr_t)cb->aio_buf : NULL};
}

/* The request is copied before the call. After the call, it may have ended, and its memory may be
 * free. */
#define POSIX(operation, function, ...)								   \
	const struct async_request a = request_posix(cb, operation);				   \
	TIMED(int, function, __VA_ARGS__);							   \
	if (got == 0)										   \
		async_note_submit(&a, begin, end);						   \
	return got

HOOK(int, aio_read, (struct aiocb *cb), POSIX(OP_AIO_READ, aio_read, cb))
ALIAS(aio_read64, aio_read);
HOOK(int, aio_write, (struct aiocb *cb), POSIX(OP_AIO_WRITE, aio_write, cb))
ALIAS(aio_write64, aio_write);
HOOK(int, aio_fsync, (int how, struct aiocb *cb),
     POSIX(how == 010000 /* O_DSYNC */ ? OP_AIO_FDATASYNC : OP_AIO_FSYNC, aio_fsync, how, cb))
ALIAS(aio_fsync64, aio_fsync);

/* The key is 0 for an entry without a request. */
static struct async_request request_listed(const struct aiocb *cb)
{
	if (!cb || cb->aio_lio_opcode == LIO_NOP)
		return (struct async_request){.key = 0};
	return request_posix(cb, cb->aio_lio_opcode == LIO_READ ? OP_AIO_READ : OP_AIO_WRITE);
}

EXPORT int lio_listio(int mode, struct aiocb *const list[restrict], int n,
		      struct sigevent *restrict event)
{
	struct async_request before[NOTED_BEFORE];
	/* with another mode, the function ignores the list */
	const bool sound = mode == LIO_WAIT || mode == LIO_NOWAIT;
	for (int i = 0; sound && i < n && i < NOTED_BEFORE; i++)
		before[i] = request_listed(list[i]);
	TIMED(int, lio_listio, mode, list, n, event);
	for (int i = 0; sound && i < n; i++) {
		const struct async_request a =
		    i < NOTED_BEFORE ? before[i] : request_listed(list[i]);
		if (a.key)
			async_note_submit(&a, begin, end);
	}
	return got;
}
ALIAS(lio_listio64, lio_listio);

EXPORT ssize_t aio_return(struct aiocb *cb)
{
	__typeof__(&aio_return) real = REAL(aio_return);
	ssize_t got = real(cb);
	if (capture_is_on())
		async_note_done((uintptr_t)cb, got < 0 ? -(int64_t)errno : got,
				clock_end(&capture_clock));
	return got;
}
ALIAS(aio_return64, aio_return);
