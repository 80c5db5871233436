/* SPDX-License-Identifier: GPL-3.0-or-later */
/* File mappings. Anonymous memory is left out. The collector finds the file of an address. */
#include <sys/mman.h>

#include "capture/preload/uring.h"

/* Allocators replace these functions too. If capturing is off, TIMED would return and leave
 * capture_within set. */
#define WITHIN(timed)										   \
	const bool within_ = capture_within;							   \
	if (capture_is_on())									   \
		capture_within = true;								   \
	timed;											   \
	capture_within = within_

EXPORT void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	if (unlikely(uring_n_mapped) && flags & MAP_FIXED)
		uring_mapped_unmap(at, n);
	if (flags & MAP_ANONYMOUS)
		return REAL(mmap)(at, n, protection, flags, fd, offset);
	WITHIN(TIMED_OF(CAUSE_FD(fd), void *, mmap, at, n, protection, flags, fd, offset));
	uint32_t both = ((uint32_t)flags & 0x1fffffff) | (uint32_t)(protection & 7) << 29;
	capture_io(OP_MMAP, begin, end, fd, (uint64_t)offset, n, both, (int64_t)(intptr_t)got);
	if (unlikely(uring_n_mapped) && got != MAP_FAILED)
		uring_mapped_map(fd, (uint64_t)offset, got);
	return got;
}
ALIAS(mmap64, mmap);
ALIAS(__mmap, mmap);

EXPORT int munmap(void *at, size_t n)
{
	if (unlikely(uring_n_mapped))
		uring_mapped_unmap(at, n);
	WITHIN(TIMED(int, munmap, at, n));
	IO(OP_MUNMAP, -1, (uintptr_t)at, n, 0);
	return got;
}
ALIAS(__munmap, munmap);

HOOK(int, msync, (void *at, size_t n, int flags),
     CALL_FD(int, (OP_MSYNC, -1, (uintptr_t)at, n, (uint32_t)flags), msync, at, n, flags))

EXPORT int madvise(void *at, size_t n, int advice)
{
	WITHIN(TIMED(int, madvise, at, n, advice));
	IO(OP_MADVISE, -1, (uintptr_t)at, n, (uint32_t)advice);
	return got;
}

/* POSIX_MADV_DONTNEED (4) does nothing in glibc, unlike the kernel's advice. The result is the
 * error. */
EXPORT int posix_madvise(void *at, size_t n, int advice)
{
	if (advice == POSIX_MADV_DONTNEED)
		return REAL(posix_madvise)(at, n, advice);
	TIMED(int, posix_madvise, at, n, advice);
	int saved = errno;
	errno = got;
	capture_io(OP_MADVISE, begin, end, -1, (uintptr_t)at, n, (uint32_t)advice, got ? -1 : 0);
	errno = saved;
	return got;
}

EXPORT void *mremap(void *at, size_t n, size_t wanted, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	void *to = flags & MREMAP_FIXED ? va_arg(ap, void *) : NULL;
	va_end(ap);
	if (unlikely(uring_n_mapped))
		uring_mapped_unmap(at, n);
	WITHIN(TIMED(void *, mremap, at, n, wanted, flags, to));
	capture_io(OP_MREMAP, begin, end, -1, (uintptr_t)at, wanted, (uint32_t)flags,
		   (int64_t)(intptr_t)got);
	return got;
}
