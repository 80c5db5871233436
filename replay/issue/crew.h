/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads of a file-level engine: they are prepared, started together, and joined. The engine
 * supplies the loop that they run. */
#pragma once

#include <pthread.h>

#include "common/pause.h"
#include "common/placement.h"
#include "common/wait_group.h"
#include "replay/issue/calls.h"
#include "replay/issue/gate.h"

struct crew;

struct runner {
	_Alignas(128) struct crew *crew;
	uint32_t index;
	int cpu; /* CPU to which it is pinned, -1 none */
	const char *cpus; /* list of CPUs (thread_bind), borrowed; NULL: see `cpu` */
	struct waiter waiter;
	struct gate_waiter gate_waiter;
	/* time in the loop during which the thread was runnable but not running; -1 unknown */
	int64_t wait_ns;
	pthread_t id;
	struct call_store store;
};

struct queue { /* index of the next request of a lane from which a pool takes */
	_Alignas(128) _Atomic uint32_t next;
};

struct crew_common { /* in memory that forked processes share */
	/* set by a mismatch that ends the run; careful loops read it */
	_Alignas(128) _Atomic bool stop;
	_Alignas(128) pthread_mutex_t serial; /* of mutant `serialise` */
};

/* with --processes each process has a copy and runs its share of the runners */
struct crew {
	struct replay_plan *plan;
	const struct replay_config *config;
	void (*loop)(struct runner *w);
	/* sets the plan's start when all threads are ready; NULL: the start is as soon as
	 * possible */
	int (*meet)(struct crew *c, struct err *e);
	void *shared; /* data of the engine that its runners share */
	struct placement placement;
	struct gates gates;  /* one for each lane */
	struct feed *feed;   /* reads the plan if it is in a file; NULL: the plan is in memory */
	struct pause pause;  /* of the runners, by index */
	/* groups of runners that wait together; n 0: each runner waits by itself */
	struct wait_group group;
	struct scheduling scheduling; /* of each runner */
	struct queue *queue; /* queue[n_lanes] */
	struct runner *runner; /* runner[n] */
	uint32_t n;
	uint32_t from, to; /* runners [from, to) are threads of this process */
	uint32_t n_started;
	struct crew_common *common;
	struct vm_region common_memory;

	_Alignas(128) pthread_mutex_t mutex; /* protects the start */
	pthread_cond_t changed;
	uint32_t n_ready;
	bool open, cancelled;
	bool abandoned; /* some thread blocks forever: its memory must not be freed */
	int pin_error, scheduling_error; /* errno of a runner that could not be prepared */
};

/* Allocates memory, buffers and gates for the plan and `n_runners` threads. n_runners is at least
 * the plan's n_workers, and each thread has separate buffers. Errors: ENOMEM. Ownership:
 * crew_release. */
int crew_init(struct crew *c, struct replay_plan *p, const struct replay_config *config,
	      uint32_t n_runners, void (*loop)(struct runner *w), struct err *e);
/* Frees the memory, unless a thread was abandoned (plan.abandoned). In that case the plan must not
 * be released either. */
void crew_release(struct crew *c);

/* Starts the threads, runs their loops and joins them; sets the plan's start, clock and facts.
 * Errors: EAGAIN and other errors of starting threads; EIO of the clock; ETIMEDOUT, with the
 * request, if no request completed for the watchdog's time. */
int crew_run(struct crew *c, struct err *e);

/* Converts the due times of a plan from nanoseconds to ticks, in place. crew_run() calls it. */
void crew_due_to_ticks(struct replay_plan *p, double ticks_per_ns);

/* --- private to crew.c and crew_process.c: the threads of the calling process */

/* Intervals between checks of the watchdog */
#define CREW_LOOK_FIRST_NS 200000000
#define CREW_LOOK_NEXT_NS 500000000

/* Starts runners [from, to) and waits until each is ready. With --processes the only runner of a
 * process is the calling thread. Errors: of starting and pinning. Call crew_open and crew_join even
 * after an error. */
int crew_start(struct crew *c, struct err *e);
/* Releases the runners: they begin at the plan's start or, if cancelled, end. */
void crew_open(struct crew *c, bool cancelled);
/* Waits until the runners have ended; runs the loop of the calling thread if that is a runner. */
void crew_join(struct crew *c);
/* Adds the counts of runners [from, to) to the plan; sets facts.runqueue_wait_ns. */
void crew_gather(struct crew *c);
/* Time before the start that all threads in `n_processes` processes need to be ready. */
int64_t crew_lead_ns(const struct crew *c, uint32_t n_processes);
/* crew_process.c: crew_run with one process for each traced process. */
int crew_run_processes(struct crew *c, struct err *e);
