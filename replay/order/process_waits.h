/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What follows from who started which process, and who waited for its end (slot_process): the first request of each
 * thread of a process comes after those of its parent's threads that had ended when it began, and after the processes that the parent had
 * waited for by then; what a thread does after it has waited for a process's end comes after all that
 * process's requests. A parent without requests of its own, as a shell or timeout(1) mostly is, stands for those that it started and waited
 * for. Where a parent is only inferred the process began, as far as is known, with its first request.
 * For rule `process` of order fs (order_fs.c). */
#ifndef REPLAY_PROCESS_WAITS_H
#define REPLAY_PROCESS_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "replay/load/load.h"
#include "replay/load/slots.h"

struct process_wait { /* indices into load.request; `earlier` ended before `request` began */
	uint32_t request, earlier;
};

struct process_waits {
	struct process_wait *wait; /* wait[n], by request */
	size_t n, cap;
};

/* Ownership: process_waits_release. */
void process_waits_find(struct process_waits *p, const struct load *l, const struct slots *s);
void process_waits_release(struct process_waits *p); /* an all-zero one is fine */

#endif
