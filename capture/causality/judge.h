/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides whether a thread can continue by itself. Compares its state now with its state at the
 * earliest inspection since which nothing has changed. Does not read clocks or files: watch.c reads
 * them. */
#pragma once

#include "capture/preload/causes.h"

enum judge_verdict {
	JUDGE_ACTIVE, /* the thread may continue by itself */
	JUDGE_GONE,   /* the thread has ended */
	JUDGE_ASLEEP, /* the thread sleeps in a blocking call */
	JUDGE_POLLS,  /* the thread is in a call that may poll */
	JUDGE_LOOKS,  /* the thread looks for a file without success */
	/* its rank is being initialised and may need the held rank for that; this is not a
	 * dependency of the application */
	JUDGE_STARTS,
	/* the thread has made no request for longer than ever before, so it waits */
	JUDGE_TOO_LONG,
	JUDGE_VERDICTS
};

struct judge_sight { /* state of a thread */
	enum cause_state state;
	uint64_t changes; /* number of changes of the state */
	/* since its last request or, if that was later, since a thread was held, because before
	 * that it cannot wait for the held thread */
	int64_t compute_ns, blocked_ns;
	int64_t slept_ns; /* part of compute_ns in timed sleep */
	/* Time without a CPU although the thread was runnable, since a thread was held. Some of it
	 * can be part of blocked_ns and of slept_ns. */
	int64_t run_delay_ns;
	/* the part of these times in its current state, and the CPU time in this state */
	int64_t state_ns, state_cpu_ns;
	int64_t off_cpu_ns; /* off the CPU in its current state, since the same instant */
	char os_state; /* as in proc(5): R, S, D, Z ...; 0: the thread does not exist */
	int64_t cpu_ns;	   /* total CPU time */
	uint64_t n_slices; /* number of time slices */
	uint64_t n_idle;   /* number of times that it yielded because it had nothing to do */
	/* n_idle since its last request and since a thread was held */
	uint64_t n_idle_held;
};

struct judge_limits { /* ns */
	int64_t compute;	/* limit of computation between two requests */
	int64_t phase;		/* limit of computation and blocking calls together */
	int64_t asleep;		/* limit of sleep outside known blocking calls */
};

/* a - b, but not below 0 */
static inline int64_t judge_less(int64_t a, int64_t b)
{
	return a > b ? a - b : 0;
}

enum judge_verdict judge_thread(const struct judge_sight *now, const struct judge_limits *limits);

enum judge_change { JUDGE_CHANGED, JUDGE_NOT_YET, JUDGE_UNCHANGED };
/* Whether the thread, whose current verdict is `verdict`, has changed since it was in the state
 * `before`. JUDGE_NOT_YET: no change, but the thread did not run either. Raises *needed_ns to the
 * time for which there must be no change to be certain. This time is shorter for threads that yield
 * without success than for threads that use the CPU. */
enum judge_change judge_since(enum judge_verdict verdict, const struct judge_sight *before,
			      const struct judge_sight *now, int64_t quiet_ns,
			      int64_t blocked_max_ns, int64_t *needed_ns);
