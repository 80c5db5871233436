/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the components' decisions share: from P-values in either direction to a decision, and the
 * words for it. Private to the analysis. */
#ifndef VALIDATE_ANALYSIS_DECIDE_H
#define VALIDATE_ANALYSIS_DECIDE_H

#include "validate/analysis/analysis_private.h"

#define REASON_ADD(c, ...) phrase_add((c)->reason, sizeof(c)->reason, __VA_ARGS__)
#define REASON(c, ...) ((c)->reason[0] = 0, REASON_ADD(c, __VA_ARGS__))

/* True where the planned looks leave no error for this one: the component is undecided then, and
 * says so. */
bool decide_is_early(struct component *c, const struct levels *levels);

/* What two one-sided P-values say; the one of rejecting is kept. */
void decide(struct component *c, double p_accept, double p_reject, const struct levels *levels);

/* Inconclusive, or not applicable, for want of a number. */
void decide_nothing(struct component *c, enum stat_status s);

/* A status that is STAT_NOT_APPLICABLE or another one: shown, not judged. */
void decide_shown(struct component *c, struct estimate estimate, const char *what, double factor,
		  const char *unit);

/* A mean against -+limit (`two_sided`, where P is doubled for rejecting) or against an upper limit;
 * `lo` and `hi` in the scale of the mean. `wide` accepts, `t` rejects (analysis_private.h);
 * accept_alone is P of accepting by t. Without scatter (se 0) all n runs are alike: inside is
 * accepted, outside has the P of n signs that agree. `span`: of the looks (struct levels), corrects
 * the P-value of rejecting. */
struct mean_p {
	double accept, reject, accept_alone;
};
struct mean_p decide_mean_p(const struct t_estimate *t, const struct t_estimate *wide, size_t n,
			    double lo, double hi, bool two_sided, double span);

/* Neither accepted nor rejected, and the runs are taken for so few that an interval of their mean
 * is as wide as it likes: no reader is told of it. */
bool decide_is_hardly_one(const struct component *c, const struct serial *s);

/* After decide(): keeps what the n runs are taken for and whether they would be accepted if they
 * were independent (P-value p_alone), and appends it to the reason. */
void decide_dependence(struct component *c, const struct serial *s, size_t n, double p_alone,
		       const struct levels *levels);

/* "within", "beyond", "not clear of" the limit. */
const char *decide_position(const struct component *c);

/* Digits with which the confidence 1 - error is told from 1: 90, 95, 93.3, 99.9991 %. */
int confidence_digits(double error);

/* A ratio as a percentage with three digits and no exponent before 10^7: "12.3", "3020"; with its
 * sign: "+12.3". */
struct shown {
	char text[40];
};
struct shown shown_percent(double ratio);
struct shown shown_change(double ratio);
struct shown shown_time(double ns); /* with four digits: "55.71 ms" */

#endif
