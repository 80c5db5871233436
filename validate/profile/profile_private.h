/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two halves of a profile, which two threads can compute in parallel. Private to
 * validate/profile/. */
#pragma once

#include "validate/metrics/arrivals.h"
#include "validate/profile/profile.h"

/* Adds facts about single requests: tally, sizes, errors, rates. */
void profile_add_single(struct profile *p, const struct trace_record *r, size_t n);
/* Adds facts relative to earlier requests: objects, sequences, positions. */
void profile_add_related(struct profile *p, const struct trace_record *r, size_t n, bool block);

/* Facts in the order of starts: levels of concurrency, gaps. */
struct profile_order {
	struct profile *p;
	struct arrivals arrivals;
	int64_t last_begin_ns;
	uint64_t n;
};
/* Initialises the sort, and resets the results of an earlier attempt. Errors: ENOMEM. Ownership:
 * profile_order_release(). */
int profile_order_init(struct profile_order *o, struct profile *p, enum arrivals_mode mode,
		       struct err *e);
void profile_order_release(struct profile_order *o);
int profile_order_add(struct profile_order *o, const struct trace_record *r, size_t n,
		      struct err *e);
/* Ends the input. late: requests were out of order, and ARRIVALS_RUNS is needed. */
int profile_order_finish(struct profile_order *o, bool *late, struct err *e);
