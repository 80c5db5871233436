/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that run in turn, each for one slice at a time.
 *
 * In each round a seeded generator draws the order of the processes that have requests left. Each
 * process is continued, runs for a slice, and is paused. The next process starts when all threads
 * of the previous process are quiet. A process without requests left is skipped. Source:
 * doc/statistics.md, pairing. */
#pragma once

#include "common/pause.h"
#include "common/scheduling.h"
#include "validate/campaign/descendants.h"
#include "validate/campaign/others.h"
#include "validate/metrics/slices.h"
#include "validate/protocol/protocol.h"

/* Requests that begin within this time after a switch do not count. The first request of a thread
 * takes 1.5 to 2 times as long, and later requests at most 1.09 times (doc/statistics.md, Pairs in
 * time). */
#define ROUND_SETTLE_NS 200000

enum round_state {
	ROUND_GOING,	/* it has requests left */
	/* its last request was made; it waits until it may finish */
	ROUND_DONE,
	ROUND_GONE,	/* it ended early */
	ROUND_TIMED_OUT /* its time limit was reached */
};

/* Number of slices between two searches for new processes of a stopped program. */
#define ROUND_FIND_SLICES 16

struct round_role { /* a process; `pid` leads its process group */
	struct pause_page *page;
	pid_t pid;
	enum pause_by by;
	/* directory of the files of a replayer of another project; NULL: the process uses the pause
	 * page */
	const char *target;
	struct descendants below; /* all descendants of this replayer */
	int64_t start_ns; /* time before the process was started, CLOCK_MONOTONIC */
	int64_t left_ns; /* remaining time limit */
	int64_t quiet_limit_ns; /* time in which its threads must become quiet; 0: 1 s */
	enum round_state state;
	/* its slices; owned */
	struct slices slices;
	size_t cap_slices;
	/* number of slices after which a thread was not quiet in time */
	uint64_t n_late;
	struct others_use others; /* during its slices */
	double own_s;		 /* its CPU time during the slices */
};

struct rounds {
	struct round_role *role;
	size_t n;
	int64_t slice_ns;
	uint64_t seed;
	int signal_fd; /* as in launch_spec */
	const struct scheduling *scheduling; /* policy of the processes; NULL: default */
};

/* Waits until a process is ready for its first request (ROUND_GOING), has exited, or timed out. A
 * replayer of another project is ready when it has opened a file of its target; then it is stopped.
 * The time from its start until then is its first slice, so that earlier requests count; it may
 * have made all of them (ROUND_DONE). Returns 0, or -EINTR if the campaign must end. */
int round_role_ready(struct round_role *x, int signal_fd);
/* Runs the slices of every role in ROUND_GOING. Returns 0, or -EINTR if the campaign must end.
 * Afterwards no role is stopped, but some may be paused. */
int rounds_run(struct rounds *r);
/* Lets a process run to its end without further pauses. */
void round_role_finish(struct round_role *x);
void round_role_release(struct round_role *x);
