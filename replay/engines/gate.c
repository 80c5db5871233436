/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/gate.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LINE_BYTES = 128, SHARED = 2, N_YIELDS = 20 };
#define YIELDED_SPIN_NS 1000

int gates_init(struct gates *g, uint32_t n, const struct clock *clock, uint64_t spin_ticks, bool crowded, struct err *e)
{
	*g = (struct gates){.n = n, .clock = clock, .spin_ticks = spin_ticks, .shared_line = n <= SHARED};
	g->stride_bytes = g->shared_line ? sizeof(uint32_t) : LINE_BYTES;
	g->asymmetric = !crowded && syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
	g->words = aligned_alloc(LINE_BYTES, (n + 1) * (size_t)LINE_BYTES);
	g->sleepers = aligned_alloc(LINE_BYTES, (n + 1) * sizeof *g->sleepers);
	if (!g->words || !g->sleepers) {
		gates_release(g);
		return err_set(e, ENOMEM, "not enough memory for the progress of %u threads", n);
	}
	for (uint32_t i = 0; i < n; i++) {
		atomic_init(gate_progress(g, i), 0);
		atomic_init(&g->sleepers[i].wanted, UINT32_MAX);
		atomic_init(&g->sleepers[i].wakes, 0);
	}
	return 0;
}

void gates_release(struct gates *g)
{
	free(g->words);
	free(g->sleepers);
	*g = (struct gates){.n = 0};
}

void gate_wake(const struct gates *g, uint32_t i)
{
	struct gate_sleepers *s = &g->sleepers[i];
	atomic_store(&s->wanted, UINT32_MAX);
	atomic_fetch_add(&s->wakes, 1);
	syscall(SYS_futex, &s->wakes, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* True when passed within the time. */
static bool spin(const struct gates *g, uint32_t i, uint32_t threshold, uint64_t ticks)
{
	uint64_t until = clock_now(g->clock) + ticks;
	do {
		for (int k = 0; k < 16; k++) {
			if (gate_passed(g, i, threshold))
				return true;
			cpu_relax();
		}
	} while (clock_now(g->clock) < until);
	return false;
}

/* Whom one waits for may be ready to run, on this very processor. Giving it up costs less than a sleep, and nobody has
 * to wake anybody: with twice as many threads as processors replays in temporal order took a fifth to a tenth of the time. */
static bool yield(const struct gates *g, uint32_t i, uint32_t threshold)
{
	uint64_t ticks = (uint64_t)(YIELDED_SPIN_NS / g->clock->ns_per_tick);
	ticks = ticks < g->spin_ticks ? ticks : g->spin_ticks;
	for (int k = 0; g->spin_ticks && k < N_YIELDS; k++) {
		sched_yield();
		if (spin(g, i, threshold, ticks))
			return true;
	}
	return false;
}

static void announce(struct gate_sleepers *s, uint32_t threshold)
{
	uint32_t wanted = atomic_load(&s->wanted);
	while (wanted > threshold && !atomic_compare_exchange_weak(&s->wanted, &wanted, threshold))
		;
}

uint32_t gate_wait(const struct gates *g, uint32_t i, uint32_t threshold)
{
	struct gate_sleepers *s = &g->sleepers[i];
	uint32_t n_sleeps = 0;
	if (spin(g, i, threshold, g->spin_ticks) || yield(g, i, threshold))
		return 0;
	do {
		/* Read before the announcement: whoever takes that back has changed it by then, and the futex returns at once. */
		uint32_t wakes = atomic_load(&s->wakes);
		announce(s, threshold);
		bool fenced = !g->asymmetric || syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
		if (atomic_load(gate_progress(g, i)) >= threshold)
			break;
		/* It cannot fail once registered; if it does, a look every millisecond replaces the certainty. */
		const struct timespec *limit = fenced ? NULL : &(struct timespec){.tv_nsec = 1000000};
		syscall(SYS_futex, &s->wakes, FUTEX_WAIT_PRIVATE, wakes, limit, NULL, 0);
		n_sleeps++;
	} while (!spin(g, i, threshold, g->spin_ticks));
	return n_sleeps;
}
