/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event engine: each worker owns the requests of one traced thread from the start and waits for their predecessors itself.
 * There is no coordinator: what one thread must know of another is a number in a cache line (gate.h).
 *
 * The loop exists once and is compiled for each combination of order and timing, so that a replay that waits for nothing does
 * not look for it. Requests and outcomes are touched in the order they lie in, so the processor fetches the next ones by itself;
 * asking for them by instruction at full speed was measured to add 5 ns to each timed region (doc/replay-engines.md).
 * Who waits for a time, though, has its request fetched first. Mutants and stopping on a mismatch have a loop of their own (careful.c). */
#include <errno.h>
#include <stdlib.h>

#include "replay/engines/careful.h"
#include "replay/engines/crew.h"
#include "replay/engines/engine.h"
#include "replay/engines/issue.h"

/* --- an order policy: worker i runs lane i ------------------------------------------------------------------------ */

/* Waits for the request's predecessors, and sees to it that publishing will not disturb the timed region. Returns where the next
 * request's waits begin. */
INLINE const struct hot_wait *order_wait(struct runner *w, const struct site *s, const struct hot_request *h,
					 const struct hot_wait *wait, uint32_t next_progress)
{
	const bool drain = h->flags & HOT_DRAIN;
	bool drained = drain && s->gates.shared_line;
	if (drained) /* brings what the other one published as well */
		gate_drain(&s->gates, s->index, next_progress);
	for (const struct hot_wait *end = wait + h->n_waits; wait < end; wait++)
		if (UNLIKELY(!gate_passed(&s->gates, wait->lane, wait->threshold))) {
			w->n_futex_sleeps += gate_wait(&s->gates, wait->lane, wait->threshold);
			drained = false;
		}
	if (drain && !drained)
		gate_drain(&s->gates, s->index, next_progress);
	return wait;
}

INLINE void lane_run(struct runner *w, const bool ordered, const enum replay_timing timing)
{
	struct crew *c = w->crew;
	const struct site site = site_of(w);
	const struct placement placement = c->placement;
	const struct lane a = c->plan->lane[w->index];
	const struct hot_wait *wait = a.wait;
	const uint32_t index = w->index;
	const uint64_t start = c->plan->start_ticks;
	uint64_t last_end = start;
	for (uint32_t k = 0; k < a.n; k++) {
		const struct hot_request *h = &a.request[k];
		struct outcome *out = &a.outcome[k];
		if (timing != TIMING_FULLSPEED) {
			__builtin_prefetch(h);
			__builtin_prefetch(out, 1);
			wait_until(&w->waiter, (timing == TIMING_THINK ? last_end : start) + (uint64_t)a.due[k]);
		}
		bool begun = ordered && h->flags & HOT_PUBLISH_BEGUN;
		if (ordered)
			wait = order_wait(w, &site, h, wait, 2 * k + begun);
		issue(&site, h, placement_buffer(&placement, index, k), begun, 2 * k + 1, false, out);
		if (timing == TIMING_THINK)
			last_end = out->end_ticks;
		if (ordered && h->flags & (HOT_PUBLISH_ENDED | HOT_LEAVE)) {
			if (h->flags & HOT_LEAVE)
				call_leave(c->plan, h->process);
			if (h->flags & HOT_PUBLISH_ENDED)
				gate_publish(&site.gates, index, 2 * k + 2);
		}
	}
	if (!ordered)
		call_leave(c->plan, c->plan->process_of[index]);
}

static void lane_fullspeed(struct runner *w)
{
	lane_run(w, false, TIMING_FULLSPEED);
}

static void lane_fullspeed_ordered(struct runner *w)
{
	lane_run(w, true, TIMING_FULLSPEED);
}

static void lane_timestamp(struct runner *w)
{
	lane_run(w, true, TIMING_TIMESTAMP);
}

static void lane_think(struct runner *w)
{
	lane_run(w, true, TIMING_THINK);
}

/* --- no order: a pool --------------------------------------------------------------------------------------------- */

INLINE void pool_run(struct runner *w, const enum replay_timing timing)
{
	const struct replay_plan *p = w->crew->plan;
	const struct site site = site_of(w);
	const struct placement placement = w->crew->placement;
	const uint32_t index = w->index;
	const uint64_t start = p->start_ticks;
	struct ration r;
	uint64_t n = 0;
	while (ration_take(w, &r)) {
		const struct lane a = p->lane[r.lane]; /* a copy: the calls in the loop cannot change it */
		for (uint32_t k = r.k, end = r.end; k < end; k++, n++) {
			const struct hot_request *h = &a.request[k];
			struct outcome *out = &a.outcome[k];
			if (timing == TIMING_TIMESTAMP) {
				__builtin_prefetch(h);
				__builtin_prefetch(out, 1);
				wait_until(&w->waiter, start + (uint64_t)a.due[k]);
			}
			issue(&site, h, placement_buffer(&placement, index, n), false, 0, false, out);
		}
	}
}

static void pool_fullspeed(struct runner *w)
{
	pool_run(w, TIMING_FULLSPEED);
}

static void pool_timestamp(struct runner *w)
{
	pool_run(w, TIMING_TIMESTAMP);
}

/* --- the engine --------------------------------------------------------------------------------------------------- */

static void (*loop_choose(const struct replay_plan *p, const struct replay_config *c))(struct runner *)
{
	if (p->mutant.kind != FAULT_NONE && p->mutant.kind != FAULT_DOUBLE)
		return careful_loop;
	if (c->stop_on_mismatch)
		return careful_loop;
	if (p->pool)
		return c->timing == TIMING_FULLSPEED ? pool_fullspeed : pool_timestamp;
	if (c->timing == TIMING_TIMESTAMP)
		return lane_timestamp;
	if (c->timing == TIMING_THINK)
		return lane_think;
	return p->ordered ? lane_fullspeed_ordered : lane_fullspeed;
}

static int event_check(const struct replay_config *c, struct err *e)
{
	(void)c, (void)e;
	return 0; /* it does them all */
}

static int event_run(struct replay_plan *p, const struct replay_config *config, struct err *e)
{
	struct crew *c = aligned_alloc(_Alignof(struct crew), sizeof *c);
	if (!c)
		return err_set(e, ENOMEM, "not enough memory for a crew");
	int ret = crew_init(c, p, config, p->n_workers, loop_choose(p, config), e);
	if (!ret)
		ret = crew_run(c, e);
	crew_release(c);
	if (!p->abandoned)
		free(c);
	return ret;
}

const struct replay_engine engine_event = {
	.name = "event",
	.help = "each worker owns the requests of one traced thread and waits for their predecessors itself",
	.processes = true,
	.check = event_check,
	.run = event_run,
};
