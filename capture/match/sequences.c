/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/match/sequences.h"

static void allocate(struct sequences *s, unsigned int bits)
{
	s->bits = bits;
	s->slot = xreallocarray(NULL, (size_t)1 << bits, sizeof *s->slot);
	for (size_t i = 0; i < (size_t)1 << bits; i++)
		s->slot[i].id = UINT32_MAX;
}

void sequences_init(struct sequences *s)
{
	memset(s, 0, sizeof *s);
	allocate(s, 6);
}

void sequences_release(struct sequences *s)
{
	free(s->slot);
	memset(s, 0, sizeof *s);
}

void sequences_grow(struct sequences *s)
{
	SCOPED_FREE struct sequence_slot *old = s->slot;
	size_t n_old = (size_t)1 << s->bits;
	allocate(s, s->bits + 1);
	size_t mask = 2 * n_old - 1;
	for (size_t j = 0; j < n_old; j++) {
		if (old[j].id == UINT32_MAX)
			continue;
		size_t i = (old[j].key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - s->bits);
		while (s->slot[i].id != UINT32_MAX)
			i = (i + 1) & mask;
		s->slot[i] = old[j];
	}
}
