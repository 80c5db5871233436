/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Response and execution times of a cell: samples, the paper's statistics, the paired analysis,
 * further tests, diagnostics. */
#include <gsl/gsl_statistics_double.h>

#include "validate/analysis/analysis_private.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/sign_flip.h"
#include "validate/stats/series.h"
#include "validate/stats/shapiro.h"
#include "validate/stats/variance_ratio.h"

SUMMARY_VALUE(mean_response, s->response.n ? s->response.mean : NAN)
SUMMARY_VALUE(median_response, s->response_median)

SUMMARY_VALUE(trimmed_response, s->response_trimmed_mean)
SUMMARY_VALUE(p99_response, s->response_p99)

SUMMARY_VALUE(run_execution_ns, (double)s->execution_ns)

/* Requests per second; NaN for a run without duration. */
SUMMARY_VALUE(run_rate,
	s->execution_ns > 0 ? summary_n_ended(s) / ((double)s->execution_ns * 1e-9) : NAN)

/* Returns the mean of ln r in blocks with a slow volume, minus the mean in the other blocks; 0 if
 * there are no blocks of one kind. */
static double slow_shift(const double *r, const struct pairs *p)
{
	double sum[2] = {0, 0};
	size_t n[2] = {0, 0};
	for (size_t i = 0; i < p->n; i++) {
		const bool slow = p->r[i]->service_factor > 1;
		sum[slow] += log(r[i]);
		n[slow]++;
	}
	const double shift = n[0] && n[1] ? sum[1] / (double)n[1] - sum[0] / (double)n[0] : 0;
	return isfinite(shift) ? shift : 0;
}

/* Makes the samples. If the volume of a block is slow, scales both values of the pair so that the
 * program's mean equals that of the other pairs. The ratio does not change, and the programmed
 * delay does not count as scatter. */
static void samples_measure(struct sample *x, struct sample *r, const struct pairs *p,
			    double (*value)(const struct run_summary *s))
{
	double *of_x = values_of(p->x, p->n, value), *of_r = values_of(p->r, p->n, value);
	const double level = exp(-slow_shift(of_r, p));
	for (size_t i = 0; i < p->n; i++)
		if (p->r[i]->service_factor > 1) {
			of_x[i] *= level;
			of_r[i] *= level;
		}
	sample_init(x, of_x, p->n);
	sample_init(r, of_r, p->n);
}

static void papers_set(struct cell *c, double alpha)
{
	struct variance_ratio v;
	struct cell_f_test *f = &c->f_test;
	f->ratio = f->critical = f->p = f->p_two_sided = f->ci_lo = f->ci_hi = NAN;
	f->status = c->single_reference ? STAT_NOT_APPLICABLE
					: variance_ratio(c->r.x, c->r.n, c->x.x, c->x.n, &v);
	if (!f->status)
		f->status = variance_ratio_critical(alpha, false, v.df_x, v.df_r, &f->critical);
	if (!f->status)
		f->status = variance_ratio_interval(&v, 1 - alpha, &f->ci_lo, &f->ci_hi);
	if (!f->status) {
		f->ratio = v.f;
		f->p = v.p_greater;
		f->p_two_sided = v.p_two_sided;
	}
	for (int mode = 0; mode < PAPER_MODE_N; mode++)
		if (paper_uncertainty(c->r.x, c->r.n, c->x.x, c->x.n, mode, &c->paper[mode]))
			continue;
}

static double percent_to_ratio(double pct)
{
	return pct / 100;
}

/* Measures the standard deviation of the replays, and its degrees of freedom. */
static void repeatability_measure(struct evidence *e, const double *lx, size_t n,
				  enum stat_status logs)
{
	struct sample_moments m;
	e->replays = serial_none(n);
	e->repeatability.status = logs ? logs : sample_moments_spread(lx, n, &m);
	if (e->repeatability.status)
		return;
	double nu = spread_df(lx, n, &m, 0);
	struct spread_evidence *r = &e->repeatability;
	*r = (struct spread_evidence){STAT_OK, m.sd, nu, m.sd, nu};
	if (serial_dependence(lx, n, &e->replays))
		e->replays = serial_none(n);
	spread_allow_hidden(n, &e->replays, &r->sd_upper, &r->nu_upper);
}

/* Measures the ratio of the standard deviations of the logarithms, that is, of the relative
 * scatters. */
static void precision_measure(struct cell *c, struct evidence *e, const double *lx,
			      const double *lr, enum stat_status logs, double limit)
{
	struct estimate paired = estimate_none(STAT_OK), f = estimate_none(STAT_OK);
	struct variance_ratio v;
	size_t n = c->x.n;
	c->precision_lower95 = c->precision_upper95 = NAN;
	e->permutation_above = e->permutation_below = NAN;
	e->precision_factor[0] = e->precision_factor[1] = serial_none(n);
	e->precision_status = c->single_reference ? STAT_NOT_APPLICABLE : logs;
	if (!e->precision_status)
		e->precision_status = pitman_morgan(lr, n, lx, n, &e->precision);
	if (!e->precision_status && limit > 0 &&
	    pair_permutation_p(lr, lx, n, limit, &e->permutation_above, &e->permutation_below))
		e->permutation_above = e->permutation_below = NAN;
	if (!e->precision_status && limit > 0 &&
	    pitman_morgan_serial(lr, lx, n, limit, e->precision_factor))
		e->precision_factor[0] = e->precision_factor[1] = serial_none(n);
	c->permutation_p_above = e->permutation_above;
	c->permutation_p_below = e->permutation_below;
	paired.status = e->precision_status;
	if (!paired.status)
		paired.status =
		    pitman_morgan_limits(&e->precision, 0.05, &paired.lo90, &paired.hi90);
	if (!paired.status)
		paired.status =
		    pitman_morgan_limits(&e->precision, 0.025, &paired.lo95, &paired.hi95);
	if (!paired.status) {
		paired.value = e->precision.ratio;
		paired.df = (double)(n - 2);
		c->precision_lower95 = paired.lo90;
		c->precision_upper95 = paired.hi90;
	}
	c->precision_ratio = paired;

	f.status = c->single_reference ? STAT_NOT_APPLICABLE : logs;
	if (!f.status)
		f.status = variance_ratio(lr, n, lx, n, &v);
	if (!f.status)
		f.status = variance_ratio_interval(&v, 0.90, &f.lo90, &f.hi90);
	if (!f.status)
		f.status = variance_ratio_interval(&v, 0.95, &f.lo95, &f.hi95);
	if (!f.status) {
		f.value = sqrt(v.f);
		f.lo90 = sqrt(f.lo90);
		f.hi90 = sqrt(f.hi90);
		f.lo95 = sqrt(f.lo95);
		f.hi95 = sqrt(f.hi95);
	}
	c->precision_independent = f;
}

static void tests_beside(struct cell *c, const double *lx, const double *lr, enum stat_status logs)
{
	size_t n = c->x.n;
	struct values log_groups[] = {{lr, n}, {lx, n}};
	struct spread_test spread;
	struct t_estimate welch;
	double w, p;
	bool spreads = !logs && !c->single_reference;
	if (spreads && !spread_test(log_groups, 2, SPREAD_ABOUT_MEDIAN, &spread))
		c->brown_forsythe_p = spread.p;
	if (spreads && !spread_test(log_groups, 2, SPREAD_ABOUT_MEAN, &spread))
		c->levene_p = spread.p;
	if (!welch_test(c->r.x, c->r.n, c->x.x, c->x.n, &welch))
		c->welch_p = welch.p;
	if (!shapiro_wilk(c->x.x, c->x.n, &w, &p))
		c->shapiro_p_x = p;
	if (!shapiro_wilk(c->r.x, c->r.n, &w, &p))
		c->shapiro_p_r = p;
}

static void diagnostics_measure(struct cell *c, const double *d, enum stat_status logs)
{
	struct trend_test t;
	struct serial serial;
	struct cell_diagnostics *g = &c->diagnostics;
	g->lag1 = g->n_effective = g->runs_p = g->trend_p = NAN;
	if (logs)
		return;
	if (!serial_dependence(d, c->x.n, &serial)) {
		g->lag1 = serial.lag1;
		g->n_effective = serial.n_effective;
	}
	if (!runs_test(d, c->x.n, &t))
		g->runs_p = t.p;
	if (!mann_kendall_attains(c->x.n, 0.05) && !mann_kendall(d, c->x.n, &t))
		g->trend_p = t.p;
}

/* Returns the time that a thread spends in requests, in ns, mean over the threads. NaN: no request
 * has a response time, or the number of threads is unknown. */
static double time_in_requests(const struct scenario *scenario, const struct run_summary *s)
{
	return s->response.n ? run_request_ns(s) / run_n_lanes(scenario, s) : NAN;
}

/* Splits the execution time. Threads spend their time in requests, one at a time, or between
 * requests: T = S + W, where S is time_in_requests(). With the logarithmic mean
 * L = (Tx - Tr)/ln(Tx/Tr), ln(Tx/Tr) = (Sx - Sr)/L + (Wx - Wr)/L exactly. The means of both terms
 * over the pairs are scaled to add up to the relative deviation of the execution time, which is
 * winsorised. */
static void split_execution(struct cell *c, const struct pairs *p, const struct scenario *scenario)
{
	c->execution_service = c->execution_schedule = NAN;
	if (c->execution_time.status)
		return;
	double *ratio = xcalloc(2 * p->n + 1, sizeof *ratio), *service = ratio + p->n;
	for (size_t i = 0; i < p->n; i++) {
		const struct run_summary *x = &p->x[i]->summary, *r = &p->r[i]->summary;
		double tx = (double)x->execution_ns, tr = (double)r->execution_ns;
		ratio[i] = log(tx / tr);
		double mean = fabs(ratio[i]) < 1e-9 ? tr : (tx - tr) / ratio[i];
		double longer = time_in_requests(scenario, x) - time_in_requests(scenario, r);
		service[i] = longer / mean;
	}
	terms_winsorise(ratio, service, 1, p->n);
	sample_winsorise(ratio, p->n);
	const double total = gsl_stats_mean(ratio, 1, p->n),
		     part = gsl_stats_mean(service, 1, p->n);
	double scale = fabs(total) < 1e-9 ? 1 : expm1(total) / total;
	c->execution_service = part * scale;
	c->execution_schedule = (total - part) * scale;
	free(ratio);
}

/* Number of threads of the program, if it is equal in all runs; otherwise NaN. */
static double lanes_of(const struct pairs *p, const struct scenario *scenario)
{
	double n = p->n ? run_n_lanes(scenario, &p->r[0]->summary) : NAN;
	for (size_t i = 1; i < p->n; i++)
		if (run_n_lanes(scenario, &p->r[i]->summary) != n)
			return NAN;
	return n;
}

void measure_times(struct cell *c, struct evidence *e, const struct pairs *p,
		   const struct results *results)
{
	const struct scenario *scenario = &results->protocol.scenario[c->scenario];
	c->n_lanes = lanes_of(p, scenario);
	samples_measure(&c->x, &c->r, p, mean_response);
	samples_measure(&c->x_median, &c->r_median, p, median_response);
	samples_measure(&c->x_p99, &c->r_p99, p, p99_response);
	samples_measure(&c->x_trimmed, &c->r_trimmed, p, trimmed_response);
	samples_measure(&c->x_time, &c->r_time, p, run_execution_ns);
	samples_measure(&c->x_rate, &c->r_rate, p, run_rate);
	c->correlation = c->brown_forsythe_p = c->levene_p = c->welch_p = c->shapiro_p_x =
	    c->shapiro_p_r = NAN;

	size_t n = c->x.n;
	SCOPED_FREE double *d = xcalloc(n ? n : 1, sizeof *d), *lx = xcalloc(n ? n : 1, sizeof *lx),
			   *lr = xcalloc(n ? n : 1, sizeof *lr);
	enum stat_status logs = n ? log_ratios(c->r.x, c->x.x, n, d) : STAT_TOO_FEW;
	for (size_t i = 0; !logs && i < n; i++) {
		lx[i] = log(c->x.x[i]);
		lr[i] = log(c->r.x[i]);
	}
	double correlation;
	if (!logs && !sample_correlation(lx, lr, n, &correlation))
		c->correlation = correlation;

	paired_ratio_without(&e->bias, c->x.x, c->r.x, p, &c->covariate_response);
	c->bias = estimate_of_ratio(&e->bias, expm1);
	paired_ratio_without(&e->time_all, c->x_time.x, c->r_time.x, p, &c->covariate_time);
	paired_ratio_winsorised(&e->time, c->x_time.x, c->r_time.x, p, &c->covariate_time);
	c->execution_time = estimate_of_ratio(&e->time, expm1);
	split_execution(c, p, scenario);
	c->bias_median = paired_estimate(&c->x_median, &c->r_median, p);
	c->bias_trimmed = paired_estimate(&c->x_trimmed, &c->r_trimmed, p);
	papers_set(c, 0.05);
	struct bias_estimate b;
	enum stat_status s = bias_independent(c->r.x, c->r.n, c->x.x, c->x.n, &b);
	struct t_estimate t = {0};
	if (!s)
		t = (struct t_estimate){.value = b.bias_pct, .se = b.u_pct, .df = b.nu};
	c->bias_independent = estimate_of_t(s, &t, percent_to_ratio);
	precision_measure(c, e, lx, lr, logs, results->protocol.accept.precision_ratio);
	repeatability_measure(e, lx, n, logs);
	tests_beside(c, lx, lr, logs);
	diagnostics_measure(c, d, logs);
}
