/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the threads of a parallel application and the collector tell each other: the layout of the
 * file "causes" in the scratch directory, which both map. The collector makes it before the
 * application begins; where there is none, nobody is watched.
 *
 * A slot belongs to one thread, which alone writes it (but for n_children); it is never used again
 * by another. The collector reads: a state counts together with the `changes` that were read before
 * and after it. Mapped files are the same in every network, IPC and host-name namespace; process
 * numbers must be those of the collector's PID namespace.
 *
 * Times are ns of CLOCK_MONOTONIC; CPU times are of the thread. Nobody's slot may be trusted: it
 * lies in the programs' memory. */
#ifndef CAPTURE_PRELOAD_CAUSES_H
#define CAPTURE_PRELOAD_CAUSES_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define CAUSE_FILE "causes"
#define CAUSE_MAGIC UINT64_C(0x45535541434c4157)
#define CAUSE_SLOTS 4096u

enum cause_state {
	CAUSE_COMPUTING = 0,
	CAUSE_WAITING, /* in a call that sleeps until something happens */
	CAUSE_POLLING, /* in a call that may poll, as those of MPI do */
	/* in MPI_Init and its like, which polls, works, and needs the other ranks to go on */
	CAUSE_STARTING,
	CAUSE_SLEEPING, /* in a call that ends by the clock: it is taken for computing */
	CAUSE_REQUEST, /* in a request on the application's files */
	CAUSE_HELD,    /* before one, until the collector lets it go on */
	CAUSE_STATES
};

/* flags of a slot */
/* its process is about to become another program, which goes on with it if it is watched */
#define CAUSE_EXEC 1u
/* its process has become a launcher of ranks, which is no node and is not watched */
#define CAUSE_LEFT 2u

/* flags of a compute in the log: no request follows it, but more computing */
#define CAUSE_GOES_ON 1u

struct cause_slot {
	_Atomic uint64_t changes; /* of the state, so far */
	_Atomic uint32_t state;	  /* enum cause_state */
	uint32_t pid, tid, parent; /* parent: process */
	int32_t rank;		   /* -1: of no MPI job */
	uint32_t flags;
	/* names the thread alike in every run: its rank, or how it came about (children and threads
	 * are counted) */
	uint64_t key;
	_Atomic int64_t since_ns, since_cpu_ns; /* when the state began */
	_Atomic uint64_t n_requests; /* begun, held ones included */
	_Atomic uint64_t n_held;     /* so often it was held back */
	/* times that it gave way in a call that polls: nothing was there to do */
	_Atomic uint64_t n_idle;
	_Atomic uint32_t n_children; /* processes and threads that it has begun */
	uint32_t depth;		     /* calls that wait, one in the other */
	/* of the first call that waits which ended after somebody was let go on: for the
	 * how-manieth time, and how far that one had come by then */
	_Atomic uint32_t woken_of;
	_Atomic int64_t woken_ns;
	_Atomic uint64_t woken_requests; /* that it had ended */
	/* since the last of them, up to the call that it was in then, or had been last */
	_Atomic int64_t woken_compute_ns;
	/* since its last request ended */
	/* on the processor, or asleep by the clock; without the state it is in */
	_Atomic int64_t compute_ns;
	_Atomic int64_t blocked_ns; /* in calls that wait */
	uint64_t left_ticks;	    /* when that request ended */
	/* longest so far */
	int64_t compute_max_ns, blocked_max_ns, request_max_ns;
	int64_t phase_max_ns; /* from request to request, both of computing and blocked */
	/* together */
	int64_t compute_sum_ns, blocked_sum_ns, request_sum_ns;
} __attribute__((aligned(64)));

#define CAUSE_ROOT_MAX 4096

struct cause_page {
	uint64_t magic;
	/* what the collector wants */
	uint64_t throttled; /* key of the node that is held back, 0: none */
	uint64_t period;    /* at each so many-th request */
	uint32_t has_root;  /* else files count that are no part of the system */
	char root[CAUSE_ROOT_MAX];
	/* the file that what the application prints goes to, which is none of its own */
	uint64_t output_device, output_inode;
	/* what passes between them */
	_Atomic uint32_t n_slots;  /* in use; may come to exceed CAUSE_SLOTS: those found none */
	/* threads and processes that were begun: each takes a slot as soon as it runs */
	_Atomic uint32_t n_born;
	_Atomic uint32_t n_async;  /* asynchronous requests, which are of no thread */
	_Atomic uint32_t n_roots;  /* programs without a parent that is watched */
	_Atomic uint32_t n_ranks;  /* that the job has, as its ranks are told; 0: no MPI job */
	_Atomic uint32_t held_slot; /* who was held back last */
	_Atomic uint32_t held;	   /* how often somebody was held back, */
	_Atomic uint32_t released; /* and how often let go: a futex */
	_Atomic int64_t beat_ns;   /* the collector was alive */
	struct cause_slot slot[CAUSE_SLOTS];
};

/* without a beat for so long nobody is held any more */
#define CAUSE_BEAT_MAX_NS INT64_C(10000000000)

#endif
