/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a thread can go on by itself: the decision, from what is seen of it at one look and at
 * the first look since which nothing changed. No clock is read and no file: watch.c does that. */
#ifndef CAPTURE_CAUSALITY_JUDGE_H
#define CAPTURE_CAUSALITY_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/preload/causes.h"

enum judge_verdict {
	JUDGE_ACTIVE, /* it may go on by itself */
	JUDGE_GONE,   /* it has ended */
	JUDGE_ASLEEP, /* in a call that waits, asleep */
	JUDGE_POLLS,  /* in a call that may poll */
	/* its rank is being made ready, and may need the one that is held back for that: no
	   dependency of the application's */
	JUDGE_STARTS,
	JUDGE_TOO_LONG, /* neither request nor end for longer than ever before: what it does is to
			   wait */
	JUDGE_VERDICTS
};

struct judge_sight { /* of a thread */
	enum cause_state state;
	uint64_t changes; /* of the state */
	/* since its last request, or since somebody was held back if that was later: only then can
	 * what it does now be waiting for him */
	int64_t compute_ns, blocked_ns;
	int64_t off_cpu_ns; /* in the state it is in, without the processor; the same */
	char os_state; /* of proc(5): R, S, D, Z ...; 0: there is no such thread */
	int64_t cpu_ns;	   /* of the processor, ever */
	uint64_t n_slices; /* times it came to run */
	uint64_t n_idle;   /* times it gave way because there was nothing to do; */
	/* of these since its last request, and since somebody was held back */
	uint64_t n_idle_held;
};

struct judge_limits { /* ns */
	int64_t compute;	/* of computing between two requests */
	int64_t phase;		/* of computing and waiting calls together */
	int64_t asleep;		/* of sleeping outside of any call that is known to wait */
};

enum judge_verdict judge_thread(const struct judge_sight *now, const struct judge_limits *limits);

enum judge_change { JUDGE_CHANGED, JUDGE_NOT_YET, JUDGE_UNCHANGED };
/* Whether nothing happened to a thread that is `verdict` now since it was seen as `before`;
 * NOT_YET: nothing has, but it has not come to look either. *needed_ns becomes at least the time
 * that this must have lasted to be sure: what gives way in vain has shown it sooner than what only
 * uses the processor. */
enum judge_change judge_since(enum judge_verdict verdict, const struct judge_sight *before,
			      const struct judge_sight *now, int64_t quiet_ns,
			      int64_t blocked_max_ns, int64_t *needed_ns);

#endif
