/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/wait_group.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>

/* cost of a wake-up: a thread whose deadline is nearer wakes no other thread */
#define WAKE_NS 8000
/* a spinning thread wakes the next thread this long before its own deadline */
#define PREPARE_NS 30000
#define LEAVE_NS 20000   /* more than the cost of leaving a CPU and getting it back */

/* --- seats --------------------------------------------------------------- */

int wait_group_init(struct wait_group *g, uint32_t n, uint32_t n_processors, bool yields,
		    bool across, struct err *e)
{
	*g = (struct wait_group){.n = n,
				 .n_processors = n_processors ? n_processors : 1,
				 .yields = yields,
				 .across = across};
	int ret =
	    vm_get(&g->memory, VM_SHARED, ((size_t)n + 1) * sizeof *g->seat, "threads that wait",
		   e);
	if (ret)
		return ret;
	g->seat = g->memory.base;
	for (uint32_t i = 0; i < n; i++) {
		atomic_init(&g->seat[i].sleeps_for, WAIT_NOBODY);
		atomic_init(&g->seat[i].spins_for, WAIT_NOBODY);
		atomic_init(&g->seat[i].wakes, 0);
	}
	return 0;
}

void wait_group_release(struct wait_group *g)
{
	vm_free(&g->memory);
	*g = (struct wait_group){.n = 0};
}

void waiter_join(struct waiter *w, struct wait_group *g, uint32_t seat)
{
	w->group = g;
	w->seat = seat;
}

uint32_t wait_group_before(const struct wait_group *g, uint32_t seat, uint64_t deadline)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < g->n; i++) {
		uint64_t other = atomic_load_explicit(&g->seat[i].spins_for, memory_order_relaxed);
		n += i != seat && (other < deadline || (other == deadline && i < seat));
	}
	return n;
}

uint32_t wait_group_next(const struct wait_group *g)
{
	uint64_t first = WAIT_NOBODY;
	uint32_t next = g->n;
	for (uint32_t i = 0; i < g->n; i++) {
		uint64_t other = atomic_load_explicit(&g->seat[i].sleeps_for, memory_order_relaxed);
		if (other < first) {
			first = other;
			next = i;
		}
	}
	return next;
}

bool wait_group_wake(const struct wait_group *g, uint32_t seat)
{
	struct wait_seat *s = &g->seat[seat];
	uint64_t due = atomic_exchange(&s->sleeps_for, WAIT_NOBODY);
	if (due == WAIT_NOBODY)
		return false;
	atomic_store(&s->spins_for, due); /* it counts as spinning before it runs */
	atomic_fetch_add(&s->wakes, 1);
	syscall(SYS_futex, &s->wakes, g->across ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, INT_MAX, NULL,
		NULL, 0);
	return true;
}

/* --- sleeping ------------------------------------------------------------ */

static uint64_t ticks_of(const struct waiter *w, double ns)
{
	return (uint64_t)(ns / w->clock->ns_per_tick);
}

/* Sleeps until `target` or a wake-up; true after a wake-up. */
static bool seat_sleep(struct waiter *w, uint64_t deadline, uint64_t target)
{
	struct wait_seat *s = &w->group->seat[w->seat];
	int64_t ns = clock_ns_of_ticks(w->clock, target);
	struct timespec until = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	/* read before sleeps_for is set: a wake-up changes the value, and the futex call then
	 * returns at once */
	uint32_t wakes = atomic_load(&s->wakes);
	atomic_store(&s->spins_for, WAIT_NOBODY);
	atomic_store(&s->sleeps_for, deadline);
	syscall(SYS_futex, &s->wakes, w->group->across ? FUTEX_WAIT_BITSET
		: FUTEX_WAIT_BITSET_PRIVATE, wakes, &until, NULL, FUTEX_BITSET_MATCH_ANY);
	bool woken = atomic_exchange(&s->sleeps_for, WAIT_NOBODY) == WAIT_NOBODY;
	atomic_store(&s->spins_for, deadline);
	return woken;
}

/* --- the wait ------------------------------------------------------------ */

/* Wakes the thread that is due next, if that thread would spin now on a free CPU. */
static void next_wake(struct waiter *w, uint64_t now, uint64_t lead)
{
	const struct wait_group *g = w->group;
	uint32_t next = wait_group_next(g);
	if (next == g->n)
		return;
	uint64_t due = atomic_load_explicit(&g->seat[next].sleeps_for, memory_order_relaxed);
	if (due != WAIT_NOBODY && (due <= now || due - now <= lead))
		w->n_relays += wait_group_wake(g, next);
}

/* Whether the thread should leave its CPU. False shortly before its deadline. */
static bool has_to_leave(const struct waiter *w, uint64_t deadline, uint64_t left)
{
	const struct wait_group *g = w->group;
	return g->n > g->n_processors && left > ticks_of(w, LEAVE_NS) &&
	       wait_group_before(g, w->seat, deadline) >= g->n_processors;
}

static uint64_t sleep_once(struct waiter *w, uint64_t deadline, uint64_t now, bool *woken)
{
	bool timed = deadline - now > waiter_margin(w);
	uint64_t target = deadline - (timed ? waiter_margin(w) : w->least_ticks);
	if (timed)
		target -= (target - now) >> WAIT_DRIFT_SHIFT;
	*woken = seat_sleep(w, deadline, target);
	now = clock_now(w->clock);
	w->n_woken += *woken;
	if (timed && !*woken)
		waiter_learn(w, now > target ? now - target : 0);
	else
		w->n_sleeps++;
	return now;
}

bool wait_group_until(struct waiter *w, uint64_t deadline, uint64_t now)
{
	const struct wait_group *g = w->group;
	struct wait_seat *s = &g->seat[w->seat];
	const uint64_t wake = ticks_of(w, WAKE_NS), prepare = ticks_of(w, PREPARE_NS);
	const bool crowded = g->n > g->n_processors;
	bool woken = false, spins = true; /* `spins`: in the last turn of the loop */
	atomic_store(&s->spins_for, deadline);
	for (; now < deadline && deadline - now > wake; now = clock_now(w->clock)) {
		const uint64_t left = deadline - now, n_relays = w->n_relays;
		bool leave = has_to_leave(w, deadline, left);
		spins = true;
		if (leave && woken && g->yields) {
			sched_yield();
			spins = false;
		} else if ((left > waiter_margin(w) && !woken) || leave) {
			/* a thread that waits for a CPU gets this CPU now */
			if (crowded)
				next_wake(w, now, waiter_margin(w));
			now = sleep_once(w, deadline, now, &woken);
			spins = now < deadline;
		} else if (!crowded) {
			next_wake(w, now, waiter_margin(w) + waiter_margin(w) / 2);
		} else if (left < prepare ||
			   wait_group_before(g, w->seat, WAIT_NOBODY) + 1 < g->n_processors) {
			next_wake(w, now, waiter_margin(w));
		}
		spins &= w->n_relays == n_relays;
		cpu_relax();
	}
	atomic_store(&s->spins_for, WAIT_NOBODY);
	return now < deadline || spins;
}
