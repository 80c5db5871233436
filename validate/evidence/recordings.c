/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reused recordings. If the program runs anew in each pair, the effect of a recording on its
 * replays is equal in all pairs that replay it. So a mean of n pairs over k < n recordings is less
 * certain than a mean over n recordings.
 *
 * Two-level model: pairs of one recording have the intraclass correlation rho, from the one-way
 * analysis of variance. rho = (MS_b - MS_w)/(MS_b + (n_0 - 1) MS_w), n_0 = (n - sum n_i^2/n)/(k -
 * 1), with standard error sqrt(2 (n - 1)/(n_0^2 (n - k) (k - 1))) at rho 0. The variance of the
 * mean is 1 + (m - 1) rho times that of independent pairs, m = sum n_i^2/n. A few pairs estimate
 * rho badly, so it is also averaged over all cells of a replayer. The value used is the larger of
 * two: that mean plus 1.645 of its standard errors, and the cell's rho minus one standard error.
 * Source: Kish (1965) for the design effect; Donner (1986) for rho and its standard error. */
#include "validate/evidence/evidence.h"

#define UPPER_LIMIT 1.645 /* of the normal distribution, one-sided 95 % */

/* Numbers the recordings of the pairs 0..k-1 in the order of first use. Returns k. */
static size_t number_recordings(size_t *of, const struct pairs *p, size_t n)
{
	size_t k = 0;
	for (size_t i = 0; i < n; i++) {
		of[i] = k;
		for (size_t j = 0; j < i; j++)
			if (p->x[i]->bank == p->x[j]->bank) {
				of[i] = of[j];
				break;
			}
		k += of[i] == k;
	}
	return k;
}

/* Returns the standard error of the intraclass correlation at correlation 0. */
static double standard_error(double n, double k, double n0)
{
	return sqrt(2 * (n - 1) / (n0 * n0 * (n - k) * (k - 1)));
}

/* Computes the effect of k recordings on n pairs, from the mean squares between and within
 * recordings. */
static struct recordings recordings_known(double n, double k, double n0, double between,
					  double within)
{
	const double both = between + (n0 - 1) * within;
	return (struct recordings){.n = (size_t)k,
		.icc = between + within > 0 ? (between - within) / both : 0,
		.se = standard_error(n, k, n0), .inflation = 1};
}

struct recordings recordings_of(const double *d, size_t n, const struct pairs *p)
{
	struct recordings r = {.inflation = 1};
	if (p->shared || n < 2 || n != p->n || !p->x[0]->summary.has_input)
		return r;
	SCOPED_FREE size_t *of = xcalloc(n, sizeof *of);
	const size_t k = number_recordings(of, p, n);
	double *sum = xcalloc(2 * k, sizeof *sum), *count = sum + k, mean = 0, squares = 0,
	       between = 0, within = 0;
	for (size_t i = 0; i < n; i++) {
		sum[of[i]] += d[i];
		count[of[i]]++;
		mean += d[i] / (double)n;
	}
	for (size_t g = 0; g < k; g++) {
		squares += count[g] * count[g];
		between += count[g] * (sum[g] / count[g] - mean) * (sum[g] / count[g] - mean);
	}
	for (size_t i = 0; i < n; i++)
		within += (d[i] - sum[of[i]] / count[of[i]]) * (d[i] - sum[of[i]] / count[of[i]]);
	/* a single recording gives no estimate, and it forbids trust (verdict.c) */
	if (k > 1 && k < n) {
		const double of_all = (double)n, groups = (double)k,
			     n0 = (of_all - squares / of_all) / (groups - 1);
		between /= groups - 1;
		r = recordings_known(of_all, groups, n0, between, within / (of_all - groups));
		r.per_group = squares / of_all;
	}
	free(sum);
	return r;
}

double recordings_inflation(const struct recordings *r)
{
	if (!r->n)
		return 1;
	const double all = r->mean + UPPER_LIMIT * r->se / sqrt((double)r->n_cells),
		     rho = fmin(1, fmax(all, r->icc - r->se));
	return 1 + (r->per_group - 1) * fmax(0, rho);
}

double recordings_then(const struct recordings *r, double n, double k)
{
	struct recordings then = *r;
	if (k >= n)
		return 1;
	then.per_group = n / k;
	then.se = standard_error(n, k, n / k);
	return recordings_inflation(&then);
}

double recordings_expected(double n, double k, double f, double z, size_t n_cells)
{
	struct recordings r = recordings_known(n, k, n / k, f, 1);
	const double cells = (double)n_cells;
	r.per_group = n / k;
	r.mean = (r.icc + z * r.se * sqrt(cells - 1)) / cells;
	r.n_cells = n_cells;
	return recordings_inflation(&r);
}
