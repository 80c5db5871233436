/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/levels.h"

static __int128 level_weight(const struct concurrency *c, enum levels_weight w, size_t level)
{
	if (level > c->highest || (w == LEVELS_BY_BUSY_TIME && !level))
		return 0;
	return w == LEVELS_BY_REQUEST ? (__int128)c->requests_at_level[level]
				      : (__int128)c->ns_at_level[level];
}

static __int128 weight_all(const struct concurrency *c, enum levels_weight w)
{
	__int128 all = 0;
	for (size_t level = 0; c->n && level <= c->highest; level++)
		all += level_weight(c, w, level);
	return all;
}

double *levels_cdf_all(const struct concurrency *c, enum levels_weight w)
{
	__int128 all = weight_all(c, w), part = 0;
	if (!all)
		return NULL;
	double *cdf = xreallocarray(NULL, c->highest + 1, sizeof *cdf);
	for (size_t level = 0; level <= c->highest; level++)
		cdf[level] = (double)(part += level_weight(c, w, level)) / (double)all;
	return cdf;
}

double levels_mean(const struct concurrency *c, enum levels_weight w)
{
	__int128 all = weight_all(c, w), sum = 0;
	for (size_t level = 0; all && level <= c->highest; level++)
		sum += (__int128)level * level_weight(c, w, level);
	return all ? (double)sum / (double)all : NAN;
}

struct levels_distance levels_distance(const struct concurrency *a, const struct concurrency *b,
				       enum levels_weight w)
{
	struct levels_distance d = {NAN, NAN};
	SCOPED_FREE double *f = levels_cdf_all(a, w), *g = levels_cdf_all(b, w);
	if (f && g) {
		d = (struct levels_distance){0, 0};
		for (size_t level = 0; level <= a->highest || level <= b->highest; level++) {
			double x = level <= a->highest ? f[level] : 1,
			       y = level <= b->highest ? g[level] : 1;
			d.largest = fmax(d.largest, fabs(x - y));
			d.area += fabs(x - y);
		}
	}
	return d;
}
