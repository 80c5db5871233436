/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls on descriptors that transfer data or change positions and sizes. */
#include <sys/sendfile.h>
#include <unistd.h>

#include "capture/op.h"
#include "capture/preload/core.h"

#define AT_POSITION OFFSET_NONE

/* --- one buffer ----------------------------------------------------------- */

HOOK(ssize_t, read, (int fd, void *buffer, size_t n),
     CALL_FD(ssize_t, (OP_READ, fd, AT_POSITION, n, 0), read, fd, buffer, n))
ALIAS(__read, read);

#define WRITE(record, function, ...)								   \
	cause_message_to(fd);									   \
	TIMED(ssize_t, function, __VA_ARGS__);							   \
	CONTENT(fd, buffer, got);								   \
	IO record;										   \
	return got

HOOK(ssize_t, write, (int fd, const void *buffer, size_t n),
     WRITE((OP_WRITE, fd, AT_POSITION, n, 0), write, fd, buffer, n))
ALIAS(__write, write);

HOOK(ssize_t, pread, (int fd, void *buffer, size_t n, off_t offset),
     CALL_FD(ssize_t, (OP_PREAD, fd, (uint64_t)offset, n, 0), pread, fd, buffer, n, offset))
ALIAS(pread64, pread);
ALIAS(__pread64, pread);

HOOK(ssize_t, pwrite, (int fd, const void *buffer, size_t n, off_t offset),
     WRITE((OP_PWRITE, fd, (uint64_t)offset, n, 0), pwrite, fd, buffer, n, offset))
ALIAS(pwrite64, pwrite);
ALIAS(__pwrite64, pwrite);

/* --- fortified variants: the last argument is the size of the buffer ------ */

HOOK(ssize_t, __read_chk, (int fd, void *buffer, size_t n, size_t size),
     CALL_FD(ssize_t, (OP_READ, fd, AT_POSITION, n, 0), __read_chk, fd, buffer, n, size))

HOOK(ssize_t, __pread_chk, (int fd, void *buffer, size_t n, off_t offset, size_t size),
     CALL_FD(ssize_t, (OP_PREAD, fd, (uint64_t)offset, n, 0), __pread_chk, fd, buffer, n, offset,
	     size))
ALIAS(__pread64_chk, __pread_chk);

/* --- several buffers: the record has their lengths as extra data -------- */

static bool is_readable(const struct iovec *v, int n, ssize_t got)
{
	return n > 0 && n <= 1024 /* IOV_MAX */ && capture_given(v, (size_t)n * sizeof *v, got);
}

static uint64_t total_of(const struct iovec *v, int n, ssize_t got)
{
	uint64_t total = 0;
	if (!is_readable(v, n, got))
		return 0;
	for (int i = 0; i < n; i++)
		total += v[i].iov_len;
	return total;
}

#define CONTENT_VECTOR()									   \
	do {											   \
		if (unlikely(capture_flags & LOG_CONTENT) && got > 0 && is_readable(v, n, got))	   \
			content_note_vector(fd, v, n, (uint64_t)got, begin);			   \
	} while (0)

#define NOTE_VECTOR(operation, where, how)							   \
	NOTE(.op = operation, .fd = fd, .offset = where, .flags = (uint32_t)(how),		   \
	     .length = total_of(v, n, got),							   \
	     .vector = is_readable(v, n, got) ? v : NULL, .n_vector = (size_t)n)

#define READ_VECTOR(operation, where, how, function, ...)					   \
	TIMED(ssize_t, function, __VA_ARGS__);							   \
	NOTE_VECTOR(operation, where, how);							   \
	return got
#define WRITE_VECTOR(operation, where, how, function, ...)					   \
	cause_message_to(fd);									   \
	TIMED(ssize_t, function, __VA_ARGS__);							   \
	CONTENT_VECTOR();									   \
	NOTE_VECTOR(operation, where, how);							   \
	return got

HOOK(ssize_t, readv, (int fd, const struct iovec *v, int n),
     READ_VECTOR(OP_READV, AT_POSITION, 0, readv, fd, v, n))
HOOK(ssize_t, writev, (int fd, const struct iovec *v, int n),
     WRITE_VECTOR(OP_WRITEV, AT_POSITION, 0, writev, fd, v, n))
HOOK(ssize_t, preadv, (int fd, const struct iovec *v, int n, off_t offset),
     READ_VECTOR(OP_PREADV, (uint64_t)offset, 0, preadv, fd, v, n, offset))
ALIAS(preadv64, preadv);
HOOK(ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t offset),
     WRITE_VECTOR(OP_PWRITEV, (uint64_t)offset, 0, pwritev, fd, v, n, offset))
ALIAS(pwritev64, pwritev);

/* An offset of -1 means the descriptor's position. OFFSET_NONE has the same value. */
HOOK(ssize_t, preadv2, (int fd, const struct iovec *v, int n, off_t offset, int flags),
     READ_VECTOR(OP_PREADV2, (uint64_t)offset, flags, preadv2, fd, v, n, offset, flags))
ALIAS(preadv64v2, preadv2);
HOOK(ssize_t, pwritev2, (int fd, const struct iovec *v, int n, off_t offset, int flags),
     WRITE_VECTOR(OP_PWRITEV2, (uint64_t)offset, flags, pwritev2, fd, v, n, offset, flags))
ALIAS(pwritev64v2, pwritev2);

/* --- from descriptor to descriptor ---------------------------------------- */

static struct op_peer peer_of(int fd, const off_t *offset, ssize_t got)
{
	/* for zero bytes the kernel does not read the offset */
	const bool readable = got ? capture_given(offset, sizeof *offset, got)
				  : capture_readable(offset, sizeof *offset);
	/* the kernel has advanced the offset by the result */
	uint64_t at = readable ? (uint64_t)(*offset - (got > 0 ? got : 0)) : OFFSET_NONE;
	return (struct op_peer){fd, OBJECT_NONE, at};
}

#define BETWEEN(operation, from_offset, to_offset, how, function, ...)				   \
	TIMED(ssize_t, function, __VA_ARGS__);							   \
	const struct op_peer from = peer_of(in, from_offset, got),				   \
			     to = peer_of(out, to_offset, got);					   \
	NOTE(.op = operation, .fd = in, .offset = from.offset, .length = n, .flags = how,	   \
	     .extra = &to, .extra_len = sizeof to);						   \
	return got

HOOK(ssize_t, sendfile, (int out, int in, off_t *offset, size_t n),
     BETWEEN(OP_SENDFILE, offset, NULL, 0, sendfile, out, in, offset, n))
ALIAS(sendfile64, sendfile);
HOOK(ssize_t, copy_file_range, (int in, off_t *in_offset, int out, off_t *out_offset, size_t n,
				unsigned int flags),
     BETWEEN(OP_COPY_FILE_RANGE, in_offset, out_offset, flags, copy_file_range, in, in_offset, out,
	     out_offset, n, flags))
HOOK(ssize_t, splice, (int in, off_t *in_offset, int out, off_t *out_offset, size_t n,
		       unsigned int flags),
     BETWEEN(OP_SPLICE, in_offset, out_offset, flags, splice, in, in_offset, out, out_offset, n,
	     flags))

EXPORT ssize_t tee(int in, int out, size_t n, unsigned int flags)
{
	TIMED(ssize_t, tee, in, out, n, flags);
	const struct op_peer to = peer_of(out, NULL, got);
	NOTE(.op = OP_TEE, .fd = in, .length = n, .flags = flags, .extra = &to,
	     .extra_len = sizeof to);
	return got;
}

EXPORT ssize_t vmsplice(int fd, const struct iovec *v, size_t count, unsigned int flags)
{
	TIMED(ssize_t, vmsplice, fd, v, count, flags);
	const size_t most = count < 1024 ? count : 1024,
		     n = capture_given(v, most * sizeof *v, got) ? most : 0;
	uint64_t total = 0;
	for (size_t i = 0; i < n; i++)
		total += v[i].iov_len;
	IO(OP_VMSPLICE, fd, 0, total, flags);
	return got;
}

/* --- position, size, durability, advice ----------------------------------- */

HOOK(off_t, lseek, (int fd, off_t offset, int whence),
     CALL_FD(off_t, (OP_LSEEK, fd, (uint64_t)offset, 0, (uint32_t)whence), lseek, fd, offset,
	     whence))
ALIAS(lseek64, lseek);
ALIAS(__lseek, lseek);
ALIAS(llseek, lseek);

HOOK(int, fsync, (int fd), CALL_FD(int, (OP_FSYNC, fd, 0, 0, 0), fsync, fd))
HOOK(int, fdatasync, (int fd), CALL_FD(int, (OP_FDATASYNC, fd, 0, 0, 0), fdatasync, fd))
HOOK(int, syncfs, (int fd), CALL_FD(int, (OP_SYNCFS, fd, 0, 0, 0), syncfs, fd))

EXPORT void sync(void)
{
	__typeof__(&sync) real = REAL(sync);
	uint64_t begin = clock_begin(&capture_clock);
	real();
	uint64_t end = clock_end(&capture_clock);
	if (capture_is_on())
		capture_io(OP_SYNC, begin, end, -1, 0, 0, 0, 0);
}

HOOK(int, sync_file_range, (int fd, off_t offset, off_t n, unsigned int flags),
     CALL_FD(int, (OP_SYNC_FILE_RANGE, fd, (uint64_t)offset, (uint64_t)n, flags), sync_file_range,
	     fd, offset, n, flags))
HOOK(int, ftruncate, (int fd, off_t size),
     CALL_FD(int, (OP_FTRUNCATE, fd, 0, (uint64_t)size, 0), ftruncate, fd, size))
ALIAS(ftruncate64, ftruncate);

HOOK(int, fallocate, (int fd, int mode, off_t offset, off_t n),
     CALL_FD(int, (OP_FALLOCATE, fd, (uint64_t)offset, (uint64_t)n, (uint32_t)mode), fallocate, fd,
	     mode, offset, n))
ALIAS(fallocate64, fallocate);

/* These two functions return an error number and do not change errno. The record contains the
 * error, like other records. */
#define RETURNS_ERROR(operation, how, function, ...)						   \
	TIMED(int, function, __VA_ARGS__);							   \
	const int saved = errno;								   \
	errno = got;										   \
	capture_io(operation, begin, end, fd, (uint64_t)offset, (uint64_t)n, (uint32_t)(how),	   \
		   got ? -1 : 0);								   \
	errno = saved;										   \
	return got

HOOK(int, posix_fallocate, (int fd, off_t offset, off_t n),
     RETURNS_ERROR(OP_FALLOCATE, 0, posix_fallocate, fd, offset, n))
ALIAS(posix_fallocate64, posix_fallocate);
HOOK(int, posix_fadvise, (int fd, off_t offset, off_t n, int advice),
     RETURNS_ERROR(OP_FADVISE, advice, posix_fadvise, fd, offset, n, advice))
ALIAS(posix_fadvise64, posix_fadvise);

HOOK(ssize_t, readahead, (int fd, off64_t offset, size_t n),
     CALL_FD(ssize_t, (OP_READAHEAD, fd, (uint64_t)offset, n, 0), readahead, fd, offset, n))
