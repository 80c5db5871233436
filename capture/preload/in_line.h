/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the preload library: characters that a program puts into a stream by putc_unlocked and its
 * like where the compiler put them in line. They are no calls, but what the buffer holds more than
 * after the last call on the stream was put so: it is noted, as one fputc of so many characters
 * that takes no time, before the next call that empties the buffer, puts more into it or asks where
 * the stream is.
 *
 * Only while the process has one thread: with more, a buffer may change while it is looked at.
 * Streams of wide characters have other buffers, streams of memory are no files. */
#ifndef CAPTURE_PRELOAD_IN_LINE_H
#define CAPTURE_PRELOAD_IN_LINE_H

#include <stdio.h>

#include "capture/preload/core.h"

HIDDEN uint64_t in_line_count(const FILE *f);  /* so many, not yet noted */
/* before a call on the stream, outside the timed region */
HIDDEN void in_line_note(FILE *f);
HIDDEN void in_line_noted(const FILE *f);      /* after it: what the buffer holds now is known */
HIDDEN void in_line_begin(const FILE *f);      /* the stream is new */
HIDDEN void in_line_forget(const FILE *f);     /* it is gone; the pointer is not followed */
/* of all streams, which the call or the program's end empties */
HIDDEN void in_line_note_all(void);
HIDDEN void in_line_noted_all(void);	       /* after it */

#endif
