/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calls that start processes and threads and wait for them. A trace has no records of them: its
 * metadata list the processes, and its records name the threads. */
#ifndef CAPTURE_FORMATS_STRACE_PROCESSES_H
#define CAPTURE_FORMATS_STRACE_PROCESSES_H

#include "capture/trace.h"
#include "common/strbuf.h"

/* parent's clone() returns pid, or thread `by` has waited for the end of pid */
struct process_event {
	int64_t ns;
	uint32_t pid, by;
	bool is_wait, done;
};

struct strace_processes {
	struct process_event *event; /* event[n], by time */
	size_t n, next;
	int64_t wall_ns; /* added to all times */
};

/* Reads the list of processes. A format that tells it only at its end is read once for that, and
 * not rewound. Errors: those of reading. Ownership: strace_processes_release. */
int strace_processes_init(struct strace_processes *p, struct trace *t, struct err *e);
void strace_processes_release(struct strace_processes *p);

/* Appends the lines of all events up to `ns`; INT64_MAX: of all that are left. */
void strace_processes_until(struct strace_processes *p, int64_t ns, struct strbuf *text);
/* Appends what makes the thread of record `r`, which is the first of this thread: the clone of its
 * process, unless it has been appended, and the clone of the thread, unless it is the process's
 * first. */
void strace_processes_thread(struct strace_processes *p, const struct trace_record *r,
			     struct strbuf *text);

#endif
