/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frauds with the right mean, request by request: ordinary campaigns with drawn response times pass
 * through the complete decision rule. */

#include <gsl/gsl_sort.h>

#include "validate/analysis/analysis.h"
#include "validate/selftest/frauds.h"
#include "validate/selftest/simulate_private.h"
#include "validate/selftest/synthetic.h"
#include "validate/stats/moments.h"

#define GROUP_FOUND                                                                                \
	"a fraud (replayer with the right mean, but wrong response times): called \"not trusted\""
#define GROUP_TRUSTED                                                                              \
	"a fraud (replayer with the right mean, but wrong response times): called \"trusted\""
#define GROUP_BESIDE "a faultless replayer in the same campaigns as the frauds"
/* factor by which the number of campaigns is smaller than for a faultless replayer */
#define FEWER 50
#define FOUND 0.95
#define FALSE_TRUST 0.05
#define TYPICAL_SHARE 0.9
#define TAIL_PARTS 100

struct frauds_times { /* of one run */
	double *x, *sorted;
	bool *is_write;
	size_t n;
};

static void moments_add(struct moments *m, double ns)
{
	const uint64_t n = m->n++;
	m->mean += (ns - m->mean) / (double)(n + 1);
	m->min = n ? fmin(m->min, ns) : ns;
	m->max = n ? fmax(m->max, ns) : ns;
}

/* Sets the summary's distribution from times that have the summary's mean. */
static void distribution_set(struct run_summary *s, struct frauds_times *t)
{
	const size_t n_tail = (t->n + TAIL_PARTS - 1) / TAIL_PARTS;
	size_t below = 0;
	s->half[0] = s->half[1] = s->op[0].response = s->op[1].response = (struct moments){0};
	for (size_t i = 0; i < t->n; i++) {
		moments_add(&s->half[i >= (t->n + 1) / 2], t->x[i]);
		moments_add(&s->op[t->is_write[i]].response, t->x[i]);
		t->sorted[i] = t->x[i];
	}
	gsl_sort(t->sorted, 1, t->n);
	s->response.min = t->sorted[0];
	s->response.max = t->sorted[t->n - 1];
	s->response_typical = plain_mean(t->sorted, (size_t)(TYPICAL_SHARE * (double)t->n));
	s->response_tail = plain_mean(t->sorted + t->n - n_tail, n_tail);
	s->has_halves = s->has_shape = true;
	for (size_t k = 0; k < SUMMARY_N_SHAPE; k++) {
		while (below < t->n &&
		       t->sorted[below] <= summary_shape_edge(k) * s->response_typical)
			below++;
		s->shape[k] = below;
	}
}

static void run_fill(struct run_summary *s, const struct fraud *fraud, struct frauds_times *t,
		     gsl_rng *rng)
{
	if (fraud)
		fraud->draw(t->x, t->is_write, t->n, rng);
	else
		fraud_none_draw(t->x, t->n, rng);
	const double scale = s->response.mean / plain_mean(t->x, t->n);
	for (size_t i = 0; i < t->n; i++)
		t->x[i] *= scale;
	distribution_set(s, t);
}

struct frauds_trial {
	struct synthetic synthetic;
	const struct fraud *fraud; /* of replayer 0 */
};

enum { N_TRUSTED, N_NOT_TRUSTED, N_CASES, N_BESIDE_TRUSTED, N_BESIDE_NOT_TRUSTED, N_COUNTS };

static void campaign_fill(struct frauds_trial *f, gsl_rng *rng)
{
	struct results *r = &f->synthetic.results;
	const size_t n = r->run[0].summary.response.n;
	struct frauds_times t = {xcalloc(n, sizeof *t.x), xcalloc(n, sizeof *t.sorted),
				 xcalloc(n, sizeof *t.is_write), n};
	for (size_t i = 0; i < n; i++)
		t.is_write[i] = gsl_rng_uniform(rng) >= FRAUD_READ_SHARE;
	for (size_t i = 0; i < r->n_runs; i++)
		run_fill(&r->run[i].summary, r->run[i].role == 0 ? f->fraud : NULL, &t, rng);
	FREE_EACH(t.x, t.sorted, t.is_write);
}

static void fraud_trial(void *context, gsl_rng *rng, uint64_t *count)
{
	struct frauds_trial *f = context;
	SCOPED(analysis_release) struct analysis a = {0};
	synthetic_draw(&f->synthetic, SCATTER_NORMAL, &(struct defect){.kind = COMPONENT_N}, rng);
	campaign_fill(f, rng);
	if (analysis_compute(&a, &f->synthetic.results, NULL) < 0)
		return;
	for (size_t i = 0; i < a.n_cells; i++) {
		const bool beside = a.cell[i].replayer > 0;
		count[N_CASES] += !beside;
		count[beside ? N_BESIDE_TRUSTED : N_TRUSTED] +=
		    a.cell[i].verdict == VERDICT_TRUSTED;
		count[beside ? N_BESIDE_NOT_TRUSTED : N_NOT_TRUSTED] +=
		    a.cell[i].verdict == VERDICT_NOT_TRUSTED;
	}
}

static void rates_of(struct rates *rates, uint64_t count[FRAUDS_N][N_COUNTS])
{
	uint64_t n = 0, trusted = 0, not_trusted = 0;
	for (size_t i = 0; i < FRAUDS_N; i++) {
		rate_promise(rate_add(rates, PART_STATISTICS, GROUP_FOUND, frauds[i].name,
				      "of all cases", count[i][N_NOT_TRUSTED], count[i][N_CASES]),
			     PROMISE_AT_LEAST, FOUND);
	}
	for (size_t i = 0; i < FRAUDS_N; i++) {
		rate_promise(rate_add(rates, PART_STATISTICS, GROUP_TRUSTED, frauds[i].name,
				      "of all cases", count[i][N_TRUSTED], count[i][N_CASES]),
			     PROMISE_AT_MOST, FALSE_TRUST);
		n += count[i][N_CASES];
		trusted += count[i][N_BESIDE_TRUSTED];
		not_trusted += count[i][N_BESIDE_NOT_TRUSTED];
	}
	rate_add(rates, PART_STATISTICS, GROUP_BESIDE, "called trusted", "of all cases", trusted,
		 n);
	rate_promise(rate_add(rates, PART_STATISTICS, GROUP_BESIDE, "called not trusted",
		"of all cases", not_trusted, n), PROMISE_AT_MOST, 0.01);
}

int simulate_frauds(const struct simulate_options *o, struct rates *rates, struct err *e)
{
	struct frauds_trial f = {.fraud = NULL};
	uint64_t count[FRAUDS_N][N_COUNTS];
	int ret = 0;
	synthetic_init(&f.synthetic);
	for (size_t i = 0; i < FRAUDS_N && !ret; i++) {
		f.fraud = &frauds[i];
		ret = simulate_trials(o, "frauds", fraud_trial, &f, o->n_campaigns / FEWER,
				      N_COUNTS, 90000 + i, count[i], e);
	}
	if (!ret)
		rates_of(rates, count);
	synthetic_release(&f.synthetic);
	return ret;
}
