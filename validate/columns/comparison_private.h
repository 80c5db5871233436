/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a comparison. Each part adds its estimates to the list. */
#pragma once

#include "validate/columns/comparison.h"

struct comparison_part {
	const struct comparison *c;
	const struct comparison_plan *plan;
	struct estimates *out;
};

/* Each function appends the estimates of one kind of statistics to part->out. */
void compare_means(const struct comparison_part *part);
void compare_equivalence(const struct comparison_part *part);
void compare_spread(const struct comparison_part *part);
void compare_pairs(const struct comparison_part *part);
void compare_ranks(const struct comparison_part *part);
void compare_shift(const struct comparison_part *part);
void compare_quantiles(const struct comparison_part *part);
void compare_paper(const struct comparison_part *part);
void compare_budget(const struct comparison_part *part);
void compare_bootstrap(const struct comparison_part *part);

/* Set the answer and the decision on bias or precision from all values of the comparison. */
void answer_bias(struct comparison *c, const struct comparison_plan *plan);
void answer_precision(struct comparison *c, const struct comparison_plan *plan);

extern const double quantile_levels[]; /* ascending, ended by 0 */

/* Whether statistics of pairs can be computed. */
enum stat_status pairs_check(const struct comparison *c);

#define CONF_TEXT "conf=%.12g"
