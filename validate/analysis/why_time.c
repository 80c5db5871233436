/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The split of the execution time: an exact identity in every pair (why.h), without a rest. */
#include "validate/analysis/why_private.h"
#include "validate/stats/quantiles.h"

enum { TERM_REQUESTS, TERM_RESPONSE, TERM_IDLE, TERM_LEVEL, N_TERMS };

/* Computes the logarithms of the factors of a run's execution time. */
static void terms_of(const struct run_summary *s, double term[N_TERMS])
{
	double idle = (double)s->ns_at_level[0], busy = (double)s->execution_ns - idle;
	double n = summary_n_ended(s), active = s->response.mean * n;
	term[TERM_REQUESTS] = log(n);
	term[TERM_RESPONSE] = log(s->response.mean);
	term[TERM_IDLE] = -log(busy / (double)s->execution_ns);
	term[TERM_LEVEL] = -log(active / busy);
}

static struct estimate estimate_scaled(struct estimate e, double scale)
{
	double *value[] = {&e.value, &e.lo90, &e.hi90, &e.lo95, &e.hi95};
	for (size_t i = 0; i < sizeof value / sizeof *value; i++)
		*value[i] *= scale;
	return e;
}

static void name_part(struct split *s, int term, struct estimate part)
{
	static const enum cause cause[N_TERMS] = {CAUSE_REQUESTS, CAUSE_SERVICE, CAUSE_LATE_ISSUE,
						  CAUSE_CONCURRENCY};
	static const enum why_name name[N_TERMS][2] = {
	    {WHY_FEWER_REQUESTS, WHY_MORE_REQUESTS},
	    {WHY_SHORTER_RESPONSES, WHY_LONGER_RESPONSES},
	    {WHY_LESS_IDLE, WHY_MORE_IDLE},
	    {WHY_MORE_CONCURRENCY, WHY_LESS_CONCURRENCY},
	};
	split_add(s, cause[term], name[term][part.value > 0], METHOD_MEASURED)->part = part;
}

void split_time(struct split *s, const struct pairs *p)
{
	SCOPED_FREE double *d = xcalloc(N_TERMS * p->n + 1, sizeof *d),
			   *whole = xcalloc(p->n + 1, sizeof *whole);
	for (size_t i = 0; i < p->n; i++) {
		double x[N_TERMS], r[N_TERMS];
		terms_of(&p->x[i]->summary, x);
		terms_of(&p->r[i]->summary, r);
		for (int k = 0; k < N_TERMS; k++) {
			d[(size_t)k * p->n + i] = x[k] - r[k];
			whole[i] += x[k] - r[k];
		}
	}
	/* winsorised, as the execution time is judged (execution_time.c) */
	terms_winsorise(whole, d, N_TERMS, p->n);
	sample_winsorise(whole, p->n);
	struct estimate total = estimate_of_mean(whole, p->n);
	/* factor that makes the parts of the logarithm add up to the relative difference */
	double scale =
	    !total.status && fabs(total.value) > 1e-9 ? expm1(total.value) / total.value : 1;
	s->whole = estimate_scaled(total, scale);
	for (int k = 0; k < N_TERMS && !total.status; k++)
		name_part(s, k,
			  estimate_scaled(estimate_of_mean(&d[(size_t)k * p->n], p->n), scale));
	split_shares(s);
}
