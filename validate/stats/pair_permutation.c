/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/pair_permutation.h"

#include <math.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/sign_flip.h"

enum stat_status pair_permutation_p(const double *ref, const double *rep, size_t n, double limit,
				    double *p_above, double *p_below)
{
	double x, r;
	if (!(limit > 0) || !isfinite(limit))
		return STAT_OUT_OF_RANGE;
	if (n < 3)
		return STAT_TOO_FEW;
	enum stat_status s = sample_median(rep, n, &x);
	if (!s)
		s = sample_median(ref, n, &r);
	if (s)
		return s;
	double *z = xcalloc(n, sizeof *z), size = 0;
	for (size_t i = 0; i < n; i++) {
		double u = (rep[i] - x) / limit, v = ref[i] - r;
		z[i] = u * u - v * v;
		size += fabs(z[i]);
	}
	if (size <= 0) {
		free(z);
		return STAT_ZERO_VARIANCE;
	}
	if (n <= PAIR_PERMUTATION_EXACT)
		sign_flip_exact(z, n, p_above, p_below);
	else
		sign_flip_p(z, n, 0, p_above, p_below);
	free(z);
	return STAT_OK;
}
