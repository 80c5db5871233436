/* SPDX-License-Identifier: GPL-3.0-or-later */
/* File mappings. Mappings of anonymous memory are not recorded. The collector finds the file of an
 * address. */
#include <fcntl.h>
#include <sys/mman.h>

#include "capture/preload/uring.h"

/* Allocators also replace these functions. If the capture is off, TIMED would return and leave
 * capture_within set. */
#define WITHIN(timed)										   \
	const bool within_ = capture_within;							   \
	if (capture_is_on())									   \
		capture_within = true;								   \
	timed;											   \
	capture_within = within_

/* Code that the program makes at run time (a compiler in it, closures of libffi) may contain system
 * calls, and is in no file that the collector could search. The dynamic linker does not call these
 * hooks. */
static void made_code_note(int protection)
{
	static bool noted;
	if (likely(!(protection & PROT_EXEC)) || noted || !capture_is_on())
		return;
	const uint64_t begin = clock_now(&capture_clock), end = begin;
	noted = true;
	NOTE_RESULT(0, .op = LOG_OBJECT, .dir = AT_FDCWD, .path = "", .flags = LOG_OBJECT_MADE);
}

EXPORT int mprotect(void *at, size_t n, int protection)
{
	const int got = REAL(mprotect)(at, n, protection);
	if (!got)
		made_code_note(protection);
	return got;
}

EXPORT int pkey_mprotect(void *at, size_t n, int protection, int key)
{
	const int got = REAL(pkey_mprotect)(at, n, protection, key);
	if (!got)
		made_code_note(protection);
	return got;
}

EXPORT void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	if (unlikely(uring_n_mapped) && flags & MAP_FIXED)
		uring_mapped_unmap(at, n);
	if (flags & MAP_ANONYMOUS) {
		void *made = REAL(mmap)(at, n, protection, flags, fd, offset);
		if (made != MAP_FAILED)
			made_code_note(protection);
		return made;
	}
	WITHIN(TIMED_OF(CAUSE_FD(fd), void *, mmap, at, n, protection, flags, fd, offset));
	uint32_t both = ((uint32_t)flags & 0x1fffffff) | (uint32_t)(protection & 7) << 29;
	capture_io(OP_MMAP, begin, end, fd, (uint64_t)offset, n, both, (int64_t)(intptr_t)got);
	if (got != MAP_FAILED)
		made_code_note(protection);
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

/* POSIX_MADV_DONTNEED (4) does nothing in glibc, in contrast to the kernel's advice. The result is
 * the error number. */
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
