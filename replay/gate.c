/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/gate.h"

#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void gate_rules_init(struct gate_rules *r, const struct clock *clock, uint64_t spin_ticks)
{
	*r = (struct gate_rules){.clock = clock, .spin_ticks = spin_ticks};
	r->asymmetric = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void gate_wake(struct gate *g)
{
	atomic_store_explicit(&g->wanted, UINT32_MAX, memory_order_seq_cst);
	atomic_fetch_add_explicit(&g->wakes, 1, memory_order_seq_cst);
	syscall(SYS_futex, &g->wakes, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* True when passed within the time. */
static bool spin(const struct gate *g, uint32_t threshold, const struct gate_rules *r)
{
	uint64_t start = clock_now(r->clock), until = start + r->spin_ticks, now = start;
	do {
		/* The one who is waited for may be queued on this very processor: the kernel likes to put who is woken beside who woke
		 * it. Spinning would keep it from running; yielding costs little when it is elsewhere. */
		if (now - start > r->spin_ticks / 8)
			sched_yield();
		for (int i = 0; i < 16; i++) {
			if (gate_passed(g, threshold))
				return true;
			cpu_relax();
		}
	} while ((now = clock_now(r->clock)) < until);
	return false;
}

static void announce(struct gate *g, uint32_t threshold)
{
	uint32_t wanted = atomic_load_explicit(&g->wanted, memory_order_relaxed);
	while (wanted > threshold && !atomic_compare_exchange_weak(&g->wanted, &wanted, threshold))
		;
}

uint32_t gate_wait_slow(struct gate *g, uint32_t threshold, const struct gate_rules *r)
{
	uint32_t n_sleeps = 0;
	while (!spin(g, threshold, r)) {
		/* Read before the announcement: whoever takes that back has changed it by then, and the futex returns at once. */
		uint32_t wakes = atomic_load_explicit(&g->wakes, memory_order_seq_cst);
		announce(g, threshold);
		bool fenced = !r->asymmetric || syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
		if (atomic_load(&g->progress) >= threshold)
			break;
		/* It cannot fail once registered; if it does, a look every millisecond replaces the certainty. */
		const struct timespec *limit = fenced ? NULL : &(struct timespec){.tv_nsec = 1000000};
		syscall(SYS_futex, &g->wakes, FUTEX_WAIT_PRIVATE, wakes, limit, NULL, 0);
		n_sleeps++;
	}
	return n_sleeps;
}
