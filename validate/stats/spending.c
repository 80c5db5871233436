/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/spending.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "validate/stats/distributions.h"

enum stat_status spending_obrien_fleming(double alpha, double t, double *spent)
{
	double z;
	if (!(t > 0 && t <= 1) || !(alpha > 0 && alpha < 1))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = normal_quantile(1 - alpha / 2, &z);
	if (!s)
		*spent = t == 1 ? alpha : 2 * normal_above(z / sqrt(t));
	return s;
}

enum stat_status spending_levels(double alpha, const unsigned int *look, size_t n_looks, double *level)
{
	double before = 0, spent;
	if (n_looks == 0)
		return STAT_TOO_FEW;
	for (size_t k = 0; k < n_looks; k++) {
		if (look[k] == 0 || (k && look[k] <= look[k - 1]))
			return STAT_OUT_OF_RANGE;
		enum stat_status s =
		    spending_obrien_fleming(alpha, (double)look[k] / (double)look[n_looks - 1], &spent);
		if (s)
			return s;
		level[k] = fmax(spent - before, DBL_MIN);
		before = spent;
	}
	return STAT_OK;
}

/* The process at look k is S_k = sum of increments, variance = replicates; density[] holds that of S_k where no
 * boundary was crossed, on a grid of N_GRID points from `low` to the boundary (trapezoid rule). */
enum { N_GRID = 2001 };

struct path {
	double low, step;
	double density[N_GRID];
};

static double normal_density(double z)
{
	return exp(-z * z / 2) / sqrt(2 * M_PI);
}

/* P(S_k > boundary) of those still inside at the look before. */
static double crossing(const struct path *p, double variance, double boundary)
{
	double sum = 0;
	for (int i = 0; i < N_GRID; i++) {
		double weight = i == 0 || i == N_GRID - 1 ? 0.5 : 1;
		sum += weight * p->density[i] * normal_above((boundary - (p->low + i * p->step)) / sqrt(variance));
	}
	return sum * p->step;
}

static void advance(const struct path *from, struct path *to, double variance, double total, double boundary)
{
	to->low = -8 * sqrt(total);
	to->step = (boundary - to->low) / (N_GRID - 1);
	for (int j = 0; j < N_GRID; j++) {
		double y = to->low + j * to->step, sum = 0;
		for (int i = 0; from && i < N_GRID; i++) {
			double weight = i == 0 || i == N_GRID - 1 ? 0.5 : 1;
			double z = (y - (from->low + i * from->step)) / sqrt(variance);
			if (fabs(z) < 9)
				sum += weight * from->density[i] * normal_density(z);
		}
		to->density[j] =
		    from ? sum * from->step / sqrt(variance) : normal_density(y / sqrt(total)) / sqrt(total);
	}
}

/* The boundary crossed with probability `wanted`, by bisection in units of the process. */
static double find_boundary(const struct path *p, double variance, double total, double wanted)
{
	double low = 0, high = 9 * sqrt(total);
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;
		double crossed = p ? crossing(p, variance, middle) : normal_above(middle / sqrt(total));
		if (crossed > wanted)
			low = middle;
		else
			high = middle;
	}
	return high;
}

enum stat_status spending_exact_levels(double alpha, const unsigned int *look, size_t n_looks, double *level)
{
	enum stat_status s = spending_levels(alpha, look, n_looks, level); /* increments, replaced below */
	if (s)
		return s;
	struct path *now = xmalloc(sizeof *now), *next = xmalloc(sizeof *next), *swap;
	for (size_t k = 0; k < n_looks; k++) {
		double total = look[k], variance = k ? (double)(look[k] - look[k - 1]) : total;
		double boundary = find_boundary(k ? now : NULL, variance, total, level[k]);
		level[k] = normal_above(boundary / sqrt(total));
		if (k + 1 < n_looks) {
			advance(k ? now : NULL, next, variance, total, boundary);
			swap = now;
			now = next;
			next = swap;
		}
	}
	free(now);
	free(next);
	return STAT_OK;
}

double sequential_p(double p, double span)
{
	double z;
	if (!(span > 0) || !(p > 0) || normal_quantile(1 - p, &z) || z <= 0)
		return span > 0 && p >= 0.5 ? 1 : p;
	return fmin(1, p + z * normal_density(z) * span / 2);
}

double sequential_level(double alpha, double span)
{
	double low = 0, high = alpha;
	if (!(span > 0))
		return alpha;
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;
		if (sequential_p(middle, span) > alpha)
			high = middle;
		else
			low = middle;
	}
	return low;
}
