/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that run alternately, each for a slice at a time.
 *
 * In each round a seeded generator draws the order of the processes that have requests left. Each
 * in turn is continued, runs for a slice, is paused, and the next one begins when all its threads
 * are quiet. A process without requests left takes part in no further round. Source:
 * doc/statistics.md, pairing. */
#ifndef VALIDATE_ROUNDS_H
#define VALIDATE_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "common/pause.h"
#include "common/scheduling.h"
#include "validate/campaign/descendants.h"
#include "validate/campaign/others.h"
#include "validate/metrics/slices.h"
#include "validate/protocol/protocol.h"

/* Requests that begin in this time after a switch do not count. The first request of a thread
 * takes 1.5 to 2 times as long, later ones at most 1.09 times (doc/statistics.md, Pairs in time).
 */
#define ROUND_SETTLE_NS 200000

enum round_state {
	ROUND_GOING,	/* it has requests left */
	ROUND_DONE,	/* it has made its last request, and waits to finish */
	ROUND_GONE,	/* it has ended early */
	ROUND_TIMED_OUT /* its time was up */
};

/* How often a stopped program is searched for processes that it has started since. */
#define ROUND_FIND_SLICES 16

struct round_role { /* one process; `pid` leads its process group */
	struct pause_page *page;
	pid_t pid;
	enum pause_by by;
	/* of another project's replayer: the directory whose files it uses; NULL: it has the gate
	 */
	const char *target;
	struct descendants below; /* all that this replayer has started */
	int64_t left_ns; /* that it may still run */
	enum round_state state;
	struct slices slices; /* what it got; owned */
	size_t cap_slices;
	uint64_t n_late;	 /* slices after which a thread was not quiet within the limit */
	struct others_use others; /* during its slices */
	double own_s;		 /* processor time of its own during them */
};

struct rounds {
	struct round_role *role;
	size_t n;
	int64_t slice_ns;
	uint64_t seed;
	int signal_fd; /* as of launch_spec */
	const struct scheduling *scheduling; /* of the roles' processes; NULL: unchanged */
};

/* Waits until a process that was started on hold is ready for its first request: ROUND_GOING; or
 * has ended, or its time is up. Another project's replayer is ready when it has a file of its
 * target open: then it is stopped. The time until then is its first slice, so that the requests
 * that it has made by then count; it may have made all of them (ROUND_DONE). Returns 0, -EINTR when
 * the campaign is to end. */
int round_role_ready(struct round_role *x, int signal_fd);
/* Lets every role that is ROUND_GOING make its requests. Returns as round_role_ready; then no role
 * is stopped, but some may be on hold. */
int rounds_run(struct rounds *r);
/* Lets a process end: nothing pauses it from now on. */
void round_role_finish(struct round_role *x);
void round_role_release(struct round_role *x);

#endif
