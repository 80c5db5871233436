/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wrong results of comparisons, and the detectable size of a change: simulated versions of a
 * replayer in 16 scenarios pass through compare_compute(), as real versions do. In a single
 * campaign (pairs of blocks), limits and budget are those of protocols/ci.conf, and looks and
 * further pairs are as in campaign_budget.c. Two campaigns have a fixed number of replicates. */

#include <gsl/gsl_randist.h>

#include "validate/compare/compare.h"
#include "validate/selftest/noise.h"
#include "validate/selftest/simulate_private.h"

#define GROUP_UNCHANGED "an unchanged version: called \"worse\" or \"better\""
#define GROUP_SAME "cases of an unchanged version that are called \"the same\""
#define GROUP_FOUND "a version with slower responses in one of 16 scenarios: called \"worse\""
#define FALSE_ALARM 0.01
#define SCENARIOS 16
#define LEAST 16    /* minimum and maximum number of replicates in protocols/ci.conf */
#define MOST 160
#define BUDGET 640  /* number of groups of runs that fit into its budget: 40 per scenario */
#define FIXED 20    /* number of replicates of a campaign without a budget */
#define SPREAD 0.05 /* sd of typical response times of pairs in slices, on a busy machine */
/* mean response and execution times scatter 3 times as much in pairs, because stalls affect them */
#define STALLS 2
#define BLOCKS_SD 0.05 /* sd shared by the runs of a block */
/* Campaigns with a budget take a second each, so their number is smaller by these factors: */
#define FEWER 25 /* of one kind of scatter, */
#define FEWEST 100 /* for a change of one size */

struct versions {
	struct baseline was, is;
	struct baseline_scenario scenario[SCENARIOS];
	struct baseline_case old_case[SCENARIOS], new_case[SCENARIOS];
	bool pairs; /* one campaign of pairs */
	enum noise noise;
	double spread; /* sd of ln(new/old) of the typical response times of a pair */
	double slower; /* relative slowdown of the new version in scenario 0 */
};

enum { N_COMPARISONS, N_WORSE, N_FOUND, N_CASES, N_SAME, N_COUNTS };

static void side_init(struct baseline *b, struct baseline_scenario *scenario,
		      struct baseline_case *c, const char *campaign)
{
	*b = (struct baseline){.limits = compare_defaults, .scenario = scenario,
		.n_scenarios = SCENARIOS, .cell = c, .n_cells = SCENARIOS};
	b->limits.median = b->limits.p90 = b->limits.p99 = b->limits.p999 =
	    b->limits.uncertainty_ratio = NAN;
	b->limits.tail = b->limits.shape = NAN;
	b->limits.typical_response = 0.034;
	b->limits.response_time = 0.15;
	b->limits.execution_time = 0.20;
	b->limits.precision_ratio = 4;
	b->source = (char *)"made up";
	snprintf(b->campaign, sizeof b->campaign, "%s", campaign);
	for (size_t i = 0; i < SCENARIOS; i++) {
		c[i] = (struct baseline_case){.scenario = i, .replayer = (char *)"event",
		    .settings = (char *)"", .n = LEAST};
		c[i].block = xcalloc(MOST, sizeof *c[i].block);
		for (unsigned int k = 0; k < MOST; k++)
			c[i].block[k] = k + 1;
		for (size_t k = 0; k < COLUMN_N; k++)
			c[i].column[k] = xcalloc(MOST, sizeof(double));
	}
}

static void case_release(struct baseline_case *c)
{
	free(c->block);
	for (size_t k = 0; k < COLUMN_N; k++)
		free(c->column[k]);
}

static void versions_init(struct versions *v)
{
	static char names[SCENARIOS][16];
	static uint64_t requests[1] = {1};
	*v = (struct versions){0};
	for (size_t i = 0; i < SCENARIOS; i++) {
		snprintf(names[i], sizeof names[i], "scenario %zu", i);
		v->scenario[i] = (struct baseline_scenario){.name = names[i], .requests = requests,
		    .n_requests = 1};
	}
	side_init(&v->was, v->scenario, v->old_case, "0");
	side_init(&v->is, v->scenario, v->new_case, "0");
}

/* Draws the values that the blocks of a campaign share, and the program's runs. */
static void machine_draw(const struct versions *v, gsl_rng *rng, double *block, double *program)
{
	noise_draw(v->noise, rng, program, MOST);
	for (size_t i = 0; i < MOST; i++) {
		block[i] = gsl_ran_gaussian_ziggurat(rng, BLOCKS_SD);
		program[i] = exp(block[i] + v->spread * M_SQRT1_2 * program[i]);
	}
}

static void side_draw(const struct versions *v, struct baseline_case *c, double factor,
		      const double *block, const double *program, gsl_rng *rng)
{
	double own[MOST];
	noise_draw(v->noise, rng, own, MOST);
	for (size_t i = 0; i < MOST; i++) {
		double x = factor * exp(block[i] + v->spread * M_SQRT1_2 * own[i]);
		double stalled = x * exp(gsl_ran_gaussian_ziggurat(rng, STALLS * v->spread));
		c->column[COLUMN_X_MEAN][i] = 1e5 * stalled;
		c->column[COLUMN_R_MEAN][i] = 1e5 * program[i];
		c->column[COLUMN_X_TIME][i] = 1e8 * stalled;
		c->column[COLUMN_R_TIME][i] = 1e8 * program[i];
		c->column[COLUMN_X_IN_FLIGHT][i] = exp(gsl_ran_gaussian_ziggurat(rng, 0.01));
		c->column[COLUMN_R_IN_FLIGHT][i] = exp(gsl_ran_gaussian_ziggurat(rng, 0.01));
		c->column[COLUMN_DISTANCE][i] = fabs(gsl_ran_gaussian_ziggurat(rng, 0.02));
		c->column[COLUMN_REORDERED][i] = gsl_ran_binomial(rng, 0.001, 1600) / 1600.0;
		for (size_t k = COLUMN_X_MEDIAN; k <= COLUMN_R_P999; k++)
			c->column[k][i] = k % 2 ? program[i] : x;
		c->column[COLUMN_X_TYPICAL][i] = 9e4 * x;
		c->column[COLUMN_R_TYPICAL][i] = 9e4 * program[i];
	}
}

/* Returns the number of pairs until the next look: one, or 5 % of a large number, which saves time
 * and costs some power. */
static size_t step_of(size_t n)
{
	return n < 20 ? 1 : n / 20;
}

/* Keeps only the drawn pairs that a campaign with this budget would have made: all inconclusive
 * scenarios share the remaining budget. */
static int pairs_spend(struct versions *v, struct campaign_change *c)
{
	size_t left = BUDGET - SCENARIOS * LEAST;
	for (size_t i = 0; i < SCENARIOS; i++)
		v->old_case[i].n = v->new_case[i].n = LEAST;
	for (;;) {
		bool more = false;
		int ret = compare_compute(c, &v->was, &v->is,
					  &(struct compare_options){.words_only = true}, NULL);
		if (ret)
			return ret;
		for (size_t i = 0; i < SCENARIOS; i++) {
			size_t n = v->old_case[i].n, step = step_of(n);
			if (c->cell[i].word != CHANGE_INCONCLUSIVE || n + step > MOST ||
			    step > left)
				continue;
			v->old_case[i].n = v->new_case[i].n = n + step;
			left -= step;
			more = true;
		}
		if (!more)
			return 0;
		campaign_change_release(c);
	}
}

static int pairs_fixed(struct versions *v, struct campaign_change *c)
{
	for (size_t i = 0; i < SCENARIOS; i++)
		v->old_case[i].n = v->new_case[i].n = FIXED;
	return compare_compute(c, &v->was, &v->is, &(struct compare_options){.words_only = true},
			       NULL);
}

static void versions_trial(void *context, gsl_rng *rng, uint64_t *count)
{
	struct versions *v = context;
	SCOPED(campaign_change_release) struct campaign_change c = {0};
	double block[MOST], program[MOST];
	v->is.campaign[0] = v->pairs ? '0' : '1';
	v->was.span = v->is.span = v->pairs ? log((double)MOST / LEAST) : 0;
	for (size_t i = 0; i < SCENARIOS; i++) {
		machine_draw(v, rng, block, program);
		side_draw(v, &v->old_case[i], 1, block, program, rng);
		if (!v->pairs)
			machine_draw(v, rng, block, program);
		side_draw(v, &v->new_case[i], i ? 1 : 1 + v->slower, block, program, rng);
	}
	count[N_COMPARISONS]++;
	if ((v->pairs ? pairs_spend : pairs_fixed)(v, &c))
		return;
	count[N_WORSE] += c.n_worse + c.n_better > (v->slower > 0);
	count[N_FOUND] += c.cell[0].word == CHANGE_WORSE;
	count[N_CASES] += c.n_cells;
	count[N_SAME] += c.n_same;
}

static int comparisons_run(const struct simulate_options *o, struct versions *v, uint64_t n,
			   uint64_t *count, struct err *e)
{
	uint64_t stream = 5000 + (uint64_t)v->noise * 4000 + (uint64_t)lround(1000 * v->spread) *
		10 + (uint64_t)lround(100 * v->slower) * 3 + v->pairs;
	return simulate_trials(o, "comparisons of versions", versions_trial, v, n, N_COUNTS, stream,
			       count, e);
}

static const char *design_name(const struct versions *v)
{
	return v->pairs ? "one campaign" : "two campaigns";
}

static int unchanged_simulate(const struct simulate_options *o, struct versions *v,
			      struct rates *rates, struct err *e)
{
	static const enum noise kinds[] = {NOISE_NORMAL, NOISE_T3, NOISE_LOGNORMAL, NOISE_AR6};
	uint64_t count[2][4][N_COUNTS];
	v->slower = 0;
	v->spread = SPREAD;
	for (int pairs = 1; pairs >= 0; pairs--)
		for (size_t k = 0; k < 4; k++) {
			v->pairs = pairs;
			v->noise = kinds[k];
			int ret =
			    comparisons_run(o, v, 1 + o->n_campaigns / FEWER, count[pairs][k], e);
			if (ret)
				return ret;
			rate_promise(rate_add(rates, "statistics", GROUP_UNCHANGED, design_name(v),
				noise_names[kinds[k]], count[pairs][k][N_WORSE],
				count[pairs][k][N_COMPARISONS]), PROMISE_AT_MOST, FALSE_ALARM);
		}
	for (int pairs = 1; pairs >= 0; pairs--)
		for (size_t k = 0; k < 4; k++) {
			v->pairs = pairs;
			struct rate *r = rate_add(rates, "statistics", GROUP_SAME, design_name(v),
						  noise_names[kinds[k]], count[pairs][k][N_SAME],
						  count[pairs][k][N_CASES]);
			if (pairs && kinds[k] != NOISE_AR6)
				rate_promise(r, PROMISE_AT_LEAST, 0.90);
		}
	return 0;
}

static int slower_simulate(const struct simulate_options *o, struct versions *v,
			   struct rates *rates, struct err *e)
{
	static const double sizes[] = {0.05, 0.10, 0.15, 0.20},
			    spreads[] = {0.02, SPREAD, 0.08, 0.12};
	uint64_t count[N_COUNTS];
	v->noise = NOISE_NORMAL;
	for (int pairs = 1; pairs >= 0; pairs--)
		for (size_t s = 0; s < sizeof spreads / sizeof *spreads; s++)
			for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
				char name[64], condition[32];
				v->pairs = pairs;
				v->spread = spreads[s];
				v->slower = sizes[k];
				int ret = comparisons_run(o, v, o->n_campaigns / FEWEST, count, e);
				if (ret)
					return ret;
				snprintf(name, sizeof name, "%s, spread %g %%", design_name(v),
					 100 * v->spread);
				snprintf(condition, sizeof condition, "%g %% slower",
					 100 * v->slower);
				struct rate *r = rate_add(rates, "statistics", GROUP_FOUND, name,
					condition, count[N_FOUND], count[N_COMPARISONS]);
				if (pairs && v->spread <= SPREAD)
					rate_promise(r, PROMISE_AT_LEAST,
						v->slower < 0.10 ? 0.80 : 0.95);
			}
	return 0;
}

int simulate_compare(const struct simulate_options *o, struct rates *rates, struct err *e)
{
	SCOPED_FREE struct versions *v = xcalloc(1, sizeof *v);
	versions_init(v);
	int ret = unchanged_simulate(o, v, rates, e);
	if (!ret && !o->quick)
		ret = slower_simulate(o, v, rates, e);
	for (size_t i = 0; i < SCENARIOS; i++) {
		case_release(&v->old_case[i]);
		case_release(&v->new_case[i]);
	}
	return ret;
}
