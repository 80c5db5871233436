/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests that failed, by error number and operation. */
#ifndef VALIDATE_PROFILE_ERRORS_H
#define VALIDATE_PROFILE_ERRORS_H

#include <stddef.h>
#include <stdint.h>

/* half of them at most are used: further pairs are counted in n_not_followed */
#define ERRORS_SLOTS 8192u

struct error_count {
	uint16_t error, op; /* error 0: the call failed, and why is not known */
	uint64_t n;	    /* 0: a free slot */
};

struct errors {
	struct error_count *slot; /* [ERRORS_SLOTS] */
	size_t n_pairs;
	uint64_t n, n_not_followed;
};

void errors_init(struct errors *e);
void errors_release(struct errors *e);
void errors_add(struct errors *e, uint16_t error, uint16_t op);

/* The pairs together by error: errors by falling sum of counts (then by number), within one by
 * falling count (then by operation). Returns the number of pairs; the caller frees *sorted. */
size_t errors_sorted(const struct errors *e, struct error_count **sorted);

#endif
