/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "validate/stats/control.h"
#include "validate/stats/moments.h"

static enum stat_status limits_fill(const struct values *groups, size_t base, struct group_chart *c)
{
	double means = 0, spreads = 0, c4, n = (double)groups[0].n, shift = 0;
	for (size_t i = 0; i < base; i++) {
		struct sample_moments m;
		enum stat_status s = sample_moments(groups[i].x, groups[i].n, &m);
		if (!s)
			s = m.spread;
		if (s)
			return s;
		shift = i ? shift : m.mean;
		means += m.mean - shift;
		spreads += m.sd;
	}
	enum stat_status s = chart_c4(n, &c4);
	if (s)
		return s;
	if (!(spreads > 0))
		return STAT_ZERO_VARIANCE;
	c->mean_center = shift + means / (double)base;
	c->s_center = spreads / (double)base;
	double half = 3 * c->s_center / (c4 * sqrt(n)), part = 3 * sqrt(1 - c4 * c4) / c4;
	c->mean_upper = c->mean_center + half;
	c->mean_lower = c->mean_center - half;
	c->s_upper = c->s_center * (1 + part);
	c->s_lower = fmax(0, c->s_center * (1 - part));
	return STAT_OK;
}

enum stat_status group_chart(const struct values *groups, size_t n_groups, size_t base,
			     struct group_chart *c)
{
	*c = (struct group_chart){0};
	if (base < 2 || base > n_groups || groups[0].n < 2)
		return STAT_TOO_FEW;
	for (size_t i = 1; i < n_groups; i++)
		if (groups[i].n != groups[0].n)
			return STAT_OUT_OF_RANGE;
	enum stat_status s = limits_fill(groups, base, c);
	for (size_t i = 0; i < n_groups && !s; i++) {
		struct sample_moments m;
		s = sample_moments(groups[i].x, groups[i].n, &m);
		c->n_means_out += m.mean > c->mean_upper || m.mean < c->mean_lower;
		c->n_s_out += m.sd > c->s_upper || m.sd < c->s_lower;
	}
	return s;
}
