/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/block/schedule.h"

void schedule_init(struct block_schedule *s, const struct block_schedule_room *room)
{
	s->bundle_max =
	    s->bundle_max && s->bundle_max < BLOCK_BUNDLE_MAX ? s->bundle_max : BLOCK_BUNDLE_MAX;
	s->finished = s->n == 0;
	s->paced = s->paced_due = s->n ? s->request[0].due : 0;
	atomic_store(&s->progress[s->index].in_flight, 0);
	schedule_handed_over(s);
	if (s->mode != MODE_DEP)
		return;
	uint32_t cap = 2;
	while (cap < room->n_parents + 2)
		cap *= 2;
	s->window = xcalloc(cap, sizeof *s->window);
	s->window_mask = cap - 1;
	/* twice as many, because a mutant may add a copy of each request */
	due_heap_init(&s->ready, 2 * (s->follow == FOLLOW_NEAREST || s->follow == FOLLOW_COUNT
		? s->n : room->n_ready) + 2);
	if (s->follow == FOLLOW_NEAREST)
		schedule_nearest_init(s, room->n_ranks);
}

void schedule_release(struct block_schedule *s)
{
	free(s->window);
	if (s->child)
		free(s->progress[s->index].ended);
	FREE_EACH(s->child, s->seen);
	due_heap_release(&s->ready);
}

/* --- turns of workers ---------------------------------------------------- */

void schedule_handed_over(struct block_schedule *s)
{
	if (!s->place)
		return;
	uint64_t next = s->next < s->n ? s->place[s->next] : UINT64_MAX;
	atomic_store_explicit(&s->progress[s->index].next, next, memory_order_release);
}

/* Whether no other worker has an earlier request to submit. */
static bool is_its_turn(const struct block_schedule *s)
{
	if (!s->place)
		return true;
	uint64_t mine = s->place[s->next];
	for (uint32_t i = 0; i < s->n_workers; i++)
		if (i != s->index && atomic_load(&s->progress[i].next) < mine)
			return false;
	return true;
}

bool schedule_has_turn(const struct block_schedule *s)
{
	return s->next < s->n && is_its_turn(s);
}

static uint32_t in_flight_of_all(const struct block_schedule *s)
{
	uint32_t n = s->in_flight;
	for (uint32_t i = 0; i < s->n_workers; i++)
		if (i != s->index)
			n += atomic_load_explicit(&s->progress[i].in_flight, memory_order_relaxed);
	return n;
}

static void in_flight_publish(struct block_schedule *s)
{
	if (s->n_workers > 1)
		atomic_store_explicit(&s->progress[s->index].in_flight, s->in_flight,
				      memory_order_relaxed);
}

/* --- hf, load, afap ------------------------------------------------------ */

/* The earliest time at which the next request may be submitted: its due time, or a later time if
 * the worker is catching up at twice the traced rate. */
static int64_t paced_time(const struct block_schedule *s, const struct block_hot *r)
{
	int64_t line = s->paced + (r->due - s->paced_due) / 2;
	return line > r->due ? line : r->due;
}

#define AT_ONCE 4u

/* Lateness at the next request that is caught up at once: at least the time of AT_ONCE requests. */
static int64_t grace_now(const struct block_schedule *s)
{
	const uint32_t left = s->n - 1 - s->next;
	const struct block_hot *r = &s->request[s->next];
	const int64_t span = r[left < AT_ONCE ? left : AT_ONCE].due - r->due;
	return span > s->grace ? span : s->grace;
}

/* Whether requests in flight are younger than the slack of `r`: then the device has stalled for
 * less time than the trace had to spare. */
static bool has_slack(struct block_schedule *s, const struct block_hot *r, uint32_t busy,
	int64_t now)
{
	if (!r->slack_ms || busy >= s->slack_most)
		return false;
	while (s->oldest < s->next && s->request[s->oldest].done)
		s->oldest++;
	const struct block_hot *oldest = &s->request[s->oldest];
	return s->oldest == s->next || oldest->begin == NOT_ENDED ||
	       now - oldest->begin < r->slack_ms * s->ms;
}

/* Number of requests in flight above the limit of `r` while the worker makes up for a delay of its
 * own: it is late, but not longer than it has waited for a CPU since it was last on time. */
static uint32_t regain_of(const struct block_schedule *s, const struct block_hot *r, int64_t now)
{
	const int64_t late = now - r->due;
	return s->regains && late > 0 && late <= s->delayed - s->delayed_before ? r->limit / 4 : 0;
}

static uint32_t take_in_order(struct block_schedule *s, int64_t now, uint32_t room, uint32_t *taken)
{
	const bool timed = s->mode == MODE_HF;
	const uint32_t busy = in_flight_of_all(s);
	int64_t horizon = now;
	uint32_t n = 0;
	for (; n < room && s->next < s->n && is_its_turn(s); s->next++) {
		struct block_hot *r = &s->request[s->next];
		int64_t at = timed ? paced_time(s, r) : now;
		if (at > now && (n == 0 || at > horizon))
			break;
		if (r->fault != FAULT_LOST) {
			if (busy + n >= r->limit + (timed ? regain_of(s, r, now) : 0) &&
			    !has_slack(s, r, busy + n, now))
				break;
			if (now - r->due <= s->ms / 10)
				s->delayed_before = s->delayed;
			horizon = n == 0 ? at + s->bundle : horizon;
			taken[n++] = s->next;
		} else {
			r->done = true;
		}
		const int64_t grace = grace_now(s);
		s->paced = at > now - grace ? at : now - grace;
		s->paced_due = r->due;
		/* the next request in the trace belongs to another worker */
		if (s->place && s->next + 1 < s->n &&
		    s->place[s->next + 1] != s->place[s->next] + 1) {
			s->next++;
			break;
		}
	}
	if (!n)
		schedule_handed_over(s);
	return n;
}

/* --- mutants ------------------------------------------------------------- */

/* Whether FAULT_STALL prevents submissions at `now`; *until is the end of the stall. */
static bool is_stalled(const struct block_schedule *s, int64_t now, int64_t *until)
{
	if (s->mutant.kind != FAULT_STALL || now < 0)
		return false;
	int64_t begun = now - now % s->mutant.every_ns;
	*until = begun + s->mutant.ns;
	return now < *until;
}

/* --- all modes ----------------------------------------------------------- */

uint32_t schedule_take(struct block_schedule *s, int64_t now, uint32_t room, uint32_t *taken)
{
	int64_t until;
	if (room > s->bundle_max)
		room = s->bundle_max;
	if (is_stalled(s, now, &until))
		return 0;
	uint32_t n = s->mode == MODE_DEP ? schedule_take_ready(s, now, room, taken)
					 : take_in_order(s, now, room, taken);
	s->in_flight += n;
	in_flight_publish(s);
	s->finished = s->next == s->n && !s->in_flight && !s->ready.n;
	return n;
}

int64_t schedule_wake(const struct block_schedule *s, int64_t now)
{
	int64_t at = TICKS_NEVER, until;
	if (is_stalled(s, now, &until))
		return until;
	if (s->mode == MODE_DEP && s->ready.n)
		at = (int64_t)due_heap_first(&s->ready);
	else if (s->mode == MODE_HF && s->next < s->n)
		at = paced_time(s, &s->request[s->next]);
	return at > now ? at : TICKS_NEVER;
}

void schedule_ended(struct block_schedule *s, uint32_t k)
{
	s->in_flight--;
	s->request[k].done = true;
	in_flight_publish(s);
	if (s->mode == MODE_DEP)
		schedule_ended_dependent(s, k, s->request[k].end);
	s->finished = s->next == s->n && !s->in_flight && !s->ready.n;
}
