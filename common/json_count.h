/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unsigned 64-bit counts and seeds in JSON. jansson's own integers are signed. */
#pragma once

#include <jansson.h>

#include "common/std.h"

/* A count above 2^63 - 1 becomes a string of digits. */
static inline json_t *json_of_count(uint64_t n)
{
	char text[24];
	if (n <= INT64_MAX)
		return json_integer((json_int_t)n);
	snprintf(text, sizeof text, "%" PRIu64, n);
	return json_string(text);
}

/* A number, or NULL for 0, which json_pack() omits with "o*". */
static inline json_t *json_of_some(uint64_t n)
{
	return n ? json_integer((json_int_t)n) : NULL;
}
