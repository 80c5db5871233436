/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress of threads, published for the threads that wait for them.
 *
 * Progress is a number that one thread alone writes and that only grows: 2 * index + 1 when its
 * request `index` has begun, 2 * index + 2 when it has ended, GATE_DONE when nothing more will
 * come. Publishing is a plain store; a thread that waits spins for a while, yields the processor,
 * and then sleeps on a futex.
 *
 * No wake-up is lost although the publisher has no fence between storing its progress and looking
 * whether somebody sleeps: the sleeper announces itself and then calls membarrier(2), which makes
 * every other thread of the process execute a fence. Afterwards either the publisher sees the
 * announcement, or the sleeper sees the progress. Where there is no membarrier, or many sleep (it
 * interrupts whoever runs), the publisher's store is an ordered one.
 *
 * What costs is not the instruction but the cache line: 30 to 300 ns from one processor to another.
 * A store to a line that others have read sits in the store buffer for that long, and the first
 * locked instruction behind it, which is somewhere inside the next system call, waits for it.
 * gate_drain puts that wait in front of the begin stamp. Two gates share a line: who fetches it in
 * order to publish has then also fetched what the other one published. */
#ifndef REPLAY_GATE_H
#define REPLAY_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/vm.h"

#define GATE_DONE UINT32_MAX

struct gate_sleepers {
	/* lowest progress somebody sleeps for, UINT32_MAX nobody */
	_Alignas(128) _Atomic uint32_t wanted;
	_Atomic uint32_t wakes;		       /* the futex: changes with every waking */
};

struct gate_waiter { /* of one thread; all zero to begin with */
	uint64_t n_sleeps;
	uint64_t yields_from; /* ticks; no yields before */
	/* length of the present time without yields; 0: the last yield was short */
	uint64_t no_yield_ns;
};

struct gates { /* nothing in here changes after gates_init */
	char *words; /* progress of gate i at words + i * stride_bytes */
	uint32_t n, stride_bytes;
	struct gate_sleepers *sleepers; /* sleepers[n] */
	struct vm_region memory;	/* of both */
	const struct clock *clock;
	uint64_t spin_ticks; /* before sleeping */
	bool asymmetric;     /* by membarrier: publishers need no ordering */
	bool across;	     /* several processes use them */
	bool shared_line;    /* of the words */
};

/* `n` gates of progress 0. `crowded`: more threads than processors, so that many will sleep.
 * `clock` is borrowed. Errors: ENOMEM. Ownership: gates_release. */
int gates_init(struct gates *g, uint32_t n, const struct clock *clock, uint64_t spin_ticks,
	       bool crowded, struct err *e);
/* The same for threads of several processes: those that are forked afterwards, each of which calls
 * gates_join() before it uses them. Their futexes are not private, and the membarrier is the one
 * that reaches other processes, too. */
int gates_init_across(struct gates *g, uint32_t n, const struct clock *clock, uint64_t spin_ticks,
		      bool crowded, struct err *e);
/* Errors: ENOSYS: no membarrier in this process */
int gates_join(const struct gates *g, struct err *e);
void gates_release(struct gates *g); /* an all-zero one is fine */

/* Wakes everybody who sleeps at gate i. */
void gate_wake(const struct gates *g, uint32_t i);
/* Spins, yields the processor some times, then sleeps, until the progress of i is at least
 * `threshold`. Counts the sleeps in `w`. With a spin of 0 it sleeps at once. It does not yield for
 * a while after a yield that another program used. */
void gate_wait(const struct gates *g, struct gate_waiter *w, uint32_t i, uint32_t threshold);

static inline _Atomic uint32_t *gate_progress(const struct gates *g, uint32_t i)
{
	return (_Atomic uint32_t *)(void *)(g->words + (uint64_t)i * g->stride_bytes);
}

static inline bool gate_passed(const struct gates *g, uint32_t i, uint32_t threshold)
{
	return atomic_load_explicit(gate_progress(g, i), memory_order_acquire) >= threshold;
}

/* Only the gate's owner publishes. */
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

/* Called by the owner shortly before it publishes `progress` inside a timed region: fetches the
 * line, waits until earlier stores have left the store buffer, and wakes who sleeps for it already,
 * so that nothing of that is left to do inside. Those who are woken early spin until the progress
 * comes. */
static inline void gate_drain(const struct gates *g, uint32_t i, uint32_t progress)
{
	if (__builtin_expect(
		atomic_load_explicit(&g->sleepers[i].wanted, memory_order_relaxed) <= progress, 0))
		gate_wake(g, i);
	atomic_fetch_or_explicit(gate_progress(g, i), 0, memory_order_seq_cst);
}

#endif
