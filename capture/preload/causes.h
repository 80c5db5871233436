/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that the collector and the threads of a parallel application share: the layout of the file
 * "causes" in the scratch directory, which both sides map. The collector creates the file before
 * the application starts. If there is no file, no process is watched.
 *
 * Each slot belongs to one thread and is never reused. Only this thread writes the slot, except
 * n_children. The collector reads `changes` before and after a state to get a consistent state.
 * Process ids are those of the collector's PID namespace.
 *
 * Times are ns of CLOCK_MONOTONIC; CPU times are those of the thread. The collector must check
 * every slot, because the traced programs can write to the memory. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define CAUSE_FILE "causes"
#define CAUSE_MAGIC UINT64_C(0x45535541434c4157)
#define CAUSE_SLOTS 4096u

enum cause_state {
	CAUSE_COMPUTING = 0,
	CAUSE_WAITING, /* in a call that sleeps until an event */
	CAUSE_POLLING, /* in a call that may poll, such as the calls of MPI */
	/* in MPI_Init or a similar call, which polls, computes and needs the other ranks */
	CAUSE_STARTING,
	CAUSE_SLEEPING, /* in a call that ends after a given time; counted as computing */
	CAUSE_REQUEST, /* in a request on the application's files */
	CAUSE_HELD,    /* before a request, until the collector releases the thread */
	CAUSE_LOOKING, /* between requests that look for one file without success */
	CAUSE_STATES
};

/* flag of a slot: the process calls exec; the new program continues the slot if it is watched */
#define CAUSE_EXEC 1u
/* flag of a slot: the process has become a launcher of ranks, which is not watched */
#define CAUSE_LAUNCHER 2u

/* A compute event in the log. length: CPU time and timed sleep; result: timed sleep alone; offset:
 * time in waiting calls. Flag CAUSE_GOES_ON: another compute event follows instead of a request.
 * CAUSE_BEFORE_MESSAGE: a message follows. The other bits of the flags: time off the CPU in calls
 * that poll, in us, at most CAUSE_OFF_CPU_MAX. */
#define CAUSE_GOES_ON 1u
#define CAUSE_BEFORE_MESSAGE 2u
#define CAUSE_OFF_CPU_SHIFT 2
#define CAUSE_OFF_CPU_MAX (UINT32_MAX >> CAUSE_OFF_CPU_SHIFT)

/* Flag of OP_SIGNAL in the log and in the runs of a capture: the thread made a call that can wake
 * another thread (a message). Messages stand for the requests of a thread that makes none. */
#define CAUSE_IS_MESSAGE 4u

/* A call that polled at least this often without success counts as a wait. */
#define CAUSE_WAITED_IDLE 10u

struct cause_slot {
	_Atomic uint64_t changes; /* number of state changes */
	_Atomic uint32_t state;	  /* enum cause_state */
	uint32_t pid, tid, parent; /* `parent`: number of the parent process */
	int32_t rank;		   /* -1: the process belongs to no MPI job */
	uint32_t flags;
	/* identifies the thread in every run: a hash of its rank, or of its ancestry (position
	 * among the children and threads of its parent) */
	uint64_t key;
	_Atomic int64_t since_ns, since_cpu_ns; /* begin of the current state */
	/* requests that began, including held requests; of a thread without requests: messages */
	_Atomic uint64_t n_requests;
	_Atomic uint64_t n_held;     /* requests held */
	/* number of times that the thread found no work in a polling call and yielded, or looked
	 * for a file without success */
	_Atomic uint64_t n_idle;
	/* number of ended calls that polled at least CAUSE_WAITED_IDLE times without success */
	_Atomic uint64_t n_waited;
	_Atomic uint32_t n_children; /* processes and threads that the thread created */
	uint32_t depth;		     /* number of nested waiting calls */
	/* whether its messages are recorded; false from its first request on */
	_Atomic uint32_t messages;
	/* The first waiting call that ended after a release: number of the release, end of the
	 * call, and progress of the released thread at that time. */
	_Atomic uint32_t woken_of;
	_Atomic int64_t woken_ns;
	/* time for which this thread was runnable without a CPU, since its start; 0: unknown */
	_Atomic int64_t woken_run_delay_ns;
	_Atomic uint64_t woken_requests; /* requests that the released thread had completed */
	/* computing time of the released thread from its last request to its current or latest
	 * waiting call */
	_Atomic int64_t woken_compute_ns;
	/* since the end of the last request, without the current state: time on the CPU or in a
	 * timed sleep, and time in waiting calls */
	_Atomic int64_t compute_ns;
	_Atomic int64_t blocked_ns;
	_Atomic int64_t slept_ns; /* part of compute_ns in timed sleep */
	int64_t off_cpu_ns; /* part of blocked_ns spent off the CPU in calls that poll */
	uint64_t outside_ticks;	    /* end of the last request */
	/* longest times between two requests, and longest request */
	int64_t compute_max_ns, blocked_max_ns, request_max_ns;
	int64_t phase_max_ns; /* longest sum of computing and blocked time between two requests */
	int64_t compute_sum_ns, blocked_sum_ns, request_sum_ns;
	/* times before its last message: computing and sleep; waiting calls */
	int64_t earlier_compute_ns, earlier_blocked_ns;
} __attribute__((aligned(64)));

#define CAUSE_ROOT_MAX 4096

struct cause_page {
	uint64_t magic;
	/* members that the collector sets */
	uint64_t throttled; /* key of the throttled node; 0: none */
	uint64_t period;    /* every period-th request is held */
	/* threads whose messages are recorded: all; or the threads sender[n_senders], by their key
	 */
	uint32_t all_send, n_senders;
	uint64_t sender[CAUSE_SLOTS];
	/* false: files outside the system directories belong to the application */
	uint32_t has_root;
	char root[CAUSE_ROOT_MAX];
	/* file of the application's standard output, which does not belong to the application's
	 * files */
	uint64_t output_device, output_inode;
	/* members that both sides set */
	/* used slots; more than CAUSE_SLOTS: some threads have no slot */
	_Atomic uint32_t n_slots;
	/* created threads and processes; each takes a slot when it starts */
	_Atomic uint32_t n_created;
	_Atomic uint32_t n_async;  /* asynchronous requests, which are not assigned to threads */
	_Atomic uint32_t n_roots;  /* programs without a watched parent */
	/* number of ranks of the job, from the environment of a rank; 0: not an MPI job */
	_Atomic uint32_t n_ranks;
	_Atomic uint32_t held_slot; /* the last slot that was held */
	_Atomic uint32_t held;	   /* number of holds */
	_Atomic uint32_t released; /* number of releases; a futex */
	_Atomic int64_t beat_ns;   /* last sign of activity of the collector */
	struct cause_slot slot[CAUSE_SLOTS];
};

/* if the collector shows no activity for this time, no thread is held */
#define CAUSE_BEAT_MAX_NS INT64_C(10000000000)
