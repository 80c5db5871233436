/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loops of workers that own their requests. Each engine compiles them for the properties of
 * requests that it knows: the event engine for each combination of order and timing, the compiled
 * engine also for the kinds of requests in a lane.
 *
 * Requests and outcomes are accessed in memory order, so the CPU prefetches them. Explicit
 * prefetching at full speed added 5 ns to each timed region (doc/replay-engines.md). A worker that
 * waits for a due time prefetches its request before the wait. */
#pragma once

#include "replay/issue/careful.h"
#include "replay/issue/feed.h"
#include "replay/issue/issue.h"

/* --- an order policy: worker i runs lane i ------------------------------- */

/* Waits for the predecessors of the request, and prepares the publication of its progress so that
 * it does not disturb the timed region. Returns the first wait of the next request. */
INLINE const struct hot_wait *order_wait(struct runner *w, const struct site *s,
					 const struct hot_request *h, const struct hot_wait *wait,
					 uint32_t next_progress)
{
	const bool drain = h->flags & HOT_DRAIN;
	bool drained = drain && s->gates.shared_line;
	if (drained) /* this also fetches the progress of the other thread */
		gate_drain(&s->gates, s->index, next_progress);
	for (const struct hot_wait *end = wait + h->n_waits; wait < end; wait++)
		if (UNLIKELY(!gate_passed(&s->gates, wait->lane, wait->threshold))) {
			pause_wait_begin(&w->crew->pause, w->index);
			gate_wait(&s->gates, &w->gate_waiter, wait->lane, wait->threshold);
			pause_wait_end(&w->crew->pause, w->index);
			drained = false;
		}
	if (drain && !drained)
		gate_drain(&s->gates, s->index, next_progress);
	return wait;
}

/* State of a worker on its lane. Its members are copies whose address is not taken, so they stay in
 * registers. */
struct lane_walk {
	struct lane lane;
	const struct hot_wait *wait; /* of the next request */
	uint64_t start, last_end;
};

INLINE struct lane_walk lane_walk_of(const struct runner *w)
{
	const struct replay_plan *p = w->crew->plan;
	const struct lane *a = &p->lane[w->index];
	return (struct lane_walk){*a, a->wait, p->start_ticks, p->start_ticks};
}

/* Returns the end of the requests from k on that are in memory. */
INLINE uint32_t lane_ahead(const struct runner *w, struct lane_walk *t, uint32_t k)
{
	if (LIKELY(!w->crew->feed))
		return t->lane.n;
	struct lane lane = t->lane; /* copies, so that t stays in registers */
	const struct hot_wait *wait = t->wait;
	const uint32_t end = feed_next(w->crew->feed, w->index, &lane, &wait, k);
	t->lane = lane;
	t->wait = wait;
	return end;
}

/* Replays request k of the lane, `h`, from its waits to the publication of its end. */
INLINE void lane_step(struct runner *w, const struct site *s, struct lane_walk *t,
		      const struct hot_request *h, uint32_t k, const bool ordered,
		      const enum replay_timing timing, const unsigned int kinds)
{
	struct outcome *out = &t->lane.outcome[k];
	uint64_t deadline = 0, cpu_delay = 0;
	if (timing != TIMING_FULLSPEED) {
		__builtin_prefetch(h);
		__builtin_prefetch(out, 1);
		deadline =
		    (timing == TIMING_THINK ? t->last_end : t->start) + (uint64_t)t->lane.due[k];
		cpu_delay = wait_until(&w->waiter, deadline);
	}
	bool begun = ordered && h->flags & HOT_PUBLISH_BEGUN;
	if (ordered)
		t->wait = order_wait(w, s, h, t->wait, 2 * k + begun);
	pause_between(s, w);
	issue_request(s, h, buffer_of(s, h, k), begun, 2 * k + 1, false, kinds, out);
	if (timing == TIMING_THINK)
		t->last_end = out->end_ticks;
	if (UNLIKELY(cpu_delay))
		outcome_judge_cpu_delay(out, deadline, cpu_delay);
	if (ordered && h->flags & (HOT_PUBLISH_ENDED | HOT_LEAVE)) {
		if (h->flags & HOT_LEAVE)
			call_leave(w->crew->plan, h->process);
		if (h->flags & HOT_PUBLISH_ENDED)
			gate_publish(&s->gates, s->index, 2 * k + 2);
	}
}

/* Ends a lane without order, after its last request. In an ordered lane the last request has
 * HOT_LEAVE. */
INLINE void lane_leave(const struct runner *w)
{
	if (w->crew->plan->calls.n_processes > 1) /* one process ends with the replay */
		call_leave(w->crew->plan, w->crew->plan->process_of[w->index]);
}

INLINE void lane_run(struct runner *w, const bool ordered, const enum replay_timing timing,
		     const unsigned int kinds)
{
	const struct site site = site_of(w);
	struct lane_walk t = lane_walk_of(w);
	uint32_t k = 0;
	for (uint32_t end = 0; k < t.lane.n && (end = lane_ahead(w, &t, k)) > k;)
		for (; k < end; k++)
			lane_step(w, &site, &t, &t.lane.request[k], k, ordered, timing, kinds);
	if (UNLIKELY(w->crew->feed))
		lane_fed(w, k);
	if (!ordered)
		lane_leave(w);
}

/* --- without an order: a pool -------------------------------------------- */

INLINE void pool_run(struct runner *w, const enum replay_timing timing, const unsigned int kinds)
{
	const struct replay_plan *p = w->crew->plan;
	const struct site site = site_of(w);
	const uint64_t start = p->start_ticks;
	struct lane_part r;
	uint64_t n = 0;
	while (lane_part_take(w, &r)) {
		/* a copy, so that calls in the loop cannot change it */
		const struct lane a = p->lane[r.lane];
		for (uint32_t k = r.k, end = r.end; k < end; k++, n++) {
			const struct hot_request *h = &a.request[k];
			struct outcome *out = &a.outcome[k];
			uint64_t cpu_delay = 0;
			if (timing == TIMING_TIMESTAMP) {
				__builtin_prefetch(h);
				__builtin_prefetch(out, 1);
				cpu_delay = wait_until(&w->waiter, start + (uint64_t)a.due[k]);
			}
			pause_between(&site, w);
			issue_request(&site, h, buffer_of(&site, h, n), false, 0, false, kinds,
				      out);
			if (UNLIKELY(cpu_delay))
				outcome_mark_cpu_delayed(out);
		}
	}
}
