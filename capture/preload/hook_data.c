/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls on descriptors that move data, positions and sizes. */
#include <sys/sendfile.h>
#include <unistd.h>

#include "capture/op.h"
#include "capture/preload/core.h"

#define AT_POSITION OFFSET_NONE

/* --- one buffer ----------------------------------------------------------- */

EXPORT ssize_t read(int fd, void *buffer, size_t n)
{
	TIMED(ssize_t, read, fd, buffer, n);
	IO(OP_READ, fd, AT_POSITION, n, 0);
	return got;
}
ALIAS(__read, read);

EXPORT ssize_t write(int fd, const void *buffer, size_t n)
{
	TIMED(ssize_t, write, fd, buffer, n);
	CONTENT(fd, buffer, got);
	IO(OP_WRITE, fd, AT_POSITION, n, 0);
	return got;
}
ALIAS(__write, write);

EXPORT ssize_t pread(int fd, void *buffer, size_t n, off_t offset)
{
	TIMED(ssize_t, pread, fd, buffer, n, offset);
	IO(OP_PREAD, fd, (uint64_t)offset, n, 0);
	return got;
}
ALIAS(pread64, pread);
ALIAS(__pread64, pread);

EXPORT ssize_t pwrite(int fd, const void *buffer, size_t n, off_t offset)
{
	TIMED(ssize_t, pwrite, fd, buffer, n, offset);
	CONTENT(fd, buffer, got);
	IO(OP_PWRITE, fd, (uint64_t)offset, n, 0);
	return got;
}
ALIAS(pwrite64, pwrite);
ALIAS(__pwrite64, pwrite);

/* --- fortified variants: the last argument is the size of the buffer ------ */

ssize_t __read_chk(int fd, void *buffer, size_t n, size_t size);
ssize_t __pread_chk(int fd, void *buffer, size_t n, off_t offset, size_t size);

EXPORT ssize_t __read_chk(int fd, void *buffer, size_t n, size_t size)
{
	TIMED(ssize_t, __read_chk, fd, buffer, n, size);
	IO(OP_READ, fd, AT_POSITION, n, 0);
	return got;
}

EXPORT ssize_t __pread_chk(int fd, void *buffer, size_t n, off_t offset, size_t size)
{
	TIMED(ssize_t, __pread_chk, fd, buffer, n, offset, size);
	IO(OP_PREAD, fd, (uint64_t)offset, n, 0);
	return got;
}
ALIAS(__pread64_chk, __pread_chk);

/* --- several buffers: the record holds their lengths as text -------------- */

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

EXPORT ssize_t readv(int fd, const struct iovec *v, int n)
{
	TIMED(ssize_t, readv, fd, v, n);
	NOTE_VECTOR(OP_READV, AT_POSITION, 0);
	return got;
}

EXPORT ssize_t writev(int fd, const struct iovec *v, int n)
{
	TIMED(ssize_t, writev, fd, v, n);
	CONTENT_VECTOR();
	NOTE_VECTOR(OP_WRITEV, AT_POSITION, 0);
	return got;
}

EXPORT ssize_t preadv(int fd, const struct iovec *v, int n, off_t offset)
{
	TIMED(ssize_t, preadv, fd, v, n, offset);
	NOTE_VECTOR(OP_PREADV, (uint64_t)offset, 0);
	return got;
}
ALIAS(preadv64, preadv);

EXPORT ssize_t pwritev(int fd, const struct iovec *v, int n, off_t offset)
{
	TIMED(ssize_t, pwritev, fd, v, n, offset);
	CONTENT_VECTOR();
	NOTE_VECTOR(OP_PWRITEV, (uint64_t)offset, 0);
	return got;
}
ALIAS(pwritev64, pwritev);

/* An offset of -1 means the descriptor's position. OFFSET_NONE is the same number. */
EXPORT ssize_t preadv2(int fd, const struct iovec *v, int n, off_t offset, int flags)
{
	TIMED(ssize_t, preadv2, fd, v, n, offset, flags);
	NOTE_VECTOR(OP_PREADV2, (uint64_t)offset, flags);
	return got;
}
ALIAS(preadv64v2, preadv2);

EXPORT ssize_t pwritev2(int fd, const struct iovec *v, int n, off_t offset, int flags)
{
	TIMED(ssize_t, pwritev2, fd, v, n, offset, flags);
	CONTENT_VECTOR();
	NOTE_VECTOR(OP_PWRITEV2, (uint64_t)offset, flags);
	return got;
}
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

EXPORT ssize_t sendfile(int out, int in, off_t *offset, size_t n)
{
	TIMED(ssize_t, sendfile, out, in, offset, n);
	const struct op_peer from = peer_of(in, offset, got), to = peer_of(out, NULL, got);
	NOTE(.op = OP_SENDFILE, .fd = in, .offset = from.offset, .length = n, .extra = &to,
	     .extra_len = sizeof to);
	return got;
}
ALIAS(sendfile64, sendfile);

EXPORT ssize_t copy_file_range(int in, off_t *in_offset, int out, off_t *out_offset, size_t n,
			       unsigned int flags)
{
	TIMED(ssize_t, copy_file_range, in, in_offset, out, out_offset, n, flags);
	const struct op_peer from = peer_of(in, in_offset, got), to = peer_of(out, out_offset, got);
	NOTE(.op = OP_COPY_FILE_RANGE, .fd = in, .offset = from.offset, .length = n, .flags = flags,
	     .extra = &to, .extra_len = sizeof to);
	return got;
}

EXPORT ssize_t splice(int in, off_t *in_offset, int out, off_t *out_offset, size_t n,
		      unsigned int flags)
{
	TIMED(ssize_t, splice, in, in_offset, out, out_offset, n, flags);
	const struct op_peer from = peer_of(in, in_offset, got), to = peer_of(out, out_offset, got);
	NOTE(.op = OP_SPLICE, .fd = in, .offset = from.offset, .length = n, .flags = flags,
	     .extra = &to, .extra_len = sizeof to);
	return got;
}

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

EXPORT off_t lseek(int fd, off_t offset, int whence)
{
	TIMED(off_t, lseek, fd, offset, whence);
	IO(OP_LSEEK, fd, (uint64_t)offset, 0, (uint32_t)whence);
	return got;
}
ALIAS(lseek64, lseek);
ALIAS(__lseek, lseek);
ALIAS(llseek, lseek);

EXPORT int fsync(int fd)
{
	TIMED(int, fsync, fd);
	IO(OP_FSYNC, fd, 0, 0, 0);
	return got;
}

EXPORT int fdatasync(int fd)
{
	TIMED(int, fdatasync, fd);
	IO(OP_FDATASYNC, fd, 0, 0, 0);
	return got;
}

EXPORT int syncfs(int fd)
{
	TIMED(int, syncfs, fd);
	IO(OP_SYNCFS, fd, 0, 0, 0);
	return got;
}

EXPORT void sync(void)
{
	__typeof__(&sync) real = REAL(sync);
	uint64_t begin = clock_begin(&capture_clock);
	real();
	uint64_t end = clock_end(&capture_clock);
	if (capture_is_on())
		capture_io(OP_SYNC, begin, end, -1, 0, 0, 0, 0);
}

EXPORT int sync_file_range(int fd, off_t offset, off_t n, unsigned int flags)
{
	TIMED(int, sync_file_range, fd, offset, n, flags);
	IO(OP_SYNC_FILE_RANGE, fd, (uint64_t)offset, (uint64_t)n, flags);
	return got;
}

EXPORT int ftruncate(int fd, off_t size)
{
	TIMED(int, ftruncate, fd, size);
	IO(OP_FTRUNCATE, fd, 0, (uint64_t)size, 0);
	return got;
}
ALIAS(ftruncate64, ftruncate);

EXPORT int fallocate(int fd, int mode, off_t offset, off_t n)
{
	TIMED(int, fallocate, fd, mode, offset, n);
	IO(OP_FALLOCATE, fd, (uint64_t)offset, (uint64_t)n, (uint32_t)mode);
	return got;
}
ALIAS(fallocate64, fallocate);

/* These two functions return an error number and keep errno. The record holds the error like other
 * records. */
static void note_returned(uint16_t op, uint64_t begin, uint64_t end, int fd, off_t offset, off_t n,
			  int flags, int error)
{
	int saved = errno;
	errno = error;
	capture_io(op, begin, end, fd, (uint64_t)offset, (uint64_t)n, (uint32_t)flags,
		   error ? -1 : 0);
	errno = saved;
}

EXPORT int posix_fallocate(int fd, off_t offset, off_t n)
{
	TIMED(int, posix_fallocate, fd, offset, n);
	note_returned(OP_FALLOCATE, begin, end, fd, offset, n, 0, got);
	return got;
}
ALIAS(posix_fallocate64, posix_fallocate);

EXPORT int posix_fadvise(int fd, off_t offset, off_t n, int advice)
{
	TIMED(int, posix_fadvise, fd, offset, n, advice);
	note_returned(OP_FADVISE, begin, end, fd, offset, n, advice, got);
	return got;
}
ALIAS(posix_fadvise64, posix_fadvise);

EXPORT ssize_t readahead(int fd, off64_t offset, size_t n)
{
	TIMED(ssize_t, readahead, fd, offset, n);
	IO(OP_READAHEAD, fd, (uint64_t)offset, n, 0);
	return got;
}
