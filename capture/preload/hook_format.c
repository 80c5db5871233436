/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formatted output on streams and descriptors, with plain and fortified names. The hooks call the
 * real functions that take a va_list. */
#include <features.h>
#undef __USE_EXTERN_INLINES
#include <errno.h>
#include <stdio.h>

#include "capture/preload/stream.h"

#undef printf
#undef fprintf

int __vfprintf_chk(FILE *restrict f, int flag, const char *restrict format, va_list ap);
int __vprintf_chk(int flag, const char *restrict format, va_list ap);
int __fprintf_chk(FILE *restrict f, int flag, const char *restrict format, ...);
int __printf_chk(int flag, const char *restrict format, ...);
int __vdprintf_chk(int fd, int flag, const char *restrict format, va_list ap);
int __dprintf_chk(int fd, int flag, const char *restrict format, ...);

enum { FORMATTED_MOST = 8192 }; /* longer texts are left out */

/* Formats the text again: another thread may have changed or flushed the stream's buffer. */
static __attribute__((noinline)) void formatted_note(int fd, const char *format, va_list ap, int n,
						     int error, uint64_t begin)
{
	char text[FORMATTED_MOST];
	const int saved = errno;
	errno = error;
	if (n < FORMATTED_MOST && vsnprintf(text, sizeof text, format, ap) == n)
		content_note(fd, text, (uint64_t)n, begin);
	errno = saved;
}

/* --- with va_list --------------------------------------------------------- */

HOOK(int, vfprintf, (FILE *restrict f, const char *restrict format, va_list ap),
     FORMATTED_PUT(f, vfprintf, f, format, ap))
HOOK(int, vprintf, (const char *restrict format, va_list ap),
     FORMATTED_PUT(stdout, vfprintf, stdout, format, ap))
HOOK(int, __vfprintf_chk, (FILE *restrict f, int flag, const char *restrict format, va_list ap),
     FORMATTED_PUT(f, __vfprintf_chk, f, flag, format, ap))
HOOK(int, __vprintf_chk, (int flag, const char *restrict format, va_list ap),
     FORMATTED_PUT(stdout, __vfprintf_chk, stdout, flag, format, ap))
HOOK(int, vdprintf, (int fd, const char *restrict format, va_list ap),
     FORMATTED_TEXT(fd, vdprintf, fd, format, ap))
HOOK(int, __vdprintf_chk, (int fd, int flag, const char *restrict format, va_list ap),
     FORMATTED_TEXT(fd, __vdprintf_chk, fd, flag, format, ap))

/* --- with arguments ------------------------------------------------------- */

HOOK(int, fprintf, (FILE *restrict f, const char *restrict format, ...),
     WITH_LIST(vfprintf(f, format, ap)))
HOOK(int, printf, (const char *restrict format, ...), WITH_LIST(vprintf(format, ap)))
HOOK(int, __fprintf_chk, (FILE *restrict f, int flag, const char *restrict format, ...),
     WITH_LIST(__vfprintf_chk(f, flag, format, ap)))
HOOK(int, __printf_chk, (int flag, const char *restrict format, ...),
     WITH_LIST(__vprintf_chk(flag, format, ap)))
HOOK(int, dprintf, (int fd, const char *restrict format, ...), WITH_LIST(vdprintf(fd, format, ap)))
HOOK(int, __dprintf_chk, (int fd, int flag, const char *restrict format, ...),
     WITH_LIST(__vdprintf_chk(fd, flag, format, ap)))
