/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "common/processors.h"
#include "replay/engines/block/block_crew.h"

/* --- harvester ----------------------------------------------------------- */

#define FETCH_MAX 64u
#define HARVEST_NS 20000000 /* interval of checks whether to stop */

struct harvester {
	_Alignas(128) _Atomic uint32_t written; /* by the harvester */
	_Atomic int failed;
	_Alignas(128) _Atomic uint32_t read; /* by the worker */
	_Atomic bool stop;
	/* ring[mask + 1]: has room for all requests in flight */
	_Alignas(128) struct harvested *ring;
	uint32_t mask;
	const struct block_backend *backend;
	struct block_queue *queue;
	const struct clock *clock;
	int cpu;
	pthread_t id;
};

static void *harvester_main(void *arg)
{
	struct harvester *h = arg;
	struct block_done done[FETCH_MAX];
	uint32_t written = 0;
	(void)thread_pin(h->cpu);
	while (!atomic_load_explicit(&h->stop, memory_order_relaxed)) {
		int n = h->backend->harvest(h->queue, done, FETCH_MAX, HARVEST_NS);
		uint64_t end = clock_end(h->clock);
		if (n < 0) {
			atomic_store(&h->failed, -n);
			break;
		}
		/* The worker has already read the elements that are overwritten here, because a
		 * slot is reused only after its element was read. But the C memory model does not
		 * know the order that the kernel ensures. So this load pairs with the store in
		 * harvester_take(). */
		(void)atomic_load_explicit(&h->read, memory_order_acquire);
		for (int i = 0; i < n; i++)
			h->ring[written++ & h->mask] = (struct harvested){done[i], end};
		atomic_store_explicit(&h->written, written, memory_order_release);
	}
	return NULL;
}

int harvester_start(struct harvester **out, const struct block_backend *b, struct block_queue *q,
		    uint32_t n_slots, const struct clock *clock, int cpu, struct err *e)
{
	uint32_t cap = 1;
	while (cap < n_slots + 1)
		cap *= 2;
	struct harvester *h = xaligned(128, 1, sizeof *h);
	*h = (struct harvester){
	    .mask = cap - 1, .backend = b, .queue = q, .clock = clock, .cpu = cpu};
	h->ring = xcalloc(cap, sizeof *h->ring);
	int code = pthread_create(&h->id, NULL, harvester_main, h);
	if (code) {
		FREE_EACH(h->ring, h);
		return err_sys(e, code,
			       "cannot start a thread that fetches completions (harvester)");
	}
	*out = h;
	return 0;
}

/* Takes the fetched completions and returns their number. *failed: errno of a failed queue,
 * otherwise unchanged. */
static uint32_t harvester_take(struct harvester *h, struct harvested *got, uint32_t max,
			       int *failed)
{
	uint32_t read = atomic_load_explicit(&h->read, memory_order_relaxed), n = 0;
	uint32_t written = atomic_load_explicit(&h->written, memory_order_acquire);
	int code = atomic_load_explicit(&h->failed, memory_order_relaxed);
	while (read != written && n < max)
		got[n++] = h->ring[read++ & h->mask];
	atomic_store_explicit(&h->read, read, memory_order_release);
	*failed = code ? code : *failed;
	return n;
}

void harvester_stop(struct harvester *h)
{
	if (!h)
		return;
	atomic_store(&h->stop, true);
	pthread_join(h->id, NULL);
	FREE_EACH(h->ring, h);
}

/* --- worker -------------------------------------------------------------- */

#define HARVEST_MAX 64u
/* longest waits in the kernel */
#define LOOK_NS 100000000      /* in general, to check whether to stop */
#define LOOK_AMONG_NS 50000    /* if another worker can enable a submission */
#define LOOK_CROWDED_NS 200000 /* if workers share CPUs and it is another worker's turn */
/* time for which a worker spins for completions after the last event, before it sleeps */
#define SPIN_NS 10000
/* Lateness up to this is caught up at once. A sleep among competing threads often ends some ms
 * late. A replay that then issued requests at twice the traced rate, with a sleep before each,
 * would never catch up. */
#define GRACE_NS 100000
#define GRACE_CONTENDED_NS 50000000
/* a submission that took longer was preempted, so it does not show the cost */
#define BUNDLE_MOST_NS 20000

static int64_t ticks_of(const struct block_worker *w, int64_t ns)
{
	return (int64_t)((double)ns / w->clock.ns_per_tick);
}

static int64_t now_of(const struct block_worker *w)
{
	return (int64_t)(clock_now(&w->clock) - w->start);
}

/* --- completions --------------------------------------------------------- */

static void slot_end(struct block_worker *w, uint32_t slot, int32_t result, int64_t end)
{
	uint32_t k = w->slot[slot].request;
	struct block_hot *r = &w->schedule.request[k];
	r->result = result;
	r->end = end;
	w->unused[w->n_unused++] = slot;
	schedule_ended(&w->schedule, k);
	atomic_store_explicit(&w->n_ended, w->n_ended + 1, memory_order_relaxed);
}

/* The response time that a mutant adds. */
static int64_t delay_of(const struct block_worker *w, int64_t response)
{
	const struct mutant *m = &w->schedule.mutant;
	return m->kind == FAULT_DELAY          ? m->ns
	       : m->kind == FAULT_PROPORTIONAL ? llrint((double)response * m->ratio)
					       : 0;
}

static void hand_over(struct block_worker *w, const struct block_command *c, uint32_t n,
		      int64_t now);

static struct block_command command_of(const struct block_worker *w, uint32_t slot)
{
	const struct block_hot *r = &w->schedule.request[w->slot[slot].request];
	bool content = r->direction == BLOCK_WRITE;
	return (struct block_command){
	    .offset = r->offset,
	    .length = r->length,
	    .slot = slot,
	    .direction = w->slot[slot].flushing ? BLOCK_FLUSH : r->direction,
	    .fua = r->flags & REQUEST_FUA && !w->slot[slot].flushing,
	    .content = content,
	    .buffer = content ? buffer_content(&w->buffers, w->slot[slot].request)
			      : buffer_read(&w->buffers, slot),
	};
}

static void completion_take(struct block_worker *w, struct block_done d, int64_t end)
{
	struct block_slot *s = &w->slot[d.slot];
	if (s->flushing && d.result >= 0) { /* the data follow the flush */
		s->flushing = false;
		struct block_command c = command_of(w, d.slot);
		hand_over(w, &c, 1, end);
		return;
	}
	int64_t delay = delay_of(w, end - w->schedule.request[s->request].begin);
	if (!delay) {
		slot_end(w, d.slot, d.result, end);
		return;
	}
	s->result = d.result;
	due_heap_add(&w->held, (uint64_t)(end + delay), d.slot);
}

/* Waits up to `wait_ns` for the first completion, and fetches the completions. */
static uint32_t completions_harvest(struct block_worker *w, int64_t wait_ns)
{
	struct block_done done[HARVEST_MAX];
	if (w->harvester) {
		struct harvested got[HARVEST_MAX];
		uint32_t n = harvester_take(w->harvester, got, HARVEST_MAX, &w->fatal);
		for (uint32_t i = 0; i < n; i++)
			completion_take(w, got[i].done, (int64_t)(got[i].end_ticks - w->start));
		return n;
	}
	int n = w->backend->harvest(w->queue, done, HARVEST_MAX, wait_ns);
	if (n <= 0) {
		w->fatal = n < 0 ? -n : w->fatal;
		return 0;
	}
	int64_t end = (int64_t)(clock_end(&w->clock) - w->start);
	w->active = end;
	for (int i = 0; i < n; i++)
		completion_take(w, done[i], end);
	return (uint32_t)n;
}

/* --- turns --------------------------------------------------------------- */

static void futex_call(_Atomic uint32_t *word, int command, uint32_t value,
		       const struct timespec *limit)
{
	syscall(SYS_futex, word, command | FUTEX_PRIVATE_FLAG, value, limit, NULL, 0);
}

static bool is_others_turn(const struct block_worker *w)
{
	return w->schedule.place && !schedule_has_turn(&w->schedule);
}

/* Passes the turn and wakes the next worker. If all waiting workers spun or yielded, the worker
 * whose turn it is would seldom get a CPU: with --wait spin, 64 workers on 2 CPUs took 18 s for
 * 5000 requests. So the other workers sleep. No wake-up is lost: a worker stores that it sleeps and
 * then reads the turn, whereas the waking worker stores the turn and then reads that flag. */
static void turn_pass(const struct block_worker *w)
{
	const struct block_schedule *s = &w->schedule;
	struct block_progress *mine = &s->progress[s->index], *first = mine;
	if (!w->crowded || !s->place)
		return;
	uint64_t least = atomic_load_explicit(&mine->next, memory_order_relaxed);
	atomic_store(&mine->next, least);
	for (uint32_t i = 0; i < s->n_workers; i++) {
		const uint64_t next = atomic_load(&s->progress[i].next);
		first = next < least ? &s->progress[i] : first;
		least = next < least ? next : least;
	}
	if (first != mine && atomic_load(&first->asleep) && atomic_exchange(&first->asleep, 0))
		futex_call(&first->asleep, FUTEX_WAKE, 1, NULL);
}

/* Waits while nothing is in flight and only another worker can enable a submission. */
static void turn_await(struct block_worker *w)
{
	const struct block_schedule *s = &w->schedule;
	struct block_progress *mine = &s->progress[s->index];
	if (!w->crowded || !is_others_turn(w)) {
		sched_yield();
		return;
	}
	atomic_store(&mine->asleep, 1);
	if (!schedule_has_turn(s))
		futex_call(&mine->asleep, FUTEX_WAIT, 1, &(struct timespec){.tv_nsec = LOOK_NS});
	atomic_store(&mine->asleep, 0);
}

/* --- submission ---------------------------------------------------------- */

/* Submits all commands, in several calls if the kernel does not accept them at once. A refused
 * request ends with an error. */
static void hand_over(struct block_worker *w, const struct block_command *c, uint32_t n,
		      int64_t now)
{
	for (uint32_t done = 0; done < n && !w->fatal;) {
		uint32_t most =
		    n - done < w->backend->bundle_max ? n - done : w->backend->bundle_max;
		int got = w->backend->submit(w->queue, c + done, most);
		w->n_submissions++;
		if (got == -EAGAIN || got == -EINTR) {
			completions_harvest(w, LOOK_AMONG_NS);
			continue;
		}
		if (got < 0) {
			completion_take(w, (struct block_done){c[done].slot, got}, now);
			got = 1;
		}
		done += (uint32_t)got;
	}
}

static void requests_issue(struct block_worker *w, const uint32_t *taken, uint32_t n)
{
	struct block_command c[BLOCK_BUNDLE_MAX];
	struct block_hot *const request = w->schedule.request;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t slot = w->unused[--w->n_unused];
		w->slot[slot] = (struct block_slot){
		    .request = taken[i], .flushing = request[taken[i]].flags & REQUEST_FLUSH_FIRST};
		c[i] = command_of(w, slot);
	}
	int64_t begin = (int64_t)(clock_begin(&w->clock) - w->start);
	for (uint32_t i = 0; i < n; i++)
		request[taken[i]].begin = begin;
	hand_over(w, c, n, begin);
	schedule_handed_over(&w->schedule);
	int64_t dispatch = (int64_t)(clock_end(&w->clock) - w->start);
	turn_pass(w);
	for (uint32_t i = 0; i < n; i++)
		request[taken[i]].dispatch = dispatch;
	w->active = dispatch;
	waiter_submitted(&w->waiter, w->start + (uint64_t)dispatch);
	if (w->schedule.in_flight > w->most_in_flight)
		w->most_in_flight = w->schedule.in_flight;
	if (n == 1 && w->bundle_follows) {
		int64_t cost = dispatch - begin;
		if (cost < ticks_of(w, BUNDLE_MOST_NS))
			w->schedule.bundle += (cost - w->schedule.bundle) / 16;
	}
}

/* --- waiting ------------------------------------------------------------- */

static void sleep_for_completion(struct block_worker *w, int64_t until, int64_t now)
{
	int64_t most = ticks_of(w, w->crowded && is_others_turn(w) ? LOOK_CROWDED_NS
				   : w->schedule.n_workers > 1     ? LOOK_AMONG_NS
								   : LOOK_NS);
	bool timed = until != TICKS_NEVER && until - now < most;
	int64_t wait = timed ? until - now : most;
	w->n_waits++;
	uint32_t n = completions_harvest(w, (int64_t)((double)wait * w->clock.ns_per_tick));
	if (!n && timed) {
		int64_t late = now_of(w) - until;
		waiter_learn(&w->waiter, late > 0 ? (uint64_t)late : 0);
	}
}

/* An alarm at most this far from the wanted instant need not be armed again. */
#define ALARM_ABOUT_NS 4000
/* The time between two due times, less the margin, must be at least this for the worker to sleep
 * in it. */
#define ALARM_APART_NS 10000

/* Sleeps until `margin` before `wake`, or until a completion. Also arms the alarm of the request
 * after the next one. */
static void sleep_until_alarm(struct block_worker *w, int64_t wake, int64_t margin)
{
	const struct block_schedule *s = &w->schedule;
	const int64_t wanted_ns = clock_ns_of_ticks(&w->clock,
						    w->start + (uint64_t)(wake - margin)),
		      at_ns = alarms_set(&w->alarms, wanted_ns, ALARM_ABOUT_NS);
	if (s->next + 1 < s->n) {
		const int64_t apart = s->request[s->next + 1].due - wake;
		if (apart > margin + ticks_of(w, ALARM_APART_NS))
			alarms_ahead(&w->alarms,
				     wanted_ns + (int64_t)((double)apart * w->clock.ns_per_tick),
				     ALARM_ABOUT_NS);
	}
	w->n_waits += s->in_flight > 0;
	if (completions_harvest(w, LOOK_NS))
		return;
	const int64_t late = now_of(w) - (wake - margin) - ticks_of(w, at_ns - wanted_ns);
	if (late > 0)
		waiter_learn(&w->waiter, (uint64_t)late);
}

/* How many ticks before an instant a sleep must end. */
static int64_t margin_of(const struct block_worker *w)
{
	return w->waiter.method == WAIT_SPIN        ? TICKS_NEVER
	       : w->waiter.method == WAIT_NANOSLEEP ? 0
						    : (int64_t)waiter_margin(&w->waiter);
}

/* Whether the worker may sleep: only a completion, or the worker whose turn it is, can change its
 * next step. */
static bool may_sleep(const struct block_worker *w, int64_t now)
{
	if (w->waiter.method == WAIT_SPIN)
		return false;
	if (w->schedule.n_workers == 1)
		return w->waiter.contended || now - w->active > ticks_of(w, SPIN_NS);
	return w->waiter.contended || (w->crowded && is_others_turn(w));
}

static void yield_cpu(struct block_worker *w, int64_t now)
{
	if (w->crowded)
		sched_yield();
	else
		waiter_yield(&w->waiter, w->start + (uint64_t)now);
}

/* Waits if only another thread can enable a submission. */
static void wait_for_thread(struct block_worker *w, int64_t wake, int64_t now)
{
	const int64_t most = now + ticks_of(w, LOOK_AMONG_NS);
	wait_until(&w->waiter, w->start + (uint64_t)(wake < most ? wake : most));
}

/* Waits until something may have changed. Call it when nothing can be submitted. */
static void pause_until(struct block_worker *w, int64_t wake, int64_t now)
{
	const bool busy = w->schedule.in_flight > 0;
	waiter_sense(&w->waiter, w->start + (uint64_t)now);
	w->schedule.grace = ticks_of(w, w->waiter.contended ? GRACE_CONTENDED_NS : GRACE_NS);
	w->schedule.delayed = ticks_of(w, w->waiter.delayed_ns);
	const int64_t margin = margin_of(w);
	/* a spinning worker would keep a CPU from the worker whose turn it is */
	const bool gives_way = w->crowded && w->waiter.method == WAIT_SPIN &&
			       (!w->schedule.place || is_others_turn(w));
	if (w->held.n && (int64_t)due_heap_first(&w->held) < wake)
		wake = (int64_t)due_heap_first(&w->held);
	if (w->alarms.open && wake != TICKS_NEVER && wake - now > margin &&
	    wake - now < ticks_of(w, LOOK_NS)) {
		sleep_until_alarm(w, wake, margin);
	} else if (!busy && wake != TICKS_NEVER && !gives_way) {
		int64_t most = now + ticks_of(w, LOOK_NS);
		wait_until(&w->waiter, w->start + (uint64_t)(wake < most ? wake : most));
	} else if (!busy) {
		if (w->waiter.contended)
			wait_for_thread(w, wake, now);
		else if (gives_way || wake - now > margin)
			turn_await(w);
	} else if (w->harvester) {
		if (w->waiter.contended)
			wait_for_thread(w, wake, now);
		else if (wake - now > margin)
			yield_cpu(w, now);
	} else if (wake == TICKS_NEVER && may_sleep(w, now)) {
		sleep_for_completion(w, TICKS_NEVER, now);
	} else if (wake != TICKS_NEVER && wake - now > margin) {
		sleep_for_completion(w, wake - margin, now);
	} else {
		yield_cpu(w, now);
	}
}

void worker_run(struct block_worker *w, const _Atomic bool *stop)
{
	uint32_t taken[BLOCK_BUNDLE_MAX];
	while (!w->fatal && !atomic_load_explicit(stop, memory_order_relaxed)) {
		if (w->schedule.in_flight)
			completions_harvest(w, 0);
		int64_t now = now_of(w);
		while (w->held.n && (int64_t)due_heap_first(&w->held) <= now) {
			int64_t end = (int64_t)due_heap_first(&w->held);
			uint32_t slot = due_heap_take(&w->held);
			slot_end(w, slot, w->slot[slot].result, end);
		}
		uint32_t n = schedule_take(&w->schedule, now, w->n_unused, taken);
		if (n) {
			requests_issue(w, taken, n);
			continue;
		}
		/* a request that a mutant drops is not submitted: its turn passes here */
		turn_pass(w);
		if (w->schedule.finished)
			break;
		pause_until(w, schedule_wake(&w->schedule, now), now);
	}
}
