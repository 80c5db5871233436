/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waiting for an instant: sleep until shortly before it, then spin on the TSC.
 *
 * clock_nanosleep overshoots (50 to 300 us on small virtual machines), so `hybrid` aims at the
 * deadline minus a margin and spins the rest. The margin starts from a measured overshoot and
 * follows what the sleeps of this run really cost, so that about one in 1000 ends after its
 * deadline: each late one widens it by an eighth, however late it was, each timely one narrows it a
 * little. So one outlier of some ms costs next to nothing, and a machine that became slow is
 * followed within some ten waits. A wait shorter than the margin is spun throughout. `nanosleep`
 * and `spin` exist so that their cost can be shown beside it, and because programs really pause by
 * sleeping. */
#ifndef COMMON_WAIT_H
#define COMMON_WAIT_H

#include <stdint.h>

#include "common/clock.h"

enum wait_method { WAIT_HYBRID, WAIT_NANOSLEEP, WAIT_SPIN };
/* "hybrid", "nanosleep", "spin", NULL: for OPT_CHOICE */
extern const char *const wait_method_names[];

/* of a long wait: the two clocks need not agree over hours; the rest is waited anew */
#define WAIT_DRIFT_SHIFT 12

struct wait_group; /* wait_group.h */

struct waiter { /* one per thread */
	const struct clock *clock; /* borrowed */
	enum wait_method method;
	uint64_t margin_ticks; /* how long before the deadline a sleep ends */
	uint64_t n_sleeps, n_late; /* sleeps taken; of those, woken after the deadline */
	uint64_t base_ticks;	   /* without need the margin is not above this */
	uint64_t least_ticks, most_ticks; /* the margin stays between */
	uint64_t last_ticks;	   /* this long before the deadline the spin no longer pauses */
	uint64_t held_ticks;	   /* who spins and is later than this was held up */
	/* productive pre-spin, for `hybrid`; NULL: this thread waits by itself */
	struct wait_group *group;
	uint32_t seat;		   /* in the group */
	/* others that it woke while it spun; sleeps of its own that another one ended */
	uint64_t n_relays, n_woken;
};

/* `margin_ns` 0: measure the overshoot of a few sleeps now (some ms) and begin with that. */
void waiter_init(struct waiter *w, const struct clock *c, enum wait_method method,
		 int64_t margin_ns);

/* Asks the kernel not to put off this thread's timers in order to join them (timer slack, by
 * default 50 us of every sleep). Call it in the thread that will wait, before waiter_init, for
 * `hybrid`; not for `nanosleep` that stands for a program which did not ask. */
void waiter_thread_setup(void);

#define WAIT_HELD_NS 5000 /* some hundred turns of the spin */

/* Returns as soon as the clock shows `deadline` or later (ticks); at once when it already has. Not
 * 0: it was held up, and is so many ticks behind. It was spinning, and of two readings of the clock
 * next to each other the one was before the deadline and the other more than WAIT_HELD_NS behind
 * it: in between the processor was somebody else's (the hypervisor's, an interrupt's, another
 * thread's). Who slept too long was not held up. */
uint64_t wait_until(struct waiter *w, uint64_t deadline);

/* What wait_until learns from a sleep that ended `overshoot_ticks` after the instant it aimed at;
 * apart for tests. */
void waiter_learn(struct waiter *w, uint64_t overshoot_ticks);
/* And from a wait of `gap_ticks` that it spins throughout, where it is shorter than the margin. */
void waiter_forgo(struct waiter *w, uint64_t gap_ticks);

#endif
