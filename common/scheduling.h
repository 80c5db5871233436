/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scheduling policy of a thread, as text and set: one row for program, replay and campaign.
 *
 * Source: sched(7), sched_setattr(2). */
#ifndef COMMON_SCHEDULING_H
#define COMMON_SCHEDULING_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#include "common/err.h"

struct json_t; /* jansson's; only who wants the JSON form needs its header */

struct scheduling {
	bool set;             /* else what the process has */
	int policy, priority; /* SCHED_*; 1 to 99 of fifo and rr */
	int64_t runtime_ns, period_ns; /* of deadline, 0: as much of each ms as n threads can be
					  promised (scheduling_of) */
};

/* "other", "batch", "idle", "fifo:10", "rr:10", "deadline" or "deadline:400us/1ms" (runtime and
 * period; the deadline is the period's end). "fifo" and "rr" want a priority. Errors: EINVAL. */
int scheduling_parse(const char *text, struct scheduling *s, struct err *e);

/* What each of `n_threads` is to get: a deadline policy without figures is filled in, so that the
 * kernel can admit all.
 */
struct scheduling scheduling_of(const struct scheduling *s, uint32_t n_threads);

/* Sets the calling thread's policy (with figures: scheduling_of). Nothing where none is wanted.
 * Returns a positive errno. */
int scheduling_apply(const struct scheduling *s);

/* Before a thread ends that has it. One that ends under `deadline` may leave its promise booked:
 * Linux 6.18 was seen to refuse others for minutes. */
void scheduling_leave(const struct scheduling *s);

/* Fills in `e` for what scheduling_apply returned to one of `n_threads`: which limit it was.
 * Errors: EACCES where it is not permitted, EBUSY where the kernel cannot promise so much, others
 * of the system. */
int scheduling_refused(const struct scheduling *s, int code, uint32_t n_threads, struct err *e);

/* Before any thread is started. `pin`: threads will be bound to processors. Errors: EINVAL,
 * deadline together with an affinity mask, which the kernel does not take. */
int scheduling_check(const struct scheduling *s, bool pin, struct err *e);

/* {"policy", "priority"} or {"policy", "runtime_ns", "period_ns"}; null where none is set. New
 * reference. */
struct json_t *scheduling_to_json(const struct scheduling *s);

/* fifo, rr and deadline. */
bool scheduling_is_realtime(const struct scheduling *s);

/* What a user of a real-time policy must know of this machine, one sentence, "" when there is
 * nothing. `spin`: the threads spin for times, all the time. */
void scheduling_warning(const struct scheduling *s, uint32_t n_threads, bool spin, char *to,
			size_t size);

#endif
