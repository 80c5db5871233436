/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the split; not included elsewhere. */
#pragma once

#include "validate/analysis/analysis_private.h"
#include "validate/analysis/why.h"

/* Classes with a smaller share of the requests have too few requests for a mean response time. */
#define LEAST_SHARE 0.005

struct why_context {
	const struct scenario *scenario;
	double fault_ns; /* cost of one page fault; NaN unknown */
	int reorder_scope; /* enum reorder_scope, resolved */
	bool timed;
	/* Times were taken at a device: page faults and run queues of processes do not affect
	 * them. */
	bool at_device;
};

/* Split the difference of the execution times, or of the response times, of replay and program into
 * causes. split_add() adds a part without a value. */
void split_time(struct split *s, const struct pairs *p);
void split_response(struct split *s, const struct pairs *p, const struct why_context *c);
struct why_part *split_add(struct split *s, enum cause cause, enum why_name name,
			   enum why_method how);
/* Sets the shares of the parts if the whole difference is significant. */
void split_shares(struct split *s);

/* --- levels -------------------------------------------------------------- */
/* Classes of requests (levels, operations) on both sides: shares of all requests, and sums of
 * response times per request. */
struct classes {
	const double *share_x, *sum_x, *share_r, *sum_r;
	size_t n;
};
/* Returns the effect of different shares on the mean response time, in ns. A class that only one
 * side has (LEAST_SHARE) takes that side's mean, corrected by the mean difference in the common
 * classes. `*alone`: there is no common class. */
double classes_composition(const struct classes *c, bool *alone);
