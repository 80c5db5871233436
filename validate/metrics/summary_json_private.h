/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the plain members of a summary, used for reading and writing JSON. Private to
 * validate/metrics/summary_{json,check}*.c. */
#ifndef VALIDATE_SUMMARY_JSON_PRIVATE_H
#define VALIDATE_SUMMARY_JSON_PRIVATE_H

#include "validate/metrics/summary.h"

#define SUMMARY_VERSION 1

enum member_type {
	COUNT,    /* uint64_t up to 2^63-1 */
	DURATION, /* int64_t, not negative */
	REAL,     /* double, finite */
	POSITIVE, /* double, finite, not negative */
	RATIO,    /* double, 0 to 1 */
};

struct json_member {
	const char *name;
	enum member_type type;
	size_t offset;
};

extern const struct json_member summary_moments_members[], summary_reorder_members[],
    summary_plain_members[], summary_input_members[], summary_passed_members[],
    summary_untold_members[], summary_reordered_members[], summary_issue_members[],
    summary_held_members[], summary_tail_members[], summary_slices_members[],
    summary_correction_members[], summary_cut_members[], summary_unseen_members[],
    summary_unseen_requests_members[], summary_causality_members[], summary_node_members[];

/* Rejects a summary that no trace can give: sums that do not add up, quantiles outside the
 * extremes, more failures than requests. `brief`: without the histogram. Errors: EINVAL with the
 * member's name. */
int summary_check(const struct run_summary *s, bool brief, struct err *e);

#endif
