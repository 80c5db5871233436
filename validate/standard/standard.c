/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/standard/standard.h"

#include <gsl/gsl_cdf.h>

#include "validate/stats/budget.h"
#include "validate/stats/moments.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/regression.h"

/* the kernel changes the rate of CLOCK_MONOTONIC by at most this share (adjtimex) */
#define CLOCK_RATE 500e-6
#define COVERAGE 0.95
#define WIDEN_LEAST 20 /* with fewer checks their 95 % quantile would be extrapolated */
#define WIDEN_MOST 100

static void means_find(struct standard_point *p, double *bias, double *hours)
{
	double sum[3] = {0}, *lead = hours; /* used for the leads first */
	for (size_t i = 0; i < p->n_visits; i++) {
		const struct standard_visit *v = &p->visit[i];
		sum[0] += v->programmed_ns;
		sum[1] += v->server_ns / v->programmed_ns - 1;
		sum[2] += v->write_ns;
		bias[i] = v->response_ns / v->programmed_ns - 1;
		lead[i] = (double)v->lead_ns;
	}
	doubles_sort(lead, p->n_visits);
	const double n = (double)p->n_visits;
	p->programmed_ns = sum[0] / n;
	p->server_bias = sum[1] / n;
	p->write_ns = sum[2] / n;
	p->lead_ns = (int64_t)sorted_quantile(lead, p->n_visits, 0.5, 7);
	for (size_t i = 0; i < p->n_visits; i++)
		hours[i] = p->visit[i].hours;
}

/* Computes U of one later visit. `beside`: variance of visits at other points (variance_beside);
 * NaN: unknown. Returns false if the scatter is unknown. */
static bool uncertainty_find(struct standard_point *p, const double *bias, const double *hours,
			     double beside)
{
	const size_t n = p->n_visits;
	struct sample_moments m;
	struct regression line;
	double drift = 0;
	if (sample_moments_spread(bias, n, &m))
		return false;
	p->bias = m.mean;
	p->scatter = m.sd;
	if (!regression_fit(hours, bias, n, &line)) {
		p->drift_per_hour = line.slope;
		p->drifts = fabs(line.slope) >
			    gsl_cdf_tdist_Pinv((1 + COVERAGE) / 2, (double)n - 2) * line.se_slope;
		if (p->drifts)
			drift = fabs(line.slope) * (hours[n - 1] - hours[0]) / 2;
	}
	const bool shared = isfinite(beside);
	const double sd = shared ? sqrt((m.sd * m.sd + beside) / 2) : m.sd;
	struct budget_component c[] = {
		budget_component("visits", BUDGET_TYPE_A, BUDGET_STANDARD,
				 sd * sqrt(1 + 1 / (double)n),
				 (shared ? 2 : 1) * ((double)n - 1)),
		budget_component("writes", BUDGET_TYPE_B, BUDGET_RECTANGULAR,
				 fabs(p->write_ns) / 2 / p->programmed_ns, INFINITY),
		budget_component("drift", BUDGET_TYPE_B, BUDGET_RECTANGULAR, drift, INFINITY),
		budget_component("clock rate", BUDGET_TYPE_B, BUDGET_RECTANGULAR, CLOCK_RATE,
				 INFINITY)};
	struct budget_total total;
	return !budget_combine(c, sizeof c / sizeof *c, &total) &&
	       !budget_expand(&total, COVERAGE, BUDGET_CONTINUOUS, &p->k, &p->expanded);
}

/* Computes bias and U of a point. Returns false if the scatter is unknown. */
static bool results_find(struct standard_point *p, double beside)
{
	SCOPED_FREE double *bias = xcalloc(p->n_visits + 1, sizeof *bias);
	SCOPED_FREE double *hours = xcalloc(p->n_visits + 1, sizeof *hours);
	means_find(p, bias, hours);
	return uncertainty_find(p, bias, hours, beside);
}

double standard_excess_limit_ns(const struct standard_point *p)
{
	return fmax(STANDARD_EXCESS_NS, STANDARD_EXCESS_SHARE * (double)p->service_ns);
}

static void fault_find(struct standard_point *p, bool known)
{
	p->n_unsteady = 0;
	for (size_t i = 0; i < p->n_visits; i++)
		p->n_unsteady += !p->visit[i].steady;
	p->fault = !known                                           ? STANDARD_FEW_VISITS
		   : fabs(p->bias) + p->expanded > STANDARD_LIMIT   ? STANDARD_BIASED
		   : p->excess_p99_ns > standard_excess_limit_ns(p) ? STANDARD_EXCESS
		   : p->n_unsteady * 2 > p->n_visits                ? STANDARD_UNSTEADY
								    : STANDARD_NO_FAULT;
	p->valid = !p->fault;
}

double standard_waited_limit(double usual)
{
	return usual * (1 + STANDARD_WAITED_SHARE) + STANDARD_WAITED;
}

bool standard_is_disturbed(const struct standard_point *p, const struct standard_visit *v)
{
	return v->waited > standard_waited_limit(p->waited);
}

static double usual_wait(const struct standard_point *p)
{
	if (isfinite(p->waited))
		return p->waited;
	SCOPED_FREE double *waited = xcalloc(p->n_visits + 1, sizeof *waited);
	for (size_t i = 0; i < p->n_visits; i++)
		waited[i] = p->visit[i].waited;
	doubles_sort(waited, p->n_visits);
	return p->n_visits ? sorted_quantile(waited, p->n_visits, 0.25, 7) : 0;
}

size_t standard_undisturbed(const struct standard_point *p)
{
	const struct standard_point usual = {.waited = usual_wait(p)};
	size_t n = 0;
	for (size_t i = 0; i < p->n_visits; i++)
		n += !standard_is_disturbed(&usual, &p->visit[i]);
	return n;
}

static void disturbed_leave_out(struct standard_point *p)
{
	size_t n = 0, from = 0, to = 0;
	p->waited = usual_wait(p);
	const size_t n_left = standard_undisturbed(p);
	if (n_left < STANDARD_VISITS || n_left == p->n_visits)
		return;
	for (size_t i = 0; i < p->n_visits; i++) {
		const struct standard_visit v = p->visit[i];
		if (!standard_is_disturbed(p, &v)) {
			memmove(p->excess_ns + to, p->excess_ns + from,
				v.n_excess * sizeof *p->excess_ns);
			to += v.n_excess;
			p->visit[n++] = v;
		}
		from += v.n_excess;
	}
	p->n_left_out += p->n_visits - n;
	p->n_visits = n;
	p->n_excess = to;
}

void standard_evaluate(struct standard_point *p)
{
	disturbed_leave_out(p);
	bool known = p->n_visits >= STANDARD_VISITS && p->n_excess;
	if (known) {
		known = results_find(p, NAN);
		doubles_sort(p->excess_ns, p->n_excess);
		p->excess_p50_ns = sorted_quantile(p->excess_ns, p->n_excess, 0.5, 7);
		p->excess_p99_ns = sorted_quantile(p->excess_ns, p->n_excess, 0.99, 7);
	}
	fault_find(p, known);
}

/* Returns the usual variance of visits at the other points with the service time and depth of `p`:
 * the median over these points, so points with disturbed visits do not change it much. NaN if there
 * are no such points. */
static double variance_beside(const struct standard *s, const struct standard_point *p)
{
	SCOPED_FREE double *variance = xcalloc(s->n + 1, sizeof *variance);
	size_t n = 0;
	for (const struct standard_point *q = s->point; q < s->point + s->n; q++) {
		if (q == p || q->service_ns != p->service_ns || q->depth != p->depth ||
		    q->n_visits < STANDARD_VISITS || !(q->expanded > 0))
			continue;
		/* the median of a sample's variance is below the variance */
		const double df = (double)q->n_visits - 1;
		variance[n++] = q->scatter * q->scatter * df / gsl_cdf_chisq_Pinv(0.5, df);
	}
	doubles_sort(variance, n);
	return n ? sorted_quantile(variance, n, 0.5, 7) : NAN;
}

struct check { /* check of a visit by the other visits of its point */
	double ratio; /* deviation from the mean of the other visits, as a multiple of their U */
	double bias, expanded; /* their mean and U */
};

static struct check check_make(const struct standard_point *p, size_t i, double beside)
{
	struct standard_point others = *p;
	const struct standard_visit *v = &p->visit[i];
	others.visit = xcalloc(p->n_visits, sizeof *others.visit);
	others.n_visits = 0;
	for (size_t k = 0; k < p->n_visits; k++)
		if (k != i)
			others.visit[others.n_visits++] = p->visit[k];
	struct check c = {INFINITY, 0, INFINITY};
	if (results_find(&others, beside)) {
		const double deviation = v->response_ns / v->programmed_ns - 1 - others.bias;
		c = (struct check){fabs(deviation) / others.expanded, others.bias, others.expanded};
	}
	free(others.visit);
	return c;
}

/* Returns the share of the checks that U covers if it is widened by `factor`: of all checks, or of
 * the checks whose point would then be valid. 1 if these are fewer than WIDEN_LEAST. */
static double coverage_of(const struct check *c, size_t n, double factor, bool valid)
{
	size_t n_of = 0, n_covered = 0;
	for (size_t i = 0; i < n; i++) {
		if (valid && fabs(c[i].bias) + factor * c[i].expanded > STANDARD_LIMIT)
			continue;
		n_of++;
		n_covered += c[i].ratio <= factor;
	}
	return n_of < WIDEN_LEAST ? 1 : (double)n_covered / (double)n_of;
}

/* Returns the smallest factor, from 1 in steps of 1 %, with which U covers COVERAGE of all checks
 * and of the checks of valid points. The second condition is needed because a small U makes a point
 * valid, and some U are small only by chance. */
static double widening_of(const struct check *c, size_t n)
{
	double factor = 1;
	while (factor < WIDEN_MOST && fmin(coverage_of(c, n, factor, false),
					   coverage_of(c, n, factor, true)) < COVERAGE)
		factor *= 1.01;
	return factor;
}

/* Returns the number of visits of a point that its other visits can check. */
static size_t checked_of(const struct standard_point *p)
{
	return p->n_visits > 3 ? p->n_visits : 0;
}

void standard_widen(struct standard *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n += checked_of(&s->point[i]);
	struct check *all = xcalloc(n + 1, sizeof *all), *rest = xcalloc(n + 1, sizeof *rest),
		     *c = all;
	double *beside = xcalloc(s->n + 1, sizeof *beside);
	for (size_t i = 0; i < s->n; i++) {
		beside[i] = variance_beside(s, &s->point[i]);
		for (size_t k = 0; k < checked_of(&s->point[i]); k++)
			*c++ = check_make(&s->point[i], k, beside[i]);
	}
	s->n_checked = n;
	s->n_covered = 0;
	c = all;
	for (size_t i = 0; i < s->n; i++) { /* with the factor from the other points */
		const size_t n_own = checked_of(&s->point[i]), before = (size_t)(c - all);
		memcpy(rest, all, before * sizeof *rest);
		memcpy(rest + before, c + n_own, (n - before - n_own) * sizeof *rest);
		const double factor = n_own ? widening_of(rest, n - n_own) : 1;
		for (size_t k = 0; k < n_own; k++)
			s->n_covered += c++->ratio <= factor;
	}
	s->widening = widening_of(all, n);
	for (size_t i = 0; i < s->n; i++) {
		struct standard_point *p = &s->point[i];
		if (!(p->expanded > 0) || !results_find(p, beside[i]))
			continue;
		p->k *= s->widening;
		p->expanded *= s->widening;
		fault_find(p, true);
	}
	FREE_EACH(all, rest, beside);
}

void standard_release(struct standard *s)
{
	for (size_t i = 0; i < s->n; i++)
		FREE_EACH(s->point[i].visit, s->point[i].excess_ns);
	FREE_EACH(s->point, s->made);
	json_decref(s->machine);
	*s = (struct standard){.n = 0};
}
