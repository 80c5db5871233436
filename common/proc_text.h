/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads small files of /proc close to a measured region whose memory must not be disturbed: uses
 * three system calls and allocates no memory. */
#pragma once

#include "common/std.h"

/* Reads the start of the file into text[size] and adds a NUL. False: the file cannot be read or is
 * empty. */
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

/* The number after `name` in the text; 0 if the name does not occur. */
static inline uint64_t proc_text_number(const char *text, const char *name, int base)
{
	const char *at = strstr(text, name);
	return at ? strtoull(at + strlen(name), NULL, base) : 0;
}
