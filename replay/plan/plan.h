/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan: a trace in the form that engines run. Hot requests are in pre-faulted memory in the
 * order of their use, with their waits beside them. Outcomes are stored in memory with the same
 * layout. A plan that exceeds --memory is in a mapped scratch file; during the run each worker has
 * its next requests in locked memory (issue/feed.h).
 *
 * A lane is a sequence of requests. With an order policy it has the requests of one traced thread,
 * or of several threads that did not exist at the same time (lanes_assign), and one worker runs it
 * from start to end. With order `none` lanes are queues from which workers take requests. */
#pragma once


#include "capture/run_facts.h"
#include "common/clock.h"
#include "common/scheduling.h"
#include "replay/plan/call_table.h"
#include "replay/plan/mutant.h"
#include "replay/order/order.h"

enum hot_flag {
	HOT_PUBLISH_BEGUN = 1, /* another thread waits for its start */
	HOT_PUBLISH_ENDED = 2, /* another thread waits for its end */
	HOT_DRAIN = 4,	 /* gate_drain() precedes it */
	HOT_COMMON = 16, /* the request uses the buffer that all workers share (placement.h) */
	HOT_LEAVE = 8,	 /* last request of its thread, after which call_leave() is called */
};

/* further operations of a hot request */
#define HOT_NOTHING OP_N      /* no call */
#define HOT_SKIPPED (OP_N + 1) /* no call: the request is skipped (enum skip_reason) */
#define HOT_CALL (OP_N + 2)   /* a call of the call table; `length` is its index in the table */

/* 24 bytes; in addition 8 bytes for a due time, and 8 bytes for each wait */
struct hot_request {
	uint64_t offset;  /* of a faulty sequential request: two shifts (mutant.h) */
	uint32_t length;  /* lseek: whence */
	uint32_t slot;
	uint16_t n_waits;
	uint8_t op;    /* enum trace_op, or HOT_NOTHING */
	uint8_t flags; /* enum hot_flag */
	uint8_t fault; /* enum fault_kind: the fault of this request */
	uint8_t unused;
	uint16_t process; /* HOT_LEAVE: the process that the thread of the request leaves */
};
_Static_assert(REPLAY_MAX_THREADS <= UINT16_MAX, "a process's number fits a hot request");
_Static_assert(HOT_CALL <= UINT8_MAX, "every operation fits a hot request");
_Static_assert(sizeof(struct hot_request) + 8 + 8 <= 48,
	       "at most 48 bytes a request, one dependency included");

struct balloon;
struct rank_layout; /* replay/engines/parallel/layout.h */

struct hot_wait {
	uint32_t lane, threshold; /* gate.h */
};

struct hot_open { /* further arguments of a plain OP_OPEN, by slot */
	const char *path;
	uint32_t flags, mode;
};

struct outcome {
	/* begin_ticks 0: never issued. In a lane end_ticks may contain OUTCOME_CPU_DELAYED: use
	 * outcome_end() to read it */
	uint64_t begin_ticks, end_ticks;
	int64_t rvalue;			 /* result or negative errno; for a successful open: 0 */
};
/* Bit of end_ticks: the request was CPU-delayed during its wait (wait_until), or the request
 * waited for such a request of its lane. No clock value reaches that bit. A separate member would
 * need another store for each request. */
#define OUTCOME_CPU_DELAYED (UINT64_C(1) << 63)

struct lane {
	struct hot_request *request; /* request[n] */
	struct hot_wait *wait;	     /* waits of all requests in order; n_waits of each request */
	/* due[n], NULL at full speed. timestamp: time after the start. think: time after the end of
	 * the previous request, or after the start for the first request. In nanoseconds; the
	 * engine converts them to ticks when its clock is calibrated */
	int64_t *due;
	struct outcome *outcome;  /* outcome[n] */
	/* repeated[n]: outcomes of the second copies of mutant `repeat`; NULL: none */
	struct outcome *repeated;
	/* expected[n]: traced result or negative errno; 0 for a success of which only success is
	 * compared (call_result_counts), and for skipped requests. Not used in timed regions */
	int64_t *expected;
	uint32_t n;
	/* longest own buffer and longest common buffer that the lane's requests need; 0: none */
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

struct plan_file { /* the file of a large plan */
	int fd; /* 0: the plan is in memory */
	uint64_t at[PLAN_PARTS]; /* offset of each part */
	uint64_t n_bytes; /* of the plan, in file or memory */
	uint64_t limit_bytes; /* memory for it during the run */
	uint64_t n_waits;
	/* why a plan beyond the limit is in memory all the same; NULL: it is not */
	const char *whole;
	bool in_memory; /* the file itself is in memory (tmpfs) */
};

struct feed;

struct feed_summary { /* reading a plan from a file */
	uint64_t n_bytes, n_locked_bytes;
	/* number of chunks; number of chunks for which a worker had to wait */
	uint64_t n_chunks, n_late;
	uint32_t n_ahead; /* chunks of a lane */
};

/* replay/engines/compiled/image.h copies the part that workers use to another program */
struct replay_plan {
	struct lane *lane; /* lane[n_lanes] */
	uint32_t n_lanes;
	bool ordered;	/* some request waits or leaves a process */
	/* order none: workers take requests from lanes; otherwise worker i runs lane i */
	bool pool;
	/* pool: every worker starts with a separate lane and then takes requests from other
	 * lanes */
	bool own_lanes;
	uint32_t n;	/* number of requests */
	uint64_t n_records;
	/* place[n_records]; lane NONE32: the record was not issued in the trace */
	struct lane_place *place;
	uint32_t n_workers;
	struct plan_longest longest;
	bool direct; /* some descriptor uses O_DIRECT: buffers must be aligned */
	uint64_t seed; /* for written content */
	struct mutant mutant;
	struct payload payload;

	/* fds[n_slots]: real descriptors, -1 not open. They are stored with release and read with
	 * acquire, because another thread may receive them from another process. The caller opens
	 * and closes them */
	_Atomic int *fds;
	struct hot_open *open; /* open[n_slots] */
	uint32_t n_slots;
	struct call_table calls;    /* for operation HOT_CALL */
	/* process_of[n_lanes]: process of the last thread of a lane, for call_leave; NULL: a
	 * pool */
	uint32_t *process_of;
	uint8_t *skip_reason;  /* skip_reason[n_records], NULL: no request is skipped */
	struct passing *passing; /* --processes: passes inherited descriptors during the run */
	char *bytes;	       /* bytes[n_bytes]: taken over from load.bytes */
	size_t n_bytes;
	struct rooted root; /* the target directory; borrowed */
	struct rank_layout *layout; /* engine parallel: ranks of the replay; owned; NULL none */
	struct balloon *balloon; /* borrowed; NULL none */

	/* set by the engine. But the caller initialises `clock` as early as possible, because its
	 * rate becomes more exact with time */
	struct clock clock;
	uint64_t start_ticks; /* time 0 of the replay */
	double due_ticks_per_ns; /* conversion of due times to ticks */
	struct run_facts facts;
	uint64_t n_futex_sleeps, n_timed_sleeps, n_late_wakes;
	uint64_t n_relays;	      /* threads woken by a spinning thread */
	struct scheduling scheduling; /* scheduling of the workers; `set` false: unchanged */
	bool stopped; /* by a mismatch */
	bool partial;	/* the engine failed; outcomes of completed requests are valid */
	bool fds_elsewhere; /* the descriptors in fds belong to another process */
	int program_fd; /* engine compiled: descriptor of its program, 0 none */
	bool abandoned; /* some thread still uses the plan: it must not be released */
	struct vm_region memory[PLAN_PARTS]; /* memory of the lanes' arrays, and of place[] */
	struct plan_file file;
	struct feed *feed; /* during a run from a file: the feeder, owned by the engine */
	struct feed_summary fed;
};

/* Builds the plan. Borrows the names of `s`, takes over l->bytes and frees l->request. The caller
 * sets fds and root. Errors: ENOMEM; EINVAL from the mutant. Ownership: plan_release. */
int plan_make(struct replay_plan *p, const struct replay_config *c, struct load *l,
	      const struct slots *s, const struct edges *d, struct err *e);
/* Removes the calls from a plan (--blank): waits, order and stamps stay. plan_make does this for
 * --blank. For an engine with `prepare`, which needs the calls, the caller does it later. */
void plan_blank(struct replay_plan *p);
/* Releases everything except `calls` (issue/calls.h) and `layout`. An all-zero plan is fine. */
void plan_release(struct replay_plan *p);

/* Stores the outcome of a request. A thread that reads its start by outcome_begun_at() also sees
 * its end and result. On x86-64 these are plain stores. */
static inline void outcome_set(struct outcome *o, uint64_t begin_ticks, uint64_t end_ticks,
			       int64_t rvalue)
{
	__atomic_store_n(&o->rvalue, rvalue, __ATOMIC_RELAXED);
	__atomic_store_n(&o->end_ticks, end_ticks, __ATOMIC_RELAXED);
	__atomic_store_n(&o->begin_ticks, begin_ticks, __ATOMIC_RELEASE);
}

static inline uint64_t outcome_end(const struct outcome *o)
{
	return o->end_ticks & ~OUTCOME_CPU_DELAYED;
}

static inline void outcome_mark_cpu_delayed(struct outcome *o)
{
	__atomic_store_n(&o->end_ticks, o->end_ticks | OUTCOME_CPU_DELAYED, __ATOMIC_RELAXED);
}

/* Marks a request that wait_until() delayed by `cpu_delay` ticks, unless most of its lateness comes
 * from waiting for other requests. */
static inline void outcome_judge_cpu_delay(struct outcome *o, uint64_t deadline, uint64_t cpu_delay)
{
	if (o->begin_ticks - deadline <= 2 * cpu_delay)
		outcome_mark_cpu_delayed(o);
}

/* Returns the start of a request during the run; 0 until the request has ended. */
static inline uint64_t outcome_begun_at(const struct outcome *o)
{
	return __atomic_load_n(&o->begin_ticks, __ATOMIC_ACQUIRE);
}

static inline uint64_t outcome_ended_at(const struct outcome *o)
{
	return __atomic_load_n(&o->end_ticks, __ATOMIC_RELAXED) & ~OUTCOME_CPU_DELAYED;
}

static inline int64_t plan_ticks(double ns, double ticks_per_ns)
{
	const double ticks = ns * ticks_per_ns;
	return ticks < 4e18 ? (int64_t)(ticks + 0.5) : INT64_MAX / 2;
}

/* Returns the due time of request k of a lane in ticks, after calibration. In a file due times are
 * in nanoseconds. */
static inline uint64_t plan_due(const struct replay_plan *p, uint32_t lane, uint32_t k)
{
	const int64_t due = p->lane[lane].due[k];
	return (uint64_t)(p->file.fd ? plan_ticks((double)due, p->due_ticks_per_ns) : due);
}

/* Whether the result differs from the trace: another count, success instead of failure, or another
 * errno if the trace has it. */
static inline bool outcome_differs(const struct outcome *o, int64_t expected)
{
	return o->rvalue != expected && !(expected == -1 && o->rvalue < 0);
}

/* --- lanes --------------------------------------------------------------- */

/* Assigns traced threads to lanes, and so to workers. Threads that never existed at the same time
 * share a lane: the requests of the later thread follow those of the earlier thread. So the number
 * of workers is the largest number of threads that existed at the same time. Source: Joukov, Wong
 * and Zadok (FAST 2005), section 2.3. */
struct lanes {
	uint32_t *lane; /* lane[n_threads]: of each thread */
	/* base[n_threads]: number of requests of earlier threads in the same lane */
	uint32_t *base;
	uint32_t *n_requests; /* n_requests[n]: of each lane */
	uint32_t n;
	bool joined; /* some lane has several threads */
};

/* Assigns the lanes. A thread exists from its first start to its last end, or to the end of the
 * trace if the end of a request is unknown. Lanes are numbered by their first threads. Without
 * `joins` lane i is thread i. Ownership: lanes_release. */
void lanes_assign(struct lanes *out, const struct load *l, bool joins);
/* A zeroed struct is fine. */
static inline void lanes_release(struct lanes *x)
{
	FREE_EACH(x->lane, x->base, x->n_requests);
	*x = (struct lanes){.lane = NULL};
}
