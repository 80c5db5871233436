/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of the watchdog, and its data about each thread. Private to watch.c and watch_look.c. */
#pragma once

#include <pthread.h>

#include "capture/causality/judge.h"
#include "capture/causality/future_nodes.h"
#include "capture/causality/watch.h"
#include "capture/preload/causes.h"

/* Totals of a thread: since its last request; off_cpu_ns: in its current state; run_delay_ns: since
 * its start. */
struct watch_so_far {
	int64_t compute_ns, blocked_ns, slept_ns, off_cpu_ns, run_delay_ns;
};

struct watch_seen { /* data about the thread of a slot */
	uint32_t held;		 /* number of the hold at the first inspection */
	/* values at that time, or later when a call had ended in which the thread had waited */
	uint64_t n_requests, n_idle, n_waited;
	uint64_t n_idle_of; /* number of requests when n_idle was read, if that was later */
	struct watch_so_far then;
	/* as of the last inspection: since its last request; since its start */
	int64_t compute_ns, run_delay_ns;
	struct judge_sight mark; /* state at the first inspection since which nothing has changed */
	enum judge_verdict verdict;
	enum cause_state state; /* at the last inspection */
	struct judge_limits limits;
	int64_t blocked_max_ns;
	/* number of requests in the run without delays; 0: the thread did not exist there */
	uint64_t n_known;
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
	int64_t quiet_since_ns; /* 0: not quiet */
	int64_t held_since_ns;
	uint32_t n_extra_looks, n_never_ran, n_holds;
	int64_t progress_ns; /* time of the last progress of requests */
	int64_t looked_ns;   /* since that progress: time of the last check for stopped threads */
	uint64_t n_progress;
	int64_t stuck_after_ns;
	struct future_nodes future_nodes;
	struct watch_wait *wait;
	uint64_t n_waits, waits_cap;
	uint64_t n_woken; /* number of waits whose end was looked up */
	uint32_t last_release; /* number of the last hold that ended */
	uint64_t last_requests; /* requests of the throttled node before that hold */
	struct watch_thread *list;
	uint32_t n_list;
	struct watch_outcome outcome;
	struct watch_peer {
		/* told: the collector knows a hold of this host; looks: a thread of any host is
		 * held */
		bool told, looks;
		/* quiet: reported as quiet; confirms: must confirm at `confirm_ns` */
		bool quiet, confirms;
		bool is_over;
		uint64_t hold, round;  /* numbers that the collector gave */
		int64_t confirm_ns;
		char line[64]; /* line[n]: the incomplete next command */
		size_t n;
	} peer;
};

/* max(factor * ns, floor_ns). */
int64_t watch_times(double factor, int64_t ns, int64_t floor_ns);
/* Inspects the thread of slot `i` at the instant `now` (ns of CLOCK_MONOTONIC). Judges it if
 * another thread is held. */
enum judge_verdict watch_judge(struct watch *w, uint32_t i, struct judge_sight *to, int64_t now);
/* Records which threads wait at the instant `at` (0: none), and releases a held thread of this
 * host. */
void watch_release(struct watch *w, int64_t now, int64_t at);
/* Whether a rank is being initialised. */
bool watch_some_start(const struct watch *w);
/* Begins to check whether all threads wait. */
void watch_look_begin(struct watch *w, int64_t now);
/* watch_agent.c: exchanges messages with the collector for up to `nap_ns`. */
void watch_exchange(struct watch *w, int64_t nap_ns);
/* Whether all threads have waited long enough. */
bool watch_all_wait(struct watch *w, int64_t now);
