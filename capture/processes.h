/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For each process, its parent and the thread that waited for its end: the trace's "processes"
 * (doc/formats/trace.md). The same for threads: the trace's "threads". The number of a thread then
 * takes the place of that of a process, and its creator that of the parent. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define PROCESSES_MAX 100000 /* listed; later processes are not */

struct processes {
	json_t *of_pid; /* an object that maps numbers (as text) to rows */
	/* an object that maps numbers (as text) to waits recorded before the process began */
	json_t *early;
	const char *key; /* member of a row that has the number: "pid" or "tid" */
	size_t n_least; /* shorter lists are omitted */
};

void processes_init(struct processes *p);
void threads_init(struct processes *p);
void processes_release(struct processes *p);
/* Records that a process exists; later calls for the same number are ignored. `parent` 0:
 * unknown. */
void processes_see(struct processes *p, uint32_t pid, uint32_t parent, int64_t begin_ns);
/* Sets the parent. Does nothing if the process has been waited for, because the number may then
 * belong to a later process. */
void processes_started_by(struct processes *p, uint32_t pid, uint32_t parent);
/* A wait of thread `tid` for process `pid` returned at end_ns. The call may come before
 * processes_see() of that process, because a parent usually waits before its child makes a captured
 * call. A wait that ended before the process began is then ignored. */
void processes_waited(struct processes *p, uint32_t pid, uint32_t tid, int64_t end_ns);
/* A row of the list. waited_by 0: no thread waited for it. */
struct process_row {
	uint32_t pid, parent, waited_by;
	int64_t begin_ns, waited_ns;
};
/* False: the row is malformed. */
bool process_row_read(struct process_row *x, const json_t *row);
/* Adds the rows of another trace with shifted times, or completes known processes. Malformed rows
 * are ignored. `rows` may be NULL. */
void processes_add(struct processes *p, const json_t *rows, int64_t shift_ns);
/* Returns the rows as an array, or NULL if there are fewer than two processes, or no thread. New
 * reference. */
json_t *processes_list(const struct processes *p);
