/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Campaigns with the recording as reference. Several replays share one recording, whose scatter
 * their ratios do not show. So each recording counts once, by the mean of its ratios. A single
 * recording per side gives no estimate of the scatter between recordings. If both sides have the
 * same recordings (an imported trace, a kept bank), they cancel, and every replay counts.
 * Recordings are identified by their mean response times. */
#include "validate/compare/compare_private.h"

static bool is_equal(double a, double b)
{
	return a >= b && a <= b;
}

static bool values_have(const double *r, size_t n, double one)
{
	for (size_t i = 0; i < n; i++)
		if (is_equal(r[i], one))
			return true;
	return false;
}

static bool all_there(const double *r, size_t n, const double *in, size_t n_in)
{
	for (size_t i = 0; i < n; i++)
		if (!values_have(in, n_in, r[i]))
			return false;
	return true;
}

/* Replaces x[n] by its means over equal r. Returns their number. */
static size_t recordings_mean(double *x, const double *r, size_t n)
{
	SCOPED_FREE double *mean = xcalloc(n + 1, sizeof *mean);
	size_t n_recordings = 0;
	for (size_t i = 0; i < n; i++) {
		double sum = 0, count = 0;
		if (values_have(r, i, r[i]))
			continue;
		for (size_t k = i; k < n; k++)
			if (is_equal(r[k], r[i])) {
				sum += x[k];
				count++;
			}
		mean[n_recordings++] = sum / count;
	}
	for (size_t i = 0; i < n_recordings; i++)
		x[i] = mean[i];
	return n_recordings;
}

enum stat_status recordings_average(double *was, size_t *n_was, const struct baseline_case *a,
				    double *is, size_t *n_is, const struct baseline_case *b)
{
	const double *r_was = a->column[COLUMN_R_MEAN], *r_is = b->column[COLUMN_R_MEAN];
	if (all_there(r_was, a->n, r_is, b->n) && all_there(r_is, b->n, r_was, a->n))
		return STAT_OK;
	*n_was = recordings_mean(was, r_was, a->n);
	*n_is = recordings_mean(is, r_is, b->n);
	return *n_was < 2 || *n_is < 2 ? STAT_TOO_FEW : STAT_OK;
}
