/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mode dep: what is ready, and when it is due (schedule.h). */
#include "replay/block/schedule_private.h"

/* --- the largest shift of a window of ranks ------------------------------------------------------------------------- */

static void window_add(struct block_schedule *s, uint32_t rank, int64_t shift)
{
	while (s->window_n && s->window[(s->window_from + s->window_n - 1) & s->window_mask].shift <= shift)
		s->window_n--;
	s->window[(s->window_from + s->window_n++) & s->window_mask] = (struct block_window){rank, shift};
}

static void window_drop_below(struct block_schedule *s, uint32_t lo)
{
	while (s->window_n && s->window[s->window_from].rank < lo) {
		s->window_from = (s->window_from + 1) & s->window_mask;
		s->window_n--;
	}
}

/* Whether all of them have ended. Ranks below lo need not be remembered: no later request asks for them. */
static bool parents_ended(struct block_schedule *s, const struct block_parents *p)
{
	window_drop_below(s, p->lo);
	for (; s->watermark < p->hi; s->watermark++) {
		int64_t shift = atomic_load_explicit(&s->shift[s->watermark], memory_order_acquire);
		if (shift == NOT_ENDED)
			return false;
		if (s->watermark >= p->lo)
			window_add(s, s->watermark, shift);
	}
	return true;
}

/* --- ready, and due -------------------------------------------------------------------------------------------------- */

static int64_t coarse(const struct block_schedule *s, int64_t at)
{
	if (s->mutant.kind != FAULT_COARSE || at <= 0)
		return at;
	return (at + s->mutant.ns - 1) / s->mutant.ns * s->mutant.ns;
}

static void ready_add(struct block_schedule *s)
{
	for (; s->next < s->n; s->next++) {
		const struct block_parents *p = &s->parents[s->next];
		struct block_hot *r = &s->request[s->next];
		if (!parents_ended(s, p))
			return;
		if (p->lo < p->hi)
			r->due += s->window[s->window_from].shift;
		r->due = coarse(s, r->due > 0 ? r->due : 0);
		due_heap_add(&s->ready, (uint64_t)r->due, s->next);
	}
}

uint32_t schedule_take_ready(struct block_schedule *s, int64_t now, uint32_t room, uint32_t *taken)
{
	uint32_t n = 0;
	int64_t horizon = now;
	ready_add(s);
	while (n < room && s->ready.n) {
		int64_t at = (int64_t)due_heap_first(&s->ready);
		if (at > now && (n == 0 || at > horizon))
			break;
		if (s->in_flight + n >= s->request[0].limit)
			break;
		uint32_t k = due_heap_take(&s->ready);
		if (s->request[k].fault == FAULT_LOST) { /* what depends on it goes on as if it had taken no time */
			schedule_ended_dependent(s, k, at);
			ready_add(s);
			continue;
		}
		horizon = n == 0 ? at + s->bundle : horizon;
		taken[n++] = k;
	}
	return n;
}

void schedule_ended_dependent(struct block_schedule *s, uint32_t k, int64_t end)
{
	const struct block_parents *p = &s->parents[k];
	if (p->rank == RANK_NONE)
		return;
	int64_t least = s->request[k].fault == FAULT_LOST ? end : s->request[k].begin + p->least;
	atomic_store_explicit(&s->shift[p->rank], (end > least ? end : least) - p->end, memory_order_release);
}
