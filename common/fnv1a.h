/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FNV-1a of 64 bits (Fowler, Noll and Vo), for tables of names. Its low bits are the weaker ones.
 * Chosen names can collide: a table then becomes slow. */
#pragma once

#include "common/std.h"

#define FNV1A_START UINT64_C(0xcbf29ce484222325)

/* Adds n bytes to `hash` (FNV1A_START, or the last result). */
static inline uint64_t fnv1a(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ b[i]) * UINT64_C(0x100000001b3);
	return hash;
}
