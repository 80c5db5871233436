/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/gate.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LINE_BYTES = 128, SHARED = 2, N_YIELDS = 20 };
#define YIELDED_SPIN_NS 1000

static int init(struct gates *g, uint32_t n, struct err *e)
{
	g->n = n;
	g->shared_line = n <= SHARED;
	g->stride_bytes = g->shared_line ? sizeof(uint32_t) : LINE_BYTES;
	int register_command = g->across ? MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED : MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED;
	g->asymmetric = g->asymmetric && syscall(SYS_membarrier, register_command, 0, 0) == 0;
	int ret = vm_alloc_shared(&g->memory, (n + 1) * (size_t)(LINE_BYTES + sizeof *g->sleepers), "the progress of threads", e);
	if (ret)
		return ret;
	g->words = g->memory.base;
	g->sleepers = (struct gate_sleepers *)(void *)(g->words + (n + 1) * (size_t)LINE_BYTES);
	for (uint32_t i = 0; i < n; i++) {
		atomic_init(gate_progress(g, i), 0);
		atomic_init(&g->sleepers[i].wanted, UINT32_MAX);
		atomic_init(&g->sleepers[i].wakes, 0);
	}
	return 0;
}

int gates_init(struct gates *g, uint32_t n, const struct clock *clock, uint64_t spin_ticks, bool crowded, struct err *e)
{
	*g = (struct gates){.clock = clock, .spin_ticks = spin_ticks, .asymmetric = !crowded};
	return init(g, n, e);
}

int gates_init_across(struct gates *g, uint32_t n, const struct clock *clock, uint64_t spin_ticks, bool crowded, struct err *e)
{
	*g = (struct gates){.clock = clock, .spin_ticks = spin_ticks, .asymmetric = !crowded, .across = true};
	return init(g, n, e);
}

int gates_join(const struct gates *g, struct err *e)
{
	vm_own(g->memory.base, g->memory.n_bytes);
	if (g->asymmetric && syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) < 0)
		return err_set(e, ENOSYS, "membarrier is not allowed in a process of the replay");
	return 0;
}

void gates_release(struct gates *g)
{
	vm_free(&g->memory);
	*g = (struct gates){.n = 0};
}

static long gate_futex(const struct gates *g, struct gate_sleepers *s, int command, uint32_t value, const struct timespec *limit)
{
	return syscall(SYS_futex, &s->wakes, command | (g->across ? 0 : FUTEX_PRIVATE_FLAG), value, limit, NULL, 0);
}

void gate_wake(const struct gates *g, uint32_t i)
{
	struct gate_sleepers *s = &g->sleepers[i];
	atomic_store(&s->wanted, UINT32_MAX);
	atomic_fetch_add(&s->wakes, 1);
	gate_futex(g, s, FUTEX_WAKE, INT_MAX, NULL);
}

/* Makes every thread that may publish execute a fence. */
static bool fence_all(const struct gates *g)
{
	int command = g->across ? MEMBARRIER_CMD_GLOBAL_EXPEDITED : MEMBARRIER_CMD_PRIVATE_EXPEDITED;
	return !g->asymmetric || syscall(SYS_membarrier, command, 0, 0) == 0;
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
		bool fenced = fence_all(g);
		if (atomic_load(gate_progress(g, i)) >= threshold)
			break;
		/* It cannot fail once registered; if it does, a look every millisecond replaces the certainty. */
		const struct timespec *limit = fenced ? NULL : &(struct timespec){.tv_nsec = 1000000};
		gate_futex(g, s, FUTEX_WAIT, wakes, limit);
		n_sleeps++;
	} while (!spin(g, i, threshold, g->spin_ticks));
	return n_sleeps;
}
