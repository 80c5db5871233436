/* SPDX-License-Identifier: GPL-3.0-or-later */
/* splitmix64 (Steele, Lea, Flood 2014; constants by Vigna): mixes the bits of a number, and makes a
 * sequence of random numbers. Without a salt, it does not protect a table against keys chosen by an
 * attacker. */
#pragma once

#include "common/std.h"

#define SPLITMIX_STEP UINT64_C(0x9e3779b97f4a7c15) /* odd: 2^64 by the golden ratio */

/* The finaliser: a permutation of the 64-bit numbers that maps 0 to 0. */
static inline uint64_t splitmix_mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* Advances *state and returns the next number of the sequence. */
static inline uint64_t splitmix_next(uint64_t *state)
{
	return splitmix_mix(*state += SPLITMIX_STEP);
}
