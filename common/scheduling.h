/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scheduling policy of a thread: as text, and how to set it (sched(7), sched_setattr(2)). */
#pragma once

#include "common/std.h"

struct json_t; /* jansson's */

struct scheduling {
	bool set;             /* false: the policy of the process */
	int policy, priority; /* SCHED_*; 1 to 99 for fifo and rr */
	int64_t runtime_ns, period_ns; /* deadline; 0: scheduling_of computes them */
};

/* "other", "batch", "idle", "fifo:10", "rr:10", "deadline" or "deadline:400us/1ms" (runtime and
 * period; the deadline is the end of the period). "fifo" and "rr" need a priority. Errors: EINVAL.
 */
int scheduling_parse(const char *text, struct scheduling *s, struct err *e);

/* The policy for each of `n_threads` threads. A deadline policy without runtime and period gets
 * values with which the kernel admits all threads. */
struct scheduling scheduling_of(const struct scheduling *s, uint32_t n_threads);

/* Sets the policy of the calling thread, if `s` (from scheduling_of) has a policy. Returns 0 or a
 * positive errno. */
int scheduling_apply(const struct scheduling *s);

/* Requests time slices of `ns` for the calling thread, if its policy is other or batch. When a
 * thread wakes up, Linux (since 6.12) lets it replace a running thread that has longer slices. So
 * the thread gets a CPU sooner, but not a larger share of the CPUs. Units: 100000 to 100000000 ns;
 * 0: the default. Returns whether the kernel has set `ns`. */
bool scheduling_slice(int64_t ns);

/* Call it before the thread ends. After a thread ended under policy deadline, Linux 6.18 may refuse
 * further deadline threads for minutes. */
void scheduling_leave(const struct scheduling *s);

/* Writes into `e` why scheduling_apply returned `code` in one of `n_threads` threads. Errors:
 * EACCES: not permitted; EBUSY: the kernel does not admit so many threads; others of the system. */
int scheduling_refused(const struct scheduling *s, int code, uint32_t n_threads, struct err *e);

/* Call it before the first thread starts. `pin`: threads will be bound to CPUs. Errors: EINVAL:
 * policy deadline with an affinity mask, which the kernel refuses. */
int scheduling_check(const struct scheduling *s, bool pin, struct err *e);

/* {"policy", "priority"} or {"policy", "runtime_ns", "period_ns"}; null if none is set. New
 * reference. */
struct json_t *scheduling_to_json(const struct scheduling *s);

/* Whether the policy is fifo, rr or deadline. */
bool scheduling_is_realtime(const struct scheduling *s);

/* Writes a warning of one sentence about a real-time policy on this machine, or "" for other
 * policies. `spin`: the threads wait by spinning. */
void scheduling_warning(const struct scheduling *s, uint32_t n_threads, bool spin, char *to,
			size_t size);
