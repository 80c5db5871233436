/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernel counters of a cell's runs, averaged: they show where the time was spent. NaN means
 * unknown, here and in reports. */
#include "validate/analysis/analysis_private.h"

struct context {
	const struct scenario *scenario;
};

typedef double fact_of(const struct run *run, const struct context *c); /* NaN unknown */

/* Share of the threads' time that they were off the CPU: waiting for a device, asleep, or
 * runnable. */
static double off_cpu(const struct run *run, const struct context *c)
{
	const struct run_facts *f = &run->summary.facts;
	double available = run_thread_ns(c->scenario, &run->summary);
	if (!run->summary.has_facts || !(available > 0))
		return NAN;
	double used = (double)f->cpu_user_ns + (double)f->cpu_system_ns;
	return fmin(1, fmax(0, 1 - used / available));
}

/* Share of the machine's CPU time, 0 to 1. */
static double stolen_share(const struct run *run, const struct context *c)
{
	(void)c;
	return run->stolen_share;
}

static double faults_per_request(const struct run *run, const struct context *c)
{
	const struct run_facts *f = &run->summary.facts;
	(void)c;
	if (!run->summary.has_facts || run->summary.response.n == 0)
		return NAN;
	return ((double)f->n_minor_faults + (double)f->n_major_faults) /
	       summary_n_ended(&run->summary);
}

static double resident_share(const struct run *run, const struct context *c)
{
	(void)c;
	if (run->residency.total_bytes == 0)
		return NAN;
	return (double)run->residency.cached_bytes / (double)run->residency.total_bytes;
}

static double mean_fact(const struct run **runs, size_t n, fact_of *fact, const struct context *c)
{
	double sum = 0, count = 0;
	for (size_t i = 0; i < n; i++) {
		double value = fact(runs[i], c);
		if (isnan(value))
			continue;
		sum += value;
		count++;
	}
	return count > 0 ? sum / count : NAN;
}

void measure_facts(struct cell *c, const struct pairs *p, const struct results *r)
{
	const struct context context = {&r->protocol.scenario[c->scenario]};
	c->diagnostics.off_cpu_x = mean_fact(p->x, p->n, off_cpu, &context);
	c->diagnostics.off_cpu_r = mean_fact(p->r, p->n, off_cpu, &context);
	c->diagnostics.stolen_x = mean_fact(p->x, p->n, stolen_share, &context);
	c->diagnostics.stolen_r = mean_fact(p->r, p->n, stolen_share, &context);
	c->diagnostics.faults_x = mean_fact(p->x, p->n, faults_per_request, &context);
	c->diagnostics.faults_r = mean_fact(p->r, p->n, faults_per_request, &context);
	c->diagnostics.resident_x = mean_fact(p->x, p->n, resident_share, &context);
	c->diagnostics.resident_r = mean_fact(p->r, p->n, resident_share, &context);
}
