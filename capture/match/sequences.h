/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers keys (of threads, objects, ...) in the order of their first use, and counts the requests
 * of each. About 40 bytes per key. */
#pragma once

#include "common/u64_map.h"

struct sequence {
	uint64_t key;
	uint32_t n_requests; /* number so far, modulo 2^32 */
};

struct sequences { /* an all-zero struct is empty */
	struct u64_map number; /* of a key */
	struct sequence *of; /* of[n], by number */
	uint32_t n, cap;
};

static inline void sequences_release(struct sequences *s)
{
	u64_map_release(&s->number);
	free(s->of);
	*s = (struct sequences){.of = NULL};
}

/* Returns the number of the key's sequence. *k: index of its next request. */
static inline uint32_t sequences_place(struct sequences *s, uint64_t key, uint32_t *k)
{
	const uint32_t number = *u64_map_at(&s->number, key, s->n);
	if (number == s->n) {
		GROW(s->of, s->n, s->cap);
		s->of[s->n++] = (struct sequence){.key = key};
	}
	*k = s->of[number].n_requests++;
	return number;
}
