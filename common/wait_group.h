/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Productive pre-spin: threads that wait for instants help each other.
 *
 * A thread that spins until its own deadline wakes the thread that is due next, so that the latency
 * of this wake-up passes during the spin. If there are more threads than CPUs, each CPU has one
 * spinning thread, and the spinning threads are those that are due first. The other threads sleep
 * until a CPU becomes free, and are woken shortly before. Each thread also sets its own timer, so
 * that no thread depends on another.
 *
 * Each thread has a seat. These wake-ups and yields only improve timing; the clock alone decides
 * when a thread is due (wait.h). Source: Joukov, Wong, Zadok, Accurate and Efficient Replaying of
 * File System Traces (FAST 2005), section 2.3. */
#pragma once

#include <stdatomic.h>

#include "common/vm.h"
#include "common/wait.h"

#define WAIT_NOBODY UINT64_MAX

struct wait_seat {
	/* deadline (ticks) of a thread that sleeps and was not woken yet, or WAIT_NOBODY */
	_Atomic uint64_t sleeps_for;
	/* deadline (ticks) of a thread that spins or was woken to spin, or WAIT_NOBODY */
	_Atomic uint64_t spins_for;
	_Atomic uint32_t wakes;      /* a futex, which changes with every wake-up */
};

struct wait_group {
	struct wait_seat *seat; /* seat[n] */
	uint32_t n, n_processors;
	struct vm_region memory; /* memory of the seats */
	bool across; /* the threads belong to several processes, so the futexes are not private */
	/* threads may call sched_yield(); under SCHED_DEADLINE, they would lose their runtime */
	bool yields;
};

/* `n_processors`: number of CPUs for the threads. `across`: the threads belong to several
 * processes, which are forked afterwards. Errors: ENOMEM. Ownership: wait_group_release, when no
 * thread waits any more. */
int wait_group_init(struct wait_group *g, uint32_t n, uint32_t n_processors, bool yields,
		    bool across, struct err *e);
void wait_group_release(struct wait_group *g); /* `g` may be all zero */

/* Gives the waiter its own seat in the group, which is borrowed. Afterwards, wait_until of a hybrid
 * waiter uses the group. */
void waiter_join(struct waiter *w, struct wait_group *g, uint32_t seat);

/* wait_until for a waiter in a group; `now` must be before `deadline`. Returns shortly before the
 * deadline, and the caller spins the rest. False: the deadline passed during a sleep, a yield, or a
 * wake-up of another thread. */
bool wait_group_until(struct waiter *w, uint64_t deadline, uint64_t now);

/* For wait_group_until and tests: the number of other threads that spin for an earlier deadline (if
 * deadlines are equal, the lower seat is earlier); and the seat of the sleeping thread that is due
 * first, or g->n. */
uint32_t wait_group_before(const struct wait_group *g, uint32_t seat, uint64_t deadline);
uint32_t wait_group_next(const struct wait_group *g);
/* Wakes the sleeping thread in `seat`. False: it is awake, or another thread woke it. */
bool wait_group_wake(const struct wait_group *g, uint32_t seat);
