/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a worker submits which requests: the modes of the block engine. The module makes no system
 * call and reads no clock. The caller gives it the time and the completions, so tests can use a
 * simulated device.
 *
 * Times are ticks after the common start. A worker has its requests in issue order. In the modes
 * hf, afap and load, the workers together submit all requests in the order of the trace: each waits
 * for its turn. In dep, each submits what is ready.
 *
 * hf: The time of a request is its traced time. At that time it is submitted, together with all
 * requests whose time has come or lies within the bundle's threshold of the first one's. It waits
 * while the number in flight is at its limit, unless the requests in flight are younger than its
 * slack. A worker that is late by more than `grace`, and by more than the time of 4 requests,
 * catches up at twice the traced rate. A worker can also be late because it waited for a CPU. While
 * it is not later than that, the limit is a quarter larger. Otherwise the replay of a program that
 * always has as many requests in flight as its limit would never catch up.
 *
 * load: A request is submitted as soon as the number in flight is below its limit. afap: the same,
 * with the limit of the depth.
 *
 * dep: Ranks number the requests by their traced ends (order/infer.h). Request r depends on the
 * ranks [lo, hi). Once all of them have ended in the replay, r is due at
 *     max over them of (end in the replay - traced end) + traced start,
 * with traced times divided by the think scale. Every rank below lo ended before some of these
 * began. So "all of [lo, hi) have ended" is equivalent to "all below hi have ended", a single
 * number that only grows, as hi does from request to request. Requests therefore become ready in
 * their order (a heap orders them by due time), and a queue gives the maximum over the window. Each
 * step takes amortised constant time, except the heap's logarithm. With --follow nearest only the
 * rank hi - 1 counts; the requests that follow one rank are adjacent, because hi only grows. With
 * --follow count the hi-th end in the replay replaces the rank hi - 1.
 *
 * Source: hfplayer paper, sections 2.3, 2.4 and 3; doc/block-replay.md. */
#pragma once

#include <stdatomic.h>

#include "capture/kernel/block_requests.h"
#include "replay/issue/due_heap.h"
#include "replay/options/block_options.h"
#include "replay/plan/mutant.h"

#define TICKS_NEVER INT64_MAX /* wait until a completion, or an action of another worker */
#define NOT_ENDED INT64_MIN
#define RANK_NONE UINT32_MAX

enum block_request_flag {
	REQUEST_FUA = 1,
	REQUEST_FLUSH_FIRST = 2, /* wait for a flush, then write the data */
	REQUEST_COPY = 4,	 /* a mutant's copy of the previous request */
	/* offset or length were changed to whole blocks of the device */
	REQUEST_ROUNDED = 8,
};

struct block_hot { /* one cache line: the request and its outcome */
	uint64_t offset, length;
	/* hf: due time; dep: traced start / think scale, and once the request is ready its due
	 * time */
	int64_t due;
	int64_t begin;	   /* time before the submission; NOT_ENDED: never submitted */
	int64_t dispatch;  /* after the submission */
	int64_t end;	   /* the completion was harvested */
	uint32_t limit;	   /* largest number in flight, including this request */
	int32_t result;	   /* bytes, or a negative errno */
	uint8_t direction; /* enum block_direction */
	uint8_t flags;	   /* enum block_request_flag */
	uint8_t fault;	   /* enum fault_kind */
	/* --in-flight slack: the limit does not hold while all requests in flight are younger than
	 * this */
	uint8_t slack_ms;
	uint8_t done;	   /* the request has ended, or is never submitted */
	uint8_t unused[3];
};
_Static_assert(sizeof(struct block_hot) == 64, "a request is a cache line");

struct block_parents { /* dep: of each request */
	uint32_t lo, hi, rank;
	uint32_t unused;
	int64_t end;	   /* traced end / think scale */
	/* smallest response time that dependent requests see; 0: as measured */
	int64_t least;
};

/* state of a worker that the other workers read; only the worker itself writes it */
struct block_progress {
	_Alignas(128) _Atomic uint32_t in_flight;
	/* --follow nearest: ended[n_ended], the ranks of the ended requests in the order of their
	 * ends. --follow count: in progress[0], the number of ended requests of all workers */
	_Atomic uint32_t n_ended;
	uint32_t *ended;
	/* position of its next request in the trace; UINT64_MAX: no request is left */
	_Atomic uint64_t next;
	/* futex of a worker that waits for its turn (worker.c) */
	_Atomic uint32_t asleep;
};

struct block_window {
	uint32_t rank;
	int64_t shift;
};

struct block_schedule {
	enum block_mode mode;
	struct block_hot *request; /* request[n], borrowed */
	/* place[n]: position in the trace, over all workers; NULL with one worker */
	const uint32_t *place;
	uint32_t n, next;
	uint32_t in_flight; /* of this worker */
	uint32_t bundle_max;
	int64_t bundle;	      /* threshold */
	int64_t ms;	      /* ticks of a millisecond, for block_hot.slack_ms */
	uint32_t slack_most;  /* in flight at most, even with slack */
	uint32_t oldest;      /* all requests before it are done */
	int64_t grace;	      /* lateness that is caught up at once */
	bool regains;	      /* the limit is larger while the worker makes up for its own delay */
	/* time for which the worker has waited for a CPU, so far; and at the last request that was
	 * issued on time */
	int64_t delayed, delayed_before;
	/* of the last submitted request: its time when catching up, and its due time */
	int64_t paced, paced_due;
	struct block_progress *progress; /* progress[n_workers] */
	uint32_t index, n_workers;
	struct mutant mutant; /* mutants stall and coarse act here; durations in ticks */
	bool finished;	      /* all requests were submitted, and none is in flight */
	/* dep */
	const struct block_parents *parents; /* parents[n] */
	/* shift[n_ranks] of all workers, by rank: end in the replay - traced end; NOT_ENDED: in
	 * flight or not begun. With --follow count it is in the order of the ends in the replay */
	_Atomic int64_t *shift;
	uint32_t watermark;		     /* all ranks below have ended */
	struct due_heap ready;
	enum block_follow follow;
	/* --follow nearest: the requests [child[r], child[r + 1]) follow rank r */
	uint32_t *child;
	/* --follow nearest: seen[n_workers], number of processed ends of each worker */
	uint32_t *seen;
	struct block_window *window; /* window[window_mask + 1]: queue of decreasing shifts */
	uint32_t window_from, window_n, window_mask;
};

struct block_schedule_room {
	/* largest number of independent requests (infer_summary.width_max), at least 1 */
	uint32_t n_ready;
	uint32_t n_parents; /* n_parents_max */
	uint32_t n_ranks;   /* of all workers */
};

/* Allocates the members from `finished` on for mode dep. The caller sets the members before
 * `finished`, and for dep also parents and shift; next and in_flight are 0. Ownership:
 * schedule_release. */
void schedule_init(struct block_schedule *s, const struct block_schedule_room *room);
void schedule_release(struct block_schedule *s);

/* Returns the number n of requests to submit now, as one bundle of at most `room`. taken[n]: their
 * indices in request[]. */
uint32_t schedule_take(struct block_schedule *s, int64_t now, uint32_t room, uint32_t *taken);
/* Passes the turn to the next worker: the requests of the last schedule_take were submitted. */
void schedule_handed_over(struct block_schedule *s);
/* Whether no other worker has an earlier request to begin than the next request of this worker.
 * False if this worker has no request left. */
bool schedule_has_turn(const struct block_schedule *s);
/* After a schedule_take() without requests: the earliest time at which schedule_take() may return
 * some if no request ends before; or TICKS_NEVER. */
int64_t schedule_wake(const struct block_schedule *s, int64_t now);
/* Notes that request `k` has ended. Its start and end are set. */
void schedule_ended(struct block_schedule *s, uint32_t k);

/* The following is private to schedule.c and schedule_dep.c. */

uint32_t schedule_take_ready(struct block_schedule *s, int64_t now, uint32_t room, uint32_t *taken);
void schedule_nearest_init(struct block_schedule *s, uint32_t n_ranks);
void schedule_ended_dependent(struct block_schedule *s, uint32_t k, int64_t end);
