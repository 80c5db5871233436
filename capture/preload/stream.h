/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributes of streams for the hooks, and the records of formatted calls. Before including it,
 * include <features.h> and undefine __USE_EXTERN_INLINES, because the hooks define these
 * functions. */
#pragma once

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>

#include "capture/op.h"
#include "capture/preload/core.h"
#include "capture/preload/in_line.h"

#define STREAM_AT_END 0x10 /* bit of FILE._flags: end of file */
#define STREAM_FAILED 0x20
/* the flag that fileno(3) tests: in string streams, _fileno is not initialised */
#define STREAM_OF_FILE 0x2000

/* The descriptor of a stream, read from the structure, because fileno(3) may change errno.
 * Negative: not a stream, a memory stream, or a stream with functions of the program
 * (fopencookie). */
static inline int fd_of(const FILE *f)
{
	return f && f->_flags & STREAM_OF_FILE ? f->_fileno : -1;
}

/* Calls on streams without a file are not recorded. Calls in the program's stream functions are
 * recorded by their own hooks. */
#define UNLESS_FILE(stream, function, ...)							   \
	do {											   \
		if (unlikely(fd_of(stream) < 0))						   \
			return REAL(function)(__VA_ARGS__);					   \
	} while (0)

static inline bool at_end(const FILE *f)
{
	return f->_flags & STREAM_AT_END;
}

/* Returns the open(2) flags for a mode of fopen(3). */
static inline uint32_t stream_flags(const char *mode)
{
	uint32_t flags = *mode == 'w'   ? O_WRONLY | O_CREAT | O_TRUNC
			 : *mode == 'a' ? O_WRONLY | O_CREAT | O_APPEND
					: O_RDONLY;
	for (; *mode && *mode != ','; mode++)
		switch (*mode) {
		case '+':
			flags = (flags & ~(uint32_t)O_ACCMODE) | O_RDWR;
			break;
		case 'x':
			flags |= O_EXCL;
			break;
		case 'e':
			flags |= O_CLOEXEC;
			break;
		default:
			break;
		}
	return flags;
}

/* A call that adds to a stream's buffer, flushes it or reads its position. Inline characters are
 * recorded first. `cause`: as for TIMED_OF. */
#define TIMED_PUT_OF(cause, stream, type, function, ...)					   \
	UNLESS_FILE(stream, function, __VA_ARGS__);						   \
	TIMED_OF(in_line_note(stream); cause, type, function, __VA_ARGS__);			   \
	in_line_noted(stream)
#define TIMED_PUT(stream, type, function, ...)							   \
	TIMED_PUT_OF(CAUSE_FD(fd_of(stream)), stream, type, function, __VA_ARGS__)

/* Formats the text of a call again, from a copy of its arguments `ap`. (TIMED_OF may return without
 * va_end, which does nothing on Linux.) */
#define FORMATTED_BEGIN										   \
	va_list again;										   \
	const int error = unlikely(capture_flags & LOG_CONTENT) ? errno : 0; /* value of %m */	   \
	va_copy(again, ap)
#define FORMATTED_NOTED(to)									   \
	if (unlikely(capture_flags & LOG_CONTENT) && got > 0)					   \
		formatted_note(to, format, again, got, error, begin);				   \
	va_end(again)
#define FORMATTED_END(to)									   \
	FORMATTED_NOTED(to);									   \
	capture_io(OP_FPRINTF, begin, end, to, 0, 0, 0, got);					   \
	return got

/* A formatted call on a stream; the result is that of the call. */
#define FORMATTED_PUT(stream, function, ...)							   \
	FORMATTED_BEGIN;									   \
	TIMED_PUT(stream, int, function, __VA_ARGS__);						   \
	FORMATTED_END(fd_of(stream))

/* A formatted call on a descriptor `to`, which writes without a buffer. */
#define FORMATTED_TEXT(to, function, ...)							   \
	FORMATTED_BEGIN;									   \
	TIMED_OF(CAUSE_FD(to), int, function, __VA_ARGS__);					   \
	FORMATTED_NOTED(to);									   \
	capture_io(OP_WRITE, begin, end, to, OFFSET_NONE, got > 0 ? (uint64_t)got : 0, 0, got);	   \
	return got

/* The same for wide characters, whose bytes are unknown. */
#define FORMATTED(stream, function, ...)							   \
	UNLESS_FILE(stream, function, __VA_ARGS__);						   \
	TIMED_OF(CAUSE_FD(fd_of(stream)), int, function, __VA_ARGS__);				   \
	capture_io(OP_FPRINTF, begin, end, fd_of(stream), 0, 0, 0, got);			   \
	return got

/* A function with arguments after its format. The function with a va_list `ap` implements it. */
#define WITH_LIST(call)										   \
	va_list ap;										   \
	va_start(ap, format);									   \
	int got = call;										   \
	va_end(ap);										   \
	return got
