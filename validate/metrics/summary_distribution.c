/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distribution of the response times in a summary: tail, typical response time, halves and
 * shape. */
#include "validate/metrics/summary_private.h"

/* Steps of equal ratio from one edge to the next. */
static const struct shape_part {
	double from, to;
	unsigned int n_steps;
} shape_part[] = {
    {1 / 64.0, 1 / 16.0, 6}, {1 / 16.0, 0.25, 10}, {0.25, 0.5, 12}, {0.5, 0.7, 12}, {0.7, 0.9, 16},
    {0.9, 1.1, 40},          {1.1, 1.3, 8},        {1.3, 2, 8},     {2, 8, 10},     {8, 64, 6},
};

double summary_shape_edge(size_t k)
{
	const struct shape_part *p = shape_part;
	for (; k > p->n_steps; p++)
		k -= p->n_steps;
	if (k == p->n_steps)
		return p->to;
	return p->from * pow(p->to / p->from, (double)k / p->n_steps);
}

void summary_fill_distribution(struct run_summary *s, const struct moments *half)
{
	const uint64_t n = s->response.n, n_tail = (n - 1) / 100 + 1,
		       n_typical = n < 2 ? 1 : n - (n - 1) / 10 - 1;
	const struct histogram *h = &s->response_histogram;
	double edge[SUMMARY_N_SHAPE];
	if (!n)
		return; /* a recording without response times */
	/* a bucket's midpoint may be outside the extremes */
	s->response_tail = value_clamp(histogram_mean_of_ranks(h, n - n_tail + 1, n_tail),
				       s->response.min, s->response.max);
	s->response_typical =
	    value_clamp(histogram_mean_of_ranks(h, 1, n_typical), s->response.min, s->response.max);
	s->has_halves = true;
	for (size_t i = 0; i < 2; i++)
		s->half[i] = half[i];
	s->has_shape = s->response_typical > 0;
	for (size_t k = 0; k < SUMMARY_N_SHAPE; k++)
		edge[k] = summary_shape_edge(k) * s->response_typical;
	if (s->has_shape)
		histogram_count_at_most(h, edge, SUMMARY_N_SHAPE, s->shape);
}
