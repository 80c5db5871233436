/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wrong words of a comparison, and what size of change is found: made-up versions of a replayer in 16 scenarios go through
 * compare_compute(), as real ones do. Limits and replicates are those of protocols/ci.conf, in one campaign (pairs of blocks) and in two. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_randist.h>

#include "common/xalloc.h"
#include "validate/compare/compare.h"
#include "validate/selftest/noise.h"
#include "validate/selftest/simulate_private.h"
#include "validate/stats/spending.h"

#define GROUP_UNCHANGED "a version that did not change called worse"
#define GROUP_SAME "a version that did not change called the same, of all cases"
#define GROUP_FOUND "a slower response time in one of 16 scenarios called worse"
#define FALSE_ALARM 0.01
#define FOUND 0.95
#define SCENARIOS 16
#define REPLICATES 14 /* the last look of protocols/ci.conf */
#define BLOCKS_SD 0.05 /* what a block's runs share */
#define FEWER 10       /* campaigns of the table and of further kinds of scatter */

struct versions {
	struct baseline was, is;
	struct baseline_scenario scenario[SCENARIOS];
	struct baseline_case old_case[SCENARIOS], new_case[SCENARIOS];
	bool pairs;
	enum noise noise;
	double spread; /* standard deviation of ln(new/old) of a pair */
	double slower; /* of the new one in scenario 0, relative */
};

enum { N_COMPARISONS, N_WORSE, N_FOUND, N_CASES, N_SAME, N_COUNTS };

static void side_init(struct baseline *b, struct baseline_scenario *scenario, struct baseline_case *c, const char *campaign)
{
	*b = (struct baseline){.limits = compare_defaults, .scenario = scenario, .n_scenarios = SCENARIOS, .cell = c, .n_cells = SCENARIOS};
	b->limits.median = b->limits.p90 = b->limits.p99 = b->limits.p999 = b->limits.uncertainty_ratio = NAN;
	b->limits.execution_time = 0.10;
	b->limits.precision_ratio = 4;
	static const unsigned int looks[2] = {10, REPLICATES};
	double same[2], worse[2];
	if (!spending_levels(0.05, looks, 2, same) && !spending_levels(0.01, looks, 2, worse)) {
		b->look = 2; /* what may be spent at the last one */
		b->level_accept = same[1];
		b->level_reject = worse[1];
	}
	b->source = (char *)"made up";
	snprintf(b->campaign, sizeof b->campaign, "%s", campaign);
	for (size_t i = 0; i < SCENARIOS; i++) {
		c[i] = (struct baseline_case){.scenario = i, .replayer = (char *)"event", .settings = (char *)"", .n = REPLICATES};
		c[i].block = xcalloc(REPLICATES, sizeof *c[i].block);
		for (unsigned int k = 0; k < REPLICATES; k++)
			c[i].block[k] = k + 1;
		for (size_t k = 0; k < COLUMN_N; k++)
			c[i].column[k] = xcalloc(REPLICATES, sizeof(double));
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
		v->scenario[i] = (struct baseline_scenario){.name = names[i], .requests = requests, .n_requests = 1};
	}
	side_init(&v->was, v->scenario, v->old_case, "0");
	side_init(&v->is, v->scenario, v->new_case, "0");
}

static void versions_release(struct versions *v)
{
	for (size_t i = 0; i < SCENARIOS; i++) {
		case_release(&v->old_case[i]);
		case_release(&v->new_case[i]);
	}
}

/* A campaign's machine: what its blocks share, and the program's own runs. */
static void machine_draw(const struct versions *v, gsl_rng *rng, double *block, double *program)
{
	noise_draw(v->noise, rng, program, REPLICATES);
	for (size_t i = 0; i < REPLICATES; i++) {
		block[i] = gsl_ran_gaussian_ziggurat(rng, BLOCKS_SD);
		program[i] = exp(block[i] + v->spread * M_SQRT1_2 * program[i]);
	}
}

static void side_draw(const struct versions *v, struct baseline_case *c, double factor, const double *block, const double *program, gsl_rng *rng)
{
	double own[REPLICATES];
	noise_draw(v->noise, rng, own, REPLICATES);
	for (size_t i = 0; i < REPLICATES; i++) {
		double x = factor * exp(block[i] + v->spread * M_SQRT1_2 * own[i]);
		c->column[COLUMN_X_MEAN][i] = 1e5 * x;
		c->column[COLUMN_R_MEAN][i] = 1e5 * program[i];
		c->column[COLUMN_X_TIME][i] = 1e8 * x;
		c->column[COLUMN_R_TIME][i] = 1e8 * program[i];
		c->column[COLUMN_X_IN_FLIGHT][i] = exp(gsl_ran_gaussian_ziggurat(rng, 0.01));
		c->column[COLUMN_R_IN_FLIGHT][i] = exp(gsl_ran_gaussian_ziggurat(rng, 0.01));
		c->column[COLUMN_DISTANCE][i] = fabs(gsl_ran_gaussian_ziggurat(rng, 0.02));
		c->column[COLUMN_REORDERED][i] = gsl_ran_binomial(rng, 0.001, 1600) / 1600.0;
		for (size_t k = COLUMN_X_MEDIAN; k <= COLUMN_R_P999; k++)
			c->column[k][i] = k % 2 ? program[i] : x;
	}
}

static void trial(void *context, gsl_rng *rng, uint64_t *count)
{
	struct versions *v = context;
	struct campaign_change c;
	double block[REPLICATES], program[REPLICATES];
	v->is.campaign[0] = v->pairs ? '0' : '1';
	for (size_t i = 0; i < SCENARIOS; i++) {
		machine_draw(v, rng, block, program);
		side_draw(v, &v->old_case[i], 1, block, program, rng);
		if (!v->pairs)
			machine_draw(v, rng, block, program);
		side_draw(v, &v->new_case[i], i ? 1 : 1 + v->slower, block, program, rng);
	}
	count[N_COMPARISONS]++;
	if (compare_compute(&c, &v->was, &v->is, &(struct compare_options){0}, NULL))
		return;
	count[N_WORSE] += c.n_worse > 0;
	count[N_FOUND] += c.cell[0].word == CHANGE_WORSE;
	count[N_CASES] += c.n_cells;
	count[N_SAME] += c.n_same;
	campaign_change_release(&c);
}

static int run(const struct simulate_options *o, struct versions *v, uint64_t n, uint64_t *count, struct err *e)
{
	uint64_t stream = 5000 + (uint64_t)v->noise * 4000 + (uint64_t)lround(1000 * v->spread) * 10 + (uint64_t)lround(100 * v->slower) * 3 + v->pairs;
	struct work w = simulate_work(o, "comparisons of versions", trial, v, n, N_COUNTS, stream);
	return work_run(&w, count, e);
}

static const char *design(const struct versions *v)
{
	return v->pairs ? "one campaign" : "two campaigns";
}

static int unchanged(const struct simulate_options *o, struct versions *v, struct rates *rates, struct err *e)
{
	static const enum noise kinds[] = {NOISE_NORMAL, NOISE_T3, NOISE_LOGNORMAL, NOISE_AR6};
	uint64_t count[2][4][N_COUNTS];
	int ret = 0;
	v->slower = 0;
	v->spread = 0.05;
	for (int pairs = 1; pairs >= 0; pairs--)
		for (size_t k = 0; k < 4 && !ret; k++) {
			v->pairs = pairs;
			v->noise = kinds[k];
			ret = run(o, v, o->n_campaigns / (k ? FEWER : 2), count[pairs][k], e);
			if (ret)
				return ret;
			struct rate *r = rate_add(rates, "statistics", GROUP_UNCHANGED, design(v), noise_names[kinds[k]], count[pairs][k][N_WORSE],
						  count[pairs][k][N_COMPARISONS]);
			r->promise = PROMISE_AT_MOST;
			r->promised = FALSE_ALARM;
		}
	for (int pairs = 1; pairs >= 0; pairs--)
		for (size_t k = 0; k < 4; k++) {
			v->pairs = pairs;
			rate_add(rates, "statistics", GROUP_SAME, design(v), noise_names[kinds[k]], count[pairs][k][N_SAME], count[pairs][k][N_CASES]);
		}
	return 0;
}

static int slower(const struct simulate_options *o, struct versions *v, struct rates *rates, struct err *e)
{
	static const double sizes[] = {0.05, 0.10, 0.15, 0.20, 0.30, 0.50}, spreads[] = {0.02, 0.05, 0.08, 0.12, 0.20};
	uint64_t count[N_COUNTS];
	v->noise = NOISE_NORMAL;
	for (int pairs = 1; pairs >= 0; pairs--)
		for (size_t s = 0; s < sizeof spreads / sizeof *spreads; s++)
			for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
				char name[64], condition[32];
				v->pairs = pairs;
				v->spread = spreads[s];
				v->slower = sizes[k];
				int ret = run(o, v, o->n_campaigns / (FEWER * 2), count, e);
				if (ret)
					return ret;
				snprintf(name, sizeof name, "%s, spread %g %%", design(v), 100 * v->spread);
				snprintf(condition, sizeof condition, "%g %% slower", 100 * v->slower);
				struct rate *r = rate_add(rates, "statistics", GROUP_FOUND, name, condition, count[N_FOUND], count[N_COMPARISONS]);
				if (pairs && v->spread <= 0.05 && v->slower >= 0.20) {
					r->promise = PROMISE_AT_LEAST;
					r->promised = FOUND;
				}
			}
	return 0;
}

int simulate_compare(const struct simulate_options *o, struct rates *rates, struct err *e)
{
	struct versions *v = xcalloc(1, sizeof *v);
	versions_init(v);
	int ret = unchanged(o, v, rates, e);
	if (!ret && !o->quick)
		ret = slower(o, v, rates, e);
	versions_release(v);
	free(v);
	return ret;
}
