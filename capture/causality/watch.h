/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The watchdog: watches the threads of a parallel application while it runs, and releases the
 * throttled node when all other threads wait. It reads the memory that the preloaded library writes
 * (preload/causes.h), and the kernel's state of each thread.
 *
 * A thread waits if it has exited, sleeps in a call that waits, or polls in a call of MPI, and its
 * state does not change. A thread also waits (it polls memory) if it has computed for longer than
 * its maximum in the run without delays, times a factor. If all threads wait at the same time, each
 * thread that has not exited waits for the throttled node, perhaps through other nodes.
 *
 * Source: parallel-trace paper, 4.1.2. The paper also uses the duration of the longest call. Here,
 * a call counts as a wait as soon as no thread remains that could end it. */
#pragma once

#include "common/std.h"

/* A thread of the application in one run. */
struct watch_thread {
	uint64_t key; /* has the same value in all runs */
	uint32_t pid, tid, parent;
	int64_t rank; /* -1: none */
	uint64_t n_requests; /* if `sends`: the number of its messages (causes.h) */
	bool sends; /* it makes messages, but no requests */
	/* longest times: computation between two requests; a waiting call; both together between
	 * two requests; a request */
	int64_t compute_max_ns, blocked_max_ns, phase_max_ns, request_max_ns;
	int64_t compute_sum_ns, blocked_sum_ns, request_sum_ns;
};

/* At this instant of CLOCK_MONOTONIC, `waiter` waited and `throttled` was held. Both are indices of
 * watch_threads(). */
struct watch_wait {
	int64_t at_ns;
	uint32_t throttled, waiter;
	/* the waiter had computed or slept for too long, outside waiting calls */
	bool by_computing;
	/* computation or timed sleep of the waiter since its last request; -1: it had not begun */
	int64_t compute_ns;
	/* Instant at which the waiter was woken: the end of its waiting call, less the time for
	 * which it then had no CPU; 0: unknown. Number of requests, with the held one, that the
	 * throttled thread had ended at the end of the call (0: none or unknown; or
	 * WAIT_ENDED_UNKNOWN). Its computation after the last of them. */
	int64_t woken_ns;
	uint64_t n_ended;
	int64_t ended_compute_ns;
	bool uncertain; /* that it waited is known only from how long it did not continue */
	int64_t run_delay_ns; /* of the waiter, since its start (thread_look.h) */
};

#define WAIT_ENDED_UNKNOWN UINT32_MAX /* the waiter is on another host */
/* value of `throttled` if that thread is on another host */
#define WAIT_THROTTLED_ELSEWHERE UINT32_MAX

#define CAUSALITY_THREADS_MAX 4096u

struct watch_config {
	/* only files below the root belong to the application; NULL: all files except those of the
	 * system */
	const char *root;
	/* key of the node that is held; 0: none, the run is only watched */
	uint64_t throttled;
	uint64_t period;
	const struct watch_thread *known; /* known[n_known]: the run without delays */
	uint32_t n_known;
	/* Record the messages of all threads that make no requests. Those of known threads that
	 * only send are recorded in any case. */
	bool all_send;
	double factor;		/* factor of the longest observed time */
	int64_t compute_floor_ns; /* minimum of the limit of computing time */
	/* time without a change that is required if all threads sleep; if some poll, five times
	 * this time */
	int64_t quiet_ns;
	/* The application also has threads on other hosts. Standard input and output are connected
	 * to the collector (agent.h), which decides when all threads of all hosts wait. */
	bool by_agent;
	/* Called in the watchdog's thread when the collector reports the end of the application, or
	 * when the collector is gone. */
	void (*over)(void *ctx);
	void *over_ctx;
};

struct watch_outcome {
	uint64_t n_held;
	int64_t held_ns;	/* together */
	uint32_t n_async;	/* asynchronous requests */
	/* number of ranks in the job, from the environment of a rank; 0: unknown */
	uint32_t n_ranks;
	bool too_many;		/* the application has more threads than slots */
	/* no thread made a request for far longer than before, and the processes were killed */
	bool stuck;
	char stuck_at[400];	/* the state of each thread at that time */
	/* thread that made far more requests than in the run without delays, and the processes were
	 * killed; empty: none */
	char runs_on[200];
	/* threads that were stopped by a signal for too long, and the processes were killed; empty:
	 * none */
	char stopped[400];
};

struct watch;
/* Copies the configuration, but not known[]. */
void watch_open(struct watch **w, const struct watch_config *c);
void watch_close(struct watch *w); /* `w` may be NULL */
/* For app_config.prepare: creates the file in the scratch directory and begins to watch. Errors: of
 * the system. */
int watch_prepare(void *watch, const char *scratch_dir, struct err *e);
/* Call it in the new process before exec. `fd` receives the output of the application and does not
 * count as one of its files. */
void watch_output(struct watch *w, int fd);
/* Call it after the end of the application. The results are valid until watch_close(). */
void watch_end(struct watch *w, struct watch_outcome *o);
const struct watch_thread *watch_threads(const struct watch *w, uint32_t *n);
/* by time */
const struct watch_wait *watch_waits(const struct watch *w, uint64_t *n);
