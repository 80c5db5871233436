/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that wait for times together: productive pre-spin.
 *
 * A thread that spins until its own deadline wakes the thread that is due next, so that the
 * latency of that wake-up passes during the spin. If there are more threads than processors, only
 * as many threads spin as there are processors: those that are due first. The others sleep until a
 * processor becomes free, and are woken shortly before. Each thread also sets its own timer, so
 * that none depends on another.
 *
 * Each thread has a seat. All this is advice to the kernel; the clock alone decides which thread is
 * due (wait.h). Source: Joukov, Wong, Zadok, Accurate and Efficient Replaying of File System Traces
 * (FAST 2005), section 2.3. */
#pragma once

#include <stdatomic.h>

#include "common/vm.h"
#include "common/wait.h"

#define WAIT_NOBODY UINT64_MAX

struct wait_seat {
	/* deadline in ticks of a thread that sleeps and was not woken yet; WAIT_NOBODY */
	_Atomic uint64_t sleeps_for;
	_Atomic uint64_t spins_for;  /* of a thread that spins or was woken to spin; WAIT_NOBODY */
	_Atomic uint32_t wakes;      /* the futex: changes with every waking */
};

struct wait_group {
	struct wait_seat *seat; /* seat[n] */
	uint32_t n, n_processors;
	struct vm_region memory; /* of the seats */
	bool across;             /* processes: the futexes are not private to one */
	/* threads may call sched_yield; under SCHED_DEADLINE they would lose their runtime */
	bool yields;
};

/* `n_processors`: for the threads. `across`: the threads belong to several processes, forked
 * afterwards. Errors: ENOMEM. Ownership: wait_group_release, when no thread waits any more. */
int wait_group_init(struct wait_group *g, uint32_t n, uint32_t n_processors, bool yields,
		    bool across, struct err *e);
void wait_group_release(struct wait_group *g); /* an all-zero one is fine */

/* Gives the waiter a seat of its own in the group; borrowed. From now on wait_until of a hybrid
 * waiter uses the group. */
void waiter_join(struct waiter *w, struct wait_group *g, uint32_t seat);

/* wait_until for a waiter in a group; `now` is before `deadline`. Returns shortly before the
 * deadline; the caller spins the rest. False: the deadline passed during a sleep, a yield, or the
 * wake-up of another thread. */
bool wait_group_until(struct waiter *w, uint64_t deadline, uint64_t now);

/* For wait_group_until and tests: how many other threads spin for an earlier deadline (of equal
 * ones the lower seat is earlier); and the seat of the sleeper that is due first, or g->n. */
uint32_t wait_group_before(const struct wait_group *g, uint32_t seat, uint64_t deadline);
uint32_t wait_group_next(const struct wait_group *g);
/* Wakes the sleeper in `seat`; false: it is awake, or another thread woke it. */
bool wait_group_wake(const struct wait_group *g, uint32_t seat);
