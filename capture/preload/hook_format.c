/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formatted output and input on streams. Plain and fortified names, and those of C99 for input. The real functions called are
 * those that take a list of arguments. */
#include <features.h>
#undef __USE_EXTERN_INLINES
#include <stdarg.h>
#include <stdio.h>

#include "capture/op.h"
#include "capture/preload/core.h"

#undef printf
#undef fprintf

int __vfprintf_chk(FILE *restrict f, int flag, const char *restrict format, va_list ap);
int __vprintf_chk(int flag, const char *restrict format, va_list ap);
int __fprintf_chk(FILE *restrict f, int flag, const char *restrict format, ...);
int __printf_chk(int flag, const char *restrict format, ...);
int __vdprintf_chk(int fd, int flag, const char *restrict format, va_list ap);
int __dprintf_chk(int fd, int flag, const char *restrict format, ...);
int __isoc99_vfscanf(FILE *restrict f, const char *restrict format, va_list ap);
int __isoc99_vscanf(const char *restrict format, va_list ap);
int __isoc99_fscanf(FILE *restrict f, const char *restrict format, ...);
int __isoc99_scanf(const char *restrict format, ...);

/* `to`: the descriptor. */
#define FORMATTED(operation, to, function, ...)                                                                        \
	TIMED(int, function, __VA_ARGS__);                                                                             \
	capture_io(operation, begin, end, to, 0, 0, 0, got);                                                           \
	return got

static int fd_of(const FILE *f)
{
	return f ? f->_fileno : -1;
}

/* --- with a list -------------------------------------------------------------------------------------------------------- */

EXPORT int vfprintf(FILE *restrict f, const char *restrict format, va_list ap)
{
	FORMATTED(OP_FPRINTF, fd_of(f), vfprintf, f, format, ap);
}

EXPORT int vprintf(const char *restrict format, va_list ap)
{
	FORMATTED(OP_FPRINTF, fd_of(stdout), vfprintf, stdout, format, ap);
}

EXPORT int __vfprintf_chk(FILE *restrict f, int flag, const char *restrict format, va_list ap)
{
	FORMATTED(OP_FPRINTF, fd_of(f), __vfprintf_chk, f, flag, format, ap);
}

EXPORT int __vprintf_chk(int flag, const char *restrict format, va_list ap)
{
	FORMATTED(OP_FPRINTF, fd_of(stdout), __vfprintf_chk, stdout, flag, format, ap);
}

EXPORT int vdprintf(int fd, const char *restrict format, va_list ap)
{
	FORMATTED(OP_FPRINTF, fd, vdprintf, fd, format, ap);
}

EXPORT int __vdprintf_chk(int fd, int flag, const char *restrict format, va_list ap)
{
	FORMATTED(OP_FPRINTF, fd, __vdprintf_chk, fd, flag, format, ap);
}

/* Formatted input returns items, not bytes. The headers give the plain names to the functions of C99; these are the older ones. */
int old_vfscanf(FILE *restrict f, const char *restrict format, va_list ap) __asm__("vfscanf");
int old_vscanf(const char *restrict format, va_list ap) __asm__("vscanf");
int old_fscanf(FILE *restrict f, const char *restrict format, ...) __asm__("fscanf");
int old_scanf(const char *restrict format, ...) __asm__("scanf");

EXPORT int old_vfscanf(FILE *restrict f, const char *restrict format, va_list ap)
{
	static __typeof__(&old_vfscanf) real;
	if (!real)
		real = (__typeof__(real))capture_real("vfscanf");
	if (!capture_is_on())
		return real(f, format, ap);
	CAUSE_FD(fd_of(f));
	uint64_t begin = clock_begin(&capture_clock);
	int got = real(f, format, ap);
	uint64_t end = clock_end(&capture_clock);
	capture_io(OP_FSCANF, begin, end, fd_of(f), 0, 0, 0, got);
	return got;
}

EXPORT int old_vscanf(const char *restrict format, va_list ap)
{
	return old_vfscanf(stdin, format, ap);
}

EXPORT int __isoc99_vfscanf(FILE *restrict f, const char *restrict format, va_list ap)
{
	FORMATTED(OP_FSCANF, fd_of(f), __isoc99_vfscanf, f, format, ap);
}

EXPORT int __isoc99_vscanf(const char *restrict format, va_list ap)
{
	FORMATTED(OP_FSCANF, fd_of(stdin), __isoc99_vfscanf, stdin, format, ap);
}

/* --- with arguments ----------------------------------------------------------------------------------------------------- */

#define WITH_LIST(call)                                                                                                \
	va_list ap;                                                                                                    \
	va_start(ap, format);                                                                                          \
	int got = call;                                                                                                \
	va_end(ap);                                                                                                    \
	return got

EXPORT int fprintf(FILE *restrict f, const char *restrict format, ...)
{
	WITH_LIST(vfprintf(f, format, ap));
}

EXPORT int printf(const char *restrict format, ...)
{
	WITH_LIST(vprintf(format, ap));
}

EXPORT int __fprintf_chk(FILE *restrict f, int flag, const char *restrict format, ...)
{
	WITH_LIST(__vfprintf_chk(f, flag, format, ap));
}

EXPORT int __printf_chk(int flag, const char *restrict format, ...)
{
	WITH_LIST(__vprintf_chk(flag, format, ap));
}

EXPORT int dprintf(int fd, const char *restrict format, ...)
{
	WITH_LIST(vdprintf(fd, format, ap));
}

EXPORT int __dprintf_chk(int fd, int flag, const char *restrict format, ...)
{
	WITH_LIST(__vdprintf_chk(fd, flag, format, ap));
}

EXPORT int old_fscanf(FILE *restrict f, const char *restrict format, ...)
{
	WITH_LIST(old_vfscanf(f, format, ap));
}

EXPORT int old_scanf(const char *restrict format, ...)
{
	WITH_LIST(old_vfscanf(stdin, format, ap));
}

EXPORT int __isoc99_fscanf(FILE *restrict f, const char *restrict format, ...)
{
	WITH_LIST(__isoc99_vfscanf(f, format, ap));
}

EXPORT int __isoc99_scanf(const char *restrict format, ...)
{
	WITH_LIST(__isoc99_vscanf(format, ap));
}
