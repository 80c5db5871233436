/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bias of the quantiles of response times. It is shown beside the bias of the means, which a few
 * slow requests may cause, and not judged. */
#include "validate/analysis/analysis_private.h"
#include "validate/stats/quantiles.h"

SUMMARY_VALUE(response_p50, s->response_median)
SUMMARY_VALUE(response_p90, s->response_p90)

SUMMARY_VALUE(response_p99, s->response_p99)
SUMMARY_VALUE(response_p999, s->response_p999)

SUMMARY_VALUE(n_requests, (double)s->response.n)

static double fewest_responses(const struct run **runs, size_t n,
			       double (*value)(const struct run_summary *s))
{
	double x = INFINITY;
	for (size_t i = 0; i < n; i++)
		x = fmin(x, value(&runs[i]->summary));
	return x;
}

static void quantiles_measure(struct cell *c, const struct pairs *p)
{
	double (*const of[QUANTILES_N])(const struct run_summary *s) = {
	    response_p50, response_p90, response_p99, response_p999};
	double fewest = fmin(fewest_responses(p->x, p->n, n_requests),
			     fewest_responses(p->r, p->n, n_requests));
	for (int i = 0; i < QUANTILES_N; i++) {
		struct sample x, r;
		sample_init(&x, values_of(p->x, p->n, of[i]), p->n);
		sample_init(&r, values_of(p->r, p->n, of[i]), p->n);
		c->quantile_bias[i] = paired_estimate(&x, &r, p);
		c->quantile_extrapolated[i] =
		    p->n && quantile_is_extrapolated((size_t)fewest, analysis_quantiles[i]);
		sample_release(&x);
		sample_release(&r);
	}
}

void measure_distributions(struct cell *c, const struct pairs *p)
{
	/* set by analysis_describe() */
	c->ks_distance = c->wasserstein = NAN;
	quantiles_measure(c, p);
}
