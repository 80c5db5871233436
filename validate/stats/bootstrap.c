/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/bootstrap.h"

#include <gsl/gsl_sort.h>

#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"

enum stat_status jackknife_acceleration(const double *x, size_t n, double *a)
{
	struct sample_moments m;
	enum stat_status s = sample_moments_spread(x, n, &m);
	if (s)
		return s;
	/* the leave-one-out mean deviates from the mean of these means by (mean - x_i)/(n-1), which
	 * is -d */
	double squares = 0, cubes = 0;
	for (size_t i = 0; i < n; i++) {
		double d = (x[i] - m.mean) / (double)(n - 1);
		squares += d * d;
		cubes += d * d * d;
	}
	*a = cubes / (6 * pow(squares, 1.5));
	return STAT_OK;
}

enum stat_status bootstrap_ideal(const double *x, size_t n, struct bootstrap_ideal *b)
{
	struct sample_moments m;
	*b = (struct bootstrap_ideal){.n_means = 1};
	if (n > BOOTSTRAP_IDEAL_MAX_N)
		return STAT_OUT_OF_RANGE;
	enum stat_status s = jackknife_acceleration(x, n, &b->acceleration);
	s = s ? s : sample_moments(x, n, &m);
	if (s)
		return s;
	for (size_t i = 0; i < n; i++)
		b->n_means *= n;
	b->mean = xmalloc(b->n_means * sizeof *b->mean);
	double squares = 0;
	for (size_t k = 0; k < b->n_means; k++) {
		double sum = 0;
		for (size_t i = 0, digits = k; i < n; i++, digits /= n)
			sum += x[digits % n] - x[0];
		double mean = x[0] + sum / (double)n;
		b->mean[k] = mean;
		squares += (mean - m.mean) * (mean - m.mean);
		b->n_less += mean < m.mean - 1e-9;
		b->n_equal += fabs(mean - m.mean) <= 1e-9;
	}
	gsl_sort(b->mean, 1, b->n_means);
	b->se = sqrt(squares / (double)b->n_means);
	s = normal_quantile((b->n_less + b->n_equal / 2) / (double)b->n_means, &b->z0);
	if (s)
		bootstrap_ideal_release(b);
	return s;
}

void bootstrap_ideal_release(struct bootstrap_ideal *b)
{
	free(b->mean);
	b->mean = NULL;
}

enum stat_status bca_level(double z0, double acceleration, double p, double *level)
{
	double z;
	enum stat_status s = normal_quantile(p, &z);
	if (s)
		return s;
	double denominator = 1 - acceleration * (z0 + z);
	if (!(denominator > 0))
		return STAT_OUT_OF_RANGE;
	*level = normal_below(z0 + (z0 + z) / denominator);
	return STAT_OK;
}
