/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FNV-1a with 64 bits (Fowler, Noll and Vo), for tables of names. The low bits are weaker than the
 * high bits. An attacker can choose names that collide, which makes a table slow. */
#pragma once

#include "common/std.h"

#define FNV1A_START UINT64_C(0xcbf29ce484222325)

/* Adds n bytes to `hash` (FNV1A_START, or the previous result). */
static inline uint64_t fnv1a(uint64_t hash, const void *bytes, size_t n)
{
	const unsigned char *b = bytes;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ b[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static inline uint64_t fnv1a_text(const char *text)
{
	return fnv1a(FNV1A_START, text, strlen(text));
}
