/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Standardisation: the part of a difference of means that comes from another make-up.
 *
 * sum of (p_x - p_r) ((m_x + m_r)/2 - M) over the classes; M, the mean of both sides, changes nothing where the shares add up to
 * 1 on both, and keeps classes that nobody knows from counting as if their requests took no time.
 * Source: Kitagawa, Components of a difference between two rates (1955). */
#include <math.h>

#include "validate/analysis/why_private.h"

static double mean_of(double share, double sum)
{
	return share > 0 ? sum / share : NAN;
}

/* Mean difference x - r in the classes that both know, each weighed by its share. */
static double common_difference(const struct classes *c, bool *alone)
{
	double sum = 0, weight = 0;
	for (size_t i = 0; i < c->n; i++) {
		if (c->share_x[i] < LEAST_SHARE || c->share_r[i] < LEAST_SHARE)
			continue;
		double w = (c->share_x[i] + c->share_r[i]) / 2;
		sum += w * (mean_of(c->share_x[i], c->sum_x[i]) - mean_of(c->share_r[i], c->sum_r[i]));
		weight += w;
	}
	*alone = weight <= 0;
	return weight > 0 ? sum / weight : 0;
}

double classes_composition(const struct classes *c, bool *alone)
{
	double difference = common_difference(c, alone), whole = 0, part = 0;
	for (size_t i = 0; i < c->n; i++)
		whole += (c->sum_x[i] + c->sum_r[i]) / 2;
	for (size_t i = 0; i < c->n; i++) {
		bool x = c->share_x[i] >= LEAST_SHARE, r = c->share_r[i] >= LEAST_SHARE;
		if (!x && !r)
			continue;
		double mean_x = mean_of(c->share_x[i], c->sum_x[i]), mean_r = mean_of(c->share_r[i], c->sum_r[i]);
		mean_x = x ? mean_x : mean_r + difference;
		mean_r = r ? mean_r : mean_x - difference;
		part += (c->share_x[i] - c->share_r[i]) * ((mean_x + mean_r) / 2 - whole);
	}
	return part;
}
