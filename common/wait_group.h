/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that wait for times together: productive pre-spin.
 *
 * Who spins for its own time has nothing better to do than to see to the next one: it wakes the
 * thread that is due next, so that the latency of that wake-up passes while it spins itself. Where
 * there are more threads than processors, only as many as there are processors spin, those that are
 * due first; the others sleep until a processor is free for them, and are put on a run queue
 * shortly before. Each also sets its own timer: nobody depends on another one's coming by.
 *
 * A thread has a seat. Everything here is advice to the kernel; who is due is decided by the clock
 * alone (wait.h). Source: Joukov, Wong, Zadok, Accurate and Efficient Replaying of File System
 * Traces (FAST 2005), section 2.3. */
#ifndef COMMON_WAIT_GROUP_H
#define COMMON_WAIT_GROUP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/vm.h"
#include "common/wait.h"

#define WAIT_NOBODY UINT64_MAX

struct wait_seat {
	/* deadline in ticks of who sleeps and was not woken yet, WAIT_NOBODY */
	_Atomic uint64_t sleeps_for;
	_Atomic uint64_t spins_for;  /* of who spins, or was woken to do so, WAIT_NOBODY */
	_Atomic uint32_t wakes;      /* the futex: changes with every waking */
};

struct wait_group {
	struct wait_seat *seat; /* seat[n] */
	uint32_t n, n_processors;
	struct vm_region memory; /* of the seats */
	bool across;             /* processes: the futexes are not private to one */
	/* sched_yield is harmless: not for SCHED_DEADLINE, which would lose its runtime */
	bool yields;
};

/* `n_processors`: that the threads may use. `across`: they belong to several processes, forked
 * afterwards. Errors: ENOMEM. Ownership: wait_group_release, when nobody waits any more. */
int wait_group_init(struct wait_group *g, uint32_t n, uint32_t n_processors, bool yields,
		    bool across, struct err *e);
void wait_group_release(struct wait_group *g); /* an all-zero one is fine */

/* The waiter's seat in the group, one thread each; borrowed. From now on wait_until of a hybrid
 * waiter waits like this.
 */
void waiter_join(struct waiter *w, struct wait_group *g, uint32_t seat);

/* wait_until of a waiter that is in a group; `now` is before `deadline`. Returns shortly before the
 * deadline: the caller spins the rest. False: the deadline has passed, in a sleep, while the
 * processor was given up, or while another one was woken. */
bool wait_group_until(struct waiter *w, uint64_t deadline, uint64_t now);

/* For wait_group_until and tests: how many others spin for an earlier time than `deadline` (of
 * equal ones the lower seat is earlier); and who of those asleep is due first, or g->n. */
uint32_t wait_group_before(const struct wait_group *g, uint32_t seat, uint64_t deadline);
uint32_t wait_group_next(const struct wait_group *g);
/* Wakes the sleeper in `seat`; false: it is awake, or somebody else did. */
bool wait_group_wake(const struct wait_group *g, uint32_t seat);

#endif
