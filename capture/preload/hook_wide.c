/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams of wide characters, by all names: one record a call. How many bytes a character takes is not known: lengths and results
 * are characters. */
#include <features.h>
#undef __USE_EXTERN_INLINES
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "capture/op.h"
#include "capture/preload/core.h"

wchar_t *__fgetws_chk(wchar_t *restrict s, size_t room, int n, FILE *restrict f);
wchar_t *__fgetws_unlocked_chk(wchar_t *restrict s, size_t room, int n, FILE *restrict f);
int __vfwprintf_chk(FILE *restrict f, int flag, const wchar_t *restrict format, va_list ap);
int __vwprintf_chk(int flag, const wchar_t *restrict format, va_list ap);
int __fwprintf_chk(FILE *restrict f, int flag, const wchar_t *restrict format, ...);
int __wprintf_chk(int flag, const wchar_t *restrict format, ...);
int __isoc99_vfwscanf(FILE *restrict f, const wchar_t *restrict format, va_list ap);
int __isoc99_vwscanf(const wchar_t *restrict format, va_list ap);
int __isoc99_fwscanf(FILE *restrict f, const wchar_t *restrict format, ...);
int __isoc99_wscanf(const wchar_t *restrict format, ...);

static int fd_of(const FILE *f)
{
	return f ? f->_fileno : -1;
}

static int64_t nothing_from(FILE *f)
{
	return feof_unlocked(f) ? 0 : -1;
}

/* --- one character ------------------------------------------------------------------------------------------------------ */

#undef getwc
#undef putwc
#undef getwchar
#undef putwchar

#define READ_ONE(stream, function, ...)                                                                                \
	if (capture_flags & LOG_NO_CHARACTERS)                                                                         \
		return REAL(function)(__VA_ARGS__);                                                                    \
	TIMED_OF(CAUSE_FD(fd_of(stream)), wint_t, function, __VA_ARGS__);                                              \
	capture_io(OP_FGETC, begin, end, fd_of(stream), 0, 1, 0, got != WEOF ? 1 : nothing_from(stream));              \
	return got
#define WRITE_ONE(stream, function, ...)                                                                               \
	if (capture_flags & LOG_NO_CHARACTERS)                                                                         \
		return REAL(function)(__VA_ARGS__);                                                                    \
	TIMED_OF(CAUSE_FD(fd_of(stream)), wint_t, function, __VA_ARGS__);                                              \
	capture_io(OP_FPUTC, begin, end, fd_of(stream), 0, 1, 0, got != WEOF ? 1 : -1);                                \
	return got

#define READ_ONE_FROM(name)                                                                                            \
	EXPORT wint_t name(FILE *f)                                                                                    \
	{                                                                                                              \
		READ_ONE(f, name, f);                                                                                  \
	}
#define WRITE_ONE_TO(name)                                                                                             \
	EXPORT wint_t name(wchar_t c, FILE *f)                                                                         \
	{                                                                                                              \
		WRITE_ONE(f, name, c, f);                                                                              \
	}

READ_ONE_FROM(fgetwc)
READ_ONE_FROM(getwc)
READ_ONE_FROM(fgetwc_unlocked)
READ_ONE_FROM(getwc_unlocked)
WRITE_ONE_TO(fputwc)
WRITE_ONE_TO(putwc)
WRITE_ONE_TO(fputwc_unlocked)
WRITE_ONE_TO(putwc_unlocked)

EXPORT wint_t getwchar(void)
{
	READ_ONE(stdin, getwchar);
}

EXPORT wint_t getwchar_unlocked(void)
{
	READ_ONE(stdin, getwchar_unlocked);
}

EXPORT wint_t putwchar(wchar_t c)
{
	WRITE_ONE(stdout, putwchar, c);
}

EXPORT wint_t putwchar_unlocked(wchar_t c)
{
	WRITE_ONE(stdout, putwchar_unlocked, c);
}

EXPORT wint_t ungetwc(wint_t c, FILE *f)
{
	if (capture_flags & LOG_NO_CHARACTERS)
		return REAL(ungetwc)(c, f);
	TIMED_OF(CAUSE_FD(fd_of(f)), wint_t, ungetwc, c, f);
	capture_io(OP_UNGETC, begin, end, fd_of(f), 0, 1, 0, got == WEOF ? -1 : 0);
	return got;
}

/* --- lines and text ------------------------------------------------------------------------------------------------------- */

#define LINE(function, ...)                                                                                            \
	TIMED_OF(CAUSE_FD(fd_of(f)), wchar_t *, function, __VA_ARGS__);                                                \
	capture_io(OP_FGETS, begin, end, fd_of(f), 0, n > 0 ? (uint64_t)n : 0, 0, got ? (int64_t)wcslen(got) : nothing_from(f)); \
	return got

EXPORT wchar_t *fgetws(wchar_t *restrict s, int n, FILE *restrict f)
{
	LINE(fgetws, s, n, f);
}

EXPORT wchar_t *fgetws_unlocked(wchar_t *restrict s, int n, FILE *restrict f)
{
	LINE(fgetws_unlocked, s, n, f);
}

EXPORT wchar_t *__fgetws_chk(wchar_t *restrict s, size_t room, int n, FILE *restrict f)
{
	LINE(__fgetws_chk, s, room, n, f);
}

EXPORT wchar_t *__fgetws_unlocked_chk(wchar_t *restrict s, size_t room, int n, FILE *restrict f)
{
	LINE(__fgetws_unlocked_chk, s, room, n, f);
}

#define TEXT(function)                                                                                                 \
	TIMED_OF(CAUSE_FD(fd_of(f)), int, function, s, f);                                                             \
	const uint64_t len = wcslen(s);                                                                                \
	capture_io(OP_FPUTS, begin, end, fd_of(f), 0, len, 0, got < 0 ? -1 : (int64_t)len);                            \
	return got

EXPORT int fputws(const wchar_t *restrict s, FILE *restrict f)
{
	TEXT(fputws);
}

EXPORT int fputws_unlocked(const wchar_t *restrict s, FILE *restrict f)
{
	TEXT(fputws_unlocked);
}

/* --- formatted, with a list ----------------------------------------------------------------------------------------------- */

#define FORMATTED(operation, stream, function, ...)                                                                    \
	TIMED_OF(CAUSE_FD(fd_of(stream)), int, function, __VA_ARGS__);                                                 \
	capture_io(operation, begin, end, fd_of(stream), 0, 0, 0, got);                                                \
	return got

EXPORT int vfwprintf(FILE *restrict f, const wchar_t *restrict format, va_list ap)
{
	FORMATTED(OP_FPRINTF, f, vfwprintf, f, format, ap);
}

EXPORT int vwprintf(const wchar_t *restrict format, va_list ap)
{
	FORMATTED(OP_FPRINTF, stdout, vwprintf, format, ap);
}

EXPORT int __vfwprintf_chk(FILE *restrict f, int flag, const wchar_t *restrict format, va_list ap)
{
	FORMATTED(OP_FPRINTF, f, __vfwprintf_chk, f, flag, format, ap);
}

EXPORT int __vwprintf_chk(int flag, const wchar_t *restrict format, va_list ap)
{
	FORMATTED(OP_FPRINTF, stdout, __vwprintf_chk, flag, format, ap);
}

/* As with plain characters, the headers give the plain names to the functions of C99; these are the older ones. */
int old_vfwscanf(FILE *restrict f, const wchar_t *restrict format, va_list ap) __asm__("vfwscanf");
int old_vwscanf(const wchar_t *restrict format, va_list ap) __asm__("vwscanf");
int old_fwscanf(FILE *restrict f, const wchar_t *restrict format, ...) __asm__("fwscanf");
int old_wscanf(const wchar_t *restrict format, ...) __asm__("wscanf");

EXPORT int old_vfwscanf(FILE *restrict f, const wchar_t *restrict format, va_list ap)
{
	static __typeof__(&old_vfwscanf) real;
	if (!real)
		real = (__typeof__(real))capture_real("vfwscanf");
	if (!capture_is_on())
		return real(f, format, ap);
	CAUSE_FD(fd_of(f));
	uint64_t begin = clock_begin(&capture_clock);
	int got = real(f, format, ap);
	uint64_t end = clock_end(&capture_clock);
	capture_io(OP_FSCANF, begin, end, fd_of(f), 0, 0, 0, got);
	return got;
}

EXPORT int old_vwscanf(const wchar_t *restrict format, va_list ap)
{
	return old_vfwscanf(stdin, format, ap);
}

EXPORT int __isoc99_vfwscanf(FILE *restrict f, const wchar_t *restrict format, va_list ap)
{
	FORMATTED(OP_FSCANF, f, __isoc99_vfwscanf, f, format, ap);
}

EXPORT int __isoc99_vwscanf(const wchar_t *restrict format, va_list ap)
{
	FORMATTED(OP_FSCANF, stdin, __isoc99_vwscanf, format, ap);
}

/* --- formatted, with arguments -------------------------------------------------------------------------------------------- */

#define WITH_LIST(call)                                                                                                \
	va_list ap;                                                                                                    \
	va_start(ap, format);                                                                                          \
	int got = call;                                                                                                \
	va_end(ap);                                                                                                    \
	return got

EXPORT int fwprintf(FILE *restrict f, const wchar_t *restrict format, ...)
{
	WITH_LIST(vfwprintf(f, format, ap));
}

EXPORT int wprintf(const wchar_t *restrict format, ...)
{
	WITH_LIST(vwprintf(format, ap));
}

EXPORT int __fwprintf_chk(FILE *restrict f, int flag, const wchar_t *restrict format, ...)
{
	WITH_LIST(__vfwprintf_chk(f, flag, format, ap));
}

EXPORT int __wprintf_chk(int flag, const wchar_t *restrict format, ...)
{
	WITH_LIST(__vwprintf_chk(flag, format, ap));
}

EXPORT int old_fwscanf(FILE *restrict f, const wchar_t *restrict format, ...)
{
	WITH_LIST(old_vfwscanf(f, format, ap));
}

EXPORT int old_wscanf(const wchar_t *restrict format, ...)
{
	WITH_LIST(old_vwscanf(format, ap));
}

EXPORT int __isoc99_fwscanf(FILE *restrict f, const wchar_t *restrict format, ...)
{
	WITH_LIST(__isoc99_vfwscanf(f, format, ap));
}

EXPORT int __isoc99_wscanf(const wchar_t *restrict format, ...)
{
	WITH_LIST(__isoc99_vwscanf(format, ap));
}
