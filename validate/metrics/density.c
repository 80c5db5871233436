/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/density.h"

/* --- buffer occupancy ---------------------------------------------------- */

void occupancy_release(struct occupancy *o)
{
	free(o->held);
	memset(o, 0, sizeof *o);
}

static bool is_held(const struct occupancy *o, uint64_t s)
{
	uint64_t at = s & (o->cap - 1);
	return s - o->expected < o->cap && o->held[at / 64] >> (at % 64) & 1;
}

static void bit_flip(struct occupancy *o, uint64_t s)
{
	uint64_t at = s & (o->cap - 1);
	o->held[at / 64] ^= UINT64_C(1) << (at % 64);
}

static void ring_reserve(struct occupancy *o, uint64_t s)
{
	uint64_t cap = o->cap ? o->cap : 64;
	while (s - o->expected >= cap)
		cap *= 2;
	if (cap == o->cap)
		return;
	struct occupancy grown = {
	    .expected = o->expected, .cap = cap, .held = xcalloc(cap / 64, sizeof *o->held)};
	for (uint64_t i = 0; i < o->cap; i++)
		if (is_held(o, o->expected + i))
			bit_flip(&grown, o->expected + i);
	free(o->held);
	o->held = grown.held;
	o->cap = cap;
}

/* Releases the held numbers, starting at the expected number. `also` counts as held. */
static void give_away(struct occupancy *o, uint64_t also)
{
	while (o->expected == also || (o->n_held && is_held(o, o->expected))) {
		if (o->expected != also) {
			bit_flip(o, o->expected);
			o->n_held--;
		}
		o->expected++;
	}
}

bool occupancy_add(struct occupancy *o, uint64_t s, uint64_t bt, uint64_t *b)
{
	if (s < o->expected || (o->n_held && is_held(o, s)))
		return false;
	if (s == o->expected) {
		give_away(o, s);
	} else if (o->n_held < bt) {
		ring_reserve(o, s);
		bit_flip(o, s);
		o->n_held++;
	} else { /* the expected number counts as lost */
		do
			o->expected++;
		while (o->expected != s && !(o->n_held && is_held(o, o->expected)));
		give_away(o, s);
	}
	*b = o->n_held;
	return true;
}

/* --- displacement with a threshold --------------------------------------- */

/* Names are those of the RFC: S is the arrival that is being processed, RI the next receive index.
 * A number is available as an index from its arrival in the window until the index has passed it,
 * in the RFC's "window or buffer". */
struct stay_back {
	uint64_t dt, index, n_lost;
	uint64_t *window; /* [dt + 1] ring of unprocessed arrivals */
	size_t from, n;
	uint64_t *slot; /* [n_slots] the available numbers plus 1, by hash; 0 is free */
	size_t n_slots;
};

struct stay_back *stay_back_open(uint64_t dt)
{
	struct stay_back *b = xcalloc(1, sizeof *b);
	b->dt = dt;
	b->index = 1;
	b->window = xcalloc(dt + 1, sizeof *b->window);
	for (b->n_slots = 16; b->n_slots < 4 * (dt + 1); b->n_slots *= 2)
		;
	b->slot = xcalloc(b->n_slots, sizeof *b->slot);
	return b;
}

void stay_back_close(struct stay_back *b)
{
	if (!b)
		return;
	FREE_EACH(b->window, b->slot, b);
}

static size_t home_slot(const struct stay_back *b, uint64_t s)
{
	return (size_t)((s * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (b->n_slots - 1);
}

/* Returns the slot of a number, or the free slot where it belongs. */
static size_t slot_of(const struct stay_back *b, uint64_t s)
{
	size_t i = home_slot(b, s);
	while (b->slot[i] && b->slot[i] != s + 1)
		i = (i + 1) & (b->n_slots - 1);
	return i;
}

/* Removes a slot and closes the gap: following entries move as close as possible to their home
 * slots. */
static void slot_remove(struct stay_back *b, uint64_t s)
{
	size_t mask = b->n_slots - 1, hole = slot_of(b, s);
	if (!b->slot[hole])
		return;
	for (size_t i = (hole + 1) & mask; b->slot[i]; i = (i + 1) & mask) {
		if (((i - home_slot(b, b->slot[i] - 1)) & mask) < ((i - hole) & mask))
			continue;
		b->slot[hole] = b->slot[i];
		hole = i;
	}
	b->slot[hole] = 0;
}

/* Moves the index to the smallest available number that is not below it. Returns false if there is
 * none. */
static bool next_index(struct stay_back *b)
{
	uint64_t least = UINT64_MAX;
	if (b->slot[slot_of(b, b->index)])
		return true;
	for (size_t i = 0; i < b->n_slots; i++)
		if (b->slot[i] > b->index && b->slot[i] < least)
			least = b->slot[i];
	if (least == UINT64_MAX)
		return false;
	b->index = least - 1;
	return true;
}

/* Processes the earliest arrival of the window. */
static void arrival_process(struct stay_back *b, stay_back_take *take, void *context)
{
	uint64_t s = b->window[b->from];
	bool found = next_index(b);
	uint64_t distance = b->index > s ? b->index - s : s - b->index;
	b->from = b->from == b->dt ? 0 : b->from + 1;
	b->n--;
	if (!found || distance > b->dt) {
		slot_remove(b, s); /* the number is too small for all later indices */
		b->n_lost++;
		return;
	}
	take(context, (int64_t)(b->index - s));
	slot_remove(b, b->index++);
}

void stay_back_add(struct stay_back *b, uint64_t s, stay_back_take *take, void *context)
{
	if (b->n == b->dt + 1)
		arrival_process(b, take, context);
	size_t end = b->from + b->n++;
	b->window[end > b->dt ? end - b->dt - 1 : end] = s;
	if (s >= b->index)
		b->slot[slot_of(b, s)] = s + 1;
}

uint64_t stay_back_finish(struct stay_back *b, stay_back_take *take, void *context)
{
	while (b->n)
		arrival_process(b, take, context);
	return b->n_lost;
}
