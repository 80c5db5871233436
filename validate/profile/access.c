/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/access.h"

#include <stdlib.h>

#include "common/xalloc.h"

const char *const access_pattern_names[ACCESS_N + 1] = {"first", "sequential", "repeated", "strided",
							"near",  "random",     NULL};

#define SPARSE 8 /* slots for each sequence: the first one looked at is the right one, nearly always */

void access_init(struct access *a)
{
	*a = (struct access){.n_slots = 64 * SPARSE};
	a->slot = xcalloc(a->n_slots, sizeof *a->slot);
}

void access_release(struct access *a)
{
	free(a->slot);
	free(a->sequence);
	*a = (struct access){.slot = NULL};
}

/* That of the sequence, or the free one where it belongs. */
static uint32_t *slot_of(const struct access *a, uint64_t high, uint32_t low)
{
	size_t i = access_hash(high, low) & (a->n_slots - 1);
	for (; a->slot[i]; i = (i + 1) & (a->n_slots - 1)) {
		const struct access_sequence *s = &a->sequence[a->slot[i] - 1];
		if (s->high == high && s->low == low)
			break;
	}
	return &a->slot[i];
}

static void grow(struct access *a)
{
	free(a->slot);
	a->n_slots *= 2;
	a->slot = xcalloc(a->n_slots, sizeof *a->slot);
	for (uint32_t k = 0; k < a->n_sequences; k++)
		*slot_of(a, a->sequence[k].high, a->sequence[k].low) = k + 1;
}

struct access_sequence *access_find(struct access *a, uint64_t high, uint32_t low)
{
	const uint32_t *slot = slot_of(a, high, low);
	if (*slot)
		return &a->sequence[*slot - 1];
	if (a->n_sequences == ACCESS_SEQUENCES_MAX)
		return NULL;
	if (SPARSE * a->n_sequences >= a->n_slots)
		grow(a);
	GROW(a->sequence, a->n_sequences, a->cap_sequences);
	struct access_sequence *s = &a->sequence[a->n_sequences++];
	*s = (struct access_sequence){high, low, ACCESS_PLACE_INIT};
	*slot_of(a, high, low) = (uint32_t)a->n_sequences;
	return s;
}

void access_forget(struct access *a, uint64_t high, uint32_t low)
{
	const uint32_t *slot = slot_of(a, high, low);
	if (*slot)
		a->sequence[*slot - 1].place = ACCESS_PLACE_INIT;
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
