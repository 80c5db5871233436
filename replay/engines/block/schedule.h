/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which requests a worker hands over when: the modes of the block engine, and nothing else. It
 * calls no kernel and reads no clock: it is told the time, and what has ended; so it can be tried
 * against a device that is made up.
 *
 * Times are ticks after the common start. A worker has its requests in issue order; in the modes
 * hf, afap and load the workers together hand over all requests in the order of the trace (each
 * waits for its turn), in dep each begins what is ready.
 *
 * hf    A request's time is its traced one. When it has come, the request is handed over with all
 * others whose time has come, or comes within the bundle's threshold of the first one's. With as
 * many in flight as its limit says it waits. Who is late by more than `grace` catches up at twice
 * the traced rate. load  As soon as fewer are in flight than its limit says. afap: the same, with
 * the limit that the depth sets. dep   Ranks number the requests by their traced ends
 * (order/infer.h); what r depends on are the ranks [lo, hi). Once all those have ended in the
 * replay, r is due at  max over them of (end in the replay - traced end) + traced begin,  the
 * traced times divided by the think scale. Because every rank below lo ended before some of these
 * began, "all of [lo, hi) have ended" is "all below hi have": one number that only grows, as hi
 * does from request to request. So requests become ready in their order (a heap puts them in the
 * order of their times), and the maximum over a window whose bounds only grow is a queue. All is
 * amortised constant time, but the heap's logarithm of those ready and not due. With --follow
 * nearest only the rank hi - 1 counts. Those that follow one rank lie one after another, because hi
 * only grows. With count the hi-th end of the replay takes the place of the rank hi - 1: whichever
 * request it is of. Source: hfplayer paper, sections 2.3, 2.4 and 3; doc/block-replay.md. */
#ifndef REPLAY_SCHEDULE_H
#define REPLAY_SCHEDULE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/kernel/block_requests.h"
#include "replay/issue/due_heap.h"
#include "replay/options/block_options.h"
#include "replay/plan/mutant.h"

#define TICKS_NEVER INT64_MAX /* only a completion, or another worker, changes anything */
#define NOT_ENDED INT64_MIN
#define RANK_NONE UINT32_MAX

enum block_request_flag {
	REQUEST_FUA = 1,
	REQUEST_FLUSH_FIRST = 2, /* a flush is waited for, then the data are written */
	REQUEST_COPY = 4,	 /* a mutant's second copy of the one before it */
	/* offset or length are not the traced ones, because of the device's blocks */
	REQUEST_ROUNDED = 8,
};

struct block_hot { /* a cache line: what to do, and what became of it */
	uint64_t offset, length;
	/* hf: its time; dep: traced begin / think scale, and its time once it has been taken */
	int64_t due;
	int64_t begin;	   /* just before it was handed over; NOT_ENDED: never */
	int64_t dispatch;  /* just after */
	int64_t end;	   /* its completion was seen */
	uint32_t limit;	   /* requests in flight at most, itself included */
	int32_t result;	   /* bytes, or a negative errno */
	uint8_t direction; /* enum block_direction */
	uint8_t flags;	   /* enum block_request_flag */
	uint8_t fault;	   /* enum fault_kind */
	uint8_t unused[5];
};
_Static_assert(sizeof(struct block_hot) == 64, "a request is a cache line");

struct block_parents { /* dep: beside each request */
	uint32_t lo, hi, rank;
	uint32_t unused;
	int64_t end;	   /* traced end / think scale */
	/* response time below which it does not count as ended; 0: as the device is */
	int64_t least;
};

struct block_progress { /* what one worker tells the others; it alone writes it */
	_Alignas(128) _Atomic uint32_t in_flight;
	_Atomic uint32_t
	    n_ended; /* of --follow nearest: ended[n_ended], the ranks of what has ended, in that
		      * order. Of count: of progress[0], all that have ended, counted by all */
	uint32_t *ended;
	/* place in the trace's order of the one it hands over next; UINT64_MAX: none is left */
	_Atomic uint64_t next;
	/* it waits for its turn; a futex. The workers' own business (worker.c) */
	_Atomic uint32_t asleep;
};

struct block_window {
	uint32_t rank;
	int64_t shift;
};

struct block_schedule {
	enum block_mode mode;
	struct block_hot *request; /* request[n], borrowed */
	/* place[n]: in the trace's order, over all workers; NULL with one worker */
	const uint32_t *place;
	uint32_t n, next;
	uint32_t in_flight; /* of this worker */
	uint32_t bundle_max;
	int64_t bundle;	      /* threshold */
	int64_t grace;	      /* lateness that is made up for at once */
	/* where the last request stood on the line of catching up, and its time */
	int64_t paced, paced_due;
	struct block_progress *progress; /* progress[n_workers] */
	uint32_t index, n_workers;
	struct mutant mutant; /* stall and coarse act here; durations in ticks */
	bool finished;	      /* everything was taken, and nothing is in flight */
	/* dep */
	const struct block_parents *parents; /* parents[n] */
	_Atomic int64_t
	    *shift; /* shift[n_ranks], of all workers, by rank: end in the replay - traced end,
		     * NOT_ENDED not yet. Of count: in the order of the ends in the replay */
	uint32_t watermark;		     /* all ranks below have ended */
	struct due_heap ready;
	enum block_follow follow;
	/* of nearest: those that follow rank r are the requests [child[r], child[r + 1]) */
	uint32_t *child;
	/* of nearest: seen[n_workers], how many of each worker's ends were dealt with */
	uint32_t *seen;
	struct block_window *window; /* window[window_mask + 1], a queue: shifts that fall */
	uint32_t window_from, window_n, window_mask;
};

struct block_schedule_room {
	/* requests that none of them depends on another of, at most (infer_summary.width_max), 1 at
	 * least */
	uint32_t n_ready;
	uint32_t n_parents; /* n_parents_max */
	uint32_t n_ranks;   /* of all workers */
};

/* The fields down to `finished` are the caller's to set (next, in_flight 0), and parents and shift
 * for dep. Allocates what dep needs. Ownership: schedule_release. */
void schedule_init(struct block_schedule *s, const struct block_schedule_room *room);
void schedule_release(struct block_schedule *s);

/* Takes what is to be handed over now, as one bundle, at most `room` (free places): taken[n] are
 * indices of request[]. */
uint32_t schedule_take(struct block_schedule *s, int64_t now, uint32_t room, uint32_t *taken);
/* What it gave has been handed over: now the others may have their turn. */
void schedule_handed_over(struct block_schedule *s);
/* Whether nobody has an earlier request left to begin than this worker's next one; false where it
 * has none. */
bool schedule_has_turn(const struct block_schedule *s);
/* When schedule_take may give something, if nothing ends before; TICKS_NEVER. After a schedule_take
 * that gave nothing. */
int64_t schedule_wake(const struct block_schedule *s, int64_t now);
/* Request `k` has ended; its begin and end are in it. */
void schedule_ended(struct block_schedule *s, uint32_t k);

/* Between schedule.c and schedule_dep.c. */

uint32_t schedule_take_ready(struct block_schedule *s, int64_t now, uint32_t room, uint32_t *taken);
void schedule_nearest_init(struct block_schedule *s, uint32_t n_ranks);
void schedule_ended_dependent(struct block_schedule *s, uint32_t k, int64_t end);

#endif
