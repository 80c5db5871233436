/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan: a trace in the form an engine runs from. Hot requests lie in the order in which they
 * are touched, in pre-faulted memory, with what they wait for beside them; outcomes are stored into
 * memory of the same shape. A plan that is larger than it may be
 * (--memory) lies in a scratch file, mapped; while it runs, each worker has what comes next in
 * locked memory (engines/feed.h).
 *
 * A lane is a sequence of requests. Under an order policy it has those of a traced thread, or of
 * several that were not alive at one time (lanes.h), and there is one worker for each lane, which
 * runs it from start to end. Under `none` lanes are queues that workers take requests from. */
#ifndef REPLAY_PLAN_H
#define REPLAY_PLAN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/run_facts.h"
#include "common/clock.h"
#include "common/err.h"
#include "common/scheduling.h"
#include "common/vm.h"
#include "replay/plan/call_table.h"
#include "replay/target/rooted.h"
#include "replay/plan/lanes.h"
#include "replay/load/load.h"
#include "replay/plan/mutant.h"
#include "replay/order/order.h"
#include "replay/options/config.h"
#include "replay/load/slots.h"

enum hot_flag {
	HOT_PUBLISH_BEGUN = 1, /* somebody waits for exactly this */
	HOT_PUBLISH_ENDED = 2,
	HOT_DRAIN = 4,   /* stores to the gate may be under way when the request begins, or come
			    inside it (gate.h) */
	HOT_COMMON = 16, /* its buffer is the one that all workers share (placement.h) */
	/* the last of its thread, and something ends with the process (call_leave) */
	HOT_LEAVE = 8,
};

/* As operations of a hot request: */
#define HOT_NOTHING OP_N      /* no call */
/* no call, because there is nothing that it could be made on (enum pass_reason) */
#define HOT_PASSED (OP_N + 1)
#define HOT_CALL (OP_N + 2)   /* one of calls.h; `length` is its place there */

/* 24 bytes; 8 for its due time where there is one, and 8 for each thing it waits for */
struct hot_request {
	uint64_t offset;  /* of a sequential request with a fault: two shifts (mutant.h) */
	uint32_t length;  /* lseek: whence */
	uint32_t slot;
	uint16_t n_waits;
	uint8_t op;    /* enum trace_op, or HOT_NOTHING */
	uint8_t flags; /* enum hot_flag */
	uint8_t fault; /* enum fault_kind: what a mutant does to this one */
	uint8_t unused;
	uint16_t process; /* with HOT_LEAVE: which one its thread leaves */
};
_Static_assert(REPLAY_MAX_THREADS <= UINT16_MAX, "a process's number fits a hot request");
_Static_assert(HOT_CALL <= UINT8_MAX, "every operation fits a hot request");
_Static_assert(sizeof(struct hot_request) + 8 + 8 <= 48,
	       "at most 48 bytes a request, one dependency included");

struct balloon;
struct layout; /* replay/engines/parallel/layout.h */

struct hot_wait {
	uint32_t lane, threshold; /* gate.h */
};

struct hot_open { /* what a plain OP_OPEN needs beyond its request, by slot */
	const char *path;
	uint32_t flags, mode;
};

struct outcome {
	/* begin 0: never issued. While it is in a lane, end has OUTCOME_HELD in it: outcome_end()
	 */
	uint64_t begin_ticks, end_ticks;
	int64_t rvalue;			 /* or the negative errno; an open that succeeded: 0 */
};
/* In the end of a request that was held up while its time was waited for (wait_until), or that had
 * to wait for such a one of its lane: no clock of ours reaches that bit, and room of its own would
 * be written to for each request. */
#define OUTCOME_HELD (UINT64_C(1) << 63)

struct lane {
	struct hot_request *request; /* request[n] */
	struct hot_wait *wait;	     /* what they wait for, one after another, n_waits for each */
	int64_t *due; /* due[n], NULL at full speed. timestamp: after the start; think: after the
		       * end of the one before, for the first one after the start. Nanoseconds; an
		       * engine makes ticks of them when its clock is calibrated */
	struct outcome *outcome;  /* outcome[n] */
	/* repeated[n]: of the second copies that a mutant issues; NULL where none does */
	struct outcome *repeated;
	int64_t *expected; /* expected[n]: traced result, or the negative errno; 0 for a success
			    * where only that counts (call_result_counts), and for what is skipped.
			    * Not on the path */
	uint32_t n;
	/* longest buffer that its requests need of a worker's own, and of the common one; 0: none
	 */
	uint64_t own_bytes, common_bytes;
};

struct plan_longest { /* the request that needs the longest buffer, for messages */
	uint64_t n_bytes;
	uint32_t record, tid;
	uint16_t op;
};

struct lane_place {
	uint32_t lane, index;
};

enum plan_part {
	PLAN_REQUESTS,
	PLAN_WAITS,
	PLAN_DUE,
	PLAN_OUTCOMES,
	PLAN_REPEATED,
	PLAN_EXPECTED,
	PLAN_PLACES,
	PLAN_PARTS
};

struct plan_file { /* where the parts of a large plan are */
	int fd; /* 0: none, they are in memory */
	uint64_t at[PLAN_PARTS]; /* of each part, in the file */
	uint64_t n_bytes; /* of the plan, wherever it is */
	uint64_t limit_bytes; /* of what is held of it while it runs */
	uint64_t n_waits;
	const char *whole; /* why it is in memory, although it is larger than the limit; NULL */
	bool in_memory; /* the file is in memory itself (tmpfs) */
};

struct feed;

struct feed_summary { /* what was held of a plan that lies in a file */
	uint64_t n_bytes, n_locked_bytes;
	uint64_t n_chunks, n_late; /* handed to workers; that a worker had to wait for */
	uint32_t n_ahead; /* chunks of a lane */
};

/* what a worker needs of it, replay/engines/compiled/image.h carries into a program of its own */
struct replay_plan {
	struct lane *lane; /* lane[n_lanes] */
	uint32_t n_lanes;
	bool ordered;	/* something is waited for */
	/* order none: workers take requests from lanes; otherwise worker i runs lane i */
	bool pool;
	/* of a pool: every worker has a lane to begin with, and then helps others */
	bool own_lanes;
	uint32_t n;	/* requests in all */
	uint64_t n_records;
	/* place[n_records]: lane NONE32 where a record was not issued in the trace either */
	struct lane_place *place;
	uint32_t n_workers;
	struct plan_longest longest;
	bool direct; /* some descriptor uses O_DIRECT: buffers must be aligned */
	uint64_t seed; /* of written content */
	struct mutant mutant;
	struct payload payload;

	_Atomic int
	    *fds;              /* fds[n_slots]: real descriptors, -1 not open; opened and closed by
				* whoever made the plan. Stored to      release, read to acquire: what
				* another      process handed over is known by nothing else of this one */
	struct hot_open *open; /* open[n_slots] */
	uint32_t n_slots;
	struct call_table calls;    /* of the requests with operation HOT_CALL */
	uint32_t *process_of; /* process_of[n_lanes]: whose requests a lane holds (the last of them,
			       * where threads share it), as call_leave wants it; NULL in a pool */
	uint8_t *pass_reason;  /* pass_reason[n_records], NULL where nothing is skipped */
	/* with --processes: descriptors on their way to heirs; the engine's while it runs */
	struct passing *passing;
	char *bytes;	       /* bytes[n_bytes]: load.bytes, taken over */
	size_t n_bytes;
	struct rooted root; /* the target directory; the run's, which closes it */

	struct layout *layout; /* of engine parallel: its ranks; owned, NULL none */
	struct balloon *balloon; /* held while it runs; of whoever made the plan */

	/* filled in by the engine; `clock` is initialised by whoever made the plan, some time
	 * before: the longer, the better it is known */
	struct clock clock;
	uint64_t start_ticks; /* time 0 of the replay */
	double due_ticks_per_ns; /* by which due times became ticks */
	struct run_facts facts;
	uint64_t n_futex_sleeps, n_timed_sleeps, n_late_wakes;
	uint64_t n_relays;	      /* threads woken by one that spun for its own time */
	/* as the workers had it; its `set` false: as the process has it */
	struct scheduling scheduling;
	bool stopped; /* on a mismatch */
	bool partial;	/* the engine failed, and what was completed is in the outcomes */
	bool fds_elsewhere; /* the numbers in fds are another process's */
	int program_fd; /* of engine compiled: its program, 0 none */
	bool abandoned; /* some thread still uses it: it must not be released */

	struct vm_region memory[PLAN_PARTS]; /* of the lanes' arrays, and of place[] */
	struct plan_file file;
	struct feed *feed; /* while it runs from a file: the engine's */
	struct feed_summary fed;
};

/* Lays out the plan. `e` may name records. Errors: ENOMEM; EINVAL from the mutant. Ownership:
 * plan_release. Borrows the names of `s`, which must live as long, and takes over l->bytes and,
 * piece by piece, the memory of l->request. fds and root are left to the caller. */
int plan_make(struct replay_plan *p, const struct replay_config *c, struct load *l,
	      const struct slots *s, const struct edges *d, struct err *e);
/* Takes the calls out of a plan (--blank): everything is waited for, ordered and stamped as with
 * them, and nothing expected. plan_make does it itself. An engine that makes something of the plan
 * (replay_engine.prepare) is shown the calls first. */
void plan_blank(struct replay_plan *p);
/* All but `calls` (issue/calls.h) and `layout`, which their rooms release before. An all-zero one
 * is fine. */
void plan_release(struct replay_plan *p);

/* Stores what came of a request. Who sees by outcome_begun_at() that it has a begin sees its end
 * and its result, too; plain stores on machines that keep their order. */
static inline void outcome_set(struct outcome *o, uint64_t begin_ticks, uint64_t end_ticks,
			       int64_t rvalue)
{
	__atomic_store_n(&o->rvalue, rvalue, __ATOMIC_RELAXED);
	__atomic_store_n(&o->end_ticks, end_ticks, __ATOMIC_RELAXED);
	__atomic_store_n(&o->begin_ticks, begin_ticks, __ATOMIC_RELEASE);
}

static inline uint64_t outcome_end(const struct outcome *o)
{
	return o->end_ticks & ~OUTCOME_HELD;
}

static inline void outcome_mark_held(struct outcome *o)
{
	__atomic_store_n(&o->end_ticks, o->end_ticks | OUTCOME_HELD, __ATOMIC_RELAXED);
}

/* For a request that wait_until() had held up by so much behind its deadline: marked, unless it is
 * late mostly because the order made it wait, too. */
static inline void outcome_was_held(struct outcome *o, uint64_t deadline, uint64_t held)
{
	if (o->begin_ticks - deadline <= 2 * held)
		outcome_mark_held(o);
}

/* While requests run: 0 until this one has ended. */
static inline uint64_t outcome_begun_at(const struct outcome *o)
{
	return __atomic_load_n(&o->begin_ticks, __ATOMIC_ACQUIRE);
}

static inline uint64_t outcome_ended_at(const struct outcome *o)
{
	return __atomic_load_n(&o->end_ticks, __ATOMIC_RELAXED) & ~OUTCOME_HELD;
}

static inline int64_t plan_ticks(double ns, double ticks_per_ns)
{
	const double ticks = ns * ticks_per_ns;
	return ticks < 4e18 ? (int64_t)(ticks + 0.5) : INT64_MAX / 2;
}

/* The due time of request k of a lane in ticks, once its clock is calibrated. In a file they remain
 * nanoseconds. */
static inline uint64_t plan_due(const struct replay_plan *p, uint32_t lane, uint32_t k)
{
	const int64_t due = p->lane[lane].due[k];
	return (uint64_t)(p->file.fd ? plan_ticks((double)due, p->due_ticks_per_ns) : due);
}

/* Whether what came back is not what the trace says: another count, success instead of failure, or
 * another errno where the trace knows it. */
static inline bool outcome_differs(const struct outcome *o, int64_t expected)
{
	return o->rvalue != expected && !(expected == -1 && o->rvalue < 0);
}

#endif
