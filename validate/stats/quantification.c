/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/quantification.h"

#include <math.h>

#include "validate/stats/moments.h"

enum stat_status limit_of_quantification(const double *blank, size_t n, double *loq)
{
	struct sample_moments m;
	enum stat_status s = sample_moments_spread(blank, n, &m);
	if (!s)
		*loq = LOQ_FACTOR * m.sd;
	return s;
}

enum stat_status quantification_check(const double *ref, size_t m, double loq, bool *quantifiable)
{
	struct sample_moments r;
	if (!(loq >= 0) || !isfinite(loq))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = sample_moments(ref, m, &r);
	if (!s)
		*quantifiable = r.mean >= loq;
	return s;
}
