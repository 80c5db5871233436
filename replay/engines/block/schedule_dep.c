/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mode dep: ready requests and their due times (schedule.h). */
#include "replay/engines/block/schedule.h"

/* --- the largest shift in a window of ranks ------------------------------ */

static void window_add(struct block_schedule *s, uint32_t rank, int64_t shift)
{
	while (s->window_n &&
	       s->window[(s->window_from + s->window_n - 1) & s->window_mask].shift <= shift)
		s->window_n--;
	s->window[(s->window_from + s->window_n++) & s->window_mask] =
	    (struct block_window){rank, shift};
}

/* Whether all parents have ended. Ranks below lo are removed from the window: no later request
 * needs them. */
static bool parents_ended(struct block_schedule *s, const struct block_parents *p)
{
	while (s->window_n && s->window[s->window_from].rank < p->lo) {
		s->window_from = (s->window_from + 1) & s->window_mask;
		s->window_n--;
	}
	for (; s->watermark < p->hi; s->watermark++) {
		int64_t shift = atomic_load_explicit(&s->shift[s->watermark], memory_order_acquire);
		if (shift == NOT_ENDED)
			return false;
		if (s->watermark >= p->lo)
			window_add(s, s->watermark, shift);
	}
	return true;
}

/* --- due times ----------------------------------------------------------- */

static int64_t coarse_time(const struct block_schedule *s, int64_t at)
{
	if (s->mutant.kind != FAULT_COARSE || at <= 0)
		return at;
	return (at + s->mutant.ns - 1) / s->mutant.ns * s->mutant.ns;
}

/* --- ready requests ------------------------------------------------------ */

void schedule_nearest_init(struct block_schedule *s, uint32_t n_ranks)
{
	uint32_t at = 0;
	s->child = xcalloc((size_t)n_ranks + 1, sizeof *s->child);
	for (uint32_t rank = 0; rank <= n_ranks; rank++) {
		while (at < s->n && s->parents[at].hi <= rank)
			at++;
		s->child[rank] = at;
	}
	s->seen = xcalloc(s->n_workers, sizeof *s->seen);
	uint32_t *ended = xcalloc((size_t)s->n + 1, sizeof *ended);
	memset(ended, 0xff, ((size_t)s->n + 1) * sizeof *ended); /* present before the start */
	s->progress[s->index].ended = ended;
	atomic_store(&s->progress[s->index].n_ended, 0);
}

static void ready_one(struct block_schedule *s, uint32_t k, int64_t shift)
{
	struct block_hot *r = &s->request[k];
	r->due = coarse_time(s, r->due + shift > 0 ? r->due + shift : 0);
	due_heap_add(&s->ready, (uint64_t)r->due, k);
	s->next++;
}

static void ready_add_nearest(struct block_schedule *s)
{
	while (s->next < s->child[0]) /* requests without parents come first */
		ready_one(s, s->next, 0);
	for (uint32_t w = 0; w < s->n_workers; w++) {
		uint32_t n = atomic_load_explicit(&s->progress[w].n_ended, memory_order_acquire);
		for (; s->seen[w] < n; s->seen[w]++) {
			uint32_t rank = s->progress[w].ended[s->seen[w]];
			int64_t shift = atomic_load_explicit(&s->shift[rank], memory_order_relaxed);
			for (uint32_t k = s->child[rank]; k < s->child[rank + 1]; k++)
				ready_one(s, k, shift);
		}
	}
}

/* Adds ready requests with --follow count: only the number of ended requests matters. */
static void ready_add_count(struct block_schedule *s)
{
	while (s->next < s->n) {
		uint32_t hi = s->parents[s->next].hi;
		int64_t shift =
		    hi ? atomic_load_explicit(&s->shift[hi - 1], memory_order_acquire) : 0;
		if (shift == NOT_ENDED)
			return;
		ready_one(s, s->next, shift);
	}
}

static void ready_add(struct block_schedule *s)
{
	if (s->follow == FOLLOW_NEAREST || s->follow == FOLLOW_COUNT) {
		(s->follow == FOLLOW_COUNT ? ready_add_count : ready_add_nearest)(s);
		return;
	}
	for (; s->next < s->n; s->next++) {
		const struct block_parents *p = &s->parents[s->next];
		struct block_hot *r = &s->request[s->next];
		if (!parents_ended(s, p))
			return;
		if (p->lo < p->hi)
			r->due += s->window[s->window_from].shift;
		r->due = coarse_time(s, r->due > 0 ? r->due : 0);
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
		/* a lost request ends at once for its dependent requests */
		if (s->request[k].fault == FAULT_LOST) {
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
	/* --follow count: the position among the ends of the replay instead of those of the
	 * trace */
	uint32_t place =
	    s->follow == FOLLOW_COUNT
		? atomic_fetch_add_explicit(&s->progress[0].n_ended, 1, memory_order_relaxed)
		: p->rank;
	atomic_store_explicit(&s->shift[place], (end > least ? end : least) - p->end,
			      memory_order_release);
	if (s->follow != FOLLOW_NEAREST)
		return;
	struct block_progress *mine = &s->progress[s->index];
	uint32_t n = atomic_load_explicit(&mine->n_ended, memory_order_relaxed);
	mine->ended[n] = p->rank;
	atomic_store_explicit(&mine->n_ended, n + 1, memory_order_release);
}
