/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/columns/comparison_private.h"
#include "validate/stats/bounds.h"
#include "validate/stats/dependence.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/series.h"

const double quantile_levels[] = {0.5, 0.9, 0.99, 0.999, 0};
static const double described_levels[] = {0.01, 0.05, 0.1,  0.25,  0.5, 0.75,
					  0.9,  0.95, 0.99, 0.999, 0};

static void batches_fill(struct column_sample *s)
{
	size_t length = s->x.n / BATCHES;
	s->unit = (struct values){NULL, 0};
	if (s->x.n < BATCHES_LEAST_N)
		return;
	s->batch = xcalloc(BATCHES, sizeof *s->batch);
	for (size_t b = 0; b < BATCHES; b++) {
		struct sample_moments m;
		if (sample_moments(s->x.x + b * length, length, &m))
			return;
		s->batch[b] = m.mean;
	}
	s->unit = (struct values){s->batch, BATCHES};
}

static void dependence_fill(struct column_sample *s, const struct comparison_plan *plan)
{
	double ess = 0;
	if (autocorrelation(s->x.x, s->x.n, 1, &s->lag1))
		s->lag1 = 0;
	s->n_effective = (double)s->x.n;
	s->block = plan->block ? plan->block : 1;
	if (!plan->time_ordered)
		return;
	if (!plan->block && block_length(s->x.x, s->x.n, &s->block))
		s->block = 1;
	if (!effective_number_capped(s->x.x, s->x.n, &ess) && ess >= 1)
		s->n_effective = fmin(ess, s->n_effective);
}

static void describe_moments(const struct estimate_source *of, const struct comparison_plan *plan)
{
	estimates_named(of, "", "n", "mean", "variance", "sd", "sem", "cv_pct", "min", "max", NULL);
	if (!plan->all)
		return;
	estimates_named(of, params_text(CONF_TEXT, 1 - plan->alpha).s, "mean_ci_lo", "mean_ci_hi",
			NULL);
	estimates_named(of, "", "skewness_g1", NULL);
	estimates_named(of, "share=0.1", "trimmed_mean", NULL);
	estimates_named(of, "", "sd_status", NULL);
}

static void describe_quantiles(const struct column_sample *s, double conf,
			       const struct estimate_source *of)
{
	for (const double *level = described_levels; *level > 0; level++) {
		const struct estimate_params p = params_text("p=%g", *level),
					     bounds = params_text("%s;" CONF_TEXT, p.s, conf);
		struct quantile_bounds b = {STAT_OK, STAT_OK, 0, 0, 0};
		for (int type = 7; type <= 8; type++)
			estimates_named(of, params_text("%s;type=%d", p.s, type).s, "quantile",
					NULL);
		enum stat_status status = of->none;
		if (!status)
			status = quantile_bounds(s->sorted, s->x.n, s->n_effective, *level, conf,
						 &b);
		estimates_add(of->list, "quantile_ci_lo", bounds.s, status ? status : b.lo_status,
			      b.lo);
		estimates_add(of->list, "quantile_ci_hi", bounds.s, status ? status : b.hi_status,
			      b.hi);
		estimates_named(of, p.s, "quantile_extrapolated", NULL);
	}
}

static void describe_order(struct column_sample *s, const struct comparison_plan *plan)
{
	const struct values sorted = {s->sorted, s->x.n};
	const struct estimate_source of = {&s->estimates, {{"x", &sorted, 1}},
					   s->sorted ? STAT_OK : s->status};
	if (plan->all)
		estimates_named(&of, "", "mad", NULL);
	estimates_named(&of, "", "median", NULL);
	if (plan->all) {
		describe_quantiles(s, 1 - plan->alpha, &of);
		estimates_named(&of, "", "algA_x", "algA_s", NULL);
	}
	estimates_named(&of, "", "shapiro_W", "shapiro_p", NULL);
}

static void describe_series(const struct estimate_source *of, size_t n,
			    const struct comparison_plan *plan)
{
	struct estimate_source lags = *of;
	if (plan->all)
		estimates_named(of, "", "lag1_autocorr", "lag1_warning", "von_neumann_ratio",
				"runs_count", "runs_z", "runs_p", NULL);
	estimates_named(of, "", "mann_kendall_S", "mann_kendall_z", "mann_kendall_p", NULL);
	if (n < 30)
		lags.none = STAT_TOO_FEW;
	if (plan->all)
		estimates_named(&lags, "lags=10", "ljung_box_Q", "ljung_box_p", NULL);
}

static void describe_dependence(const struct estimate_source *of, size_t n)
{
	const size_t lags = (size_t)floor(4 * pow((double)n / 100, 2.0 / 9));
	estimates_named(of, "", "tau_ips", "ess_ips", "tau_ims", "ess_ims", "se_ips", "ess_ar1",
			"ess_capped", NULL);
	estimates_named(of, params_text("lags=%zu", lags).s, "se_newey_west", NULL);
}

void column_sample_describe(struct column_sample *s, struct values x,
			    const struct comparison_plan *plan)
{
	*s = (struct column_sample){.x = x, .unit = x};
	s->status = sample_moments(x.x, x.n, &s->m);
	if (!s->status) {
		s->sorted = sample_sorted(x.x, x.n);
		s->status = s->m.spread;
	}
	dependence_fill(s, plan);
	if (plan->time_ordered)
		batches_fill(s);
	s->unit_status = sample_moments(s->unit.x, s->unit.n, &s->unit_m);
	if (!s->unit_status)
		s->unit_status = s->unit_m.spread;
	const struct estimate_source values = {&s->estimates, {{"x", &s->x, 1}}, STAT_OK};
	describe_moments(&values, plan);
	describe_order(s, plan);
	describe_series(&values, s->x.n, plan);
	if (plan->all)
		describe_dependence(&values, s->x.n);
	if (plan->all || plan->time_ordered)
		estimates_named(&values, params_text("batches=%u", BATCHES).s, "se_batch_means",
				"batch_lag1_autocorr", "batch_means_acceptable", NULL);
	if (plan->all)
		estimates_add(&s->estimates, "bootstrap_block", "", STAT_OK, (double)s->block);
}

void column_sample_release(struct column_sample *s)
{
	FREE_EACH(s->sorted, s->batch);
	estimates_release(&s->estimates);
	*s = (struct column_sample){0};
}
