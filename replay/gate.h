/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread's progress, published for the threads that wait for it.
 *
 * Progress is a number that one thread alone writes and that only grows: 2 * index + 1 when its request `index` has begun,
 * 2 * index + 2 when it has ended, GATE_DONE when nothing more will come. Publishing is a plain store; who waits spins for a
 * while and then sleeps on a futex.
 *
 * No wake-up is lost although the publisher has no fence between storing its progress and looking whether somebody sleeps:
 * the sleeper announces itself and then calls membarrier(2), which makes every other thread of the process execute a fence.
 * Afterwards either the publisher sees the announcement, or the sleeper sees the progress. Where the kernel has no
 * membarrier, the publisher executes the fence itself.
 *
 * What costs is not the instruction but the cache line: 50 to 300 ns from one processor to another. A store to a line that
 * others have read sits in the store buffer for that long, and the first locked instruction behind it, which is somewhere
 * inside the next system call, waits for it. gate_drain moves that wait in front of the begin stamp. */
#ifndef REPLAY_GATE_H
#define REPLAY_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/clock.h"

#define GATE_DONE UINT32_MAX

struct gate {
	_Alignas(128) _Atomic uint32_t progress; /* read by others, written by its owner */
	_Alignas(128) _Atomic uint32_t wanted;	 /* lowest progress somebody sleeps for, UINT32_MAX nobody */
	_Atomic uint32_t wakes;			 /* the futex: changes with every waking */
};

/* How to wait; one for the whole run, read only. */
struct gate_rules {
	const struct clock *clock;
	uint64_t spin_ticks;	/* before sleeping */
	bool asymmetric;	/* membarrier works: publishers need no fence */
};

/* Registers the process for membarrier and sets `asymmetric`. */
void gate_rules_init(struct gate_rules *r, const struct clock *clock, uint64_t spin_ticks);

static inline void gate_init(struct gate *g)
{
	atomic_init(&g->progress, 0);
	atomic_init(&g->wanted, UINT32_MAX);
	atomic_init(&g->wakes, 0);
}

/* Wakes everybody who sleeps at this gate. */
void gate_wake(struct gate *g);
/* Spins, then sleeps, until progress is at least `threshold`. Returns the number of sleeps. */
uint32_t gate_wait_slow(struct gate *g, uint32_t threshold, const struct gate_rules *r);

static inline bool gate_passed(const struct gate *g, uint32_t threshold)
{
	return atomic_load_explicit(&g->progress, memory_order_acquire) >= threshold;
}

/* Only the gate's owner publishes. */
static inline void gate_publish(struct gate *g, uint32_t progress, const struct gate_rules *r)
{
	uint32_t wanted;
	if (__builtin_expect(r->asymmetric, 1)) {
		atomic_store_explicit(&g->progress, progress, memory_order_release);
		atomic_signal_fence(memory_order_seq_cst);
		wanted = atomic_load_explicit(&g->wanted, memory_order_relaxed);
	} else {
		atomic_store(&g->progress, progress);
		wanted = atomic_load(&g->wanted);
	}
	if (__builtin_expect(wanted <= progress, 0))
		gate_wake(g);
}

/* Called by the owner shortly before it publishes `progress` inside a timed region: fetches the line, waits until earlier stores
 * have left the store buffer, and wakes who sleeps for it already, so that nothing of that is left to do inside. Those who are
 * woken early spin until the progress comes. */
static inline void gate_drain(struct gate *g, uint32_t progress)
{
	if (__builtin_expect(atomic_load_explicit(&g->wanted, memory_order_relaxed) <= progress, 0))
		gate_wake(g);
	atomic_fetch_or_explicit(&g->progress, 0, memory_order_seq_cst);
}

#endif
