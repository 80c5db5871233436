/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests that failed, by error number and operation. */
#pragma once

#include "common/std.h"

/* at most half of the slots are used; further pairs are counted in n_not_followed */
#define ERRORS_SLOTS 8192u

struct error_count {
	/* error 0: the request failed for an unknown reason */
	uint16_t error, op;
	uint64_t n;	    /* 0: free slot */
};

struct errors {
	struct error_count *slot; /* [ERRORS_SLOTS] */
	size_t n_pairs;
	uint64_t n, n_not_followed;
};

void errors_init(struct errors *e);
void errors_release(struct errors *e);
/* Counts a failed request. Further pairs of error and operation, beyond half of the slots, are
 * counted only in n_not_followed. */
void errors_add(struct errors *e, uint16_t error, uint16_t op);

/* Sorts the pairs by error: errors by descending total (then number), and within an error by
 * descending count (then operation). Returns the number of pairs; the caller frees *sorted. */
size_t errors_sorted(const struct errors *e, struct error_count **sorted);
