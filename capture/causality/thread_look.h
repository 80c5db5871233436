/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel says of other processes' threads, and ending processes. Source: proc(5),
 * schedstat of the kernel's sched-stats.rst. */
#ifndef CAPTURE_CAUSALITY_THREAD_LOOK_H
#define CAPTURE_CAUSALITY_THREAD_LOOK_H

#include <stdbool.h>
#include <stdint.h>

/* The state (R, S, D, Z ...) of a thread, 0: there is none such; what it has had of the processor
 * in ns, and how often it came to run (by the kernel's scheduler statistics; without them by ticks,
 * and by its switches). */
char thread_look(uint32_t pid, uint32_t tid, int64_t *cpu_ns, uint64_t *n_slices);

/* Calls `each` for every thread of a process until it returns false; the return is false then. */
bool threads_each(uint32_t pid, bool (*each)(void *ctx, uint32_t tid), void *ctx);

/* SIGKILL to every process that came from this one by any number of steps, and is not itself. */
void descendants_kill(void);

#endif
