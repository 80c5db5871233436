/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/budget.h"

#include "validate/stats/distributions.h"

const char *const budget_distribution_names[] = {"standard",   "normal",     "rectangular",
						 "triangular", "resolution", NULL};

double budget_divisor(enum budget_distribution d)
{
	switch (d) {
	case BUDGET_RECTANGULAR:
		return sqrt(3);
	case BUDGET_TRIANGULAR:
		return sqrt(6);
	case BUDGET_RESOLUTION:
		return sqrt(12);
	default:
		return 1;
	}
}

struct budget_component budget_component(const char *source, enum budget_type type,
					 enum budget_distribution d, double value, double nu)
{
	struct budget_component c = {
	    .source = source, .type = type, .distribution = d, .value = value, .sensitivity = 1,
	    .nu = nu,
	};
	c.divisor = budget_divisor(d);
	c.u = value / c.divisor;
	return c;
}

/* Returns share and degrees of freedom of the estimate of component i; the share is 0 if an earlier
 * component included it. */
static double estimate_share(const struct budget_component *c, size_t n, size_t i, double *nu)
{
	double share = c[i].share_pct / 100;
	*nu = c[i].nu;
	if (!c[i].estimate)
		return share;
	for (size_t k = 0; k < i; k++)
		if (c[k].estimate == c[i].estimate)
			return 0;
	for (size_t k = i + 1; k < n; k++)
		if (c[k].estimate == c[i].estimate) {
			share += c[k].share_pct / 100;
			*nu = fmin(*nu, c[k].nu);
		}
	return share;
}

enum stat_status budget_combine(struct budget_component *c, size_t n, struct budget_total *total)
{
	double sum = 0, fourth = 0;
	if (n == 0)
		return STAT_TOO_FEW;
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(c[i].u) || c[i].u < 0 || !isfinite(c[i].sensitivity) ||
		    !(c[i].nu > 0))
			return STAT_OUT_OF_RANGE;
		sum += pow(c[i].sensitivity * c[i].u, 2);
	}
	if (!(sum > 0))
		return STAT_ZERO_VARIANCE;
	if (!isfinite(sum))
		return STAT_NOT_FINITE;
	for (size_t i = 0; i < n; i++)
		c[i].share_pct = 100 * pow(c[i].sensitivity * c[i].u, 2) / sum;
	for (size_t i = 0; i < n; i++) {
		double nu, share = estimate_share(c, n, i, &nu);
		fourth += share * share / nu;
	}
	total->u_c = sqrt(sum);
	total->nu_eff = fourth > 0 ? 1 / fourth : INFINITY;
	total->nu_raised = total->nu_eff < 1;
	if (total->nu_raised)
		total->nu_eff = 1;
	return STAT_OK;
}

enum stat_status budget_expand(const struct budget_total *total, double coverage,
			       enum budget_dof dof, double *k, double *expanded)
{
	double nu = dof == BUDGET_TRUNCATED ? floor(total->nu_eff) : total->nu_eff;
	enum stat_status s = t_quantile((1 + coverage) / 2, nu, k);
	if (s)
		return s;
	*expanded = *k * total->u_c;
	return STAT_OK;
}
