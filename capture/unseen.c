/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/unseen.h"

uint64_t programs_unseen(const json_t *extra)
{
	static const char *const counts[] = {"programs_unseen", "programs_own_calls", "programs_own_rings"};
	const json_t *capture = json_object_get(extra, "capture");
	uint64_t n = 0;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		json_int_t v = json_integer_value(json_object_get(capture, counts[i]));
		if (v > 0 && __builtin_add_overflow(n, (uint64_t)v, &n))
			n = INT64_MAX;
	}
	return n < INT64_MAX ? n : INT64_MAX;
}

uint64_t programs_unseen_of_text(const char *extra_json)
{
	json_t *extra = extra_json ? json_loads(extra_json, 0, NULL) : NULL;
	uint64_t n = programs_unseen(extra);
	json_decref(extra);
	return n;
}
