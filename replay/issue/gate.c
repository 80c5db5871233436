/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/issue/gate.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>

enum { LINE_BYTES = 128, SHARED = 2, N_YIELDS = 20 };
#define YIELDED_SPIN_NS 1000
/* A yield that takes longer gave the CPU to another program for its time slice (about 3 ms). */
#define LONG_YIELD_NS 200000
/* Time without yields after such a yield. It doubles with each further long yield. */
#define NO_YIELD_NS 50000000
#define NO_YIELD_MAX_NS 1600000000

int gates_init(struct gates *g, uint32_t n, const struct clock *clock, uint64_t spin_ticks,
	       bool crowded, bool across, struct err *e)
{
	*g = (struct gates){.n = n,
			    .clock = clock,
			    .spin_ticks = spin_ticks,
			    .asymmetric = !crowded,
			    .across = across};
	g->shared_line = n <= SHARED;
	g->stride_bytes = g->shared_line ? sizeof(uint32_t) : LINE_BYTES;
	int register_command = g->across ? MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED
					 : MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED;
	g->asymmetric = g->asymmetric && syscall(SYS_membarrier, register_command, 0, 0) == 0;
	int ret = vm_get(&g->memory, VM_SHARED,
			 (n + 1) * (size_t)(LINE_BYTES + sizeof *g->sleepers),
			 "the progress of threads", e);
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

int gates_join(const struct gates *g, struct err *e)
{
	vm_own(g->memory.base, g->memory.n_bytes);
	if (g->asymmetric &&
	    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) < 0)
		return err_set(e, ENOSYS,
			       "membarrier() is not permitted in a process of the replay");
	return 0;
}

static long gate_futex(const struct gates *g, struct gate_sleepers *s, int command, uint32_t value,
		       const struct timespec *limit)
{
	return syscall(SYS_futex, &s->wakes, command | (g->across ? 0 : FUTEX_PRIVATE_FLAG), value,
		       limit, NULL, 0);
}

void gate_wake(const struct gates *g, uint32_t i)
{
	struct gate_sleepers *s = &g->sleepers[i];
	atomic_store(&s->wanted, UINT32_MAX);
	atomic_fetch_add(&s->wakes, 1);
	gate_futex(g, s, FUTEX_WAKE, INT_MAX, NULL);
}

/* Spins for at most `ticks`. Returns true if the gate reached the threshold. */
static bool gate_spin(const struct gates *g, uint32_t i, uint32_t threshold, uint64_t ticks)
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

/* Yields the CPU, because the awaited thread may be ready to run on it. A yield costs less than a
 * sleep and needs no wake-up: with twice as many threads as CPUs, it reduced the time of replays in
 * temporal order to between a fifth and a tenth. But if another program runs on this CPU, a yield
 * costs one of its time slices, whereas the scheduler prefers a thread that wakes from a sleep.
 * With a program computing on each CPU, replays in temporal order took 8 s with yields and 1.6 s
 * without. */
static bool gate_yield(const struct gates *g, struct gate_waiter *w, uint32_t i, uint32_t threshold)
{
	const double ns_per_tick = g->clock->ns_per_tick;
	uint64_t ticks = (uint64_t)(YIELDED_SPIN_NS / ns_per_tick);
	ticks = ticks < g->spin_ticks ? ticks : g->spin_ticks;
	uint64_t now = clock_now(g->clock);
	for (int k = 0; g->spin_ticks && now >= w->yields_from && k < N_YIELDS; k++) {
		sched_yield();
		const uint64_t before = now;
		now = clock_now(g->clock);
		if ((double)(now - before) * ns_per_tick > LONG_YIELD_NS) {
			w->no_yield_ns = w->no_yield_ns ? 2 * w->no_yield_ns : NO_YIELD_NS;
			if (w->no_yield_ns > NO_YIELD_MAX_NS)
				w->no_yield_ns = NO_YIELD_MAX_NS;
			w->yields_from = now + (uint64_t)((double)w->no_yield_ns / ns_per_tick);
		} else {
			w->no_yield_ns = 0;
		}
		if (gate_spin(g, i, threshold, ticks))
			return true;
		now = clock_now(g->clock);
	}
	return false;
}

void gate_wait(const struct gates *g, struct gate_waiter *w, uint32_t i, uint32_t threshold)
{
	struct gate_sleepers *s = &g->sleepers[i];
	if (gate_spin(g, i, threshold, g->spin_ticks) || gate_yield(g, w, i, threshold))
		return;
	do {
		/* read the word before the announcement: the thread that wakes this one changes it,
		 * and so the futex returns at once */
		uint32_t wakes = atomic_load(&s->wakes);
		uint32_t wanted = atomic_load(&s->wanted);
		while (wanted > threshold &&
		       !atomic_compare_exchange_weak(&s->wanted, &wanted, threshold))
			;
		/* makes every publishing thread execute a fence */
		int command =
		    g->across ? MEMBARRIER_CMD_GLOBAL_EXPEDITED : MEMBARRIER_CMD_PRIVATE_EXPEDITED;
		bool fenced = !g->asymmetric || syscall(SYS_membarrier, command, 0, 0) == 0;
		if (atomic_load(gate_progress(g, i)) >= threshold)
			break;
		/* once registered, membarrier() cannot fail; if it does, check every millisecond */
		const struct timespec *limit =
		    fenced ? NULL : &(struct timespec){.tv_nsec = 1000000};
		gate_futex(g, s, FUTEX_WAIT, wakes, limit);
		w->n_sleeps++;
	} while (!gate_spin(g, i, threshold, g->spin_ticks));
}
