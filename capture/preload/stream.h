/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the preload library: what a stream tells the hooks, and how calls with formats are noted.
 * To be included where <features.h> was, without __USE_EXTERN_INLINES: the hooks are functions. */
#ifndef CAPTURE_PRELOAD_STREAM_H
#define CAPTURE_PRELOAD_STREAM_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>

#include "capture/op.h"
#include "capture/preload/core.h"
#include "capture/preload/in_line.h"

#define STREAM_AT_END 0x10 /* of FILE._flags: the end was met */
#define STREAM_FAILED 0x20
/* as fileno(3) asks: streams of strings have whatever was in memory for a descriptor */
#define STREAM_OF_FILE 0x2000

/* A stream's descriptor, read from the structure itself: fileno(3) may change errno. Negative: no
 * stream, or one of memory or with functions of the program's own (fopencookie). */
static inline int fd_of(const FILE *f)
{
	return f && f->_flags & STREAM_OF_FILE ? f->_fileno : -1;
}

/* Calls on streams of no file are none of our business; what a program's own functions do is seen
 * by itself. */
#define UNLESS_FILE(stream, function, ...)                                                                             \
	do {                                                                                                           \
		if (unlikely(fd_of(stream) < 0))                                                                       \
			return REAL(function)(__VA_ARGS__);                                                            \
	} while (0)

static inline bool at_end(const FILE *f)
{
	return f->_flags & STREAM_AT_END;
}

/* As open(2) would be told what a mode of fopen(3) asks for. */
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

/* A call that puts something into a stream's buffer, empties it, or tells where the stream is: what
 * was put there in line is noted first. `cause`: as TIMED_OF. */
#define TIMED_PUT_OF(cause, stream, type, function, ...)                                                               \
	UNLESS_FILE(stream, function, __VA_ARGS__);                                                                    \
	TIMED_OF(in_line_note(stream); cause, type, function, __VA_ARGS__);                                            \
	in_line_noted(stream)
#define TIMED_PUT(stream, type, function, ...)                                                                         \
	TIMED_PUT_OF(CAUSE_FD(fd_of(stream)), stream, type, function, __VA_ARGS__)

/* What a call with a format wrote is formatted once more, from a copy of its arguments `ap`. (On
 * Linux va_end does nothing, so that TIMED_OF may return.) */
#define FORMATTED_BEGIN                                                                                                \
	va_list again;                                                                                                 \
	const int error = unlikely(capture_flags & LOG_CONTENT) ? errno : 0; /* what %m tells */                        \
	va_copy(again, ap)
#define FORMATTED_END(to)                                                                                              \
	if (unlikely(capture_flags & LOG_CONTENT) && got > 0)                                                          \
		formatted_note(to, format, again, got, error, begin);                                                  \
	va_end(again);                                                                                                 \
	capture_io(OP_FPRINTF, begin, end, to, 0, 0, 0, got);                                                          \
	return got

/* One record of a call with a format on a stream; the result is what it returned. */
#define FORMATTED_PUT(stream, function, ...)                                                                           \
	FORMATTED_BEGIN;                                                                                               \
	TIMED_PUT(stream, int, function, __VA_ARGS__);                                                                 \
	FORMATTED_END(fd_of(stream))

/* The same on a descriptor. `to`: that. */
#define FORMATTED_TEXT(to, function, ...)                                                                              \
	FORMATTED_BEGIN;                                                                                               \
	TIMED_OF(CAUSE_FD(to), int, function, __VA_ARGS__);                                                            \
	FORMATTED_END(to)

/* Of wide characters, whose bytes are not known. */
#define FORMATTED(operation, to, function, ...)                                                                        \
	TIMED_OF(CAUSE_FD(to), int, function, __VA_ARGS__);                                                            \
	capture_io(operation, begin, end, to, 0, 0, 0, got);                                                           \
	return got

/* A function with arguments behind its format, by one that takes a list of them, `ap`. */
#define WITH_LIST(call)                                                                                                \
	va_list ap;                                                                                                    \
	va_start(ap, format);                                                                                          \
	int got = call;                                                                                                \
	va_end(ap);                                                                                                    \
	return got

#endif
