/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lost, extra and mismatched requests. Counts have few values, so the tests are exact. Requests of
 * one run fail together, so the run is the unit.
 *
 * Exceedances (Rosenbaum, 1965): k of n new runs have a larger count than each of m old runs. If
 * all runs were alike, the k largest counts would all be new with probability C(n, k)/C(n + m, k),
 * or less with ties. The two-sided P-value is twice the smaller one. */
#include "validate/compare/compare_private.h"
#include "validate/stats/distributions.h"
#include "validate/stats/multiplicity.h"

static double log_choose(double n, double k)
{
	return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1);
}

static double p_exceedances(double k, double n, double m)
{
	return exp(log_choose(n, k) - log_choose(n + m, k));
}

struct count_facts {
	double mean, least, most;
};

static struct count_facts facts_of(const double *x, size_t n)
{
	struct count_facts f = {0, x[0], x[0]};
	for (size_t i = 0; i < n; i++) {
		f.mean += x[i] / (double)n;
		f.least = fmin(f.least, x[i]);
		f.most = fmax(f.most, x[i]);
	}
	return f;
}

static double n_beyond(const double *x, size_t n, double limit)
{
	double k = 0;
	for (size_t i = 0; i < n; i++)
		k += x[i] > limit;
	return k;
}

static size_t n_known(const double *x, size_t n)
{
	size_t known = 0;
	for (size_t i = 0; i < n; i++)
		known += isfinite(x[i]) != 0;
	return known;
}

/* Counts of the runs of one side; failed runs are last. */
struct counts {
	double *x;
	size_t n, n_failed;
};

static double requests_of(const struct baseline_case *c, double most)
{
	for (size_t i = 0; i < c->n; i++)
		most = fmax(most, c->column[COLUMN_REQUESTS][i]);
	return most;
}

/* Collects the counts. A failed run counts as if it had lost all requests. */
static struct counts counts_of(const struct baseline_case *c, size_t n_failed, double n_requests,
			       bool unrecorded)
{
	struct counts s = {xcalloc(c->n + n_failed + 1, sizeof *s.x), c->n + n_failed, n_failed};
	for (size_t i = 0; i < s.n; i++)
		s.x[i] = i >= c->n ? n_requests : unrecorded ? 0 : c->column[COLUMN_MISMATCHED][i];
	return s;
}

static void compare_all(struct aspect_change *a, const struct counts *was, const struct counts *is,
			double span)
{
	struct count_facts before = facts_of(was->x, was->n), now = facts_of(is->x, is->n);
	double limit = isnan(a->limit) ? 0 : a->limit, m = (double)was->n, n = (double)is->n;
	double k_more = n_beyond(is->x, is->n, before.most + limit),
	       k_fewer = n_beyond(was->x, was->n, now.most + limit);
	a->old_value = before.mean;
	a->new_value = now.mean;
	a->change = now.mean - before.mean;
	/* interval of the difference of means by Welch's t; shown, not judged, because counts with
	 * few values are not normal */
	SCOPED(shift_release) struct shift s;
	shift_of_groups(&s, was->x, was->n, is->x, is->n);
	if (!s.status)
		shift_limits(&s, 0.05, &a->lo95, &a->hi95);
	a->p = fmin(1, 2 * sequential_p(fmin(p_exceedances(k_more, n, m),
		p_exceedances(k_fewer, m, n)), span));
	a->p_difference = a->p;
	/* the condition is that no run is beyond the limit, as for a single replayer */
	bool same = now.most - before.least <= limit && before.most - now.least <= limit;
	a->p_same = same ? 0 : 1;
	reason_add(a, (struct change_reason){CHANGE_COUNTS, {before.mean * m, m, now.mean * n, n,
							     before.most, now.most}});
	if (is->n_failed)
		reason_add(a, (struct change_reason){CHANGE_NEW_LOST, {(double)is->n_failed}});
	else if (was->n_failed)
		reason_add(a, (struct change_reason){CHANGE_OLD_LOST, {(double)was->n_failed}});
}

/* limit: further runs change nothing, and an untrusted baseline may contain any number */
#define FAILURES_MAX 100000u

static size_t failures_of(size_t n)
{
	return n < FAILURES_MAX ? n : FAILURES_MAX;
}

/* Compares the counts. Failed runs of the program count on both sides, so only the difference
 * matters. */
void counts_compare(struct aspect_change *a, const struct baseline_case *was,
		    const struct baseline_case *is, double span)
{
	const double *x_was = was->column[COLUMN_MISMATCHED], *x_is = is->column[COLUMN_MISMATCHED];
	const size_t common = was->n_failed < is->n_failed ? was->n_failed : is->n_failed;
	const size_t failed_was = failures_of(was->n_failed - common),
		     failed_is = failures_of(is->n_failed - common);
	const size_t known_was = n_known(x_was, was->n), known_is = n_known(x_is, is->n);
	const bool unrecorded = !known_was || !known_is, failed = failed_was || failed_is;
	a->status = was->n + failed_was < 2 || is->n + failed_is < 2 ? STAT_TOO_FEW
		    : unrecorded                             ? failed ? STAT_OK : STAT_NOT_ASSESSED
		    : known_was < was->n || known_is < is->n ? STAT_NOT_FINITE
							     : STAT_OK;
	if (a->status)
		return;
	const double n_requests = requests_of(was, requests_of(is, 1));
	struct counts before = counts_of(was, failed_was, n_requests, unrecorded),
		      now = counts_of(is, failed_is, n_requests, unrecorded);
	compare_all(a, &before, &now, span);
	FREE_EACH(before.x, now.x);
}
