/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/access.h"

#include <stdlib.h>

#include "common/xalloc.h"

const char *const access_pattern_names[ACCESS_N + 1] = {"first", "sequential", "repeated", "strided",
							"near",  "random",     NULL};

void access_init(struct access *a)
{
	*a = (struct access){.n_slots = 64};
	a->slot = xcalloc(a->n_slots, sizeof *a->slot);
}

void access_release(struct access *a)
{
	free(a->slot);
	a->slot = NULL;
	a->last = NULL;
}

static struct access_sequence *slot_of(const struct access *a, uint64_t high, uint32_t low)
{
	uint64_t hash = (high ^ (uint64_t)low << 19) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (hash ^ hash >> 32) & (a->n_slots - 1);
	while (a->slot[i].used && (a->slot[i].high != high || a->slot[i].low != low))
		i = (i + 1) & (a->n_slots - 1);
	return &a->slot[i];
}

static void grow(struct access *a)
{
	struct access_sequence *old = a->slot;
	size_t n_old = a->n_slots;
	a->n_slots *= 2;
	a->slot = xcalloc(a->n_slots, sizeof *a->slot);
	for (size_t i = 0; i < n_old; i++)
		if (old[i].used)
			*slot_of(a, old[i].high, old[i].low) = old[i];
	free(old);
	a->last = NULL;
}

struct access_sequence *access_find(struct access *a, uint64_t high, uint32_t low)
{
	struct access_sequence *s = slot_of(a, high, low);
	if (s->used)
		return s;
	if (a->n_sequences == ACCESS_SEQUENCES_MAX)
		return NULL;
	if (2 * a->n_sequences >= a->n_slots) {
		grow(a);
		s = slot_of(a, high, low);
	}
	a->n_sequences++;
	*s = (struct access_sequence){high, low, true, ACCESS_PLACE_INIT};
	return s;
}

void access_forget(struct access *a, uint64_t high, uint32_t low)
{
	struct access_sequence *s = slot_of(a, high, low);
	if (s->used)
		s->place = ACCESS_PLACE_INIT;
}

uint64_t access_total(const struct access_counts *c, enum access_pattern pattern)
{
	return c->n[0][pattern] + c->n[1][pattern];
}

uint64_t access_all(const struct access_counts *c)
{
	uint64_t n = 0;
	for (int p = 0; p < ACCESS_N; p++)
		n += access_total(c, (enum access_pattern)p);
	return n;
}
