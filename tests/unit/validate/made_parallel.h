/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constructed campaigns of one parallel application that is recorded on some targets and replayed
 * on others, with given execution times and nodes. */
#pragma once

#include "made_campaign.h"
#include "validate/analysis/parallel.h"

struct made_pair {
	size_t recorded_on, target;
	uint64_t period, n_throttled; /* as in struct scenario_parallel */
	/* of replayer 0 (causal) and 1 (think-limited): (application - replay) / application */
	double error[2];
};

enum { MADE_TARGETS = 3, MADE_NODES = 2, MADE_APPLICATION_NS = 10000000 };

static inline void made_running(struct run_summary *s, double ns)
{
	s->execution_ns = (int64_t)ns;
	s->ns_at_level[0] = s->execution_ns / 2;
	s->ns_at_level[1] = s->execution_ns - s->execution_ns / 2;
	s->n_bytes = 1 << 20;
	s->pace = xcalloc(1, sizeof *s->pace);
	s->pace->width_ns = 131072;
	s->pace->n = 64;
	for (uint32_t i = 0; i < 64; i++) {
		s->pace->requests[i] = 10;
		s->pace->active_ns[i] = 65536;
		s->pace->moved[i] = (double)(i % 8) * 1000;
	}
}

/* Node 1 is twice as slow as node 0. */
static inline void made_nodes(struct run_summary *s, double mean_ns)
{
	s->n_nodes = MADE_NODES;
	s->node = xcalloc(MADE_NODES, sizeof *s->node);
	for (uint64_t i = 0; i < MADE_NODES; i++)
		s->node[i] = (struct node_summary){i, "", {.n = 100 * (i + 1), .mean = mean_ns * (double)(i + 1), .min = 1, .max = 1e9}, s->execution_ns};
}

static inline void made_parallel(struct campaign *c, const struct made_pair *pair, size_t n,
				 unsigned int n_blocks)
{
	static const char *const names[] = {"a", "b", "c"};
	static struct setting causal = {"mode", "causal"}, think = {"mode", "think-limited"};
	static char engine[] = "parallel", type[] = SCENARIO_PARALLEL, workload[] = "it";
	struct protocol *p = &c->results.protocol;
	campaign_make(c, n, 2, n_blocks);
	p->target = xreallocarray(p->target, MADE_TARGETS, sizeof *p->target);
	p->n_targets = MADE_TARGETS;
	for (size_t i = 0; i < MADE_TARGETS; i++)
		p->target[i] = (struct target){.name = (char *)names[i]};
	for (size_t i = 0; i < 2; i++) {
		p->replayer[i].engine = p->replayer[i].section = engine;
		p->replayer[i].option = i ? &think : &causal;
		p->replayer[i].n_options = 1;
	}
	for (size_t s = 0; s < n; s++) {
		struct scenario *x = &p->scenario[s];
		x->type = type;
		x->workload = workload;
		x->script = "w/checkpoint.sh";
		x->size = x->level = 1;
		x->target = pair[s].target;
		x->recorded_on = pair[s].recorded_on;
		x->parallel = (struct scenario_parallel){.is = true, .period = pair[s].period, .n_throttled = pair[s].n_throttled, .recording = s};
		struct run *recording = run_add(c, 0, s, ROLE_RECORD);
		summary_make(&recording->summary, 1000, 1);
		recording->summary.causality = (struct causality_summary){.n_nodes = MADE_NODES,
									  .n_throttled = pair[s].n_throttled ? pair[s].n_throttled : MADE_NODES,
									  .n_runs = 3,
									  .period = pair[s].period ? pair[s].period : 125,
									  .application_ns = 1000,
									  .predicted_ns = 750,
									  .tracing_ns = 1000 + 2000 * (int64_t)(s + 1)};
		recording->bank = 0;
		for (unsigned int b = 0; b <= n_blocks; b++) {
			const double jitter = 1 + 0.001 * (b % 3);
			struct run *run = run_add(c, b, s, ROLE_PROGRAM);
			summary_make(&run->summary, 2000 * jitter, 1);
			made_running(&run->summary, MADE_APPLICATION_NS * jitter);
			made_nodes(&run->summary, 1000 * jitter);
			run->bank = 0;
			for (int k = 0; k < 2; k++) {
				run = run_add(c, b, s, k);
				replay_make(run, 2000 * (1 + 0.002 * (b % 2)), &faultless);
				made_running(&run->summary,
					     MADE_APPLICATION_NS * jitter *
						 (1 - pair[s].error[k] - 0.0005 * (b % 2)));
				made_nodes(&run->summary, 1100 * jitter * (1 + 0.0005 * (b % 2)));
				run->bank = 0;
			}
		}
	}
}

static inline void made_parallel_release(struct campaign *c)
{
	for (size_t i = 0; i < c->results.n_runs; i++)
		free(c->results.run[i].summary.node);
	campaign_release(c);
}
