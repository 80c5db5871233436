/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Response times by kind of request. Reads and writes of a program differ, and the bias of one kind
 * may be hidden by another kind. */
#pragma once

#include "validate/evidence/cell.h"

/* One kind of request in a case; 95 % intervals (analysis/measures.h). */
struct operation_result {
	size_t cell;
	char op[16];
	double n_requests;	  /* per run, mean over the replays */
	/* Share of this kind in the sum of the program's response times, mean over its runs. */
	double share;
	struct estimate program, replay; /* mean response time, ns */
	struct estimate bias, uncertainty;
};

/* Sets a->operation: for each case, every kind that all of its runs have, in descending order of
 * share. Cases with a single kind are left out. Ownership: operations_release(). */
void operations_compute(struct analysis *a);
void operations_release(struct analysis *a);
