/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/status.h"

const char *stat_status_name(enum stat_status s)
{
	static const char *const names[STAT_N_STATUSES] = {
	    [STAT_OK] = "ok",
	    [STAT_TOO_FEW] = "too_few",
	    [STAT_ZERO_VARIANCE] = "zero_variance",
	    [STAT_ZERO_REFERENCE] = "zero_reference",
	    [STAT_NEGATIVE_REFERENCE] = "negative_reference",
	    [STAT_NOT_FINITE] = "not_finite",
	    [STAT_NOT_PAIRED] = "not_paired",
	    [STAT_TOO_FEW_FOR_ALPHA] = "too_few_for_alpha",
	    [STAT_NOT_APPLICABLE] = "not_applicable",
	    [STAT_UNBOUNDED] = "unbounded",
	    [STAT_OUT_OF_RANGE] = "out_of_range",
	    [STAT_NOT_CONVERGED] = "not_converged",
	    [STAT_NOT_ASSESSED] = "not_assessed",
	};
	return (unsigned int)s < STAT_N_STATUSES ? names[s] : "unknown";
}

enum stat_status sample_check(const double *x, size_t n)
{
	enum { LANES = 8 };
	double zero[LANES] = {0}; /* 0 times a value that is not finite is NaN */
	size_t i = 0;
	for (; i + LANES <= n; i += LANES)
		for (size_t k = 0; k < LANES; k++)
			zero[k] += x[i + k] * 0;
	for (; i < n; i++)
		zero[0] += x[i] * 0;
	double sum = 0;
	for (size_t k = 0; k < LANES; k++)
		sum += zero[k];
	return sum == 0 ? STAT_OK : STAT_NOT_FINITE;
}

enum stat_status samples_check(const double *x, size_t n, const double *y, size_t m)
{
	if (n == 0 || m == 0)
		return STAT_TOO_FEW;
	enum stat_status s = sample_check(x, n);
	return s ? s : sample_check(y, m);
}
