/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/unseen.h"

static uint64_t sum(const json_t *capture, const char *const counts[], size_t n_counts)
{
	uint64_t n = 0;
	for (size_t i = 0; i < n_counts; i++) {
		json_int_t v = json_integer_value(json_object_get(capture, counts[i]));
		if (v > 0 && __builtin_add_overflow(n, (uint64_t)v, &n))
			n = INT64_MAX;
	}
	return n < INT64_MAX ? n : INT64_MAX;
}

uint64_t programs_unseen(const json_t *extra)
{
	static const char *const counts[] = {"programs_unseen", "programs_own_calls",
					     "programs_own_rings"};
	return sum(json_object_get(extra, "capture"), counts, sizeof counts / sizeof *counts);
}

uint64_t requests_unseen(const json_t *extra)
{
	static const char *const counts[] = {"ring_entries", "n_rings", "n_ring_unread",
					     "n_unshown", "n_handed_over"};
	const json_t *capture = json_object_get(extra, "capture");
	const uint64_t n = sum(capture, counts, sizeof counts / sizeof *counts);
	return n + (n < INT64_MAX && json_is_true(json_object_get(capture, "interrupted")));
}

uint64_t programs_unseen_of_text(const char *extra_json)
{
	json_t *extra = extra_json ? json_loads(extra_json, 0, NULL) : NULL;
	uint64_t n = programs_unseen(extra);
	json_decref(extra);
	return n;
}
