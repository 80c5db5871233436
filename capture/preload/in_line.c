/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/preload/in_line.h"

#include "capture/preload/stream.h"

/* Exists since glibc 2.32. After the process had a second thread, nothing is counted any more. */
extern char __libc_single_threaded __attribute__((weak));
extern FILE *_IO_list_all __attribute__((weak));

/* number of streams that are followed at a time; inline characters on other streams are not
 * recorded */
#define N_STREAMS 256u
#define N_LOOKED_AT 8u /* entries in which a stream is searched */

static struct followed {
	const FILE *stream; /* NULL: the entry is free */
	uint64_t n;	    /* bytes in the buffer when its last call returned */
} followed[N_STREAMS + N_LOOKED_AT];

static bool is_alone(void)
{
	static bool was_not;
	was_not |= !&__libc_single_threaded || !__libc_single_threaded;
	return !was_not;
}

static struct followed *place_of(const FILE *f)
{
	struct followed *at = &followed[((uintptr_t)f * UINT64_C(0x9e3779b97f4a7c15)) >> 56],
			*empty = NULL;
	_Static_assert(N_STREAMS == 1 << 8, "the hash has as many bits");
	for (unsigned int i = 0; i < N_LOOKED_AT; i++) {
		if (at[i].stream == f)
			return &at[i];
		if (!at[i].stream && !empty)
			empty = &at[i];
	}
	return empty;
}

static bool has_file(const FILE *f)
{
	return fd_of(f) >= 0 && f->_mode <= 0;
}

static uint64_t bytes_held(const FILE *f)
{
	return f->_IO_write_ptr > f->_IO_write_base
		   ? (uint64_t)(f->_IO_write_ptr - f->_IO_write_base)
		   : 0;
}

uint64_t in_line_count(const FILE *f)
{
	if (!is_alone() || !has_file(f))
		return 0;
	const struct followed *p = place_of(f);
	if (!p || p->stream != f)
		return 0;
	const uint64_t now = bytes_held(f);
	/* fewer bytes: the C library has flushed the buffer, so all bytes are new */
	return now >= p->n ? now - p->n : now;
}

void in_line_note(FILE *f)
{
	const uint64_t n = capture_flags & LOG_NO_CHARACTERS ? 0 : in_line_count(f);
	if (!n)
		return;
	const uint64_t begin = clock_begin(&capture_clock);
	CONTENT(fd_of(f), f->_IO_write_ptr - n, n);
	capture_io(OP_FPUTC, begin, begin, fd_of(f), 0, n, 0, (int64_t)n);
}

void in_line_noted(const FILE *f)
{
	struct followed *p = is_alone() && has_file(f) ? place_of(f) : NULL;
	if (p)
		*p = (struct followed){f, bytes_held(f)};
}

void in_line_begin(const FILE *f)
{
	in_line_forget(f);
	in_line_noted(f);
}

void in_line_forget(const FILE *f)
{
	struct followed *p = f && is_alone() ? place_of(f) : NULL;
	if (p && p->stream == f)
		p->stream = NULL;
}

/* Visits only open streams, because a function without a hook may have closed a followed stream. */
void in_line_note_all(void)
{
	if (!is_alone() || !&_IO_list_all)
		return;
	for (FILE *f = _IO_list_all; f; f = f->_chain) {
		in_line_note(f);
		in_line_noted(f);
	}
}

void in_line_noted_all(void)
{
	if (!is_alone() || !&_IO_list_all)
		return;
	for (const FILE *f = _IO_list_all; f; f = f->_chain)
		in_line_noted(f);
}

void in_line_forked(void)
{
	for (size_t i = 0; i < sizeof followed / sizeof *followed; i++)
		followed[i].n = 0;
}
