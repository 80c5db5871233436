/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formatted input on streams of bytes and wide characters. The result is a number of items. Headers
 * redirect the plain names to the C99 functions. The plain symbols are older functions, so they are
 * defined here under other names with an assembly name. */
#undef __USE_EXTERN_INLINES

#include "capture/preload/stream.h"

/* Defines four functions: for a stream or standard input, with a va_list or with arguments. `list`
 * is the C name of the function `symbol`, which does the work; its real function is looked up by
 * that symbol. */
#define SCAN_FAMILY(type, list, symbol, list_in, from_stream, from_in)				   \
	EXPORT int list(FILE *restrict f, const type *restrict format, va_list ap)		   \
	{											   \
		static __typeof__(&list) real;							   \
		if (unlikely(!real))								   \
			real = (__typeof__(real))capture_real(symbol);				   \
		if (fd_of(f) < 0 || !capture_is_on())						   \
			return real(f, format, ap);						   \
		CAUSE_FD(fd_of(f));								   \
		uint64_t begin = clock_begin(&capture_clock);					   \
		int got = real(f, format, ap);							   \
		uint64_t end = clock_end(&capture_clock);					   \
		capture_io(OP_FSCANF, begin, end, fd_of(f), 0, 0, 0, got);			   \
		return got;									   \
	}											   \
	EXPORT int list_in(const type *restrict format, va_list ap)				   \
	{											   \
		return list(stdin, format, ap);							   \
	}											   \
	EXPORT int from_stream(FILE *restrict f, const type *restrict format, ...)		   \
	{											   \
		WITH_LIST(list(f, format, ap));							   \
	}											   \
	EXPORT int from_in(const type *restrict format, ...)					   \
	{											   \
		WITH_LIST(list(stdin, format, ap));						   \
	}

#define SCAN_DECLARE(type, list, list_in, from_stream, from_in)					   \
	int list(FILE *restrict f, const type *restrict format, va_list ap);			   \
	int list_in(const type *restrict format, va_list ap);					   \
	int from_stream(FILE *restrict f, const type *restrict format, ...);			   \
	int from_in(const type *restrict format, ...)
SCAN_DECLARE(char, __isoc99_vfscanf, __isoc99_vscanf, __isoc99_fscanf, __isoc99_scanf);
SCAN_DECLARE(wchar_t, __isoc99_vfwscanf, __isoc99_vwscanf, __isoc99_fwscanf, __isoc99_wscanf);

int old_vfscanf(FILE *restrict f, const char *restrict format, va_list ap) __asm__("vfscanf");
int old_vscanf(const char *restrict format, va_list ap) __asm__("vscanf");
int old_fscanf(FILE *restrict f, const char *restrict format, ...) __asm__("fscanf");
int old_scanf(const char *restrict format, ...) __asm__("scanf");
int old_vfwscanf(FILE *restrict f, const wchar_t *restrict format, va_list ap) __asm__("vfwscanf");
int old_vwscanf(const wchar_t *restrict format, va_list ap) __asm__("vwscanf");
int old_fwscanf(FILE *restrict f, const wchar_t *restrict format, ...) __asm__("fwscanf");
int old_wscanf(const wchar_t *restrict format, ...) __asm__("wscanf");

SCAN_FAMILY(char, __isoc99_vfscanf, "__isoc99_vfscanf", __isoc99_vscanf, __isoc99_fscanf,
	    __isoc99_scanf)
SCAN_FAMILY(char, old_vfscanf, "vfscanf", old_vscanf, old_fscanf, old_scanf)
SCAN_FAMILY(wchar_t, __isoc99_vfwscanf, "__isoc99_vfwscanf", __isoc99_vwscanf, __isoc99_fwscanf,
	    __isoc99_wscanf)
SCAN_FAMILY(wchar_t, old_vfwscanf, "vfwscanf", old_vwscanf, old_fwscanf, old_wscanf)
