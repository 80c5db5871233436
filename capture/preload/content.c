/* SPDX-License-Identifier: GPL-3.0-or-later */
/* With LOG_CONTENT: what a call wrote, in records before its own. */
#include "capture/preload/core.h"

enum { PIECE = 12288 }; /* as much as a record takes */

static uint64_t pieces_note(int fd, const void *bytes, uint64_t n, uint64_t at, uint64_t begin)
{
	for (uint64_t done = 0; done < n;) {
		const uint64_t some = n - done < PIECE ? n - done : PIECE;
		const struct note piece = {.begin = begin, .end = begin, .op = LOG_CONTENT_OF, .fd = fd, .offset = at + done,
					   .length = some, .extra = (const char *)bytes + done, .extra_len = some};
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
		const uint64_t left = n_bytes - at, some = v[i].iov_len < left ? v[i].iov_len : left;
		at = pieces_note(fd, v[i].iov_base, some, at, begin);
	}
}
