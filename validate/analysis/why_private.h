/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the split share; nothing outside includes this. */
#ifndef VALIDATE_ANALYSIS_WHY_PRIVATE_H
#define VALIDATE_ANALYSIS_WHY_PRIVATE_H

#include "validate/analysis/analysis_private.h"
#include "validate/analysis/why.h"

/* Levels and operations that fewer than this share of the requests met are too few to know their
 * mean response time. */
#define LEAST_SHARE 0.005

struct why_context {
	const struct scenario *scenario;
	double fault_ns; /* of one page fault; NaN unknown */
	int reorder_scope; /* enum reorder_scope, resolved */
	bool timed;
	/* times are a device's, which page faults and run queues of the processes before it do not
	 * reach */
	bool at_device;
};

void split_time(struct split *s, const struct pairs *p);
void split_response(struct split *s, const struct pairs *p, const struct why_context *c);
struct why_part *split_add(struct split *s, enum cause cause, const char *name, const char *how);
/* Shares of the whole, where it is significant. */
void split_shares(struct split *s);

/* --- levels -------------------------------------------------------------- */
/* Classes of requests (levels, operations) of two sides: shares of all requests and sums of
 * response times per request. */
struct classes {
	const double *share_x, *sum_x, *share_r, *sum_r;
	size_t n;
};
/* What the other shares make of the mean response time, ns. Where only one side knows a class
 * (LEAST_SHARE), the other's mean is taken from it, less the mean difference in the classes that
 * both know. `*alone`: there is none that both know. */
double classes_composition(const struct classes *c, bool *alone);

#endif
