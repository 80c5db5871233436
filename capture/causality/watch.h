/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The watchdog: watches the threads of a parallel application while it runs, and releases the
 * throttled node when all other threads wait. It reads the memory that the preloaded library writes
 * (preload/causes.h), and the kernel's state of each thread.
 *
 * A thread waits if it has exited, sleeps in a call that waits, or polls in a call of MPI, and
 * nothing of that changes. A thread also waits, by polling memory, if it has computed for longer
 * than its maximum in the run without delays, times a factor. If all threads wait at the same time,
 * each thread that has not exited waits for the throttled node, perhaps through other nodes.
 *
 * Source: parallel-trace paper, 4.1.2. The paper also uses the longest call; here a call counts as
 * soon as no thread remains that could end it. */
#pragma once

#include "common/std.h"

/* A thread of the application, as it was in one run. */
struct watch_thread {
	uint64_t key; /* the same in all runs */
	uint32_t pid, tid, parent;
	int32_t rank; /* -1: none */
	uint64_t n_requests;
	/* longest times: computing between two requests; a waiting call; both between two requests;
	 * a request */
	int64_t compute_max_ns, blocked_max_ns, phase_max_ns, request_max_ns;
	int64_t compute_sum_ns, blocked_sum_ns, request_sum_ns;
};

/* At this instant of CLOCK_MONOTONIC `waiter` waited and `throttled` was held back. Indices of
 * watch_threads(). */
struct watch_wait {
	int64_t at_ns;
	uint32_t throttled, waiter;
	bool by_computing; /* it computed for too long, outside of waiting calls */
	/* the waiter's computing or timed sleep since its last request; -1: it had not begun */
	int64_t compute_ns;
	/* end of the waiter's waiting call; WAIT_ENDED_UNKNOWN, or the number of requests that the throttled thread had ended
	 * by then, including the held one (0: none or unknown); its computing after the last of
	 * them */
	int64_t woken_ns;
	uint64_t n_ended;
	int64_t ended_compute_ns;
};

#define WAIT_ENDED_UNKNOWN UINT32_MAX /* the waiter is on another host */
/* index of the throttled thread if it is on another host */
#define WAIT_THROTTLED_ELSEWHERE UINT32_MAX

#define CAUSALITY_THREADS_MAX 4096u

struct watch_config {
	/* only files below it are the application's; NULL: all files except those of the system */
	const char *root;
	/* key of the node that is held back; 0: none, the run is only watched */
	uint64_t throttled;
	uint64_t period;
	const struct watch_thread *known; /* known[n_known]: the run without delays */
	uint32_t n_known;
	double factor;		/* of the longest that was seen */
	int64_t compute_floor_ns; /* but at least */
	/* required time without a change if all threads sleep; five times this time if some poll */
	int64_t quiet_ns;
	/* The application has threads on other hosts, too: standard input and output are the
	 * collector's (agent.h), which decides when all threads of all hosts wait. */
	bool by_agent;
	/* Called in the watchdog's thread when the collector says that the application has ended,
	 * or has gone. */
	void (*over)(void *ctx);
	void *over_ctx;
};

struct watch_outcome {
	uint64_t n_held;
	int64_t held_ns;	/* together */
	uint32_t n_async;	/* asynchronous requests */
	/* number of ranks in the job, from the environment of a rank; 0: unknown */
	uint32_t n_ranks;
	bool too_many;		/* more threads than there are slots */
	/* no thread made a request for far longer than before; the processes were killed */
	bool stuck;
	char stuck_at[400];	/* the state of each thread at that time */
	/* the thread that made far more requests than in the run without delays; the processes
	 * were killed. Empty: none */
	char runs_on[200];
	/* the threads that were stopped by a signal for too long; the processes were killed. Empty:
	 * none */
	char stopped[400];
};

struct watch;
/* Copies the configuration except for known[]. */
void watch_open(struct watch **w, const struct watch_config *c);
void watch_close(struct watch *w); /* NULL is fine */
/* app_config.prepare: creates the file in the scratch directory and begins to watch. Errors: of the
 * system. */
int watch_prepare(void *watch, const char *scratch_dir, struct err *e);
/* Call in the new process before exec: `fd` receives the output of the application and is not one
 * of its files. */
void watch_output(struct watch *w, int fd);
/* Call after the end of the application. The results are borrowed until watch_close(). */
void watch_end(struct watch *w, struct watch_outcome *o);
const struct watch_thread *watch_threads(const struct watch *w, uint32_t *n);
/* by time */
const struct watch_wait *watch_waits(const struct watch *w, uint64_t *n);
