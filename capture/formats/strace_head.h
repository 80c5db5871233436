/* SPDX-License-Identifier: GPL-3.0-or-later */
/* strace_head.c: the beginning of a line. Private to the reader of strace. */
#ifndef CAPTURE_FORMATS_STRACE_HEAD_H
#define CAPTURE_FORMATS_STRACE_HEAD_H

#include "capture/formats/strace_private.h"

/* How a line names its thread: "22034 " or "22034<name> " where strace writes to a file; "[pid
 * 22034] " where it writes to the terminal and follows several; not at all where it follows one. */
enum strace_naming { STRACE_UNNAMED, STRACE_COLUMN, STRACE_BRACKET };
/* *at is left behind it, or where it was. */
enum strace_naming strace_take_pid(const char **at, const char *end, uint32_t *tid);

/* Who a line is of. The thread that strace started has no number until there is a second one; from
 * then on it keeps the one that it has here. When one is left, lines are unnamed again. */
uint32_t strace_thread(struct strace_threads *t, enum strace_naming how, uint32_t tid);
/* a line that begins with "strace: " */
void strace_notice(struct strace_threads *t, const char *s, const char *end);
void strace_thread_over(struct strace_threads *t, uint32_t tid);
void strace_threads_reset(struct strace_threads *t);

/* The time, and behind it, in *at. `line`: where the line begins. False: there is none. */
bool strace_take_stamp(struct strace *t, const char *line, const char **at, const char *end,
		       int64_t *ns);
/* Behind what -i, -n and -r put before the call. */
const char *strace_skip_marks(const char *s, const char *end);
/* Lines that are none of calls: strace's own notices, stacks (-k), dumps of data (-e read, -e
 * write), and the first line of a summary (-C). */
bool strace_beside_calls(const char *s, const char *end);
/* Where a notice begins that strace has written into the middle of a call's line, up to its end;
 * the rest of the call is the next line. NULL: none. */
const char *strace_cut_by_notice(const char *s, const char *end);

#endif
