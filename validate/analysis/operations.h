/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Response times of each kind of request by itself: reads and writes of a program differ, and a
 * bias of one may hide behind the other. */
#ifndef VALIDATE_ANALYSIS_OPERATIONS_H
#define VALIDATE_ANALYSIS_OPERATIONS_H

#include "validate/analysis/analysis.h"

/* of one kind of request in one case; 95 % intervals (analysis/measures.h) */
struct operation_result {
	size_t cell;
	char op[16];
	double n_requests;	  /* a run, mean over the replays */
	/* of the sum of the program's response times, mean over its runs */
	double share;
	struct estimate program, replay; /* mean response time, ns */
	struct estimate bias, uncertainty;
};

/* Fills a->operation: every kind that all runs of a case have, case after case, those that take
 * most time first. Cases with one kind only are left out: that is the case itself. Ownership:
 * operations_release. */
void operations_compute(struct analysis *a);
void operations_release(struct analysis *a);

#endif
