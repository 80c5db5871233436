/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/resample.h"

#include "validate/stats/moments.h"
#include "validate/stats/quantiles.h"

enum { N_SINGLES = 32 }; /* bins of a single value at each end */
static const double bin_growth = 1.25;

/* Computes means of `block` consecutive values: overlapping blocks are drawn, and adjacent blocks
 * are omitted in turn. */
static enum stat_status blocks_fill(struct mean_source *m, const double *x, size_t n, size_t block)
{
	size_t n_items = n - block + 1, n_units = n / block;
	if (n_units < 2)
		return STAT_TOO_FEW;
	double *item = xreallocarray(NULL, n_items, sizeof *item),
	       *unit = xreallocarray(NULL, n_units, sizeof *unit);
	struct sample_moments all;
	for (size_t u = 0; u < n_units; u++) {
		double sum = 0;
		for (size_t i = u * block; i < (u + 1) * block; i++)
			sum += x[i] - x[0];
		unit[u] = x[0] + sum / (double)block;
	}
	double sum = 0, lost = 0; /* a compensated sum, because it runs over the whole series */
	for (size_t i = 0; i < n; i++) {
		double add = (x[i] - x[0]) - (i >= block ? x[i - block] - x[0] : 0) - lost,
		       total = sum + add;
		lost = (total - sum) - add;
		sum = total;
		if (i + 1 >= block)
			item[i + 1 - block] = x[0] + sum / (double)block;
	}
	m->item = m->owned_items = item;
	m->unit = m->owned_units = unit;
	m->n_items = n_items;
	m->n_units = m->n_draws = n_units;
	enum stat_status s = sample_moments_spread(item, n_items, &all);
	m->centre = all.mean;
	return s;
}

static struct resample_bin bin_of(const double *sorted, size_t from, size_t to, double centre,
				  size_t n, double *third)
{
	double count = (double)(to - from), mean = 0, squares = 0, cubes = 0;
	for (size_t i = from; i < to; i++)
		mean += sorted[i] - centre;
	mean /= count;
	for (size_t i = from; i < to; i++) {
		double d = (sorted[i] - centre) - mean;
		squares += d * d;
		cubes += d * d * d;
	}
	*third += cubes;
	return (struct resample_bin){count / (double)n, mean, squares / count};
}

static void bins_fill(struct mean_source *m)
{
	size_t n = m->n_items, cap = 0, half = n / 2, size = 1;
	/* bins of the lower half; the upper half is its mirror image */
	size_t *edge = NULL, n_edges = 0, n_lower;
	for (size_t at = 0; at < half; at += size) {
		APPEND(edge, n_edges, cap, at);
		if (n_edges > N_SINGLES)
			size = (size_t)ceil((double)size * bin_growth);
	}
	n_lower = n_edges;
	double *sorted = sample_sorted(m->item, n), third = 0, all = 0;
	m->bin = xcalloc(2 * n_lower + 1, sizeof *m->bin);
	for (size_t i = 0; i < n_lower; i++) {
		size_t to = i + 1 < n_lower ? edge[i + 1] : half;
		m->bin[m->n_bins++] = bin_of(sorted, edge[i], to, m->centre, n, &third);
		m->bin[m->n_bins++] = bin_of(sorted, n - to, n - edge[i], m->centre, n, &third);
	}
	if (n % 2)
		m->bin[m->n_bins++] = bin_of(sorted, half, half + 1, m->centre, n, &third);
	for (size_t i = 0; i < n; i++)
		all += pow(sorted[i] - m->centre, 3);
	m->third_lost = all != 0 ? fabs(third / all) : 0;
	FREE_EACH(sorted, edge);
}

enum stat_status mean_source(struct mean_source *m, const double *x, size_t n, size_t block,
			     bool binned)
{
	struct sample_moments all;
	*m = (struct mean_source){0};
	enum stat_status s = sample_moments_spread(x, n, &all);
	if (s)
		return s;
	m->estimate = m->centre = all.mean;
	m->item = m->unit = x;
	m->n_items = m->n_units = m->n_draws = n;
	if (block > 1)
		s = block < n ? blocks_fill(m, x, n, block) : STAT_TOO_FEW;
	if (s) {
		mean_source_release(m);
		return s;
	}
	if (binned || m->n_draws > RESAMPLE_PLAIN_MAX)
		bins_fill(m);
	return STAT_OK;
}

void mean_source_release(struct mean_source *m)
{
	FREE_EACH(m->owned_items, m->owned_units, m->bin);
	*m = (struct mean_source){0};
}

static double plain_draw(const struct mean_source *m, struct generator *g)
{
	double sum = 0;
	for (size_t i = 0; i < m->n_draws; i++)
		sum += m->item[generator_below(g, m->n_items)] - m->centre;
	return m->estimate + sum / (double)m->n_draws;
}

double mean_source_draw(const struct mean_source *m, struct generator *g)
{
	double sum = 0, variance = 0, total = 0, n = (double)m->n_draws;
	if (!m->n_items)
		return m->estimate;
	if (!m->bin)
		return plain_draw(m, g);
	for (size_t b = 0; b < m->n_bins; b++) {
		double count = generator_poisson(g, n * m->bin[b].share);
		total += count;
		sum += count * m->bin[b].mean;
		variance += count * m->bin[b].variance;
	}
	if (variance > 0)
		sum += sqrt(variance) * generator_normal(g);
	return m->estimate + (total > 0 ? sum / sqrt(total * n) : 0);
}

double quantile_source_draw(const struct quantile_source *q, struct generator *g)
{
	size_t n = q->n;
	double h = (double)(n - 1) * q->p, low = floor(h);
	double u = generator_beta(g, low + 1, (double)n - low);
	size_t i = (size_t)(u * (double)n);
	double at = q->sorted[i < n ? i : n - 1];
	if (h == low || low + 1 >= (double)n)
		return at;
	double next = u + (1 - u) * generator_beta(g, 1, (double)n - low - 1);
	size_t j = (size_t)(next * (double)n);
	return at + (h - low) * (q->sorted[j < n ? j : n - 1] - at);
}
