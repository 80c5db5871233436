/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that move data, change sizes or make data durable; asynchronous requests. */
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "replay/issue/calls_private.h"

/* read and pread that failed with EFAULT. Other reads are not in the call table. */
void call_read(struct caller *k)
{
	int fd = call_fd(k, k->c->slot);
	if (k->c->op == OP_PREAD)
		CALL(k, pread(fd, k->memory, k->c->length, (off_t)k->c->offset));
	else
		CALL(k, read(fd, k->memory, k->c->length));
}

void call_write(struct caller *k)
{
	int fd = call_fd(k, k->c->slot);
	if (k->c->op == OP_PWRITE)
		CALL(k, pwrite(fd, k->memory, k->c->length, (off_t)k->c->offset));
	else
		CALL(k, write(fd, k->memory, k->c->length));
}

/* --- vectors ------------------------------------------------------------- */

#define VECTOR_MAX 1024 /* as the kernel */

static int vector_of(const struct caller *k, struct iovec *v)
{
	const struct call *c = k->c;
	char *at = k->memory;
	if (!c->vector) {
		v[0] = (struct iovec){at, c->length};
		return 1;
	}
	for (uint32_t i = 0; i < c->n_vector && i < VECTOR_MAX; i++) {
		v[i] = (struct iovec){at, c->vector[i]};
		if (!call_is_bad(k))
			at += c->vector[i];
	}
	/* a number above VECTOR_MAX makes the call fail with EINVAL, as in the trace */
	return (int)c->n_vector;
}

void call_readv(struct caller *k)
{
	struct iovec v[VECTOR_MAX];
	int n = vector_of(k, v), fd = call_fd(k, k->c->slot);
	CALL(k, readv(fd, v, n));
}

void call_writev(struct caller *k)
{
	struct iovec v[VECTOR_MAX];
	int n = vector_of(k, v), fd = call_fd(k, k->c->slot);
	CALL(k, writev(fd, v, n));
}

static off_t vector_offset(const struct caller *k)
{
	return k->c->offset == OFFSET_NONE ? -1 : (off_t)k->c->offset;
}

void call_preadv(struct caller *k)
{
	struct iovec v[VECTOR_MAX];
	int n = vector_of(k, v), fd = call_fd(k, k->c->slot);
	if (k->c->op == OP_PREADV2)
		CALL(k, preadv2(fd, v, n, vector_offset(k), (int)k->c->flags));
	else
		CALL(k, preadv(fd, v, n, (off_t)k->c->offset));
}

void call_pwritev(struct caller *k)
{
	struct iovec v[VECTOR_MAX];
	int n = vector_of(k, v), fd = call_fd(k, k->c->slot);
	if (k->c->op == OP_PWRITEV2)
		CALL(k, pwritev2(fd, v, n, vector_offset(k), (int)k->c->flags));
	else
		CALL(k, pwritev(fd, v, n, (off_t)k->c->offset));
}

/* --- copies -------------------------------------------------------------- */

static off_t *offset_of(uint64_t traced, off_t *to)
{
	*to = (off_t)traced;
	return traced == OFFSET_NONE ? NULL : to;
}

/* Replaces a copy to or from a pipe: a copy to a pipe goes to /dev/null, and a copy from a pipe
 * takes the buffer. */
static void copy_to_null(struct caller *k, uint64_t n_bytes)
{
	off_t at, *offset = offset_of(k->c->offset, &at);
	int fd = call_fd(k, k->c->slot);
	CALL(k, sendfile(k->calls->null_fd, fd, offset, n_bytes));
}

static void copy_from_buffer(struct caller *k, uint64_t n_bytes)
{
	int to = call_fd(k, k->c->other);
	if (k->c->to == OFFSET_NONE)
		CALL(k, write(to, k->memory, n_bytes));
	else
		CALL(k, pwrite(to, k->memory, n_bytes, (off_t)k->c->to));
}

static uint64_t moved_bytes(const struct caller *k)
{
	return k->c->traced >= 0 ? (uint64_t)k->c->traced : k->c->length;
}

void call_sendfile(struct caller *k)
{
	off_t at, *offset = offset_of(k->c->offset, &at);
	int fd = call_fd(k, k->c->slot), to = call_fd(k, k->c->other);
	if (k->c->bits & CALL_TO_NULL)
		copy_to_null(k, moved_bytes(k));
	else if (k->c->bits & CALL_FROM_NULL) /* from memory without a file */
		copy_from_buffer(k, moved_bytes(k) < k->room ? moved_bytes(k) : k->room);
	else
		CALL(k, sendfile(to, fd, offset, k->c->length));
}

typedef ssize_t copy_call(int fd, off_t *from, int to_fd, off_t *to, size_t n_bytes,
			  unsigned int flags);

/* Copies with `call`. Inlined, so that `call` is a direct call between the stamps. */
static inline __attribute__((always_inline)) void copy_between(struct caller *k, copy_call *call)
{
	off_t from, to, *from_offset = offset_of(k->c->offset, &from),
			*to_offset = offset_of(k->c->to, &to);
	int fd = call_fd(k, k->c->slot), to_fd = call_fd(k, k->c->other);
	if (k->c->bits & CALL_TO_NULL)
		copy_to_null(k, moved_bytes(k));
	else if (k->c->bits & CALL_FROM_NULL)
		copy_from_buffer(k, moved_bytes(k) < k->room ? moved_bytes(k) : k->room);
	else
		CALL(k, call(fd, from_offset, to_fd, to_offset, k->c->length, k->c->flags));
}

/* Copies by reading and writing, up to the end of the source. Returns the number of bytes, or
 * -1. */
static int64_t copy_instead(struct caller *k, int from_fd, int to_fd)
{
	const uint64_t wanted = k->c->length ? k->c->length : UINT64_MAX;
	off_t from = (off_t)k->c->offset, to = (off_t)k->c->to;
	uint64_t n = 0;
	atomic_fetch_add_explicit(&k->calls->common->counts.n_clones_copied, 1,
				  memory_order_relaxed);
	while (n < wanted) {
		const uint64_t left = wanted - n < SSIZE_MAX ? wanted - n : SSIZE_MAX;
		const ssize_t got = copy_file_range(from_fd, &from, to_fd, &to, left, 0);
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		n += (uint64_t)got;
	}
	return (int64_t)n;
}

static int64_t clone_range(struct caller *k, int from_fd, int to_fd)
{
	const struct call *c = k->c;
	struct file_clone_range range = {.src_fd = from_fd,
					 .src_offset = c->offset,
					 .src_length = c->length,
					 .dest_offset = c->to};
	int64_t n = (int64_t)c->length;
	if (ioctl(to_fd, FICLONERANGE, &range) < 0) {
		if (c->traced < 0 ||
		    !(errno == EOPNOTSUPP || errno == ENOTTY || errno == EXDEV || errno == EINVAL))
			return -1;
		n = copy_instead(k, from_fd, to_fd);
	}
	/* length 0 copies up to the end of the source: the number of bytes is not compared */
	return n >= 0 && !c->length && c->traced >= 0 ? c->traced : n;
}

static void call_clone(struct caller *k)
{
	int from_fd = call_fd(k, k->c->slot), to_fd = call_fd(k, k->c->other);
	CALL(k, clone_range(k, from_fd, to_fd));
}

void call_copy_file_range(struct caller *k)
{
	if (k->c->flags & OP_COPY_CLONES && !(k->c->bits & (CALL_TO_NULL | CALL_FROM_NULL)))
		call_clone(k);
	else
		copy_between(k, copy_file_range);
}

void call_splice(struct caller *k)
{
	copy_between(k, splice);
}

/* --- advice, durability, sizes ------------------------------------------- */

void call_readahead(struct caller *k)
{
	ON_DESCRIPTOR(k, readahead(fd, (off_t)k->c->offset, k->c->length));
}

/* Uses the system call, which sets errno as the trace has it: posix_fadvise() returns the error
 * instead. */
void call_fadvise(struct caller *k)
{
	ON_DESCRIPTOR(k, syscall(SYS_fadvise64, fd, (off_t)k->c->offset, k->c->length,
				 (int)k->c->flags));
}

/* sync(2) writes back all file systems; the replay writes back only that of the target. */
void call_sync(struct caller *k)
{
	CALL(k, syncfs(k->p->root.fd));
}

void call_syncfs(struct caller *k)
{
	ON_DESCRIPTOR(k, syncfs(fd));
}

void call_sync_file_range(struct caller *k)
{
	ON_DESCRIPTOR(k, sync_file_range(fd, (off_t)k->c->offset, (off_t)k->c->length,
					 k->c->flags));
}

void call_ftruncate(struct caller *k)
{
	ON_DESCRIPTOR(k, ftruncate(fd, (off_t)k->c->length));
}

void call_fallocate(struct caller *k)
{
	ON_DESCRIPTOR(k, fallocate(fd, (int)k->c->flags, (off_t)k->c->offset, (off_t)k->c->length));
}

/* --- asynchronous requests ----------------------------------------------- */

/* Only marks the submission. An asynchronous request is made at its place in the order, as a
 * synchronous call. So no call waits for a request that another thread has yet to submit. */
void call_io_submit(struct caller *k)
{
	CALL(k, 0);
	k->out->rvalue = k->c->traced;
}

void call_io_getevents(struct caller *k)
{
	CALL(k, 0);
	k->out->rvalue = k->c->traced < 0 ? k->c->traced : 0;
}

/* Makes an asynchronous request. A request with several buffers uses a single buffer, because the
 * trace lacks their sizes. */
void call_async(struct caller *k)
{
	const struct call *c = k->c;
	int fd = call_fd(k, c->slot);
	switch (c->op) {
	case OP_AIO_WRITE:
	case OP_AIO_WRITEV:
		CALL(k, pwrite(fd, k->memory, c->length, (off_t)c->offset));
		break;
	case OP_AIO_FSYNC:
		CALL(k, fsync(fd));
		break;
	case OP_AIO_FDATASYNC:
		CALL(k, fdatasync(fd));
		break;
	default:
		CALL(k, pread(fd, k->memory, c->length, (off_t)c->offset));
	}
}
