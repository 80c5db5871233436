/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/analysis/analysis.h"

#include <gsl/gsl_errno.h>

#include "common/each.h"
#include "validate/analysis/added.h"
#include "validate/analysis/at_device.h"
#include "validate/analysis/blank.h"
#include "validate/analysis/claims.h"
#include "validate/analysis/costs.h"
#include "validate/analysis/courses.h"
#include "validate/analysis/league.h"
#include "validate/analysis/operations.h"
#include "validate/analysis/parallel.h"
#include "validate/analysis/rated_range.h"
#include "validate/analysis/why.h"
#include "validate/components/component.h"
#include "validate/evidence/covariate.h"
#include "validate/stats/multiplicity.h"
#include "validate/stats/quantiles.h"

/* --- distances ----------------------------------------------------------- */

/* Distances between the distributions of the response times of all requests, with runs pooled.
 * Pooled requests depend on each other, so no test is made. */

/* Whether the run has no histogram. If the file was changed or removed, the seal reports it. */
static bool is_absent(int ret)
{
	return ret == -ENOENT || ret == -EBADMSG || ret == -EINVAL;
}

struct distances_work {
	struct analysis *a;
	struct {
		int ret;
		struct err e;
	} *cell; /* [n_cells] */
};

static int histograms_pool(struct histogram *h, const struct results *r, const struct run **runs,
			   size_t n, struct err *e)
{
	int ret = 0;
	*h = (struct histogram){0};
	for (size_t i = 0; i < n && !ret; i++) {
		SCOPED(histogram_release) struct histogram one;
		ret = results_histogram(&one, r, runs[i], e);
		if (!ret)
			histogram_merge(h, &one);
	}
	return ret;
}

static double bucket_count(const struct histogram *h, uint32_t bucket)
{
	return bucket < h->n_buckets ? (double)h->count[bucket] : 0;
}

/* D = max |F_x - F_r| and W = integral of |F_x - F_r|, computed from the buckets. The times in a
 * bucket differ from its value by at most 0.05 %. */
static void distances_measure(struct cell *c, const struct histogram *x, const struct histogram *r)
{
	uint32_t n = x->n_buckets > r->n_buckets ? x->n_buckets : r->n_buckets;
	double below_x = 0, below_r = 0, d = 0, w = 0, before = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (bucket_count(x, i) <= 0 && bucket_count(r, i) <= 0)
			continue;
		double gap = fabs(below_x / (double)x->n - below_r / (double)r->n),
		       at = histogram_value(i);
		w += gap * (at - before);
		before = at;
		below_x += bucket_count(x, i);
		below_r += bucket_count(r, i);
		d = fmax(d, fabs(below_x / (double)x->n - below_r / (double)r->n));
	}
	c->ks_distance = d;
	c->wasserstein = c->r.mean > 0 ? w / c->r.mean : NAN;
}

static void cell_distances(void *work, size_t i)
{
	const struct distances_work *w = work;
	struct analysis *a = w->a;
	/* pairs_collect() adds to the counts of its cell, and those of c are final: use a copy */
	struct cell *c = &a->cell[i], again = {.scenario = c->scenario, .replayer = c->replayer};
	struct histogram x, r = {0};
	SCOPED(pairs_release) struct pairs p;
	pairs_collect(&p, &again, a->results, a->n_replicates);
	int ret = histograms_pool(&x, a->results, p.x, p.n, &w->cell[i].e);
	ret = ret ? ret : histograms_pool(&r, a->results, p.r, p.n, &w->cell[i].e);
	if (!ret && x.n && r.n)
		distances_measure(c, &x, &r);
	w->cell[i].ret = ret && is_absent(ret) ? 0 : ret;
	histogram_release(&x);
	histogram_release(&r);
}

/* Computes the distances from the histograms of all runs. ks_distance and wasserstein stay NaN in
 * large campaigns (protocol_in_detail()) and if a run has no histogram. */
static int distances_compute(struct analysis *a, struct err *e)
{
	int ret = 0;
	if (!protocol_in_detail(&a->results->protocol))
		return 0;
	struct distances_work w = {a, xcalloc(a->n_cells + 1, sizeof *w.cell)};
	each_do(a->n_cells, cell_distances, &w);
	for (size_t i = 0; i < a->n_cells && !ret; i++)
		if (w.cell[i].ret)
			ret = err_set(e, -w.cell[i].ret, "%s", w.cell[i].e.msg);
	free(w.cell);
	return ret;
}

/* Returns the last block with a run that is not pending. */
static unsigned int last_block(const struct results *r)
{
	unsigned int last = 0;
	for (size_t i = 0; i < r->n_runs; i++)
		if (r->run[i].state != RUN_PENDING && r->run[i].role != ROLE_RECORD &&
		    r->run[i].block > last)
			last = r->run[i].block;
	return last;
}

/* Chooses the last planned look that the complete blocks reach, and its error levels. Blocks after
 * that look are ignored until the next look is reached, because the levels hold for planned looks
 * only. */
static int look_choose(struct analysis *a, unsigned int n_complete, struct err *e)
{
	const struct protocol *p = &a->results->protocol;
	unsigned int whole = (unsigned int)p->n_replicates_max,
		     n_looks = p->n_looks ? p->n_looks : 1;
	const unsigned int *look = p->n_looks ? p->look : &whole;
	double accept[sizeof p->look / sizeof *p->look], reject[sizeof p->look / sizeof *p->look];

	a->level_accept = ALPHA_ACCEPT;
	a->level_reject = ALPHA_REJECT;
	a->n_replicates = n_complete;
	/* with a budget there is a look at each case after each of its pairs */
	if (p->budget_ns) {
		a->span = log((double)p->n_replicates_max / (double)p->n_replicates_min);
		a->level_accept = sequential_level(ALPHA_ACCEPT, a->span);
		a->n_replicates = last_block(a->results);
		return 0;
	}
	if (n_looks > sizeof accept / sizeof *accept || spending_levels(ALPHA_ACCEPT, look, n_looks,
	    accept) || spending_levels(ALPHA_REJECT, look, n_looks, reject))
		return err_set(e, EINVAL,
			       "%s: the numbers of replicates at the planned looks are not in "
			       "ascending order",
			       p->path ? p->path : "protocol");
	for (unsigned int k = 0; k < n_looks; k++)
		if (n_complete >= look[k]) {
			a->look = k + 1;
			a->n_replicates = look[k];
			a->level_accept = accept[k];
			a->level_reject = reject[k];
		}
	return 0;
}

static struct expanded expanded_of(const struct budget *b)
{
	if (b->status)
		return (struct expanded){NAN, NAN, NAN};
	double machine = b->k95 * b->u_c_program;
	return (struct expanded){b->U95, machine,
				 sqrt(fmax(0, b->U95 * b->U95 - machine * machine))};
}

static void cell_compute(struct analysis *a, struct cell *c, struct evidence *e)
{
	SCOPED(pairs_release) struct pairs pairs;
	const struct protocol *p = &a->results->protocol;
	c->levels = (struct levels){a->level_accept, a->level_reject, a->span,
				    a->results->protocol.claimed != NULL};
	pairs_collect(&pairs, c, a->results, a->n_replicates);
	c->too_early = p->budget_ns ? c->n_blocks < p->n_replicates_min : !a->look;
	measure_times(c, e, &pairs, a->results);
	blank_measure(c, a->results, a->n_replicates);
	measure_budget(c, e, &pairs, a->results);
	c->expanded = expanded_of(&c->budget);
	measure_order(c, e, &pairs, a->results);
	measure_concurrency(c, e, &pairs);
	measure_distributions(c, &pairs);
	measure_sessions(c, &pairs, a->results);
	measure_control(c, &pairs);
	measure_facts(c, &pairs, a->results);
	components_measure(&(struct measuring){c, e, &pairs, a->results});
}

struct cells { /* shared by all threads */
	struct analysis *a;
	struct evidence *evidence;
};

static void cell_of(void *context, size_t i)
{
	const struct cells *all = context;
	cell_compute(all->a, &all->a->cell[i], &all->evidence[i]);
}

static void cells_each(const struct analysis *a, size_t n, void (*one)(void *context, size_t i),
		       void *context)
{
	if (!protocol_in_detail(&a->results->protocol)) {
		each_do(n, one, context);
		return;
	}
	for (size_t i = 0; i < n; i++)
		one(context, i);
}

void analysis_each(struct analysis *a, size_t n, void (*one)(void *analysis, size_t i))
{
	cells_each(a, n, one, a);
}

static void evidence_release(struct evidence *e)
{
	FREE_EACH(e->distance.t, e->distance.wide, e->distance.serial, e->distance.level);
	ratio_release(&e->bias);
	ratio_release(&e->time);
	ratio_release(&e->time_all);
	ratio_release(&e->responsiveness.ratio);
	ratio_release(&e->in_flight);
	ratio_release(&e->in_flight_max);
	for (int k = 0; k < COMPONENT_N; k++)
		family_release(&e->family[k]);
}

/* Returns the median scatter of the program between its own runs. The replayers of a scenario share
 * their references, so only the first cell of each scenario counts. */
static double between_process(const struct analysis *a)
{
	double *cv = xcalloc(a->n_cells + 1, sizeof *cv), median = NAN;
	size_t n = 0;
	for (size_t i = 0; i < a->n_cells; i++)
		if ((i == 0 || a->cell[i].scenario != a->cell[i - 1].scenario) &&
		    !a->cell[i].single_reference && isfinite(a->cell[i].r.cv))
			cv[n++] = a->cell[i].r.cv;
	if (sample_median(cv, n, &median))
		median = NAN;
	free(cv);
	return median;
}

static void not_visible_add(struct analysis *a, const char *text)
{
	for (size_t i = 0; i < a->n_not_visible; i++)
		if (!strcmp(a->not_visible[i], text))
			return;
	if (*text && a->n_not_visible < sizeof a->not_visible / sizeof *a->not_visible)
		a->not_visible[a->n_not_visible++] = text;
}

/* Adds the losses of capture of a run to the cells that use it: the cell of a replayer's run, or
 * all cells of the scenario. */
static void missing_count(struct analysis *a, const struct run *r)
{
	for (size_t i = 0; i < a->n_cells; i++) {
		struct cell *c = &a->cell[i];
		if (c->scenario != r->scenario || (r->role >= 0 && (size_t)r->role != c->replayer))
			continue;
		if (!r->block && r->role != ROLE_RECORD)
			continue;
		c->n_unseen += r->summary.n_programs_unseen || r->summary.n_requests_unseen;
		if (__builtin_add_overflow(c->n_events_lost, r->summary.n_events_lost,
					   &c->n_events_lost))
			c->n_events_lost = UINT64_MAX;
		c->n_cut += r->summary.n_cut > 0;
	}
}

int analysis_compute(struct analysis *a, const struct results *r, struct err *e)
{
	const struct protocol *p = &r->protocol;
	unsigned int n_complete = blocks_complete(r);
	*a = (struct analysis){.results = r, .verdict = VERDICT_INCONCLUSIVE,
		.between_process_cv = NAN, .complete = r->finished};
	if (n_complete == 0 && !(p->budget_ns && last_block(r)))
		return err_set(e, ENODATA,
			       "%s: no block is complete: there is nothing to analyse yet",
			       r->dir ? r->dir : "results");
	int ret = look_choose(a, n_complete, e);
	if (ret)
		return ret;

	/* a GSL error must not abort: each caller checks the domain before the call */
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	const size_t n_most = p->n_scenarios * p->n_replayers + 1;
	SCOPED_FREE struct evidence *evidence = xcalloc(n_most, sizeof *evidence);
	a->cell = xcalloc(n_most, sizeof *a->cell);
	for (size_t s = 0; s < p->n_scenarios; s++)
		for (size_t k = 0; k < p->n_replayers; k++) {
			if (p->replayer[k].applies && !p->replayer[k].applies[s])
				continue;
			a->cell[a->n_cells].scenario = s;
			a->cell[a->n_cells++].replayer = k;
		}
	covariates_measure(a);
	cells_each(a, a->n_cells, cell_of, &(struct cells){a, evidence});
	for (size_t i = 0; i < r->n_runs; i++) {
		const struct run_summary *s = &r->run[i].summary;
		if (!r->run[i].has_summary)
			continue;
		if (__builtin_add_overflow(a->n_events_lost, s->n_events_lost, &a->n_events_lost))
			a->n_events_lost = UINT64_MAX;
		if (__builtin_add_overflow(a->n_programs_unseen, s->n_programs_unseen,
					   &a->n_programs_unseen))
			a->n_programs_unseen = UINT64_MAX;
		if (__builtin_add_overflow(a->n_requests_unseen, s->n_requests_unseen,
					   &a->n_requests_unseen))
			a->n_requests_unseen = UINT64_MAX;
		a->n_cut += s->n_cut > 0;
		if (r->run[i].role < 0)
			not_visible_add(a, s->not_visible);
		missing_count(a, &r->run[i]);
	}
	a->between_process_cv = between_process(a);
	dependence_pool(a, evidence);
	components_measure_across(a, evidence);
	for (size_t i = 0; i < a->n_cells; i++) {
		components_decide(&a->cell[i], &evidence[i], &p->accept,
				  p->replayer[a->cell[i].replayer].timed);
		blank_refuse(&a->cell[i], &evidence[i]);
	}
	for (size_t i = 0; i < a->n_cells && p->budget_ns; i++)
		a->look |= !a->cell[i].too_early;
	verdicts_reach(a, evidence);
	why_compute(a);
	rated_ranges_compute(a);
	/* no verdict is inconclusive, so the remaining runs of the plan are not needed */
	a->complete |= p->n_looks > 1 && analysis_is_settled(a);
	linearity_compute(a);
	sources_list(a);
	for (size_t i = 0; i < a->n_cells; i++)
		evidence_release(&evidence[i]);
	gsl_set_error_handler(handler);
	return 0;
}

int analysis_describe(struct analysis *a, struct err *e)
{
	int ret = distances_compute(a, e);
	if (ret)
		return ret;
	claims_compute(a);
	operations_compute(a);
	courses_compute(a);
	costs_compute(a);
	at_device_compute(a);
	added_compute(a);
	league_compute(a);
	parallel_compute(a);
	return 0;
}

static void cell_release(struct cell *c)
{
	struct sample *sample[] = {&c->x,      &c->r,      &c->x_median,  &c->r_median,
				   &c->x_p99,  &c->r_p99,  &c->x_trimmed, &c->r_trimmed,
				   &c->x_time, &c->r_time, &c->x_rate,    &c->r_rate};
	for (size_t i = 0; i < sizeof sample / sizeof *sample; i++)
		sample_release(sample[i]);
	sample_release(&c->control.d);
	for (int k = 0; k < COMPONENT_N; k++)
		free(c->component[k].part);
	FREE_EACH(c->sessions.session, c->concurrency.cdf_time_x.p, c->concurrency.cdf_time_r.p,
		  c->concurrency.cdf_request_x.p, c->concurrency.cdf_request_r.p);
}

void analysis_release(struct analysis *a)
{
	for (size_t i = 0; i < a->n_cells; i++)
		cell_release(&a->cell[i]);
	why_release(a);
	rated_ranges_release(a);
	analysis_claims_release(a);
	operations_release(a);
	courses_release(a);
	FREE_EACH(a->cost, a->device, a->added, a->league);
	parallel_release(a);
	for (size_t i = 0; i < a->n_linearity; i++)
		free(a->linearity[i].level);
	FREE_EACH(a->cell, a->linearity, a->source);
	*a = (struct analysis){0};
}

bool analysis_is_settled(const struct analysis *a)
{
	return a->look > 0 && a->n_inconclusive == 0;
}
