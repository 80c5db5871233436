/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waiting for an instant: sleep until shortly before it, then spin on the TSC.
 *
 * clock_nanosleep overshoots (50 to 300 us on small virtual machines), so `hybrid` sleeps until the
 * deadline minus a margin and spins the rest. The margin starts from a measured overshoot and
 * adapts to the sleeps of the run, so that about one sleep in 1000 ends after its deadline: each
 * late sleep widens the margin by an eighth, however late it was; each timely sleep narrows it a
 * little. So one outlier of some ms has almost no effect, and the margin follows a machine that
 * became slow within some ten waits. A wait shorter than the margin spins throughout. `nanosleep`
 * and `spin` are there for comparison, and because programs pause by sleeping. */
#ifndef COMMON_WAIT_H
#define COMMON_WAIT_H

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
	uint64_t last_ticks;	   /* so long before the deadline the spin no longer pauses */
	uint64_t held_ticks;	   /* a spin that ends later than this was held up */
	/* productive pre-spin, for `hybrid`; NULL: the thread waits by itself */
	struct wait_group *group;
	uint32_t seat;		   /* in the group */
	/* threads that it woke during its spins; its sleeps that another thread ended */
	uint64_t n_relays, n_woken;
};

/* `margin_ns` 0: measures the overshoot of a few sleeps (some ms) and starts with that. */
void waiter_init(struct waiter *w, const struct clock *c, enum wait_method method,
		 int64_t margin_ns);

/* Sets the timer slack of the calling thread to its minimum (the default adds 50 us to every
 * sleep). Call it in the thread that will wait, before waiter_init, for `hybrid`; not for
 * `nanosleep`, which stands for a program with the default slack. */
void waiter_thread_setup(void);

#define WAIT_HELD_NS 5000 /* some hundred turns of the spin */

/* Returns as soon as the clock shows `deadline` (ticks) or later. Returns 0, or, if a spin was held
 * up, by how many ticks it is late: of two consecutive readings of the clock one was before the
 * deadline and the next more than WAIT_HELD_NS after it, because the hypervisor, an interrupt or
 * another thread used the processor. A sleep that took too long was not held up. */
uint64_t wait_until(struct waiter *w, uint64_t deadline);

/* Adapts the margin after a sleep that ended `overshoot_ticks` late; public for tests. */
void waiter_learn(struct waiter *w, uint64_t overshoot_ticks);
/* Narrows the margin after a wait of `gap_ticks`, if that was shorter than the margin. */
void waiter_forgo(struct waiter *w, uint64_t gap_ticks);

#endif
