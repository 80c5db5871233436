/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/columns/comparison_private.h"
#include "validate/stats/bounds.h"
#include "validate/stats/dependence.h"
#include "validate/stats/mean_difference.h"
#include "validate/stats/precision_study.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/series.h"
#include "validate/stats/shapiro.h"

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

static void describe_moments(const struct column_sample *s, const struct comparison_plan *plan,
			     struct estimates *out)
{
	const double conf = 1 - plan->alpha;
	const struct sample_moments *m = &s->m;
	enum stat_status none =
	    s->x.n ? s->status == STAT_TOO_FEW ? STAT_OK : s->status : STAT_TOO_FEW;
	enum stat_status spread = none ? none : m->spread;
	double cv = 0, g1 = 0, lo = 0, hi = 0, trimmed = 0;
	struct t_estimate t;
	estimates_add(out, "n", "", STAT_OK, (double)s->x.n);
	estimates_add(out, "mean", "", none, m->mean);
	estimates_add(out, "variance", "", spread, m->variance);
	estimates_add(out, "sd", "", spread, m->sd);
	estimates_add(out, "sem", "", spread, m->sem);
	enum stat_status status = none ? none : sample_cv_pct(m, &cv);
	estimates_add(out, "cv_pct", "", status, cv);
	estimates_add(out, "min", "", none, m->min);
	estimates_add(out, "max", "", none, m->max);
	if (!plan->all)
		return;
	status = mean_test(s->x.x, s->x.n, &t);
	status = status ? status : t_interval(&t, conf, &lo, &hi);
	estimates_addf(out, "mean_ci_lo", status, lo, CONF_TEXT, conf);
	estimates_addf(out, "mean_ci_hi", status, hi, CONF_TEXT, conf);
	status = sample_skewness(s->x.x, s->x.n, &g1);
	estimates_add(out, "skewness_g1", "", status, g1);
	status =
	    s->sorted ? sample_trimmed_mean(s->sorted, s->x.n, 0.1, &trimmed) : STAT_NOT_FINITE;
	estimates_add(out, "trimmed_mean", "share=0.1", status, trimmed);
	estimates_add_word(out, "sd_status", "", STAT_OK, stat_status_name(spread));
}

static void describe_quantiles(const struct column_sample *s, double conf, struct estimates *out)
{
	const double *x = s->sorted;
	for (const double *level = described_levels; *level > 0; level++) {
		struct quantile_bounds b = {STAT_OK, STAT_OK, 0, 0, 0};
		for (int type = 7; type <= 8; type++)
			estimates_addf(out, "quantile", x ? STAT_OK : s->status,
				       x ? sorted_quantile(x, s->x.n, *level, type) : 0,
				       "p=%g;type=%d", *level, type);
		enum stat_status status =
		    x ? quantile_bounds(x, s->x.n, s->n_effective, *level, conf, &b) : s->status;
		estimates_addf(out, "quantile_ci_lo", status ? status : b.lo_status, b.lo,
			       "p=%g;" CONF_TEXT, *level, conf);
		estimates_addf(out, "quantile_ci_hi", status ? status : b.hi_status, b.hi,
			       "p=%g;" CONF_TEXT, *level, conf);
		estimates_addf(out, "quantile_extrapolated", x ? STAT_OK : s->status,
			       quantile_is_extrapolated(s->x.n, *level), "p=%g", *level);
	}
}

static void describe_order(const struct column_sample *s, const struct comparison_plan *plan,
			   struct estimates *out)
{
	const double *x = s->sorted;
	double mad = 0, location = 0, scale = 0, w = 0, p = 0;
	enum stat_status status;
	if (plan->all) {
		status = x ? sample_mad(x, s->x.n, &mad) : s->status;
		estimates_add(out, "mad", "", status, mad);
	}
	estimates_add(out, "median", "", x ? STAT_OK : s->status,
		      x ? sorted_quantile(x, s->x.n, 0.5, 7) : 0);
	if (plan->all) {
		describe_quantiles(s, 1 - plan->alpha, out);
		status = x ? algorithm_a(x, s->x.n, &location, &scale) : s->status;
		estimates_add(out, "algA_x", "", status, location);
		estimates_add(out, "algA_s", "", status, scale);
	}
	status = x ? shapiro_wilk(x, s->x.n, &w, &p) : s->status;
	estimates_add(out, "shapiro_W", "", status, w);
	estimates_add(out, "shapiro_p", "", status, p);
}

static void describe_series(const struct column_sample *s, const struct comparison_plan *plan,
			    struct estimates *out)
{
	const double *x = s->x.x;
	size_t n = s->x.n, lags = n >= 30 ? 10 : 0;
	double r = 0, q = 0, p = 0;
	struct trend_test t = {0, 0, 0};
	enum stat_status status;
	if (plan->all) {
		status = autocorrelation(x, n, 1, &r);
		estimates_add(out, "lag1_autocorr", "", status, r);
		estimates_add(out, "lag1_warning", "", n ? STAT_OK : STAT_TOO_FEW,
			      n ? autocorrelation_warning(n) : 0);
		status = von_neumann_ratio(x, n, &r);
		estimates_add(out, "von_neumann_ratio", "", status, r);
		status = runs_test(x, n, &t);
		estimates_add(out, "runs_count", "", status, t.statistic);
		estimates_add(out, "runs_z", "", status, t.z);
		estimates_add(out, "runs_p", "", status, t.p);
	}
	status = mann_kendall(x, n, &t);
	estimates_add(out, "mann_kendall_S", "", status, t.statistic);
	estimates_add(out, "mann_kendall_z", "", status, t.z);
	estimates_add(out, "mann_kendall_p", "", status, t.p);
	if (!plan->all)
		return;
	status = lags ? ljung_box(x, n, lags, &q, &p) : STAT_TOO_FEW;
	estimates_add(out, "ljung_box_Q", "lags=10", status, q);
	estimates_add(out, "ljung_box_p", "lags=10", status, p);
}

static void describe_batches(const struct column_sample *s, struct estimates *out)
{
	double se = 0, lag1 = 0;
	enum stat_status status = batch_means(s->x.x, s->x.n, BATCHES, &se, &lag1);
	estimates_addf(out, "se_batch_means", status, se, "batches=%u", BATCHES);
	estimates_addf(out, "batch_lag1_autocorr", status, lag1, "batches=%u", BATCHES);
	estimates_addf(out, "batch_means_acceptable", status, batch_means_acceptable(BATCHES, lag1),
		       "batches=%u", BATCHES);
}

static void describe_dependence(const struct column_sample *s, struct estimates *out)
{
	const double *x = s->x.x;
	size_t n = s->x.n, lags = (size_t)floor(4 * pow((double)n / 100, 2.0 / 9));
	struct geyer g = {0};
	double ess = 0, se = 0;
	enum stat_status status = geyer_se(x, n, &g);
	double tau = g.tau > 0 ? g.tau : 1, monotone = g.tau_monotone > 0 ? g.tau_monotone : 1;
	estimates_add(out, "tau_ips", "", status, g.tau);
	estimates_add(out, "ess_ips", "", status, (double)n / tau);
	estimates_add(out, "tau_ims", "", status, g.tau_monotone);
	estimates_add(out, "ess_ims", "", status, (double)n / monotone);
	estimates_add(out, "se_ips", "", status, g.se);
	status = effective_number_ar1(x, n, &ess);
	estimates_add(out, "ess_ar1", "", status, ess);
	status = effective_number_capped(x, n, &ess);
	estimates_add(out, "ess_capped", "", status, ess);
	status = newey_west(x, n, lags, &se);
	estimates_addf(out, "se_newey_west", status, se, "lags=%zu", lags);
	describe_batches(s, out);
	estimates_add(out, "bootstrap_block", "", STAT_OK, (double)s->block);
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
	describe_moments(s, plan, &s->estimates);
	describe_order(s, plan, &s->estimates);
	describe_series(s, plan, &s->estimates);
	if (plan->all)
		describe_dependence(s, &s->estimates);
	else if (plan->time_ordered)
		describe_batches(s, &s->estimates);
}

void column_sample_release(struct column_sample *s)
{
	FREE_EACH(s->sorted, s->batch);
	estimates_release(&s->estimates);
	*s = (struct column_sample){0};
}
