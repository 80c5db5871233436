/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides whether a thread can continue by itself, from its state now and at the first of the
 * inspections since which nothing has changed. Reads neither clock nor files: watch.c does. */
#pragma once

#include "capture/preload/causes.h"

enum judge_verdict {
	JUDGE_ACTIVE, /* it may continue by itself */
	JUDGE_GONE,   /* it has ended */
	JUDGE_ASLEEP, /* asleep in a blocking call */
	JUDGE_POLLS,  /* in a call that may poll */
	JUDGE_LOOKS,  /* it looks for a file in vain */
	/* its rank is being initialised and may need the held rank for that, which is not a
	 * dependency of the application */
	JUDGE_STARTS,
	/* neither request nor end for longer than ever before: it waits */
	JUDGE_TOO_LONG,
	JUDGE_VERDICTS
};

struct judge_sight { /* of a thread */
	enum cause_state state;
	uint64_t changes; /* of the state */
	/* since its last request, or since a thread was held if that was later: before that it
	 * cannot wait for the held thread */
	int64_t compute_ns, blocked_ns;
	int64_t off_cpu_ns; /* off CPU in its current state, since the same instant */
	char os_state; /* of proc(5): R, S, D, Z ...; 0: the thread does not exist */
	int64_t cpu_ns;	   /* total CPU time */
	uint64_t n_slices; /* number of time slices */
	uint64_t n_idle;   /* number of times it yielded because it had nothing to do */
	/* of these since its last request, and since a thread was held */
	uint64_t n_idle_held;
};

struct judge_limits { /* ns */
	int64_t compute;	/* of computation between two requests */
	int64_t phase;		/* of computation and blocking calls together */
	int64_t asleep;		/* of sleep outside of known blocking calls */
};

enum judge_verdict judge_thread(const struct judge_sight *now, const struct judge_limits *limits);

enum judge_change { JUDGE_CHANGED, JUDGE_NOT_YET, JUDGE_UNCHANGED };
/* Whether nothing has happened to a thread with the current `verdict` since it was seen as
 * `before`; NOT_YET: nothing has happened, but it did not run either. Raises *needed_ns to the time
 * that this must last to be certain: yielding in vain shows it sooner than using the CPU does. */
enum judge_change judge_since(enum judge_verdict verdict, const struct judge_sight *before,
			      const struct judge_sight *now, int64_t quiet_ns,
			      int64_t blocked_max_ns, int64_t *needed_ns);
