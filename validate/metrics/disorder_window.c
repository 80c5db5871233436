/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/disorder_window.h"

#include "common/sort.h"
#include "validate/metrics/spill.h"

#define SHIFT(level) (6u * (level)) /* blocks of 64^level places */

void disorder_window_release(struct disorder_window *w)
{
	spill_unmap(w->memory, w->memory_bytes);
	FREE_EACH(w->standing, w->tail);
	memset(w, 0, sizeof *w);
}

void disorder_window_open(struct disorder_window *w, uint64_t n)
{
	w->open = true;
	w->first = w->next = w->n_opened = n;
	w->n_standing = w->n_tails = 0;
	w->n_settled = 0;
	/* the first block may also contain earlier places, whose sums are invalid: start at zero */
	for (unsigned int l = 1; l < w->n_levels; l++) {
		size_t b = (n >> SHIFT(l)) & (w->level[l].n_blocks - 1);
		w->level[l].bytes[b] = 0;
		w->level[l].count[b] = 0;
	}
}

/* --- the ring ------------------------------------------------------------ */

static size_t place_index(const struct disorder_window *w, uint64_t place)
{
	return (size_t)(place & (w->cap - 1));
}

static bool is_received(const struct disorder_window *w, uint64_t place)
{
	return w->received[place_index(w, place) / 64] >> (place % 64) & 1;
}

static void ring_lay_out(struct disorder_window *w, size_t cap, char *memory)
{
	w->cap = cap;
	w->memory = memory;
	w->payload = (uint64_t *)memory;
	w->time = (int64_t *)(memory += cap * sizeof *w->payload);
	w->received = (uint64_t *)(memory += cap * sizeof *w->time);
	w->level[0] = (struct window_level){w->payload, NULL, cap};
	memory += cap / 64 * sizeof *w->received;
	w->n_levels = 1;
	const unsigned int n_levels = w->counts_only ? 1 : WINDOW_MAX_LEVELS;
	for (unsigned int l = 1; l < n_levels && cap >> SHIFT(l) >= 8; l++, w->n_levels++) {
		w->level[l] = (struct window_level){(uint64_t *)memory, NULL, cap >> SHIFT(l)};
		memory += w->level[l].n_blocks * sizeof *w->level[l].bytes;
	}
	for (unsigned int l = 1; l < w->n_levels; l++) {
		w->level[l].count = (uint32_t *)memory;
		memory += w->level[l].n_blocks * sizeof *w->level[l].count;
	}
	w->position = (uint32_t *)memory;
}

/* places enter in turn at `next`, so a new block is empty */
static void ring_enter(struct disorder_window *w, uint64_t place)
{
	size_t i = place_index(w, place);
	if (i % 64 == 0)
		w->received[i / 64] = 0;
	else
		w->received[i / 64] &= ~(UINT64_C(1) << (i % 64));
	for (unsigned int l = 1; l < w->n_levels && !(place & ((UINT64_C(1) << SHIFT(l)) - 1));
	     l++) {
		size_t b = (place >> SHIFT(l)) & (w->level[l].n_blocks - 1);
		w->level[l].bytes[b] = 0;
		w->level[l].count[b] = 0;
	}
}

static void ring_receive(struct disorder_window *w, uint64_t place, uint64_t bytes)
{
	size_t i = place_index(w, place);
	w->received[i / 64] |= UINT64_C(1) << (i % 64);
	w->payload[i] = bytes;
	for (unsigned int l = 1; l < w->n_levels; l++) {
		size_t b = (place >> SHIFT(l)) & (w->level[l].n_blocks - 1);
		w->level[l].bytes[b] += bytes;
		w->level[l].count[b]++;
	}
}

static size_t ring_bytes(size_t cap)
{
	return cap * (sizeof(int64_t) + sizeof(uint64_t) + sizeof(uint32_t)) + cap / 64 * 24 + 4096;
}

static int ring_reserve(struct disorder_window *w, uint64_t end, struct err *e)
{
	size_t cap = w->cap ? w->cap : 1024;
	/* no block of any level may contain both ends of the window */
	const size_t usable = w->cap - ((size_t)1 << SHIFT(w->n_levels > 1 ? w->n_levels - 1 : 1));
	if (w->cap && end - w->first <= usable)
		return 0;
	while (end - w->first > cap / 2)
		cap *= 2;
	struct disorder_window old = *w;
	void *memory;
	int ret = spill_map(&memory, ring_bytes(cap), e);
	if (ret)
		return ret;
	ring_lay_out(w, cap, memory);
	for (uint64_t p = w->first; p < w->next; p++) {
		size_t i = place_index(w, p), j = place_index(&old, p);
		ring_enter(w, p);
		w->time[i] = old.time[j];
		w->position[i] = old.position[j];
		if (is_received(&old, p))
			ring_receive(w, p, old.payload[j]);
	}
	spill_unmap(old.memory, old.memory_bytes);
	w->memory_bytes = ring_bytes(cap);
	return 0;
}

/* Sums blocks from..to-1 of a level. */
static void sum_blocks(const struct disorder_window *w, unsigned int l, uint64_t from, uint64_t to,
		       struct window_late *late)
{
	const struct window_level *level = &w->level[l];
	for (uint64_t b = from; b < to; b++) {
		late->bytes_larger += level->bytes[b & (level->n_blocks - 1)];
		late->n_larger += level->count[b & (level->n_blocks - 1)];
	}
}

static void sum_places(const struct disorder_window *w, uint64_t from, uint64_t to,
		       struct window_late *late)
{
	if (from >= to) /* within one word of bits */
		return;
	size_t i = place_index(w, from);
	uint64_t bits = w->received[i / 64] >> (i % 64);
	if (to - from < 64)
		bits &= (UINT64_C(1) << (to - from)) - 1;
	late->n_larger += (uint64_t)__builtin_popcountll(bits);
	for (; bits; bits &= bits - 1)
		late->bytes_larger += w->payload[i + (size_t)__builtin_ctzll(bits)];
}

/* Sums the arrivals from `from` to the end of the window: the rest of its block, then the rest of
 * each larger block, then down again to the end. */
static void sum_above(const struct disorder_window *w, uint64_t from, struct window_late *late)
{
	uint64_t end = w->next, up = (from | 63) + 1;
	late->n_larger = late->bytes_larger = 0;
	if (up >= end || w->n_levels == 1) {
		for (; from < end; from = up, up = from + 64)
			sum_places(w, from, up < end ? up : end, late);
		return;
	}
	sum_places(w, from, up, late);
	unsigned int l = 1;
	uint64_t block = up >> 6;
	for (; l + 1 < w->n_levels && ((block | 63) + 1) << SHIFT(l) <= end; l++) {
		uint64_t whole = (block + 63) & ~UINT64_C(63);
		sum_blocks(w, l, block, whole, late);
		block = whole >> 6;
	}
	for (; l; l--) {
		uint64_t last = end >> SHIFT(l);
		sum_blocks(w, l, block, last > block ? last : block, late);
		block = (last > block ? last : block) << 6;
	}
	sum_places(w, block, end, late);
}

/* --- arrivals to compare with -------------------------------------------- */

/* among the arrivals below every missing place, only the last can still be compared */
static void standing_push(struct disorder_window *w, uint64_t place, uint64_t position)
{
	if (w->n_standing == w->standing_cap) {
		size_t settled = 0;
		while (settled < w->n_standing && w->standing[settled].place < w->first)
			settled++;
		if (settled > 1) {
			w->n_standing -= settled - 1;
			memmove(w->standing, w->standing + settled - 1,
				w->n_standing * sizeof *w->standing);
		}
		if (w->n_standing >= w->standing_cap / 2) {
			w->standing_cap = w->standing_cap ? 2 * w->standing_cap : 64;
			w->standing =
			    xreallocarray(w->standing, w->standing_cap, sizeof *w->standing);
		}
	}
	w->standing[w->n_standing++] = (struct window_standing){place, position};
}

/* Updates a longest increasing subsequence by patience sorting. Tails below every missing place are
 * final, because later arrivals cannot lower them. */
static void tail_put(struct disorder_window *w, uint64_t place)
{
	size_t lo = w->n_tails && w->tail[w->n_tails - 1] < place ? w->n_tails : 0;
	BISECT(lo, w->n_tails, i, w->tail[i] < place)
	if (lo < w->n_tails) {
		w->tail[lo] = place;
		return;
	}
	if (w->n_tails == w->tail_cap) {
		size_t settled = 0;
		while (settled < w->n_tails && w->tail[settled] < w->first)
			settled++;
		w->n_settled += settled;
		w->n_tails -= settled;
		if (settled)
			memmove(w->tail, w->tail + settled, w->n_tails * sizeof *w->tail);
		if (w->n_tails >= w->tail_cap / 2) {
			w->tail_cap = w->tail_cap ? 2 * w->tail_cap : 64;
			w->tail = xreallocarray(w->tail, w->tail_cap, sizeof *w->tail);
		}
	}
	w->tail[w->n_tails++] = place;
}

/* --- arrivals ------------------------------------------------------------ */

int disorder_window_pass(struct disorder_window *w, uint64_t place, uint64_t position, int64_t time,
			 uint64_t bytes, struct err *e)
{
	int ret = ring_reserve(w, place + 1, e);
	if (ret)
		return ret;
	for (uint64_t p = w->next; p <= place; p++) {
		size_t i = place_index(w, p);
		ring_enter(w, p);
		w->time[i] = time;
		w->position[i] = (uint32_t)position;
	}
	ring_receive(w, place, bytes);
	w->next = place + 1;
	if (!w->counts_only) {
		standing_push(w, place, position);
		tail_put(w, place);
	}
	return 0;
}

/* Moves `first` to the next missing place. */
static void first_advance(struct disorder_window *w)
{
	while (w->first < w->next) {
		size_t i = place_index(w, w->first);
		uint64_t missing = ~w->received[i / 64] >> (i % 64);
		if (missing) {
			w->first += (uint64_t)__builtin_ctzll(missing);
			break;
		}
		w->first += 64 - i % 64;
	}
	w->first = w->first < w->next ? w->first : w->next;
}

bool disorder_window_fill(struct disorder_window *w, uint64_t place, uint64_t position,
			  uint64_t bytes, struct window_late *late)
{
	if (!w->open || place < w->first || place >= w->next || is_received(w, place))
		return false;
	size_t i = place_index(w, place);
	/* positions are modulo 2^32: this is the nearest earlier position */
	late->passed_position = position - (uint32_t)((uint32_t)position - w->position[i]);
	late->passed_time = w->time[i];
	if (!w->counts_only) {
		sum_above(w, place + 1, late);
		while (w->n_standing && w->standing[w->n_standing - 1].place > place)
			w->n_standing--;
		late->n_preceding = position - (w->n_standing
						    ? w->standing[w->n_standing - 1].position + 1
						    : w->n_opened);
	}
	ring_receive(w, place, bytes);
	if (place == w->first)
		first_advance(w);
	if (!w->counts_only) {
		standing_push(w, place, position);
		tail_put(w, place);
	}
	return true;
}

uint64_t disorder_window_close(struct disorder_window *w, uint64_t n)
{
	w->open = false;
	return n - w->n_opened - w->n_settled - w->n_tails;
}
