/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams of the C library. Prepared files have no lines, so a call that reads up to a delimiter is
 * replayed as a call that reads the same number of bytes. */

#include <stdio_ext.h>

#include "replay/issue/calls_private.h"

#define BUFFER_MAX (UINT64_C(1) << 20) /* largest buffer that a trace may give a stream */

static const char *mode_of(uint32_t flags)
{
	bool both = (flags & O_ACCMODE) == O_RDWR;
	if (flags & O_APPEND)
		return both ? "a+" : "a";
	if ((flags & O_ACCMODE) == O_RDONLY)
		return "r";
	return both ? "r+" : "w"; /* fdopen truncates nothing */
}

static FILE *stream_open(const struct caller *k, const struct slot *b, uint32_t flags)
{
	int fd = rooted_open(&k->p->root, k->path->whole, flags, b->mode);
	FILE *f = fd < 0 ? NULL : fdopen(fd, mode_of(flags));
	if (fd >= 0 && !f)
		close(fd);
	return f;
}

/* fopen and freopen. freopen closes the replaced stream between the stamps, as the library does. */
void call_fopen(struct caller *k)
{
	const struct slot *b = &k->calls->slot[k->c->slot];
	const uint32_t flags = rooted_flags(b->flags);
	FILE *f = NULL;
	if (call_is_bad(k)) {
		CALL(k, call_bad_path(k));
		return;
	}
	if (b->replaces && k->c->op != OP_FREOPEN)
		call_slot_end(k->p, b->replaces);
	if (b->replaces && k->c->op == OP_FREOPEN)
		CALL(k,
		     (call_slot_end(k->p, b->replaces), (f = stream_open(k, b, flags)) ? 0 : -1));
	else
		CALL(k, (f = stream_open(k, b, flags)) ? 0 : -1);
	if (!f)
		return;
	call_slot_set(k, k->c->slot, fileno(f));
	call_stream_add(k->calls, k->c->slot, f, NULL);
}

void call_fdopen(struct caller *k)
{
	int fd = call_fd(k, k->c->slot);
	const char *mode = mode_of(k->c->flags);
	FILE *f = NULL;
	CALL(k, (f = fdopen(fd, mode)) ? 0 : -1);
	/* there may be a second stream on the descriptor: the slot keeps the first */
	if (f && !atomic_load(&k->calls->stream[k->c->slot]))
		call_stream_add(k->calls, k->c->slot, f, NULL);
}

/* Makes a stream for a descriptor. Used for standard streams and inherited streams. */
static struct call_stream *stream_make(struct caller *k, int fd)
{
	FILE *f = fdopen(fd, mode_of((uint32_t)fcntl(fd, F_GETFL)));
	return f ? call_stream_add(k->calls, k->c->slot, f, NULL) : NULL;
}

/* Prepares a stream for reading or writing. The C standard requires a seek or flush between the
 * two; a trace without it must not cause undefined behaviour. `next`: 'r', 'w', or 0 for
 * neither. */
static void stream_turn(struct call_stream *s, char next)
{
	if (s->last == 'w' && next != 'w')
		fflush(s->file);
	else if (s->last == 'r' && next != 'r')
		fseeko(s->file, 0, SEEK_CUR);
	s->last = next;
}

static size_t n_bytes_of(const struct caller *k)
{
	bool got_counts = k->c->op == OP_FGETS || k->c->op == OP_GETDELIM || k->c->op == OP_FPRINTF;
	uint64_t n = got_counts ? (k->c->traced > 0 ? (uint64_t)k->c->traced : 1) : k->c->length;
	if (k->c->op == OP_FPRINTF && k->c->traced == 0) /* an empty text */
		n = 0;
	return (size_t)(n < k->room ? n : k->room);
}

/* Handles a call that failed with EFAULT. The C library copies from and to its own buffer, where a
 * bad address would crash. The error can come only from a system call with the program's address,
 * so that system call is made. */
static bool stream_is_refused(struct caller *k, const struct call_stream *s, bool writes)
{
	const size_t n = n_bytes_of(k) ? n_bytes_of(k) : 1;
	const int fd = fileno(s->file);
	if (!call_is_bad(k))
		return false;
	if (writes)
		CALL(k, write(fd, k->memory, n));
	else
		CALL(k, read(fd, k->memory, n));
	return true;
}

/* fread, fgets and getdelim */
static void on_fread(struct caller *k, struct call_stream *s, FILE *f)
{
	stream_turn(s, 'r');
	const size_t n = n_bytes_of(k);
	if (!stream_is_refused(k, s, false))
		CALL(k, fread(k->buffer, 1, n, f));
	if (k->out->rvalue == 0 && k->c->traced < 0 && ferror(f))
		k->out->rvalue = k->c->traced;
}

/* fwrite, fputs and fprintf */
static void on_fwrite(struct caller *k, struct call_stream *s, FILE *f)
{
	stream_turn(s, 'w');
	const size_t n = n_bytes_of(k);
	if (!stream_is_refused(k, s, true))
		CALL(k, fwrite(k->buffer, 1, n, f));
}

/* Consumes characters that the program consumed by macros, which no capture sees. The limit
 * protects from invalid traces. */
static void macros_take(const struct caller *k, FILE *f)
{
	const uint64_t most = 2 * BUFFER_MAX;
	for (uint64_t left = k->c->to == OFFSET_NONE ? 0
			     : k->c->to < most       ? k->c->to
						     : most;
	     left && fgetc(f) != EOF; left--)
		;
}

#define REST_MOST 65536 /* upper limit of the characters that macros consumed before end of file */

static void on_fgetc(struct caller *k, struct call_stream *s, FILE *f)
{
	stream_turn(s, 'r');
	macros_take(k, f);
	if (k->c->traced == 0) {
		/* Reads up to the end of the file, because the program had reached it. */
		for (int left = REST_MOST; left && fgetc(f) != EOF; left--)
			;
	}
	int c = EOF;
	CALL(k, c = fgetc(f));
	if (c != EOF || feof(f)) /* end of file is not an error and does not set errno */
		k->out->rvalue = c != EOF;
}

/* Writes a character. The program wrote the preceding characters by macros: these are written
 * first, and only the last character is timed. */
static void on_fputc(struct caller *k, struct call_stream *s, FILE *f)
{
	stream_turn(s, 'w');
	const size_t n = n_bytes_of(k), before = n > 1 ? fwrite(k->buffer, 1, n - 1, f) : 0;
	const int last = n > 1 || k->c->bits & CALL_PAYLOAD
			     ? ((const unsigned char *)k->buffer)[n ? n - 1 : 0]
			     : 'x';
	CALL(k, fputc(last, f));
	if (k->out->rvalue >= 0)
		k->out->rvalue = 1 + (int64_t)before;
}

/* ungetc. Length 0: a macro had consumed the character, which no request shows. */
static void on_ungetc(struct caller *k, struct call_stream *s, FILE *f)
{
	if (s->last == 'r' && !k->c->length)
		fgetc(f);
	if (s->last == 'r')
		CALL_SUCCESS(k, ungetc('x', f));
	else
		CALL(k, k->c->traced < 0 ? call_error((int)-k->c->traced) : 0);
}

/* fscanf. A later ftell may show how many bytes it consumed. If it does not, the call only fills
 * the buffer. */
static void on_fscanf(struct caller *k, struct call_stream *s, FILE *f)
{
	stream_turn(s, 'r');
	const size_t n = k->c->to <= k->room ? (size_t)k->c->to : 0;
	int c = EOF;
	if (n)
		CALL(k, fread(k->buffer, 1, n, f));
	else
		CALL(k, (c = fgetc(f)));
	if (c != EOF)
		ungetc(c, f);
	k->out->rvalue = k->c->traced < 0 ? k->c->traced : 0;
}

static void on_fseek(struct caller *k, struct call_stream *s, FILE *f)
{
	(void)s;
	CALL(k, fseeko(f, (off_t)k->c->offset, (int)k->c->flags));
}

static void on_ftell(struct caller *k, struct call_stream *s, FILE *f)
{
	(void)s;
	macros_take(k, f); /* there are none for a stream that is only written */
	clearerr(f);
	CALL(k, ftello(f));
}

static void on_fflush(struct caller *k, struct call_stream *s, FILE *f)
{
	if (k->c->flags & OP_FLUSH_DISCARDS) {
		CALL(k, (__fpurge(f), 0));
		s->last = 0;
	} else {
		CALL(k, fflush(f));
	}
}

static void on_setvbuf(struct caller *k, struct call_stream *s, FILE *f)
{
	stream_turn(s, 0);
	const size_t n = k->c->length < BUFFER_MAX ? k->c->length : BUFFER_MAX;
	char *buffer = n ? xmalloc(n) : NULL; /* NULL: the library chooses the size */
	CALL_SUCCESS(k, setvbuf(f, buffer, (int)k->c->flags, n));
	if (buffer && k->out->rvalue == 0) {
		free(s->buffer);
		s->buffer = buffer;
	} else {
		free(buffer);
	}
}

static void (*const on_stream[OP_N])(struct caller *k, struct call_stream *s, FILE *f) = {
    [OP_FREAD] = on_fread,	 [OP_FGETS] = on_fread,	  [OP_GETDELIM] = on_fread,
    [OP_FWRITE] = on_fwrite,	 [OP_FPUTS] = on_fwrite,  [OP_FPRINTF] = on_fwrite,
    [OP_FGETC] = on_fgetc,	 [OP_FPUTC] = on_fputc,	  [OP_UNGETC] = on_ungetc,
    [OP_FSCANF] = on_fscanf,	 [OP_FSEEK] = on_fseek,	  [OP_FTELL] = on_ftell,
    [OP_FFLUSH] = on_fflush,	 [OP_SETVBUF] = on_setvbuf};

/* Makes a call on the slot's stream, which is locked. Without a stream the outcome is EBADF. */
void call_on_stream(struct caller *k)
{
	struct call_stream *s = call_stream_lock(k, stream_make);
	FILE *f = s ? s->file : NULL;
	if (f)
		on_stream[k->c->op](k, s, f);
	call_stream_unlock(k, s, f != NULL);
}
