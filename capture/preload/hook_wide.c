/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams of wide characters, under all names: one record for each call. The number of bytes of a
 * character is unknown, so lengths and results are in characters. */

#undef __USE_EXTERN_INLINES
#include <wchar.h>

#include "capture/preload/stream.h"

static int64_t nothing_from(const FILE *f)
{
	return at_end(f) ? 0 : -1;
}

/* --- one character -------------------------------------------------------- */

#undef getwc
#undef putwc
#undef getwchar
#undef putwchar

#define READ_ONE(stream, function, ...)								   \
	if (capture_flags & LOG_NO_CHARACTERS)							   \
		return REAL(function)(__VA_ARGS__);						   \
	UNLESS_FILE(stream, function, __VA_ARGS__);						   \
	TIMED_OF(CAUSE_FD(fd_of(stream)), wint_t, function, __VA_ARGS__);			   \
	capture_io(OP_FGETC, begin, end, fd_of(stream), 0, 1, 0,				   \
	     got != WEOF ? 1 : nothing_from(stream));						   \
	return got
#define WRITE_ONE(stream, function, ...)							   \
	if (capture_flags & LOG_NO_CHARACTERS)							   \
		return REAL(function)(__VA_ARGS__);						   \
	UNLESS_FILE(stream, function, __VA_ARGS__);						   \
	TIMED_OF(CAUSE_FD(fd_of(stream)), wint_t, function, __VA_ARGS__);			   \
	capture_io(OP_FPUTC, begin, end, fd_of(stream), 0, 1, 0, got != WEOF ? 1 : -1);		   \
	return got

#define READ_ONE_FROM(name)									   \
	EXPORT wint_t name(FILE *f)								   \
	{											   \
		READ_ONE(f, name, f);								   \
	}
#define WRITE_ONE_TO(name)									   \
	EXPORT wint_t name(wchar_t c, FILE *f)							   \
	{											   \
		WRITE_ONE(f, name, c, f);							   \
	}

READ_ONE_FROM(fgetwc)
READ_ONE_FROM(getwc)
READ_ONE_FROM(fgetwc_unlocked)
READ_ONE_FROM(getwc_unlocked)
WRITE_ONE_TO(fputwc)
WRITE_ONE_TO(putwc)
WRITE_ONE_TO(fputwc_unlocked)
WRITE_ONE_TO(putwc_unlocked)

wint_t __wuflow(FILE *f);

READ_ONE_FROM(__wuflow)

HOOK(wint_t, __woverflow, (FILE *f, wint_t c), WRITE_ONE(f, __woverflow, f, c))
HOOK(wint_t, getwchar, (void), READ_ONE(stdin, getwchar))
HOOK(wint_t, getwchar_unlocked, (void), READ_ONE(stdin, getwchar_unlocked))
HOOK(wint_t, putwchar, (wchar_t c), WRITE_ONE(stdout, putwchar, c))
HOOK(wint_t, putwchar_unlocked, (wchar_t c), WRITE_ONE(stdout, putwchar_unlocked, c))

EXPORT wint_t ungetwc(wint_t c, FILE *f)
{
	if (capture_flags & LOG_NO_CHARACTERS)
		return REAL(ungetwc)(c, f);
	UNLESS_FILE(f, ungetwc, c, f);
	TIMED_OF(CAUSE_FD(fd_of(f)), wint_t, ungetwc, c, f);
	capture_io(OP_UNGETC, begin, end, fd_of(f), 0, 1, 0, got == WEOF ? -1 : 0);
	return got;
}

/* --- lines and text ------------------------------------------------------- */

#define LINE(function, ...)									   \
	UNLESS_FILE(f, function, __VA_ARGS__);							   \
	TIMED_OF(CAUSE_FD(fd_of(f)), wchar_t *, function, __VA_ARGS__);				   \
	capture_io(OP_FGETS, begin, end, fd_of(f), 0, n > 0 ? (uint64_t)n : 0, 0,		   \
	     got ? (int64_t)wcslen(got) : nothing_from(f));					   \
	return got

HOOK(wchar_t *, fgetws, (wchar_t *restrict s, int n, FILE *restrict f), LINE(fgetws, s, n, f))
HOOK(wchar_t *, fgetws_unlocked, (wchar_t *restrict s, int n, FILE *restrict f),
     LINE(fgetws_unlocked, s, n, f))
HOOK(wchar_t *, __fgetws_chk, (wchar_t *restrict s, size_t room, int n, FILE *restrict f),
     LINE(__fgetws_chk, s, room, n, f))
HOOK(wchar_t *, __fgetws_unlocked_chk, (wchar_t *restrict s, size_t room, int n, FILE *restrict f),
     LINE(__fgetws_unlocked_chk, s, room, n, f))

#define TEXT(function)										   \
	UNLESS_FILE(f, function, s, f);								   \
	TIMED_OF(CAUSE_FD(fd_of(f)), int, function, s, f);					   \
	const uint64_t len = wcslen(s);								   \
	capture_io(OP_FPUTS, begin, end, fd_of(f), 0, len, 0, got < 0 ? -1 : (int64_t)len);	   \
	return got

HOOK(int, fputws, (const wchar_t *restrict s, FILE *restrict f), TEXT(fputws))
HOOK(int, fputws_unlocked, (const wchar_t *restrict s, FILE *restrict f), TEXT(fputws_unlocked))

/* --- formatted, with va_list ---------------------------------------------- */

HOOK(int, vfwprintf, (FILE *restrict f, const wchar_t *restrict format, va_list ap),
     FORMATTED(f, vfwprintf, f, format, ap))
HOOK(int, vwprintf, (const wchar_t *restrict format, va_list ap),
     FORMATTED(stdout, vwprintf, format, ap))
HOOK(int, __vfwprintf_chk,
     (FILE *restrict f, int flag, const wchar_t *restrict format, va_list ap),
     FORMATTED(f, __vfwprintf_chk, f, flag, format, ap))
HOOK(int, __vwprintf_chk, (int flag, const wchar_t *restrict format, va_list ap),
     FORMATTED(stdout, __vwprintf_chk, flag, format, ap))

/* --- formatted, with arguments -------------------------------------------- */

HOOK(int, fwprintf, (FILE *restrict f, const wchar_t *restrict format, ...),
     WITH_LIST(vfwprintf(f, format, ap)))
HOOK(int, wprintf, (const wchar_t *restrict format, ...), WITH_LIST(vwprintf(format, ap)))
HOOK(int, __fwprintf_chk, (FILE *restrict f, int flag, const wchar_t *restrict format, ...),
     WITH_LIST(__vfwprintf_chk(f, flag, format, ap)))
HOOK(int, __wprintf_chk, (int flag, const wchar_t *restrict format, ...),
     WITH_LIST(__vwprintf_chk(flag, format, ap)))

/* Formatted output on streams and descriptors, with plain and fortified names. The hooks call the
 * real functions that take a va_list. */

#undef __USE_EXTERN_INLINES

#undef printf
#undef fprintf

enum { FORMATTED_MOST = 8192 }; /* longer texts are left out */

/* Formats the text again, because another thread may have changed or flushed the stream's
 * buffer. */
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
