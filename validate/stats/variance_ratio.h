/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The paper's precision test: F_r = s_x^2/s_r^2 of independent replays x and references r.
 *
 * "The replay is less precise" is one-sided, F_r > F_{1-alpha}(n-1, m-1). A ratio that is not
 * significant does not show equal precision, so the test is never used to accept; the verdict uses
 * confidence limits (pitman_morgan.h). Source: Snedecor and Cochran, Statistical methods; metrology
 * paper, section III. */
#pragma once

#include "validate/stats/status.h"

struct variance_ratio {
	double f;
	double df_x, df_r;
	double p_greater;   /* P(F >= f) */
	double p_two_sided; /* 2 min(p, 1-p) */
};

/* Computes the test. Errors: STAT_TOO_FEW (n < 2 or m < 2), STAT_ZERO_VARIANCE (s_r = 0),
 * STAT_NOT_FINITE. */
enum stat_status variance_ratio(const double *ref, size_t m, const double *rep, size_t n,
				struct variance_ratio *out) STAT_MUST_CHECK;

/* Computes the two-sided confidence interval of sigma_x^2/sigma_r^2: f over the F quantiles at
 * (1+conf)/2 and (1-conf)/2. */
enum stat_status variance_ratio_interval(const struct variance_ratio *v, double conf, double *lo,
					 double *hi) STAT_MUST_CHECK;

/* Computes the critical value: one-sided F_{1-alpha}, two-sided F_{1-alpha/2}; 3.17889 and 4.02599
 * for (9, 9) at 0.05. */
enum stat_status variance_ratio_critical(double alpha, bool two_sided, double df1, double df2,
					 double *f) STAT_MUST_CHECK;
