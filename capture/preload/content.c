/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records the data that a call wrote, with LOG_CONTENT. The data precede the record of the call. */
#include <sys/syscall.h>

#include "capture/preload/core.h"

enum { PIECE = 12288 }; /* largest number of bytes in a record */

static uint64_t pieces_note(int fd, const void *bytes, uint64_t n, uint64_t at, uint64_t begin)
{
	for (uint64_t done = 0; done < n;) {
		const uint64_t some = n - done < PIECE ? n - done : PIECE;
		const struct note piece = {.begin = begin,
					   .end = begin,
					   .op = LOG_CONTENT_OF,
					   .fd = fd,
					   .offset = at + done,
					   .length = some,
					   .extra = (const char *)bytes + done,
					   .extra_len = some};
		capture_note(&piece);
		done += some;
	}
	return at + n;
}

void content_note(int fd, const void *bytes, uint64_t n, uint64_t begin)
{
	pieces_note(fd, bytes, n, 0, begin);
}

void content_note_more(int fd, const void *bytes, uint64_t n, uint64_t at, uint64_t begin)
{
	pieces_note(fd, bytes, n, at, begin);
}

void content_note_vector(int fd, const struct iovec *v, int n, uint64_t n_bytes, uint64_t begin)
{
	uint64_t at = 0;
	for (int i = 0; i < n && at < n_bytes; i++) {
		const uint64_t left = n_bytes - at,
			       some = v[i].iov_len < left ? v[i].iov_len : left;
		at = pieces_note(fd, v[i].iov_base, some, at, begin);
	}
}

/* Reads by process_vm_readv(2), which returns an error for an unmapped address instead of raising a
 * signal. */
static bool memory_peek(void *to, const void *from, uint64_t n)
{
	const struct iovec here = {to, n}, there = {(void *)(uintptr_t)from, n};
	return RAW(SYS_process_vm_readv, capture_pid(), &here, 1, &there, 1, 0) == (long)n;
}

static uint64_t foreign_note(int fd, const char *bytes, uint64_t n, uint64_t at, uint64_t begin)
{
	char piece[4096];
	for (uint64_t done = 0; done < n;) {
		const uint64_t some = n - done < sizeof piece ? n - done : sizeof piece;
		if (!memory_peek(piece, bytes + done, some))
			return UINT64_MAX;
		pieces_note(fd, piece, some, at + done, begin);
		done += some;
	}
	return at + n;
}

void content_note_foreign(int fd, const void *bytes, uint32_t n_vector, uint64_t n_bytes,
			  uint64_t begin)
{
	struct iovec one;
	if (capture_confined)
		return;
	if (!n_vector)
		foreign_note(fd, bytes, n_bytes, 0, begin);
	uint64_t at = 0;
	for (uint32_t i = 0; i < n_vector && at < n_bytes; i++) {
		if (!memory_peek(&one, (const struct iovec *)bytes + i, sizeof one))
			return;
		const uint64_t left = n_bytes - at, some = one.iov_len < left ? one.iov_len : left;
		at = foreign_note(fd, one.iov_base, some, at, begin);
	}
}
