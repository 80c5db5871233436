/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Characters that a program writes to a stream by inline putc_unlocked and similar macros. These
 * are not calls. Bytes that appear in the buffer after the last call on the stream were written
 * inline. They are recorded as one fputc of n characters without a duration. The record precedes
 * the next call that flushes the buffer, adds to it or reads the position.
 *
 * This works only in a process with one thread, because another thread may change a buffer during
 * the inspection. Streams of wide characters have other buffers, and memory streams are not
 * files. */
#pragma once

#include <stdio.h>

#include "capture/preload/core.h"

HIDDEN uint64_t in_line_count(const FILE *f);  /* inline characters not yet recorded */
/* before a call on the stream, outside the timed region */
HIDDEN void in_line_note(FILE *f);
HIDDEN void in_line_noted(const FILE *f); /* after the call: stores the fill level of the buffer */
HIDDEN void in_line_begin(const FILE *f);      /* call it for a new stream */
/* the stream is closed; the pointer is not dereferenced */
HIDDEN void in_line_forget(const FILE *f);
/* all streams, before a call or an exit that flushes them */
HIDDEN void in_line_note_all(void);
HIDDEN void in_line_noted_all(void);	       /* call it after such a call */
/* a forked child inherits the content of buffers; it is recorded like inline characters, before the
 * child uses or flushes the stream */
HIDDEN void in_line_forked(void);
