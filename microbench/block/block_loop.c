/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measured loop of a thread with many requests in flight. It does not allocate or lock. Its
 * only system calls are submissions, completions, sleeps, and a check of the run-queue delay every
 * 10 ms. While it spins with requests in flight, it yields the CPU from time to time
 * (waiter_yield). */
#include "microbench/block/block_load.h"

#include "microbench/loop.h"

#define BATCH 64u
/* longest wait in the kernel; then the thread checks whether it must stop */
#define LOOK_NS 100000000

struct state {
	struct bench_thread *t;
	struct block_load *b;
	uint64_t n_issued;
	uint32_t in_flight;
	/* ticks: earliest time of the next submission, for the pause of a closed loop */
	uint64_t resume;
};

/* --- completions --------------------------------------------------------- */

static void request_end(struct state *s, const struct block_done *d, uint64_t end)
{
	struct block_load *b = s->b;
	uint32_t k = b->sample_of[d->slot];
	struct bench_sample *sample = &s->t->sample[k];
	sample->end = end;
	sample->result = d->result;
	if (d->result != (int32_t)b->request[k].length && k < b->failed)
		b->failed = k;
	b->unused[b->n_unused++] = d->slot;
	s->in_flight--;
}

static void completions_harvest(struct state *s, int64_t wait_ns)
{
	struct block_done done[BATCH];
	int n = s->b->backend->harvest(s->b->queue, done, BATCH, wait_ns);
	if (n <= 0) {
		s->b->fatal = n < 0 && n != -EINTR ? -n : s->b->fatal;
		return;
	}
	uint64_t end = clock_end(s->t->clock);
	for (int i = 0; i < n; i++)
		request_end(s, &done[i], end);
	if (s->b->pause_ticks)
		s->resume = end + s->b->pause_ticks;
}

/* --- submission --------------------------------------------------------- */

static bool goes_on(const struct state *s, uint64_t now)
{
	const struct bench_thread *t = s->t;
	if (s->b->failed != UINT64_MAX || s->b->fatal || pause_wanted(t->pause->word))
		return false;
	return s->n_issued < t->capacity && (s->n_issued < t->n_requests || now < t->deadline);
}

/* Number of requests that may be submitted now. */
static uint32_t ready_count(const struct state *s, uint64_t now)
{
	const struct bench_thread *t = s->t;
	uint64_t most = t->capacity - s->n_issued;
	uint32_t n = 0;
	most = most < s->b->n_unused ? most : s->b->n_unused;
	if (now < s->resume)
		return 0;
	if (s->n_issued + most > t->n_requests && now >= t->deadline)
		most = s->n_issued < t->n_requests ? t->n_requests - s->n_issued : 0;
	while (n < BATCH && n < most &&
	       s->b->request[s->n_issued + n].due <= (int64_t)(now - t->start))
		n++;
	return n;
}

static struct block_command command_of(const struct state *s, uint64_t k, uint32_t slot)
{
	const struct drawn_request *r = &s->b->request[k];
	char *base = r->direction == BLOCK_READ ? s->b->reads.base : s->b->content.base;
	uint64_t room = s->b->content.n_bytes - s->b->max_length;
	return (struct block_command){
		.offset = r->offset, .length = r->length, .slot = slot,
		.direction = (uint8_t)r->direction, .content = r->direction == BLOCK_WRITE,
		.buffer = base + (r->direction == BLOCK_READ
					  ? slot * s->b->max_length
					  : k * 28672 % (room + 1) / 4096 * 4096),
	};
}

static void requests_issue(struct state *s, uint32_t n)
{
	struct block_command command[BATCH];
	struct block_load *b = s->b;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t slot = b->unused[--b->n_unused];
		b->sample_of[slot] = (uint32_t)(s->n_issued + i);
		command[i] = command_of(s, s->n_issued + i, slot);
	}
	uint64_t begin = clock_begin(s->t->clock);
	for (uint32_t i = 0; i < n; i++) {
		const bool reads = b->request[s->n_issued + i].direction == BLOCK_READ;
		s->t->sample[s->n_issued + i] = (struct bench_sample){
			.begin = begin, .op = reads ? OP_PREAD : OP_PWRITE};
	}
	s->n_issued += n;
	s->in_flight += n;
	/* Submits requests. A request that the queue rejects counts as completed. */
	for (uint32_t done = 0; done < n && !s->b->fatal;) {
		uint32_t most =
		    n - done < s->b->backend->bundle_max ? n - done : s->b->backend->bundle_max;
		int got = s->b->backend->submit(s->b->queue, command + done, most);
		if (got == -EAGAIN || got == -EINTR || got == 0) {
			completions_harvest(s, LOOK_NS);
		} else if (got < 0) {
			struct block_done refused = {command[done++].slot, got};
			request_end(s, &refused, clock_end(s->t->clock));
		} else {
			done += (uint32_t)got;
		}
	}
	waiter_submitted(&s->t->waiter, clock_end(s->t->clock));
}

/* --- waiting ------------------------------------------------------------- */

/* Earliest time of the next submission; UINT64_MAX: only after a completion. */
static uint64_t next_instant(const struct state *s, bool more)
{
	if (!more || !s->b->n_unused)
		return UINT64_MAX;
	int64_t due = s->b->request[s->n_issued].due;
	uint64_t at = due == INT64_MIN ? 0 : s->t->start + (uint64_t)due;
	return at > s->resume ? at : s->resume;
}

static void pause_until(struct state *s, uint64_t at, uint64_t now)
{
	struct bench_thread *t = s->t;
	if (!s->in_flight) {
		wait_until(&t->waiter, at);
		return;
	}
	if (at == UINT64_MAX) {
		completions_harvest(s, LOOK_NS);
		return;
	}
	waiter_sense(&t->waiter, now);
	const uint64_t margin = waiter_margin(&t->waiter);
	if (at <= now + margin) {
		waiter_yield(&t->waiter, now);
		return;
	}
	const uint64_t n_before = s->in_flight, until = at - margin;
	completions_harvest(s, (int64_t)((double)(until - now) * t->clock->ns_per_tick));
	if (s->in_flight == n_before) { /* only the passing of time can make a request ready */
		now = clock_now(t->clock);
		waiter_learn(&t->waiter, now > until ? now - until : 0);
	}
}

/* Fails all remaining requests when the queue fails. */
static void requests_abandon(struct state *s)
{
	const uint64_t end = clock_end(s->t->clock);
	for (uint64_t k = 0; k < s->n_issued; k++)
		if (!s->t->sample[k].end) {
			s->t->sample[k].end = end;
			s->t->sample[k].result = -s->b->fatal;
		}
}

void block_loop(struct bench_thread *t)
{
	struct state s = {.t = t, .b = t->load};
	for (;;) {
		if (s.in_flight)
			completions_harvest(&s, 0);
		uint64_t now = clock_now(t->clock);
		bool more = goes_on(&s, now);
		if (s.b->fatal || (!more && !s.in_flight))
			break;
		uint32_t n = more ? ready_count(&s, now) : 0;
		if (n)
			requests_issue(&s, n);
		else
			pause_until(&s, next_instant(&s, more), now);
	}
	if (s.b->fatal)
		requests_abandon(&s);
	t->n_requests_done = t->n_samples = s.n_issued;
	t->capacity_reached = s.n_issued == t->capacity && t->n_requests < t->capacity;
	t->failed = s.b->failed != UINT64_MAX || s.b->fatal;
}
