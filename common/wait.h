/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waiting for an instant: sleep until shortly before it, then spin on the TSC.
 *
 * clock_nanosleep overshoots (50 to 300 us on small virtual machines), so `hybrid` sleeps until the
 * deadline minus a margin and spins the rest. The margin starts from a measured overshoot and
 * adapts to the sleeps of the run, so that about one sleep in 1000 ends after its deadline: each
 * late sleep widens the margin by an eighth, however late it was; each timely sleep narrows it a
 * little. So one outlier of some ms has almost no effect, and the margin follows a machine that
 * became slow within some ten waits. A wait shorter than the margin spins throughout. `nanosleep`
 * and `spin` are there for comparison, and because programs pause by sleeping.
 *
 * If other threads want the CPUs, spinning makes a thread late: it uses up its share of the CPU and
 * then waits in the run queue for milliseconds. A thread that sleeps instead gets a CPU soon after
 * it wakes. So `hybrid` looks at its run-queue delay every 10 ms. While this is more than 2 % of
 * the time, the CPUs count as contended and the margin is at its minimum. */
#pragma once

#include <sys/prctl.h>

#include "common/clock.h"

enum wait_method { WAIT_HYBRID, WAIT_NANOSLEEP, WAIT_SPIN };
/* "hybrid", "nanosleep", "spin", NULL: for OPT_CHOICE */
extern const char *const wait_method_names[];

/* a long wait sleeps 1/4096 less and then waits again: the two clocks may diverge over hours */
#define WAIT_DRIFT_SHIFT 12

struct wait_group; /* wait_group.h */

struct waiter { /* one per thread */
	const struct clock *clock; /* borrowed */
	enum wait_method method;
	uint64_t margin_ticks; /* how long before the deadline a sleep ends */
	uint64_t n_sleeps, n_late; /* sleeps taken; of those, woken after the deadline */
	uint64_t base_ticks;	   /* waiter_forgo narrows the margin towards this */
	uint64_t least_ticks, most_ticks; /* bounds of the margin */
	uint32_t narrow_shift;	   /* a timely sleep makes the margin by this power of 2 smaller */
	uint64_t last_ticks;	   /* so long before the deadline the spin no longer pauses */
	uint64_t held_ticks;	   /* a spin that ends later than this was held up */
	/* productive pre-spin, for `hybrid`; NULL: the thread waits by itself */
	struct wait_group *group;
	uint32_t seat;		   /* in the group */
	/* waiter_sense: other threads compete for the CPU; period; time and run-queue delay of the
	 * last look; looks without competition in turn, and how many end a contention */
	bool contended, was_contended;
	uint64_t sense_ticks, sensed_ticks;
	int64_t sensed_wait_ns;
	uint32_t n_calm, n_calm_needed;
	/* waiter_give_way: the next yield, and from it to the one after */
	uint64_t yield_at, yield_ticks, n_yields;
	/* threads that it woke during its spins; its sleeps that another thread ended */
	uint64_t n_relays, n_woken;
};

/* `margin_ns` 0: measures the overshoot of a few sleeps (some ms) and starts with that. */
void waiter_init(struct waiter *w, const struct clock *c, enum wait_method method,
		 int64_t margin_ns);

/* Spins less, for a waiter just after waiter_init: the margin begins at 5/8 (1.25 times the second
 * largest overshoot, if it was measured), and about one sleep in 128 ends after its deadline. For
 * threads that would otherwise spin for most of their CPU time. */
void waiter_spare(struct waiter *w);

/* Sets the timer slack of the calling thread to its minimum (the default adds 50 us to every
 * sleep). Call it in the thread that will wait, before waiter_init, for `hybrid`; not for
 * `nanosleep`, which stands for a program with the default slack. */
static inline void waiter_thread_setup(void)
{
	(void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
}

#define WAIT_HELD_NS 5000 /* some hundred turns of the spin */

/* Returns as soon as the clock shows `deadline` (ticks) or later. Returns 0, or, if a spin was held
 * up, by how many ticks it is late: of two consecutive readings of the clock one was before the
 * deadline and the next more than WAIT_HELD_NS after it, because the hypervisor, an interrupt or
 * another thread used the processor. A sleep that took too long was not held up. */
uint64_t wait_until(struct waiter *w, uint64_t deadline);

/* Run-queue delay of the calling thread so far: runnable, but not running. -1 unknown. */
int64_t thread_runqueue_wait_ns(void);
/* Updates `contended`. A look every 10 ms at the run-queue delay of the calling thread (3 system
 * calls), otherwise only a comparison. wait_until does it itself; a caller that waits by other
 * means does it for each wait. */
void waiter_sense(struct waiter *w, uint64_t now);
/* As waiter_sense, with the delay given; public for tests. */
void waiter_sensed(struct waiter *w, uint64_t now, int64_t wait_ns);
/* For a thread that spins with requests in flight at a device. A thread of the device's driver may
 * need this CPU, because the submission woke it here. One yield after the submission lets it in,
 * another one comes after 50 us, and so on at doubled distances. None while other threads compete
 * for the CPU: a yield then costs a whole time slice (milliseconds). */
void waiter_submitted(struct waiter *w, uint64_t now);
void waiter_give_way(struct waiter *w, uint64_t now);

/* How long before an instant a sleep must end, ticks. */
static inline uint64_t waiter_margin(const struct waiter *w)
{
	return w->contended ? w->least_ticks : w->margin_ticks;
}

/* Adapts the margin after a sleep that ended `overshoot_ticks` late; public for tests. */
void waiter_learn(struct waiter *w, uint64_t overshoot_ticks);
/* Narrows the margin after a wait of `gap_ticks`, if that was shorter than the margin. */
void waiter_forgo(struct waiter *w, uint64_t gap_ticks);
