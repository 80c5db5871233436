/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small files of /proc, read beside a measured region whose memory must not be disturbed: with
 * three system calls and no allocation. */
#pragma once

#include "common/std.h"

/* The start of the file, as far as text[size] holds it with a NUL behind. False when it cannot be
 * read or is empty. */
static inline bool proc_text_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t got = read(fd, text, size - 1);
	close(fd);
	text[got > 0 ? got : 0] = 0;
	return got > 0;
}
