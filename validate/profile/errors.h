/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests that failed, by error number and operation. */
#pragma once

#include "common/u64_map.h"

/* largest number of pairs of error and operation; further pairs are counted in n_not_followed */
#define ERRORS_MAX 4096u

struct error_count {
	/* error 0: the request failed for an unknown reason */
	uint16_t error, op;
	uint64_t n, of_error; /* of_error: with any operation; only in errors_sorted() */
};

struct errors { /* zero-initialised means empty */
	struct error_count *pair; /* [n_pairs] */
	size_t n_pairs, cap;
	struct u64_map pair_of; /* by error and operation */
	uint64_t n, n_not_followed;
};

void errors_release(struct errors *e);
/* Counts a failed request. */
void errors_add(struct errors *e, uint16_t error, uint16_t op);

/* Sorts the pairs by error: errors by descending total (then number), and within an error by
 * descending count (then operation). Returns the number of pairs; the caller frees *sorted. */
size_t errors_sorted(const struct errors *e, struct error_count **sorted);
