/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which sequence a request belongs to (its thread's, its object's) and which place it has there:
 * keys become small numbers in the order of their first use, and each counts its requests. 32 bytes
 * and less for every distinct key. */
#ifndef CAPTURE_MATCH_SEQUENCES_H
#define CAPTURE_MATCH_SEQUENCES_H

#include <stddef.h>
#include <stdint.h>

struct sequence_slot {
	uint64_t key;
	uint32_t id, n; /* n: requests so far, modulo 2^32; id UINT32_MAX: the slot is free */
};

struct sequences {
	struct sequence_slot *slot; /* [1 << bits], at most half full */
	unsigned int bits;
	uint32_t n;
};

void sequences_init(struct sequences *s);
void sequences_release(struct sequences *s);
void sequences_grow(struct sequences *s);

/* The number of the key's sequence; its next place goes to *k. */
static inline uint32_t sequences_place(struct sequences *s, uint64_t key, uint32_t *k)
{
	size_t mask = ((size_t)1 << s->bits) - 1;
	size_t i = (key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - s->bits);
	while (s->slot[i].id != UINT32_MAX && s->slot[i].key != key)
		i = (i + 1) & mask;
	if (__builtin_expect(s->slot[i].id == UINT32_MAX, 0)) {
		if (2 * (size_t)s->n >= mask) {
			sequences_grow(s);
			return sequences_place(s, key, k);
		}
		s->slot[i] = (struct sequence_slot){.key = key, .id = s->n++};
	}
	*k = s->slot[i].n++;
	return s->slot[i].id;
}

#endif
