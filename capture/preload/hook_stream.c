/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls on streams (stdio). The reads and writes that the C library makes for them are not
 * recorded. Results are in bytes. The record contains the stream's descriptor. */
#include <features.h>
#undef __USE_EXTERN_INLINES

#include "capture/preload/stream.h"

/* --- opening and closing -------------------------------------------------- */

EXPORT FILE *fopen(const char *restrict path, const char *restrict mode)
{
	capture_look(AT_FDCWD, path);
	TIMED(FILE *, fopen, path, mode);
	in_line_begin(got);
	NOTE_RESULT(fd_of(got), .op = OP_FOPEN, .dir = AT_FDCWD, .path = path,
		    .flags = stream_flags(mode));
	return got;
}
ALIAS(_IO_fopen, fopen);
ALIAS(fopen64, fopen);

EXPORT FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict f)
{
	int before = fd_of(f);
	capture_look(AT_FDCWD, path);
	TIMED_OF(in_line_note(f);
		 CAUSE_CALL(freopen, path, mode, f), FILE *, freopen, path, mode, f);
	in_line_forget(f);
	in_line_begin(got);
	NOTE_RESULT(fd_of(got), .op = OP_FREOPEN, .fd = before, .dir = AT_FDCWD, .path = path,
		    .flags = stream_flags(mode));
	cause_closed(before);
	return got;
}
ALIAS(freopen64, freopen);

EXPORT FILE *fdopen(int fd, const char *mode)
{
	TIMED(FILE *, fdopen, fd, mode);
	in_line_begin(got);
	capture_io(OP_FDOPEN, begin, end, fd, 0, 0, stream_flags(mode), got ? 0 : -1);
	return got;
}
ALIAS(_IO_fdopen, fdopen);

EXPORT FILE *tmpfile(void)
{
	TIMED(FILE *, tmpfile);
	in_line_begin(got);
	NOTE_RESULT(fd_of(got), .op = OP_FOPEN, .dir = AT_FDCWD, .path = P_tmpdir,
		    .flags = O_RDWR | O_TMPFILE);
	return got;
}
ALIAS(tmpfile64, tmpfile);

EXPORT int fclose(FILE *f)
{
	int fd = fd_of(f);
	UNLESS_FILE(f, fclose, f);
	TIMED_OF(in_line_note(f); CAUSE_CALL(fclose, f), int, fclose, f);
	in_line_forget(f);
	IO(OP_FCLOSE, fd, 0, 0, 0);
	cause_closed(fd);
	return got;
}
ALIAS(_IO_fclose, fclose);

/* --- blocks --------------------------------------------------------------- */

#define BLOCKS(function, ...)									   \
	UNLESS_FILE(f, function, __VA_ARGS__);							   \
	TIMED(size_t, function, __VA_ARGS__);							   \
	capture_io(OP_FREAD, begin, end, fd_of(f), 0, size * n, 0, (int64_t)(got * size));	   \
	return got

#define WRITTEN(function, ...)									   \
	TIMED_PUT(f, size_t, function, __VA_ARGS__);						   \
	CONTENT(fd_of(f), buffer, got * size);							   \
	capture_io(OP_FWRITE, begin, end, fd_of(f), 0, size * n, 0, (int64_t)(got * size));	   \
	return got

HOOK(size_t, fread, (void *restrict buffer, size_t size, size_t n, FILE *restrict f),
     BLOCKS(fread, buffer, size, n, f))
ALIAS(_IO_fread, fread);
HOOK(size_t, fread_unlocked, (void *restrict buffer, size_t size, size_t n, FILE *restrict f),
     BLOCKS(fread_unlocked, buffer, size, n, f))
HOOK(size_t, __fread_chk, (void *restrict buffer, size_t room, size_t size, size_t n,
			   FILE *restrict f),
     BLOCKS(__fread_chk, buffer, room, size, n, f))
HOOK(size_t, __fread_unlocked_chk, (void *restrict buffer, size_t room, size_t size, size_t n,
				    FILE *restrict f),
     BLOCKS(__fread_unlocked_chk, buffer, room, size, n, f))
HOOK(size_t, fwrite, (const void *restrict buffer, size_t size, size_t n, FILE *restrict f),
     WRITTEN(fwrite, buffer, size, n, f))
ALIAS(_IO_fwrite, fwrite);
HOOK(size_t, fwrite_unlocked,
     (const void *restrict buffer, size_t size, size_t n, FILE *restrict f),
     WRITTEN(fwrite_unlocked, buffer, size, n, f))

/* a result of -1 is a failure only if the error state of the stream is set */
EXPORT int getw(FILE *f)
{
	UNLESS_FILE(f, getw, f);
	TIMED(int, getw, f);
	bool failed = got == EOF && f->_flags & (STREAM_AT_END | STREAM_FAILED);
	capture_io(OP_FREAD, begin, end, fd_of(f), 0, sizeof(int), 0,
		   !failed     ? (int64_t)sizeof(int)
		   : at_end(f) ? 0
			       : -1);
	return got;
}

EXPORT int putw(int word, FILE *f)
{
	TIMED_PUT(f, int, putw, word, f);
	CONTENT(fd_of(f), &word, got ? 0 : sizeof word);
	capture_io(OP_FWRITE, begin, end, fd_of(f), 0, sizeof(int), 0,
		   got ? 0 : (int64_t)sizeof(int));
	return got;
}

/* --- lines ---------------------------------------------------------------- */

/* Number of bytes that the call read, at most `most`. [from, until): unread part of the stream's
 * buffer before the call. A line with NUL bytes is longer than its text. The buffer shows how much
 * was read, if it was filled at most once. */
static int64_t line_length(const char *got, int64_t most, const FILE *f, const char *from,
			   const char *until)
{
	if (!got)
		return at_end(f) ? 0 : -1;
	const int64_t text = (int64_t)strlen(got);
	if (text == most || (text && got[text - 1] == '\n'))
		return text;
	const bool filled = f->_IO_read_end != until || f->_IO_read_ptr < from;
	const int64_t taken = filled ? until - from + (f->_IO_read_ptr - f->_IO_read_base)
				     : f->_IO_read_ptr - from;
	return taken > text && taken <= most ? taken : text;
}

#define LINE(function, ...)									   \
	UNLESS_FILE(f, function, __VA_ARGS__);							   \
	const char *const from = f->_IO_read_ptr, *const until = f->_IO_read_end;		   \
	TIMED(char *, function, __VA_ARGS__);							   \
	capture_io(OP_FGETS, begin, end, fd_of(f), 0, (uint64_t)n, 0,				   \
		   line_length(got, n - 1, f, from, until));					   \
	return got

HOOK(char *, fgets, (char *restrict s, int n, FILE *restrict f), LINE(fgets, s, n, f))
ALIAS(_IO_fgets, fgets);
HOOK(char *, fgets_unlocked, (char *restrict s, int n, FILE *restrict f),
     LINE(fgets_unlocked, s, n, f))
HOOK(char *, __fgets_chk, (char *restrict s, size_t room, int n, FILE *restrict f),
     LINE(__fgets_chk, s, room, n, f))
HOOK(char *, __fgets_unlocked_chk, (char *restrict s, size_t room, int n, FILE *restrict f),
     LINE(__fgets_unlocked_chk, s, room, n, f))

#define UNLIMITED(function, ...)								   \
	UNLESS_FILE(stdin, function, __VA_ARGS__);						   \
	const char *const from = stdin->_IO_read_ptr, *const until = stdin->_IO_read_end;	   \
	TIMED_OF(CAUSE_FD(fd_of(stdin)), char *, function, __VA_ARGS__);			   \
	int64_t taken = line_length(got, INT64_MAX, stdin, from, until);			   \
	if (got && !at_end(stdin) && taken == (int64_t)strlen(got))				   \
		taken++; /* the newline */							   \
	capture_io(OP_FGETS, begin, end, fd_of(stdin), 0, 0, 0, taken);				   \
	return got

HOOK(char *, gets, (char *s), UNLIMITED(gets, s))
ALIAS(_IO_gets, gets);
HOOK(char *, __gets_chk, (char *s, size_t room), UNLIMITED(__gets_chk, s, room))

#define DELIMITED(delimiter, function, ...)							   \
	UNLESS_FILE(f, function, __VA_ARGS__);							   \
	TIMED(ssize_t, function, __VA_ARGS__);							   \
	capture_io(OP_GETDELIM, begin, end, fd_of(f), 0, 0, (uint32_t)(delimiter),		   \
	     got < 0 && at_end(f) ? 0 : got);							   \
	return got

HOOK(ssize_t, getdelim, (char **restrict line, size_t *restrict n, int delimiter, FILE *restrict f),
     DELIMITED(delimiter, getdelim, line, n, delimiter, f))
ALIAS(__getdelim, getdelim);
HOOK(ssize_t, getline, (char **restrict line, size_t *restrict n, FILE *restrict f),
     DELIMITED('\n', getline, line, n, f))

#define TEXT(text, more, stream, function, ...)							   \
	TIMED_PUT(stream, int, function, __VA_ARGS__);						   \
	size_t len = strlen(text) + (more);							   \
	if (unlikely(capture_flags & LOG_CONTENT) && got >= 0) {				   \
		content_note(fd_of(stream), text, len - (more), begin);				   \
		content_note_more(fd_of(stream), "\n", more, len - (more), begin);		   \
	}											   \
	capture_io(OP_FPUTS, begin, end, fd_of(stream), 0, len, 0, got < 0 ? -1 : (int64_t)len);   \
	return got

HOOK(int, fputs, (const char *restrict s, FILE *restrict f), TEXT(s, 0, f, fputs, s, f))
ALIAS(_IO_fputs, fputs);
HOOK(int, fputs_unlocked, (const char *restrict s, FILE *restrict f),
     TEXT(s, 0, f, fputs_unlocked, s, f))
HOOK(int, puts, (const char *s), TEXT(s, 1, stdout, puts, s))
ALIAS(_IO_puts, puts);

/* --- one character -------------------------------------------------------- */

#undef getc
#undef putc
#undef getc_unlocked
#undef putc_unlocked

#define READ_ONE(stream, function, ...)								   \
	if (capture_flags & LOG_NO_CHARACTERS)							   \
		return REAL(function)(__VA_ARGS__);						   \
	UNLESS_FILE(stream, function, __VA_ARGS__);						   \
	TIMED_OF(CAUSE_FD(fd_of(stream)), int, function, __VA_ARGS__);				   \
	capture_io(OP_FGETC, begin, end, fd_of(stream), 0, 1, 0,				   \
	     got != EOF ? 1 : at_end(stream) ? 0 : -1);						   \
	return got
#define WRITE_ONE(stream, function, ...)							   \
	if (capture_flags & LOG_NO_CHARACTERS)							   \
		return REAL(function)(__VA_ARGS__);						   \
	TIMED_PUT(stream, int, function, __VA_ARGS__);						   \
	const char one_ = (char)c;								   \
	CONTENT(fd_of(stream), &one_, got != EOF);						   \
	capture_io(OP_FPUTC, begin, end, fd_of(stream), 0, 1, 0, got != EOF ? 1 : -1);		   \
	return got

#define READ_ONE_FROM(name)									   \
	EXPORT int name(FILE *f)								   \
	{											   \
		READ_ONE(f, name, f);								   \
	}
#define WRITE_ONE_TO(name)									   \
	EXPORT int name(int c, FILE *f)								   \
	{											   \
		WRITE_ONE(f, name, c, f);							   \
	}

READ_ONE_FROM(fgetc)
READ_ONE_FROM(getc)
READ_ONE_FROM(fgetc_unlocked)
READ_ONE_FROM(getc_unlocked)
WRITE_ONE_TO(fputc)
WRITE_ONE_TO(putc)
WRITE_ONE_TO(fputc_unlocked)
WRITE_ONE_TO(putc_unlocked)
ALIAS(_IO_getc, getc);
ALIAS(_IO_putc, putc);

/* The inline code of getc_unlocked and similar macros calls these functions when the buffer is
 * empty or full. */
int __uflow(FILE *f);

/* The length is the number of bytes in the new buffer, which the program then reads without calls.
 * The result is one character. */
EXPORT int __uflow(FILE *f)
{
	if (capture_flags & LOG_NO_CHARACTERS)
		return REAL(__uflow)(f);
	UNLESS_FILE(f, __uflow, f);
	TIMED_OF(CAUSE_FD(fd_of(f)), int, __uflow, f);
	const int64_t left = got == EOF ? 0 : f->_IO_read_end - f->_IO_read_ptr;
	/* 0: the buffer contains this character only; 1: the call did not fill the buffer */
	const int64_t n = got == EOF ? 1 : left ? 1 + left : 0;
	capture_io(OP_FGETC, begin, end, fd_of(f), 0, (uint64_t)n, 0,
		   got != EOF  ? 1
		   : at_end(f) ? 0
			       : -1);
	return got;
}

HOOK(int, __overflow, (FILE *f, int c), WRITE_ONE(f, __overflow, f, c))
HOOK(int, getchar, (void), READ_ONE(stdin, getchar))
HOOK(int, getchar_unlocked, (void), READ_ONE(stdin, getchar_unlocked))
HOOK(int, putchar, (int c), WRITE_ONE(stdout, putchar, c))
HOOK(int, putchar_unlocked, (int c), WRITE_ONE(stdout, putchar_unlocked, c))

EXPORT int ungetc(int c, FILE *f)
{
	if (capture_flags & LOG_NO_CHARACTERS)
		return REAL(ungetc)(c, f);
	UNLESS_FILE(f, ungetc, c, f);
	TIMED(int, ungetc, c, f);
	capture_io(OP_UNGETC, begin, end, fd_of(f), 0, 1, 0, got == EOF ? -1 : 0);
	return got;
}
ALIAS(_IO_ungetc, ungetc);

/* --- position, buffers ---------------------------------------------------- */

/* A call before which the inline characters must be recorded. */
#define STREAM_CALL(type, operation, offset, length, flags, function, ...)			   \
	TIMED_PUT(f, type, function, __VA_ARGS__);						   \
	IO(operation, fd_of(f), offset, length, flags);						   \
	return got

HOOK(int, fseek, (FILE *f, long offset, int whence),
     STREAM_CALL(int, OP_FSEEK, (uint64_t)offset, 0, (uint32_t)whence, fseek, f, offset, whence))
HOOK(int, fseeko, (FILE *f, off_t offset, int whence),
     STREAM_CALL(int, OP_FSEEK, (uint64_t)offset, 0, (uint32_t)whence, fseeko, f, offset, whence))
ALIAS(fseeko64, fseeko);

/* A call of a function without a result. */
#define VOID_CALL(operation, offset, length, flags, function, ...)				   \
	__typeof__(&function) real = REAL(function);						   \
	if (fd_of(f) < 0 || !capture_is_on()) {							   \
		real(__VA_ARGS__);								   \
		return;										   \
	}											   \
	in_line_note(f);									   \
	CAUSE_FD(fd_of(f));									   \
	uint64_t begin = clock_begin(&capture_clock);						   \
	real(__VA_ARGS__);									   \
	uint64_t end = clock_end(&capture_clock);						   \
	const int got = 0;									   \
	IO(operation, fd_of(f), offset, length, flags);						   \
	in_line_noted(f)

HOOK(void, rewind, (FILE *f), VOID_CALL(OP_FSEEK, 0, 0, SEEK_SET, rewind, f))

HOOK(long, ftell, (FILE *f), STREAM_CALL(long, OP_FTELL, 0, 0, 0, ftell, f))
ALIAS(_IO_ftell, ftell);
HOOK(off_t, ftello, (FILE *f), STREAM_CALL(off_t, OP_FTELL, 0, 0, 0, ftello, f))
ALIAS(ftello64, ftello);

EXPORT int fgetpos(FILE *restrict f, fpos_t *restrict to)
{
	TIMED_PUT(f, int, fgetpos, f, to);
	capture_io(OP_FTELL, begin, end, fd_of(f), 0, 0, 0, got ? -1 : (int64_t)to->__pos);
	return got;
}
ALIAS(_IO_fgetpos, fgetpos);
ALIAS(_IO_fgetpos64, fgetpos);
ALIAS(fgetpos64, fgetpos);

HOOK(int, fsetpos, (FILE *f, const fpos_t *to),
     STREAM_CALL(int, OP_FSEEK, (uint64_t)to->__pos, 0, SEEK_SET, fsetpos, f, to))
ALIAS(_IO_fsetpos, fsetpos);
ALIAS(_IO_fsetpos64, fsetpos);
ALIAS(fsetpos64, fsetpos);

/* `f` NULL: all streams. */
#define FLUSH(function)										   \
	if (f)											   \
		UNLESS_FILE(f, function, f);							   \
	TIMED_OF(f ? in_line_note(f) : in_line_note_all();					   \
		 CAUSE_CALL(function, f), int, function, f);					   \
	f ? in_line_noted(f) : in_line_noted_all();						   \
	IO(OP_FFLUSH, fd_of(f), 0, 0, 0);							   \
	return got

HOOK(int, fflush, (FILE *f), FLUSH(fflush))
ALIAS(_IO_fflush, fflush);
HOOK(int, fflush_unlocked, (FILE *f), FLUSH(fflush_unlocked))

HOOK(int, setvbuf, (FILE *restrict f, char *restrict buffer, int mode, size_t size),
     STREAM_CALL(int, OP_SETVBUF, 0, buffer ? size : 0, (uint32_t)mode, setvbuf, f, buffer, mode,
		 size))
ALIAS(_IO_setvbuf, setvbuf);

HOOK(void, setbuffer, (FILE *restrict f, char *restrict buffer, size_t size),
     VOID_CALL(OP_SETVBUF, 0, buffer ? size : 0, buffer ? _IOFBF : _IONBF, setbuffer, f, buffer,
	       size))
ALIAS(_IO_setbuffer, setbuffer);

HOOK(void, setbuf, (FILE *restrict f, char *restrict buffer), setbuffer(f, buffer, BUFSIZ))
HOOK(void, setlinebuf, (FILE *f), setvbuf(f, NULL, _IOLBF, 0))

/* flushes all streams and, in spite of its name, closes none */
EXPORT int fcloseall(void)
{
	TIMED_OF(in_line_note_all(), int, fcloseall);
	in_line_noted_all();
	IO(OP_FFLUSH, -1, 0, 0, 0);
	return got;
}
