/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads of a file-level engine: made ready, started together, joined. An engine gives the
 * loop they run. */
#ifndef REPLAY_CREW_H
#define REPLAY_CREW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/pause.h"
#include "common/placement.h"
#include "common/scheduling.h"
#include "common/vm.h"
#include "common/wait.h"
#include "common/wait_group.h"
#include "replay/issue/calls.h"
#include "replay/issue/gate.h"
#include "replay/plan/plan.h"

struct crew;

struct runner {
	_Alignas(128) struct crew *crew;
	uint32_t index;
	int cpu; /* to run on, -1 any */
	const char *cpus; /* likewise, several (thread_bind), borrowed; NULL: as `cpu` says */
	struct waiter waiter;
	struct gate_waiter gate_waiter;
	struct call_store *store;
	int64_t wait_ns; /* runnable but not running, over the loop; -1 unknown */
	pthread_t id;
};

struct queue { /* where the next request of a lane is taken from, in a pool */
	_Alignas(128) _Atomic uint32_t next;
};

struct crew_common { /* in memory that forked processes share */
	/* a mismatch was met and shall end the run; careful loops look at it */
	_Alignas(128) _Atomic bool stop;
	_Alignas(128) pthread_mutex_t serial; /* of the mutant that serialises */
};

/* with --processes each process has its own copy of it, and runs its share of the runners */
struct crew {
	struct replay_plan *plan;
	const struct replay_config *config;
	void (*loop)(struct runner *w);
	/* sets the plan's start, when every thread here is ready; NULL: soon */
	int (*meet)(struct crew *c, struct err *e);
	void *shared; /* what else the runners of an engine share; the engine's own */
	struct placement placement;
	struct gates gates;  /* one for each lane */
	struct feed *feed;   /* of a plan that lies in a file, NULL: it is in memory */
	struct pause pause;  /* of the runners, by their index */
	struct wait_group group; /* of the runners; without seats where each waits by itself */
	struct scheduling scheduling; /* of each runner */
	struct queue *queue; /* queue[n_lanes] */
	struct runner *runner; /* runner[n] */
	uint32_t n;
	uint32_t from, to; /* runners [from, to) are threads of this process */
	uint32_t n_started;
	struct crew_common *common;
	struct vm_region common_memory;

	_Alignas(128) pthread_mutex_t mutex; /* of the start */
	pthread_cond_t changed;
	uint32_t n_ready;
	bool open, cancelled;
	uint64_t second_ticks; /* a second, in ticks */
	bool abandoned; /* some thread blocks for ever: nothing that it uses may be given back */
	int pin_error, scheduling_error; /* of a runner that could not get ready */
};

/* Sets up memory, buffers and gates for the plan; `n_runners` threads, at least its n_workers, each
 * with buffers of its own. Errors: ENOMEM. Ownership: crew_release. */
int crew_init(struct crew *c, struct replay_plan *p, const struct replay_config *config,
	      uint32_t n_runners, void (*loop)(struct runner *w), struct err *e);
/* not where a thread was abandoned: the plan says so, too, and must not be released either */
void crew_release(struct crew *c);

/* Starts the threads, lets them run their loops, joins them; fills in the plan's start, clock and
 * facts. Errors: EAGAIN and others of starting threads, EIO of the clock; ETIMEDOUT, naming it,
 * when a request blocked for longer than the watchdog's patience. */
int crew_run(struct crew *c, struct err *e);

/* The due times of a plan, from nanoseconds to ticks, in place; crew_run does it. */
void crew_due_to_ticks(struct replay_plan *p, double ticks_per_ns);

/* What crew.c and crew_process.c share: the threads of the calling process. Private to
 * replay/issue. */

/* How often the end is looked for: soon where a run is short, rarely where it is not. */
#define CREW_LOOK_FIRST_NS 200000000
#define CREW_LOOK_NEXT_NS 500000000

/* Starts runners [from, to) and waits until each is ready. Errors: of starting and pinning. Even
 * then: crew_open, crew_join. */
int crew_start(struct crew *c, struct err *e);
/* They begin at the plan's start, or, cancelled, end. */
void crew_open(struct crew *c, bool cancelled);
void crew_join(struct crew *c);
/* Counts of the plan, over runners [from, to); facts.runqueue_wait_ns too. */
void crew_gather(struct crew *c);
/* From now to a start that all of this process's threads, and those of as many others, can meet. */
int64_t crew_lead_ns(const struct crew *c, uint32_t n_processes);

/* crew_process.c: crew_run where each traced process is one. */
int crew_run_processes(struct crew *c, struct err *e);

#endif
