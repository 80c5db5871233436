/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the decisions of the components: from two P-values to a decision, and its wording.
 * Private to the analysis. */
#ifndef VALIDATE_ANALYSIS_DECIDE_H
#define VALIDATE_ANALYSIS_DECIDE_H

#include "validate/analysis/analysis_private.h"

#define REASON_ADD(c, ...) phrase_add((c)->reason, sizeof(c)->reason, __VA_ARGS__)
#define REASON(c, ...) ((c)->reason[0] = 0, REASON_ADD(c, __VA_ARGS__))

/* True if the planned looks leave no error for this look. The component is then undecided, with a
 * reason. */
bool decide_is_early(struct component *c, const struct levels *levels);

/* Decides from two one-sided P-values, and stores that of rejecting. */
void decide(struct component *c, double p_accept, double p_reject, const struct levels *levels);

/* Sets inconclusive or not applicable, because a number is missing. */
void decide_nothing(struct component *c, enum stat_status s);

/* Shows the estimate without judging it. Its status may be STAT_NOT_APPLICABLE or another one. */
void decide_shown(struct component *c, struct estimate estimate, const char *what, double factor,
		  const char *unit);

/* P-values of a mean against -limit..limit (`two_sided`, which doubles P of rejecting) or against
 * an upper limit. `lo` and `hi` are in the scale of the mean. `wide` accepts, `t` rejects
 * (analysis_private.h); accept_alone is P of accepting by t. Without scatter (se 0) all n runs are
 * equal: inside is accepted, outside has the P of n equal signs. `span` corrects P of rejecting
 * (struct levels). */
struct mean_p {
	double accept, reject, accept_alone;
};
struct mean_p decide_mean_p(const struct t_estimate *t, const struct t_estimate *wide, size_t n,
			    double lo, double hi, bool two_sided, double span);

/* Undecided, and the runs are worth so few independent ones that the interval of their mean is
 * arbitrarily wide. Reports omit such an interval. */
bool decide_is_hardly_one(const struct component *c, const struct serial *s);

/* Call after decide(). Stores how many independent runs the n runs are worth, and whether they
 * would be accepted as independent (P-value p_alone). Appends both to the reason. */
void decide_dependence(struct component *c, const struct serial *s, size_t n, double p_alone,
		       const struct levels *levels);

/* Position relative to the limit: "within", "beyond", "not clear of". */
const char *decide_position(const struct component *c);

/* Digits that distinguish the confidence 1 - error from 1: 90, 95, 93.3, 99.9991 %. */
int confidence_digits(double error);

/* A ratio in percent with three digits, without exponent below 10^7: "12.3", "3020"; shown_change()
 * with a sign: "+12.3". */
struct shown_number {
	char text[40];
};
struct shown_number shown_percent(double ratio);
struct shown_number shown_change(double ratio);
struct shown_number shown_time(double ns); /* with four digits: "55.71 ms" */

#endif
