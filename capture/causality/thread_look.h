/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inspects threads of other processes, and kills processes. Source: proc(5), schedstat of the
 * kernel's sched-stats.rst. */
#pragma once

#include "common/std.h"

/* Totals of a thread since its start, from the scheduler statistics. Without these, cpu_ns comes
 * from clock ticks, n_slices from context switches, and run_delay_ns is 0. */
struct thread_times {
	int64_t cpu_ns;
	/* time for which it was runnable and had no CPU, up to its last time slice */
	int64_t run_delay_ns;
	uint64_t n_slices; /* number of time slices */
};

/* Returns the state of a thread (R, S, D, Z ...), or 0 if it does not exist. */
char thread_look(uint32_t pid, uint32_t tid, struct thread_times *t);

/* Calls `each` for every thread of a process, until `each` returns false. Returns false in that
 * case. */
bool threads_each(uint32_t pid, bool (*each)(void *ctx, uint32_t tid), void *ctx);

/* Sends SIGKILL to all descendants of this process. */
void descendants_kill(void);
