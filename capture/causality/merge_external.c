/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the time in which a node waits for something that is not a node: a process for whose end
 * it waits, a server, or the MPI library. A node waits for other nodes at most until the last
 * signal for its waits was sent in the base run. */
#include "capture/causality/merge_private.h"

static bool is_timed(const struct trace_record *r)
{
	return r->begin_ns != TIME_NONE && r->end_ns != TIME_NONE &&
	       r->offset <= (uint64_t)TRACE_TIME_MAX;
}

int64_t merge_elapsed(const struct trace_record *r)
{
	const int64_t ns = is_timed(r) ? r->end_ns - r->begin_ns - (int64_t)r->offset : 0;
	return ns > 0 ? ns : 0;
}

int64_t merge_unexplained(const struct trace_record *r, const struct causality_links *l,
			  const size_t *wait, size_t n, const int64_t *sent_ns, bool polled)
{
	if (!is_timed(r))
		return 0;
	int64_t left_ns = (int64_t)r->offset;
	for (size_t i = 0; i < n; i++) {
		const double part =
		    polled ? 0 : (double)l->link[wait[i]].computed_ppm / COMPUTED_ALL;
		const int64_t from_ns = r->begin_ns + llrint((double)merge_elapsed(r) * part);
		const int64_t waited_ns = sent_ns[wait[i]] - from_ns,
			      after_ns = (int64_t)r->offset - (waited_ns > 0 ? waited_ns : 0);
		left_ns = after_ns < left_ns ? after_ns : left_ns;
	}
	return left_ns > 0 ? left_ns : 0;
}
