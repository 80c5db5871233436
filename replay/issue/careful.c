/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/issue/careful.h"

#include "replay/issue/feed.h"
#include "replay/issue/issue.h"

#define PART_REQUESTS 16

/* --- taking from a pool -------------------------------------------------- */

static bool take_from(const struct crew *c, uint32_t lane, uint32_t n, struct lane_part *r)
{
	uint32_t all = c->plan->lane[lane].n;
	_Atomic uint32_t *next = &c->queue[lane].next;
	/* the check precedes the addition, so that the counter cannot overflow */
	if (atomic_load_explicit(next, memory_order_relaxed) >= all)
		return false;
	uint32_t k = atomic_fetch_add(next, n);
	if (k >= all)
		return false;
	*r = (struct lane_part){.lane = lane, .k = k, .end = all - k < n ? all : k + n};
	return true;
}

bool lane_part_take(const struct runner *w, struct lane_part *r)
{
	const struct crew *c = w->crew;
	uint32_t n_lanes = c->plan->n_lanes;
	if (!c->plan->own_lanes)
		return n_lanes && take_from(c, 0, 1, r);
	if (take_from(c, w->index, c->n > 1 ? PART_REQUESTS : UINT32_MAX, r))
		return true;
	for (uint32_t i = 1; i < n_lanes; i++)
		if (take_from(c, (w->index + i) % n_lanes, 1, r))
			return true;
	return false;
}

/* --- faults while running ------------------------------------------------ */

static double ticks_of(const struct replay_plan *p, int64_t ns)
{
	return (double)ns / p->clock.ns_per_tick;
}

/* Delays the end of a request. The first reading of the clock counts as part of the delay, so that
 * the delay is exact to one reading. */
void issue_linger(const struct runner *w, uint64_t begin)
{
	const struct replay_plan *p = w->crew->plan;
	uint64_t now = clock_now(&p->clock), ticks;
	if (p->mutant.kind == FAULT_DELAY)
		ticks = (uint64_t)ceil(ticks_of(p, p->mutant.ns));
	else
		ticks = (uint64_t)((double)(now - begin) * p->mutant.ratio);
	uint64_t reading = (uint64_t)ticks_of(p, (int64_t)(p->clock.read_cost_ns / 2));
	while (clock_now(&p->clock) - now + reading < ticks)
		;
}

/* The deadline of a wait with a wrong clock. A slow clock makes every wait longer by the same
 * ratio. With timing `timestamp` waits are measured from the start, so the lateness grows; with
 * `think` they are measured from the end of the previous request. */
static uint64_t deadline_of(const struct replay_plan *p, uint64_t from, uint64_t due)
{
	if (p->mutant.kind == FAULT_DRIFT)
		return from + due + (uint64_t)((double)due * p->mutant.ratio);
	if (p->mutant.kind == FAULT_COARSE) {
		double grain = ticks_of(p, p->mutant.ns),
		       n = ceil((double)(from + due - p->start_ticks) / grain);
		return p->start_ticks + (uint64_t)ceil(n * grain);
	}
	return from + due;
}

static void stall_wait(struct runner *w)
{
	const struct replay_plan *p = w->crew->plan;
	double every = ticks_of(p, p->mutant.every_ns), length = ticks_of(p, p->mutant.ns);
	for (;;) { /* repeat: a thread that wakes late may be in the next stall */
		double since = (double)(clock_now(&p->clock) - p->start_ticks),
		       period = floor(since / every) * every;
		if (since - period >= length)
			return;
		wait_until(&w->waiter, p->start_ticks + (uint64_t)ceil(period + length));
	}
}

/* --- one request --------------------------------------------------------- */

struct at { /* the runner's present request */
	const struct hot_request *h;
	struct outcome *out, *repeated;
	const int64_t *due, *expected;
	const struct hot_wait *wait; /* NULL in a pool */
	uint32_t k;
	uint64_t n; /* number of the request within this runner; it chooses the buffer */
	uint64_t last_end;
};

static bool is_shifted(const struct hot_request *h)
{
	return (h->op == OP_READ || h->op == OP_WRITE) &&
	       (h->fault == FAULT_OFFSET || h->fault == FAULT_SIZE || h->fault == FAULT_SWAP);
}

static void position_shift(const struct replay_plan *p, const struct hot_request *h, int64_t by)
{
	int fd = atomic_load_explicit(&p->fds[h->slot], memory_order_acquire);
	if (by && lseek(fd, by, SEEK_CUR) < 0)
		/* the range is before the start of the file, or there is no descriptor: the call
		 * itself fails */
		return;
}

/* As wait_until; sets *deadline. */
static uint64_t time_wait(struct runner *w, const struct at *t, uint64_t *deadline)
{
	const struct replay_plan *p = w->crew->plan;
	int timing = w->crew->config->timing;
	if (timing == TIMING_FULLSPEED)
		return 0;
	*deadline = deadline_of(p, timing == TIMING_THINK ? t->last_end : p->start_ticks,
				(uint64_t)*t->due);
	return wait_until(&w->waiter, *deadline);
}

static void order_wait(struct runner *w, struct at *t)
{
	struct crew *c = w->crew;
	for (uint32_t i = 0; i < t->h->n_waits; i++, t->wait++) {
		if (gate_passed(&c->gates, t->wait->lane, t->wait->threshold))
			continue;
		pause_wait_begin(&c->pause, w->index);
		gate_wait(&c->gates, &w->gate_waiter, t->wait->lane, t->wait->threshold);
		pause_wait_end(&c->pause, w->index);
	}
}

static void call_make(struct runner *w, const struct at *t, bool begun)
{
	struct crew *c = w->crew;
	const struct site site = site_of(w);
	void *buffer = buffer_of(&site, t->h, t->n);
	bool serial = c->plan->mutant.kind == FAULT_SERIALISE;
	if (serial) {
		/* Marked as a wait, because another thread may be paused while it holds the
		 * lock. */
		pause_wait_begin(&w->crew->pause, w->index);
		pthread_mutex_lock(&w->crew->common->serial);
		pause_wait_end(&w->crew->pause, w->index);
	}
	pause_between(&site, w);
	if (is_shifted(t->h))
		position_shift(c->plan, t->h, shift_before(t->h->offset));
	if (begun)
		gate_drain(&site.gates, w->index, 2 * t->k + 1);
	if (c->plan->mutant.kind == FAULT_DELAY || c->plan->mutant.kind == FAULT_PROPORTIONAL)
		issue_request(&site, t->h, buffer, begun, 2 * t->k + 1, true, ISSUE_ANY, t->out);
	else
		issue_request(&site, t->h, buffer, begun, 2 * t->k + 1, false, ISSUE_ANY, t->out);
	if (is_shifted(t->h))
		position_shift(c->plan, t->h, shift_after(t->h->offset));
	if (t->h->fault == FAULT_REPEAT) {
		if (t->h->op == OP_READ || t->h->op == OP_WRITE)
			position_shift(c->plan, t->h, t->out->rvalue > 0 ? -t->out->rvalue : 0);
		issue_request(&site, t->h, buffer, false, 0, false, ISSUE_ANY, t->repeated);
	}
	if (serial)
		pthread_mutex_unlock(&c->common->serial);
}

/* Replays a request. Returns false at the end of the run. */
static bool request_replay(struct runner *w, struct at *t)
{
	struct crew *c = w->crew;
	uint64_t deadline = 0;
	const uint64_t cpu_delay = time_wait(w, t, &deadline);
	if (!c->plan->pool)
		order_wait(w, t);
	if (c->plan->mutant.kind == FAULT_STALL)
		stall_wait(w);
	if (atomic_load_explicit(&c->common->stop, memory_order_relaxed))
		return false;
	bool begun = t->h->flags & HOT_PUBLISH_BEGUN;
	if (t->h->fault == FAULT_LOST) {
		/* skip the call, but move the file position, so that the next request is correct */
		const struct replay_plan *p = w->crew->plan;
		if (begun)
			gate_publish(&w->crew->gates, w->index, 2 * t->k + 1);
		if ((t->h->op == OP_READ || t->h->op == OP_WRITE) && *t->expected > 0)
			position_shift(p, t->h, *t->expected);
	} else {
		call_make(w, t, begun);
		t->last_end = t->out->end_ticks;
		if (cpu_delay)
			outcome_judge_cpu_delay(t->out, deadline, cpu_delay);
		if (c->config->stop_on_mismatch && outcome_differs(t->out, *t->expected))
			atomic_store(&c->common->stop, true);
	}
	if (t->h->flags & HOT_LEAVE)
		call_leave(c->plan, t->h->process);
	if (t->h->flags & HOT_PUBLISH_ENDED)
		gate_publish(&c->gates, w->index, 2 * t->k + 2);
	return true;
}

void lane_fed(const struct runner *w, uint32_t k)
{
	feed_leave(w->crew->feed, w->index, k);
	if (k < w->crew->plan->lane[w->index].n)
		gate_publish(&w->crew->gates, w->index, GATE_DONE);
}

/* --- the loops ----------------------------------------------------------- */

static void at_set(struct at *t, const struct lane *a, uint32_t k)
{
	t->k = k;
	t->h = &a->request[k];
	t->out = &a->outcome[k];
	t->due = a->due ? &a->due[k] : NULL;
	t->expected = &a->expected[k];
	t->repeated = a->repeated ? &a->repeated[k] : NULL;
}

static void careful_lane(struct runner *w)
{
	struct crew *c = w->crew;
	struct lane a = c->plan->lane[w->index];
	struct at t = {.wait = a.wait, .last_end = c->plan->start_ticks};
	uint32_t k = 0, end = c->feed ? 0 : a.n;
	for (; k < a.n; k++, t.n++) {
		if (k == end && (end = feed_next(c->feed, w->index, &a, &t.wait, k)) == k)
			break;
		at_set(&t, &a, k);
		if (!request_replay(w, &t))
			break;
	}
	if (c->feed)
		feed_leave(c->feed, w->index, k);
	/* a runner that stopped early makes no further progress: wake the threads that wait for it,
	 * so that they stop as well */
	gate_publish(&c->gates, w->index, GATE_DONE);
}

static void careful_pool(struct runner *w)
{
	struct crew *c = w->crew;
	struct lane_part r = {.k = 0};
	struct at t = {.last_end = c->plan->start_ticks};
	for (; r.k < r.end || lane_part_take(w, &r); r.k++, t.n++) {
		at_set(&t, &c->plan->lane[r.lane], r.k);
		if (!request_replay(w, &t))
			break;
	}
}

void careful_loop(struct runner *w)
{
	if (w->crew->plan->pool)
		careful_pool(w);
	else
		careful_lane(w);
}
