/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/unseen.h"

#include "capture/op.h"

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

void async_counts_add(struct async_counts *a, const struct trace_record *r)
{
	const bool ended = r->end_ns != TIME_NONE;
	/* a result of 0 with a length: the trace may not contain results */
	const bool hands_over = r->rvalue > 0 || (r->rvalue == 0 && r->length > 0);
	a->has_ends |= ended;
	if (r->op >= OP_AIO_READ && r->op <= OP_AIO_OTHER) {
		a->n_requests++;
		a->n_without_end += !ended && r->op != OP_AIO_OTHER;
	} else if (r->op == OP_IO_SUBMIT && hands_over) {
		a->n_calls++;
		a->n_handed_over += r->rvalue > 0 ? (uint64_t)r->rvalue : r->length;
	} else if (r->op == OP_IO_URING_ENTER && hands_over && !(r->flags & LOG_BY_LIBURING)) {
		a->n_calls++;
	}
}

uint64_t async_calls_unshown(const struct async_counts *a)
{
	return a->n_requests ? 0 : a->n_calls;
}

uint64_t async_requests_missing(const struct async_counts *a)
{
	return a->n_requests && a->n_handed_over > a->n_requests
		   ? a->n_handed_over - a->n_requests
		   : 0;
}

uint64_t async_results_missing(const struct async_counts *a)
{
	return a->has_ends ? a->n_without_end : 0;
}
