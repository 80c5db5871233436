/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The coordinator engine: the original design of the metrology paper, which is kept to show its
 * bias.
 *
 * A coordinator thread colours requests. A request is unavailable (white) until all requests that
 * it waits for are done. Then it is available (grey) and enters a queue, from which any free worker
 * takes it. The worker puts the executed request into a second queue. The coordinator marks it
 * replayed (black) and looks at its successors. A mutex and a condition variable guard each queue.
 * In timed replays the coordinator makes a request available at its due time.
 *
 * There are two differences from the original. First, the pages of buffers are present before the
 * start: their page faults caused most of the bias that the paper attributed to the coordinator.
 * Second, the order policies are exact: the start of a request, on which `temporal` depends, is
 * read from the gate of its lane (gate.h) instead of inferred from its place in the queue. Source:
 * metrology paper, section III-B and Figure 1; Zhu et al., TBBT (FAST 2005). */
#include <sched.h>

#include "replay/issue/due_heap.h"
#include "replay/options/engine.h"
#include "replay/issue/issue.h"

#define NO_LANE UINT32_MAX

struct work {
	uint32_t lane, index;
};

struct work_queue { /* the queue does not wrap: each request enters once */
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct work *work; /* work[n of the plan], in pre-faulted memory */
	uint32_t head, tail;
	bool closed;
};

struct lane_state {
	/* wait[n_waits] of request `next` that may still be unsatisfied */
	const struct hot_wait *wait;
	uint32_t n_waits;
	uint32_t next;	       /* first request that is not replayed */
	/* progress known to the coordinator: 2 * index + 2 of the last replayed request */
	uint32_t ended;
	uint32_t first_blocked, next_blocked; /* list of lanes that wait for an end in this lane */
};

/* The queues are in memory that forked processes share. Only the coordinator uses the rest. */
struct coordinator_board {
	/* available[n_queues]: one queue for all workers, or one per process */
	struct work_queue *available;
	struct work_queue *replayed;
	uint32_t *queue_of; /* queue_of[n_lanes]: into available */
	uint32_t n_queues;
	struct lane_state *lane; /* lane[n_lanes] */
	uint32_t *watch, n_watch; /* lanes that wait for a start */
	struct due_heap due;	  /* lanes whose next request waits only for its due time */
	struct vm_region memory, work;
};

/* --- queues -------------------------------------------------------------- */

static void queue_init(struct work_queue *q, struct work *work)
{
	pthread_condattr_t monotonic;
	pthread_mutexattr_t across;
	*q = (struct work_queue){.work = work};
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_condattr_setpshared(&monotonic, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_init(&across);
	pthread_mutexattr_setpshared(&across, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&q->mutex, &across);
	pthread_cond_init(&q->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_mutexattr_destroy(&across);
}

static void queue_put(struct work_queue *q, struct work w)
{
	pthread_mutex_lock(&q->mutex);
	q->work[q->tail++] = w;
	pthread_cond_signal(&q->changed);
	pthread_mutex_unlock(&q->mutex);
}

/* Waits for work. Returns false when the queue is closed and empty. */
static bool queue_take(struct work_queue *q, struct work *w)
{
	pthread_mutex_lock(&q->mutex);
	while (q->head == q->tail && !q->closed)
		pthread_cond_wait(&q->changed, &q->mutex);
	bool any = q->head != q->tail;
	if (any)
		*w = q->work[q->head++];
	pthread_mutex_unlock(&q->mutex);
	return any;
}

enum wait_kind { DO_NOT_WAIT, WAIT_UNTIL, WAIT_FOREVER };

static bool queue_take_within(struct work_queue *q, struct work *w, enum wait_kind wait_kind,
			      const struct timespec *until)
{
	int timed_out = 0;
	pthread_mutex_lock(&q->mutex);
	while (q->head == q->tail && wait_kind != DO_NOT_WAIT && !timed_out)
		timed_out = wait_kind == WAIT_FOREVER
				? pthread_cond_wait(&q->changed, &q->mutex)
				: pthread_cond_timedwait(&q->changed, &q->mutex, until);
	bool any = q->head != q->tail;
	if (any)
		*w = q->work[q->head++];
	pthread_mutex_unlock(&q->mutex);
	return any;
}

static void make_available(struct coordinator_board *b, uint32_t lane, uint32_t index)
{
	queue_put(&b->available[b->queue_of[lane]], (struct work){lane, index});
}

/* --- colours ------------------------------------------------------------- */

static bool is_over(const struct crew *c, const struct coordinator_board *b,
		    const struct hot_wait *w)
{
	if (b->lane[w->lane].ended >= w->threshold)
		return true;
	return w->threshold & 1 && gate_passed(&c->gates, w->lane, w->threshold);
}

static uint64_t due_of(const struct crew *c, uint32_t lane, uint32_t k)
{
	const struct lane *a = &c->plan->lane[lane];
	uint64_t from = c->plan->start_ticks;
	if (c->config->timing == TIMING_THINK && k)
		from = a->outcome[k - 1].end_ticks;
	return from + (uint64_t)a->due[k];
}

/* Looks at the next request of a lane: makes it available, or notes what it waits for. */
static void lane_consider(struct crew *c, struct coordinator_board *b, uint32_t lane)
{
	struct lane_state *s = &b->lane[lane];
	for (; s->n_waits; s->n_waits--, s->wait++) {
		if (is_over(c, b, s->wait))
			continue;
		if (s->wait->threshold & 1) {
			b->watch[b->n_watch++] = lane;
		} else {
			s->next_blocked = b->lane[s->wait->lane].first_blocked;
			b->lane[s->wait->lane].first_blocked = lane;
		}
		return;
	}
	if (c->config->timing == TIMING_FULLSPEED)
		make_available(b, lane, s->next);
	else
		due_heap_add(&b->due, due_of(c, lane, s->next), lane);
}

static void begin_next(struct crew *c, struct coordinator_board *b, uint32_t lane)
{
	struct lane_state *s = &b->lane[lane];
	if (s->next >= c->plan->lane[lane].n)
		return;
	s->n_waits = c->plan->lane[lane].request[s->next].n_waits;
	lane_consider(c, b, lane);
}

static void mark_replayed(struct crew *c, struct coordinator_board *b, struct work w)
{
	struct lane_state *s = &b->lane[w.lane];
	s->ended = 2 * w.index + 2;
	s->next = w.index + 1;
	uint32_t blocked = s->first_blocked;
	s->first_blocked = NO_LANE;
	begin_next(c, b, w.lane);
	while (blocked != NO_LANE) {
		uint32_t next = b->lane[blocked].next_blocked;
		lane_consider(c, b, blocked);
		blocked = next;
	}
}

static void look_at_begins(struct crew *c, struct coordinator_board *b)
{
	uint32_t n = b->n_watch;
	b->n_watch = 0;
	for (uint32_t i = 0; i < n; i++)
		/* consider() may add the lane again, at an index of at most i */
		lane_consider(c, b, b->watch[i]);
}

/* --- the coordinator ----------------------------------------------------- */

/* Decides how long to wait: not at all while starts are watched, or if a due time is within the
 * waiter's margin. */
static enum wait_kind wait_kind_of(const struct runner *w, const struct coordinator_board *b,
				 struct timespec *until)
{
	const struct clock *clock = &w->crew->plan->clock;
	if (b->n_watch)
		return DO_NOT_WAIT;
	if (!b->due.n)
		return WAIT_FOREVER;
	uint64_t now = clock_now(clock), due = due_heap_first(&b->due);
	uint64_t margin = w->waiter.method == WAIT_NANOSLEEP ? 0 : w->waiter.margin_ticks;
	if (w->waiter.method == WAIT_SPIN || now + margin >= due)
		return DO_NOT_WAIT;
	int64_t ns = clock_ns_of_ticks(clock, due - margin);
	*until = (struct timespec){ns / 1000000000, ns % 1000000000};
	return WAIT_UNTIL;
}

/* Whether a mismatch has stopped the replay: queued requests are not issued, and requests in flight
 * are finished. */
static bool is_stopped(const struct crew *c)
{
	return c->config->stop_on_mismatch &&
	       atomic_load_explicit(&c->common->stop, memory_order_relaxed);
}

/* Sleeps during a pause. The coordinator issues no requests, so it counts as a waiting thread. */
static void coordinator_pause(struct runner *w)
{
	struct pause *pause = &w->crew->pause;
	if (LIKELY(!pause_wanted(pause->word)))
		return;
	pause_here(pause, w->index);
	pause_wait_begin(pause, w->index);
}

static void lanes_coordinate(struct runner *w, struct coordinator_board *b)
{
	struct crew *c = w->crew;
	struct timespec until;
	struct work done;
	for (uint32_t i = 0; i < c->plan->n_lanes; i++)
		begin_next(c, b, i);
	for (uint32_t n = 0; n < c->plan->n && !is_stopped(c);) {
		coordinator_pause(w);
		while (b->due.n && due_heap_first(&b->due) <= clock_now(&c->plan->clock)) {
			uint32_t lane = due_heap_take(&b->due);
			make_available(b, lane, b->lane[lane].next);
		}
		enum wait_kind wait_kind = wait_kind_of(w, b, &until);
		bool any = queue_take_within(b->replayed, &done, wait_kind, &until);
		if (any) {
			mark_replayed(c, b, done);
			n++;
		}
		look_at_begins(c, b);
		if (!any && b->n_watch)
			sched_yield(); /* the thread that publishes the start may need this CPU */
	}
}

/* Hands out requests with order none: they are available from the start, or from their due time. */
static void hand_out(struct runner *w, struct coordinator_board *b)
{
	struct crew *c = w->crew;
	struct work done;
	for (uint64_t i = 0; i < c->plan->n_records && !is_stopped(c); i++) {
		struct lane_place at = c->plan->place[i];
		if (at.lane == NO_LANE)
			continue;
		if (c->config->timing == TIMING_TIMESTAMP)
			wait_until(&w->waiter, due_of(c, at.lane, at.index));
		make_available(b, at.lane, at.index);
	}
	for (uint32_t n = 0; n < c->plan->n && !is_stopped(c); n++)
		queue_take(b->replayed, &done);
}

static bool work_take(struct runner *w, struct work_queue *available, struct work *now)
{
	pause_wait_begin(&w->crew->pause, w->index);
	const bool any = queue_take(available, now);
	pause_wait_end(&w->crew->pause, w->index);
	return any;
}

static void worker_loop(struct runner *w, struct coordinator_board *b)
{
	struct crew *c = w->crew;
	struct site site = site_of(w);
	const bool ordered = c->plan->ordered;
	struct work now;
	struct work_queue *available = &b->available[b->n_queues > 1 ? b->queue_of[w->index] : 0];
	for (uint64_t n = 0; work_take(w, available, &now); n++) {
		const struct lane *a = &c->plan->lane[now.lane];
		const struct hot_request *h = &a->request[now.index];
		if (is_stopped(c))
			continue;
		site.index = now.lane; /* its gate */
		pause_between(&site, w);
		issue_request(&site, h, buffer_of(&site, h, n),
			      ordered && h->flags & HOT_PUBLISH_BEGUN, 2 * now.index + 1, false,
			      ISSUE_ANY, &a->outcome[now.index]);
		if (c->config->stop_on_mismatch &&
		    outcome_differs(&a->outcome[now.index], a->expected[now.index]))
			atomic_store(&c->common->stop, true);
		if (h->flags & HOT_LEAVE)
			call_leave(c->plan, h->process);
		queue_put(b->replayed, now);
	}
}

static void runner_loop(struct runner *w)
{
	struct coordinator_board *b = w->crew->shared;
	if (w->index != w->crew->plan->n_workers) {
		worker_loop(w, b);
		return;
	}
	pause_wait_begin(&w->crew->pause, w->index);
	if (w->crew->plan->pool)
		hand_out(w, b);
	else
		lanes_coordinate(w, b);
	for (uint32_t i = 0; i < b->n_queues; i++) {
		pthread_mutex_lock(&b->available[i].mutex);
		b->available[i].closed = true;
		pthread_cond_broadcast(&b->available[i].changed);
		pthread_mutex_unlock(&b->available[i].mutex);
	}
}

/* --- the engine ---------------------------------------------------------- */

static int coordinator_check(const struct replay_config *c, struct err *e)
{
	if (c->mutant && *c->mutant)
		return err_set(e, EINVAL,
			"mutant: engine coordinator has no mutants: use engine event or block");
	return 0;
}

static int queues_init(struct coordinator_board *b, const struct replay_plan *p, bool processes,
		       struct err *e)
{
	/* Workers can issue only requests of their own process. */
	b->queue_of = xcalloc((size_t)p->n_lanes + 1, sizeof *b->queue_of);
	b->n_queues = 1;
	for (uint32_t i = 1; processes && i < p->n_lanes; i++) {
		b->n_queues += p->process_of[i] != p->process_of[i - 1];
		b->queue_of[i] = b->n_queues - 1;
	}
	int ret = vm_get(&b->memory, VM_SHARED, ((size_t)b->n_queues + 1) * sizeof *b->available,
				  "the coordinator's queues", e);
	if (!ret)
		ret = vm_get(&b->work, processes ? VM_SHARED : VM_PRESENT,
			     2 * ((size_t)p->n + 1) * sizeof(struct work),
			     "the coordinator's queues", e);
	if (ret)
		return ret;
	b->available = b->memory.base;
	b->replayed = b->available + b->n_queues;
	struct work *work = b->work.base;
	queue_init(b->replayed, work);
	work += p->n + 1;
	for (uint32_t q = 0, lane = 0; q < b->n_queues; q++) {
		queue_init(&b->available[q], work);
		for (; lane < p->n_lanes && b->queue_of[lane] == q; lane++)
			work += p->lane[lane].n;
	}
	return 0;
}

static void board_release(struct coordinator_board *b)
{
	FREE_EACH(b->queue_of, b->lane, b->watch);
	due_heap_release(&b->due);
	vm_free(&b->memory);
	vm_free(&b->work);
}

static int board_init(struct coordinator_board *b, const struct replay_plan *p, bool processes,
		      struct err *e)
{
	*b = (struct coordinator_board){.n_watch = 0};
	int ret = queues_init(b, p, processes, e);
	b->lane = xcalloc((size_t)p->n_lanes + 1, sizeof *b->lane);
	b->watch = xcalloc((size_t)p->n_lanes + 1, sizeof *b->watch);
	due_heap_init(&b->due, p->n_lanes);
	for (uint32_t i = 0; i < p->n_lanes; i++)
		b->lane[i] = (struct lane_state){
		    .wait = p->lane[i].wait, .first_blocked = NO_LANE, .next_blocked = NO_LANE};
	if (ret)
		board_release(b);
	return ret;
}

static int coordinator_run(struct replay_plan *p, const struct replay_config *config, struct err *e)
{
	struct crew *c = xaligned(_Alignof(struct crew), 1, sizeof *c);
	struct coordinator_board *b = xcalloc(1, sizeof *b);
	int ret = board_init(b, p, config->processes, e);
	if (ret) {
		FREE_EACH(b, c);
		return ret;
	}
	ret = crew_init(c, p, config, p->n_workers + 1, runner_loop, e);
	c->shared = b;
	ret = ret ? ret : crew_run(c, e);
	crew_release(c);
	if (p->abandoned)
		return ret;
	board_release(b);
	FREE_EACH(b, c);
	return ret;
}

const struct replay_engine engine_coordinator = {
	.name = "coordinator",
	.level = LEVEL_SYSCALL,
	.help = "a coordinator thread queues requests for a pool of workers: an older design, "
		"kept for comparison",
	.processes = true,
	.captured = true,
	.check = coordinator_check,
	.run = coordinator_run,
};
