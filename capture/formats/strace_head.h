/* SPDX-License-Identifier: GPL-3.0-or-later */
/* strace_head.c: the beginning of a line. Private to the reader of strace. */
#ifndef CAPTURE_FORMATS_STRACE_HEAD_H
#define CAPTURE_FORMATS_STRACE_HEAD_H

#include "capture/formats/strace_private.h"

/* The forms of a thread's number: "22034 " or "22034<name> " if strace writes to a file; "[pid
 * 22034] " on a terminal with several threads; none with one thread. */
enum strace_naming { STRACE_UNNAMED, STRACE_COLUMN, STRACE_BRACKET };
/* Reads the number; *at moves after it, or stays. */
enum strace_naming strace_take_pid(const char **at, const char *end, uint32_t *tid);

/* The thread of a line. The thread that strace starts has no number until there is a second one; it
 * keeps the id used here. When one thread remains, lines are unnamed again. */
uint32_t strace_thread(struct strace_threads *t, enum strace_naming how, uint32_t tid);
/* Reads a line that begins with "strace: ". */
void strace_notice(struct strace_threads *t, const char *s, const char *end);
void strace_thread_over(struct strace_threads *t, uint32_t tid);
void strace_threads_reset(struct strace_threads *t);

/* Reads the time; *at moves after it. `line`: the beginning of the line. False: there is none. */
bool strace_take_stamp(struct strace *t, const char *line, const char **at, const char *end,
		       int64_t *ns);
/* Skips what -i, -n and -r print before the call. */
const char *strace_skip_marks(const char *s, const char *end);
/* Whether a line is not about a call: strace's notices, stacks (-k), dumps of data (-e read, -e
 * write), and the first line of a summary (-C). */
bool strace_beside_calls(const char *s, const char *end);
/* The position of a notice that interrupts a call's line and extends to its end; the next line
 * continues the call. NULL: none. */
const char *strace_cut_by_notice(const char *s, const char *end);

#endif
