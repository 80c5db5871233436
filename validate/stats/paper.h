/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The method of the metrology paper: bias of each experiment, RMS bias and three ways of
 * combining uncertainties.
 *
 * b_i = 100 (x_i - r_i)/r_i; RMS^2 = sum b_i^2/n = mean(b)^2 + (n-1)/n s_b^2; u(bias)^2 = B^2 +
 * u(C_ref)^2; u_c^2 = u(R_w)^2 + u(bias)^2; U = k u_c, k = 2 or 3. All terms are in %:
 *
 *            B                         u(R_w)           u(C_ref)
 *   paper    RMS                       100 s_x/mean_x   100 s_r/mean_r
 *   papertab |relative bias of means|  100 s_x/mean_x   100 s_r/mean_r
 *   strict   RMS                       100 s_x/mean_r   100 s_r/(mean_r sqrt m)
 *
 * paper is the method in the paper's text, papertab fits its printed tables, strict uses a single
 * denominator and the uncertainty of a mean. They are only for comparison: RMS already contains the
 * scatter of x and r, so they overstate u_c of an unbiased replayer by a factor of 1.5 to 2. This
 * program's own uncertainty is the budget (budget.h). Source: metrology paper, section III; tables
 * II to V for papertab. */
#pragma once

#include "validate/stats/status.h"

struct paper_bias {
	size_t n;
	bool paired; /* false: n != m, and every x_i was compared with the mean reference */
	double mean_pct, rms_pct;
	double relative_of_means_pct;	/* 100 (mean_x - mean_r)/mean_r, with its sign */
	enum stat_status spread_status; /* of the next two */
	double sd_pct;
	double rms_identity_pct; /* right-hand side of the identity */
};

/* Checks whether b_i is defined. Errors: STAT_NOT_PAIRED, STAT_NEGATIVE_REFERENCE,
 * STAT_ZERO_REFERENCE, STAT_NOT_FINITE, STAT_TOO_FEW. */
enum stat_status paper_bias_check(const double *ref, size_t m, const double *rep,
				  size_t n) STAT_MUST_CHECK;

/* Computes b_i in %, with i from 0. Errors: those of paper_bias_check. */
enum stat_status paper_bias_at(const double *ref, size_t m, const double *rep, size_t n, size_t i,
			       double *pct) STAT_MUST_CHECK;

/* Computes the bias. If n != m, compares with the mean reference. Errors: those of the references,
 * STAT_TOO_FEW. */
enum stat_status paper_bias(const double *ref, size_t m, const double *rep, size_t n,
			    struct paper_bias *b) STAT_MUST_CHECK;

enum paper_mode { PAPER_TEXT, PAPER_TABLES, PAPER_STRICT, PAPER_MODE_N };
extern const char *const paper_mode_names[]; /* "paper", "papertab", "strict", NULL */

/* In percent of the reference, as in the paper. The paper's interval is mean_x (1 -+ U/100). */
struct paper_uncertainty {
	/* return value of the function; the following members are set only for STAT_OK */
	enum stat_status status;
	double rms_bias_pct;	 /* the B of the mode */
	double u_cref_pct, u_bias_pct, u_rw_pct, u_c_pct;
	double U2_pct, U3_pct; /* U with k = 2 and 3 */
};

/* Combines the uncertainties. Errors: those of paper_bias, and STAT_TOO_FEW for n < 2 or m < 2. */
enum stat_status paper_uncertainty(const double *ref, size_t m, const double *rep, size_t n,
	enum paper_mode mode, struct paper_uncertainty *u) STAT_MUST_CHECK;

/* Computes |mean b|/sqrt(RMS^2 + (100 s_r/mean_r)^2). It is at most 1 by construction, so the
 * paper's significance rule never rejects; it is printed to show this. */
enum stat_status paper_significance(const double *ref, size_t m, const double *rep, size_t n,
				    double *ratio) STAT_MUST_CHECK;

/* Standard uncertainty of the estimated bias, not that of a single run. */
struct bias_estimate {
	double bias_pct; /* relative bias of means */
	double u_pct;	 /* (100/mean_r) sqrt(s_x^2/n + (mean_x/mean_r)^2 s_r^2/m), > 0 */
	double nu;	 /* by Welch-Satterthwaite on its two terms */
	double ratio;	 /* |bias|/u */
	double p;	 /* 2 P(t(nu) >= ratio) */
};

/* Estimates the bias from independent samples (first-order propagation). Errors: those of the
 * references, STAT_TOO_FEW, STAT_ZERO_VARIANCE. */
enum stat_status bias_independent(const double *ref, size_t m, const double *rep, size_t n,
				  struct bias_estimate *b) STAT_MUST_CHECK;

/* Pairs: s_b/sqrt(n), %. */
enum stat_status bias_paired_u_pct(const double *ref, size_t m, const double *rep, size_t n,
				   double *u_pct) STAT_MUST_CHECK;
