/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress of threads, published to the threads that wait for them.
 *
 * Progress is a number that only one thread writes and that only grows: 2 * index + 1 when its
 * request `index` has begun, 2 * index + 2 when it has ended, GATE_DONE after its last request.
 * Publishing is a plain store. A waiting thread spins for a while, yields the CPU, and then sleeps
 * on a futex.
 *
 * No wake-up is lost although the publisher has no fence between storing its progress and checking
 * for sleepers. The sleeper announces itself and then calls membarrier(2), which makes every other
 * thread of the process execute a fence. Afterwards either the publisher sees the announcement, or
 * the sleeper sees the progress. Without membarrier(), or if many threads sleep (membarrier()
 * interrupts running threads), the publisher uses an ordered store.
 *
 * The cost is not the instruction but the transfer of the cache line: 30 to 300 ns between CPUs. A
 * store to a line that other CPUs have read stays in the store buffer for that time, and the next
 * locked instruction, somewhere in the next system call, waits for it. gate_drain moves that wait
 * before the start stamp. Two gates share a line: fetching the line in order to publish also
 * fetches the progress of the other thread. */
#pragma once

#include <stdatomic.h>

#include "common/clock.h"
#include "common/vm.h"

#define GATE_DONE UINT32_MAX

struct gate_sleepers {
	/* lowest progress for which some thread sleeps; UINT32_MAX: no thread sleeps */
	_Alignas(128) _Atomic uint32_t wanted;
	_Atomic uint32_t wakes; /* the futex: changes at each wake-up */
};

struct gate_waiter { /* of one thread; initially all zero */
	uint64_t n_sleeps;
	uint64_t yields_from; /* ticks; no yields before */
	/* length of the present period without yields; 0: the last yield was short */
	uint64_t no_yield_ns;
};

struct gates { /* constant after gates_init */
	char *words; /* progress of gate i at words + i * stride_bytes */
	uint32_t n, stride_bytes;
	struct gate_sleepers *sleepers; /* sleepers[n] */
	struct vm_region memory;	/* of words and sleepers */
	const struct clock *clock;
	uint64_t spin_ticks; /* before yielding and sleeping */
	/* sleeping threads call membarrier(): publishing threads need no ordering */
	bool asymmetric;
	bool across;	     /* threads of several processes use the gates */
	bool shared_line;    /* the words share one cache line */
};

/* Makes `n` gates with progress 0. `crowded`: there are more threads than CPUs, so that many will
 * sleep. `across`: the threads belong to processes that are forked later; each of these processes
 * calls gates_join() first. `clock` is borrowed. Errors: ENOMEM. Ownership: vm_free(&g->memory). */
int gates_init(struct gates *g, uint32_t n, const struct clock *clock, uint64_t spin_ticks,
	       bool crowded, bool across, struct err *e);
/* Registers this process for membarrier(). Errors: ENOSYS: membarrier() is not available. */
int gates_join(const struct gates *g, struct err *e);

/* Wakes all threads that sleep at gate i. */
void gate_wake(const struct gates *g, uint32_t i);
/* Waits until the progress of gate i is at least `threshold`: spins, yields the CPU some times,
 * then sleeps. Counts the sleeps in `w`. With spin_ticks 0 it sleeps at once. After a yield that
 * another program used, it does not yield for a while. */
void gate_wait(const struct gates *g, struct gate_waiter *w, uint32_t i, uint32_t threshold);

static inline _Atomic uint32_t *gate_progress(const struct gates *g, uint32_t i)
{
	return (_Atomic uint32_t *)(void *)(g->words + (uint64_t)i * g->stride_bytes);
}

static inline bool gate_passed(const struct gates *g, uint32_t i, uint32_t threshold)
{
	return atomic_load_explicit(gate_progress(g, i), memory_order_acquire) >= threshold;
}

/* Only the owner of the gate may publish. */
static inline void gate_publish(const struct gates *g, uint32_t i, uint32_t progress)
{
	uint32_t wanted;
	if (__builtin_expect(g->asymmetric, 1)) {
		atomic_store_explicit(gate_progress(g, i), progress, memory_order_release);
		atomic_signal_fence(memory_order_seq_cst);
		wanted = atomic_load_explicit(&g->sleepers[i].wanted, memory_order_relaxed);
	} else {
		atomic_store(gate_progress(g, i), progress);
		wanted = atomic_load(&g->sleepers[i].wanted);
	}
	if (__builtin_expect(wanted <= progress, 0))
		gate_wake(g, i);
}

/* Prepares the publication of `progress` inside a timed region: fetches the line, waits until
 * earlier stores have left the store buffer, and wakes the threads that sleep for this progress. So
 * the timed region does none of this. Only the owner calls it. Threads that wake early spin until
 * the progress is published. */
static inline void gate_drain(const struct gates *g, uint32_t i, uint32_t progress)
{
	if (__builtin_expect(
		atomic_load_explicit(&g->sleepers[i].wanted, memory_order_relaxed) <= progress, 0))
		gate_wake(g, i);
	atomic_fetch_or_explicit(gate_progress(g, i), 0, memory_order_seq_cst);
}
