/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run captured twice: what the program called (capture app), and what the kernel's page cache did for it
 * (capture vfs). Joined, each fault on a mapped file and each page that a call missed lies with the thread and
 * the file that the program's trace has. */
#ifndef COMMANDS_SLICE_JOIN_H
#define COMMANDS_SLICE_JOIN_H

#include "capture/trace.h"
#include "commands/trace_set.h"

struct slice_join;

/* set->t[0] is the program's trace, set->t[1] has the pages; both are put on the time line of CLOCK_MONOTONIC.
 * The first is read once. Errors: EINVAL when they are not of one run: another host, no common clock, objects
 * relative to different directories, no process in common, or nothing of the page cache in the second.
 * Ownership: slice_join_close. */
int slice_join_open(struct slice_join **out, struct trace_set *set, struct err *e);
void slice_join_close(struct slice_join *j); /* NULL is fine */

/* Whether a record goes into the joined trace: all of the first trace; of the second the pages that a process of
 * the first used of a file of the first. */
bool slice_join_pass(struct slice_join *j, const struct trace *t, const struct trace_record *r);

/* Says in the extra metadata ("joined") what was joined. */
void slice_join_finish(struct slice_join *j, struct trace_meta *meta);
void slice_join_print(const struct slice_join *j);

#endif
