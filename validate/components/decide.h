/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the decisions of the components: from two P-values to a decision, and its reasons. */
#pragma once

#include "validate/evidence/evidence.h"

/* Appends a reason of a component, or makes it the only reason: REASON(c, RATIO, numbers ...). */
#define REASON_ADD(c, CODE, ...)                                                                   \
	component_add_reason(c, REASON_##CODE, NULL,                                               \
			     (const double[REASON_NUMBERS + 1]){0, __VA_ARGS__})
#define REASON(c, CODE, ...) ((c)->n_reasons = 0, REASON_ADD(c, CODE, __VA_ARGS__))
/* Appends a reason. The numbers follow number[0]. `text` is borrowed. */
void component_add_reason(struct component *c, enum reason_code code, const char *text,
			  const double number[REASON_NUMBERS + 1]);

/* Returns true if the planned looks leave no error for this look. Then the component is
 * inconclusive, with a reason. */
bool decide_is_early(struct component *c, const struct levels *levels);

/* Returns the level of a rejection before Holm's correction. With a look after each group it is
 * the error over all looks, because P-values of rejecting are already corrected for the looks. */
double decide_reject_level(const struct levels *levels);

/* Decides by the P-values of accepting, which is compared with the level of this look, and of
 * rejecting, which the caller has corrected for the looks (struct levels). Stores the latter. */
void decide_component(struct component *c, double p_accept, double p_reject,
		      const struct levels *levels);

/* Sets the decision to inconclusive or not applicable, because a number is missing. */
void decide_nothing(struct component *c, enum stat_status s);

/* Shows the estimate without judging it. Its status may be STAT_NOT_APPLICABLE or another
 * status. */
void decide_shown(struct component *c);

/* Returns true if it called decide_nothing() (`s`), decide_shown() (no limit) or
 * decide_is_early(). */
bool decide_is_settled(struct component *c, enum stat_status s, const struct levels *levels);

/* P-values of a mean against -limit..limit (`two_sided`, which doubles P of rejecting) or against
 * an upper limit. `lo` and `hi` are in the scale of the mean. `wide` is used to accept, `t` to
 * reject (analysis_private.h); accept_alone is P of accepting by t. Without scatter (se 0) all n
 * runs are equal: a value inside the limits is accepted, and a value outside has the P of n equal
 * signs. `span` corrects P of rejecting (struct levels). */
struct mean_p {
	double accept, reject, accept_alone;
};
struct mean_p decide_mean_p(const struct t_estimate *t, const struct t_estimate *wide, size_t n,
			    double lo, double hi, bool two_sided, double span);

/* Whether the component is inconclusive and its runs are equivalent to so few independent runs that
 * the interval of their mean is arbitrarily wide. Reports omit such an interval. */
bool decide_is_too_dependent(const struct component *c, const struct serial *s);

/* Adds the reason why an inconclusive component is not rejected although its interval for accepting
 * lies `beyond` the limits: rejecting needs a higher confidence, and allows for all parts. */
void decide_only_interval(struct component *c, bool beyond, const struct levels *levels);

/* Stores to how many independent runs the n runs are equivalent, and whether they would be accepted
 * as independent runs (P-value p_alone). Appends both to the reasons. Call it after
 * decide_component(). */
void decide_dependence(struct component *c, const struct serial *s, size_t n, double p_alone,
		       const struct levels *levels);
