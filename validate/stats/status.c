/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/status.h"

static const struct {
	const char *name, *text;
} statuses[STAT_N_STATUSES] = {
    [STAT_OK] = {"ok", "ok"},
    [STAT_TOO_FEW] = {"too_few", "too few values"},
    [STAT_ZERO_VARIANCE] = {"zero_variance",
			    "the values do not vary: at this resolution nothing can be said"},
    [STAT_ZERO_REFERENCE] = {"zero_reference", "the reference is 0"},
    [STAT_NEGATIVE_REFERENCE] = {"negative_reference", "a reference is negative"},
    [STAT_NOT_FINITE] = {"not_finite", "a value is not finite"},
    [STAT_NOT_PAIRED] = {"not_paired", "replay and reference are not paired"},
    [STAT_TOO_FEW_FOR_ALPHA] = {"too_few_for_alpha", "too few values for this significance level"},
    [STAT_NOT_APPLICABLE] = {"not_applicable", "not applicable"},
    [STAT_UNBOUNDED] = {"unbounded", "the interval is unbounded"},
    [STAT_OUT_OF_RANGE] = {"out_of_range", "a value is outside the domain"},
    [STAT_NOT_CONVERGED] = {"not_converged", "the numerical method did not converge"},
    [STAT_NOT_ASSESSED] = {"not_assessed", "not assessed"},
};

const char *stat_status_name(enum stat_status s)
{
	return (unsigned int)s < STAT_N_STATUSES ? statuses[s].name : "unknown";
}

const char *stat_status_text(enum stat_status s)
{
	return (unsigned int)s < STAT_N_STATUSES ? statuses[s].text : "unknown status";
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
