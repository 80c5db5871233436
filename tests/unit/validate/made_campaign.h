/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constructed campaigns in memory, for tests of the analysis: every scenario, every replayer,
 * blocks 0..n; fixed seeds, no I/O. */
#pragma once

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "common/xalloc.h"
#include "validate/analysis/analysis.h"

/* --- a campaign in memory: every scenario, every replayer, blocks 0..n --- */
struct campaign {
	struct results results;
	unsigned int n_blocks;
};

struct effect {
	double bias, sd_x, sd_r; /* of logarithms */
	/* standard deviation of the part that program and replay of a block share */
	double common;
	double reordered;        /* share */
	uint64_t n_lost, n_skipped, n_results_unknown;
};

enum { N_REQUESTS = 5000, N_LEVELS = 3 };

static inline void summary_make(struct run_summary *s, double mean_ns, double stretch)
{
	*s = (struct run_summary){
	    .response = {.n = N_REQUESTS, .mean = mean_ns, .sd = mean_ns / 4, .min = mean_ns / 2, .max = mean_ns * 9},
	    .response_median = mean_ns * 0.9,
	    .response_p99 = mean_ns * 3,
	    .response_trimmed_mean = mean_ns * 0.95,
	    .response_tail = mean_ns * 4,
	    .response_typical = mean_ns * 0.85,
	    .has_halves = true,
	    .half = {{.n = N_REQUESTS / 2, .mean = mean_ns * 0.97}, {.n = N_REQUESTS / 2, .mean = mean_ns * 1.03}},
	    .has_shape = true,
	    .execution_ns = (int64_t)(mean_ns * N_REQUESTS * 1.1 * stretch),
	    .n_levels = N_LEVELS,
	    .clock_resolution_ns = 10,
	    .clock_read_cost_ns = 40,
	    .has_facts = true,
	};
	for (size_t k = 0; k < SUMMARY_N_SHAPE; k++) /* exponential */
		s->shape[k] = (uint64_t)(N_REQUESTS * -expm1(-summary_shape_edge(k)));
	s->facts.wall_ns = s->execution_ns;
	s->facts.cpu_user_ns = s->execution_ns / 2;
	s->facts.steal_ns = -1;
	s->facts.n_minor_faults = 50;
	s->ns_at_level = xcalloc(N_LEVELS, sizeof *s->ns_at_level);
	s->requests_at_level = xcalloc(N_LEVELS, sizeof *s->requests_at_level);
	s->ns_at_level[0] = s->execution_ns / 10;
	s->ns_at_level[1] = s->execution_ns - s->execution_ns / 10;
	s->requests_at_level[1] = N_REQUESTS;
}

static inline struct run *run_add(struct campaign *c, unsigned int block, size_t scenario, int role)
{
	struct results *r = &c->results;
	if ((r->n_runs & (r->n_runs - 1)) == 0) /* room for the next power of two */
		r->run = xreallocarray(r->run, r->n_runs ? 2 * r->n_runs : 1, sizeof *r->run);
	struct run *run = &r->run[r->n_runs];
	*run = (struct run){.id = (uint32_t)r->n_runs,
			    .block = block,
			    .scenario = (uint32_t)scenario,
			    .role = role,
			    .bank = block,
			    .state = RUN_OK,
			    .has_summary = true};
	r->n_runs++;
	return run;
}

static inline struct run *run_find(struct campaign *c, unsigned int block, size_t scenario,
				   int role)
{
	for (size_t i = 0; i < c->results.n_runs; i++) {
		struct run *run = &c->results.run[i];
		if (run->block == block && run->scenario == scenario && run->role == role)
			return run;
	}
	fail_msg("no run %u/%zu/%d", block, scenario, role);
	return NULL;
}

static inline void replay_make(struct run *run, double mean_ns, const struct effect *e)
{
	summary_make(&run->summary, mean_ns, 1);
	struct run_summary *s = &run->summary;
	s->has_input = true;
	s->n_input = N_REQUESTS;
	s->n_lost = e->n_lost;
	s->n_skipped = e->n_skipped;
	s->n_results_unknown = e->n_results_unknown;
	s->reorder_all = s->reorder_thread = s->reorder_object =
	    (struct reorder_summary){.n_received = N_REQUESTS, .n_reordered = (uint64_t)(e->reordered * N_REQUESTS)};
}

static inline void campaign_make(struct campaign *c, size_t n_scenarios, size_t n_replayers,
				 unsigned int n_blocks)
{
	*c = (struct campaign){.n_blocks = n_blocks};
	struct protocol *p = &c->results.protocol;
	*p = (struct protocol){
	    .n_scenarios = n_scenarios,
	    .n_replayers = n_replayers,
	    .n_targets = 1,
	    .n_replicates_min = n_blocks,
	    .n_replicates_max = n_blocks,
	    .n_looks = 1,
	    .look = {n_blocks},
	    .accept = accept_defaults,
	};
	p->accept.execution_time_timed = 0.10;
	p->target = xcalloc(1, sizeof *p->target);
	p->scenario = xcalloc(n_scenarios, sizeof *p->scenario);
	p->replayer = xcalloc(n_replayers, sizeof *p->replayer);
	for (size_t i = 0; i < n_scenarios; i++) {
		p->scenario[i].name = xasprintf("random-read level=%zu pause=0", i + 1);
		p->scenario[i].level = i + 1;
	}
	for (size_t i = 0; i < n_replayers; i++)
		p->replayer[i] = (struct replayer){.name = xasprintf("event %zu", i), .total_order = true};
	c->results.finished = true;
}

/* Fills every block; effect[replayer]. Block 0 has implausible values that no result may use. */
static inline void campaign_fill(struct campaign *c, const struct effect *effect, gsl_rng *rng)
{
	const struct protocol *p = &c->results.protocol;
	for (unsigned int b = 0; b <= c->n_blocks; b++)
		for (size_t s = 0; s < p->n_scenarios; s++) {
			double shared = gsl_ran_gaussian(rng, effect->common),
			       level = 1000 * (double)(s + 1);
			double wrong = b ? 1 : 77;
			summary_make(
			    &run_add(c, b, s, ROLE_PROGRAM)->summary,
			    level * wrong * exp(shared + gsl_ran_gaussian(rng, effect->sd_r)), 1);
			for (size_t k = 0; k < p->n_replayers; k++)
				replay_make(run_add(c, b, s, (int)k),
					    level * exp(log1p(effect[k].bias) + shared +
							gsl_ran_gaussian(rng, effect[k].sd_x)),
					    &effect[k]);
		}
}

static inline void campaign_release(struct campaign *c)
{
	struct protocol *p = &c->results.protocol;
	for (size_t i = 0; i < c->results.n_runs; i++) {
		free(c->results.run[i].summary.op);
		free(c->results.run[i].summary.pace);
		free(c->results.run[i].summary.requests_at_lateness);
		free(c->results.run[i].summary.response_at_lateness);
		free(c->results.run[i].summary.ns_at_level);
		free(c->results.run[i].summary.requests_at_level);
		free(c->results.run[i].summary.response_at_level);
	}
	for (size_t i = 0; i < p->n_scenarios; i++)
		free(p->scenario[i].name);
	for (size_t i = 0; i < p->n_replayers; i++) {
		free(p->replayer[i].name);
		free(p->replayer[i].applies);
	}
	free(c->results.run);
	free(p->target);
	free(p->scenario);
	free(p->replayer);
}

static inline gsl_rng *generator(unsigned long seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, seed);
	return rng;
}

static const struct effect faultless = {.sd_x = 0.01, .sd_r = 0.01, .common = 0.02};

/* One campaign with these effects, analysed; the caller releases both. */
static inline void analysed(struct campaign *c, struct analysis *a, const struct effect *effect,
			    size_t n_scenarios, size_t n_replayers, unsigned int n_blocks,
			    unsigned long seed)
{
	gsl_rng *rng = generator(seed);
	struct err e = ERR_INIT;
	campaign_make(c, n_scenarios, n_replayers, n_blocks);
	campaign_fill(c, effect, rng);
	gsl_rng_free(rng);
	assert_int_equal(analysis_compute(a, &c->results, &e), 0);
/* a test that reads the reasons in words defines this and includes reports/reasons.h first */
#ifdef REASONS_IN_WORDS
	analysis_word(a);
#endif
}

static inline void done(struct campaign *c, struct analysis *a)
{
	analysis_release(a);
	campaign_release(c);
}

/* analysis_compute after the campaign was changed */
static inline void again(struct campaign *c, struct analysis *a)
{
	struct err e = ERR_INIT;
	analysis_release(a);
	assert_int_equal(analysis_compute(a, &c->results, &e), 0);
/* a test that reads the reasons in words defines this and includes reports/reasons.h first */
#ifdef REASONS_IN_WORDS
	analysis_word(a);
#endif
}

static inline void assert_between(double lo, double x, double hi)
{
	if (!(x >= lo && x <= hi))
		fail_msg("%.12g is not in %.12g..%.12g", x, lo, hi);
}

static inline void set_reordered(struct campaign *c, uint64_t n_reordered, uint64_t n_received)
{
	for (unsigned int b = 1; b <= c->n_blocks; b++) {
		struct run_summary *s = &run_find(c, b, 0, 0)->summary;
		s->reorder_all = s->reorder_thread = s->reorder_object =
		    (struct reorder_summary){.n_received = n_received, .n_reordered = n_reordered};
	}
}
