/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random cases for property tests: reproducible, and equal on every machine. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct random { /* state != 0 */
	uint64_t state;
};

static inline uint64_t random_u64(struct random *r) /* xorshift64* */
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * UINT64_C(2685821657736338717);
}

static inline uint64_t random_below(struct random *r, uint64_t n)
{
	return (random_u64(r) >> 11) % n;
}
