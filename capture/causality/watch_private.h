/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the watchdog knows, and what it sees of each thread. Private to watch.c and watch_look.c. */
#ifndef CAPTURE_CAUSALITY_WATCH_PRIVATE_H
#define CAPTURE_CAUSALITY_WATCH_PRIVATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/causality/judge.h"
#include "capture/causality/unborn.h"
#include "capture/causality/watch.h"
#include "capture/preload/causes.h"

struct watch_so_far { /* of a thread since its last request */
	int64_t compute_ns, blocked_ns, off_cpu_ns;
};

struct watch_seen { /* of a slot */
	uint32_t held;		 /* which time somebody was held back when it was first looked at */
	uint64_t n_requests, n_idle; /* then */
	uint64_t n_idle_of; /* after how many requests n_idle was taken, where that was later */
	struct watch_so_far then;
	int64_t compute_ns; /* since its last request, at the last look */
	struct judge_sight mark; /* at the first look since which nothing has changed */
	enum judge_verdict verdict;
	struct judge_limits limits;
	int64_t blocked_max_ns;
	uint64_t n_known; /* requests in the run without delays; 0: it was not there */
	bool has_limits;
};

struct watch {
	struct watch_config config;
	char *root;
	struct cause_page *page;
	pthread_t thread;
	bool runs;
	_Atomic bool ends;
	struct watch_seen *seen; /* seen[CAUSE_SLOTS] */
	int64_t quiet_since_ns; /* 0: it is not quiet */
	int64_t held_since_ns;
	uint32_t n_extra_looks, n_stillborn, n_holds;
	int64_t progress_ns; /* when requests were last seen to go on */
	uint64_t n_progress;
	int64_t stuck_after_ns;
	struct unborn unborn;
	struct watch_wait *wait;
	uint64_t n_waits, waits_cap;
	uint64_t n_woken; /* of them, those whose end was looked for */
	uint32_t last_release; /* what the others wait for the end of */
	uint64_t last_requests; /* of the throttled one, before the one that was held back then */
	struct watch_thread *list;
	uint32_t n_list;
	struct watch_outcome outcome;
};

/* Slots that are taken: slot[] of the page, seen[]. */
uint32_t watch_slots_used(const struct watch *w);
/* factor * ns, at least floor_ns. */
int64_t watch_times(double factor, int64_t ns, int64_t floor_ns);
/* What the thread of slot `i` does at the instant `now`, ns of CLOCK_MONOTONIC, and what that makes
 * it while somebody is held back. */
enum judge_verdict watch_judge(struct watch *w, uint32_t i, struct judge_sight *to, int64_t now);
/* Whether everybody has waited for long enough by now. */
bool watch_all_wait(struct watch *w, int64_t now);

#endif
