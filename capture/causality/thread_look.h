/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inspects threads of other processes, and kills processes. Source: proc(5), schedstat of the
 * kernel's sched-stats.rst. */
#pragma once

#include "common/std.h"

/* Returns the state of a thread (R, S, D, Z ...), or 0 if it does not exist. Also gets its CPU time
 * in ns and its number of time slices: from the scheduler statistics; without these, from clock
 * ticks and context switches. */
char thread_look(uint32_t pid, uint32_t tid, int64_t *cpu_ns, uint64_t *n_slices);

/* Calls `each` for every thread of a process, until `each` returns false. Returns false in that
 * case. */
bool threads_each(uint32_t pid, bool (*each)(void *ctx, uint32_t tid), void *ctx);

/* Sends SIGKILL to all descendants of this process. */
void descendants_kill(void);
