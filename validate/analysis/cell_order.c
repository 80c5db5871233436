/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order and fidelity of a cell's replays: reordered shares; lost, extra and mismatched requests;
 * times of issue. */
#include "validate/analysis/analysis_private.h"
#include "validate/analysis/run_values.h"
#include "validate/stats/distributions.h"

typedef const struct reorder_summary *reorder_of(const struct run_summary *s);

static const struct reorder_summary *of_all(const struct run_summary *s)
{
	return &s->reorder_all;
}

static const struct reorder_summary *of_thread(const struct run_summary *s)
{
	return &s->reorder_thread;
}

static const struct reorder_summary *of_object(const struct run_summary *s)
{
	return &s->reorder_object;
}

/* Estimate of a pooled share, with Clopper-Pearson limits. Runs with equal values have no scatter
 * for a t-interval. */
static struct estimate pooled_estimate(const struct share_evidence *e)
{
	struct estimate out = estimate_none(STAT_OK);
	out.status = clopper_pearson(e->k, e->of, 0.90, &out.lo90, &out.hi90);
	if (!out.status)
		out.status = clopper_pearson(e->k, e->of, 0.95, &out.lo95, &out.hi95);
	if (!out.status)
		out.value = e->k / e->of;
	return out;
}

/* Mean of share[e->n] over the runs, with its t-interval limited to 0..1. */
static struct estimate estimate_of_share(struct share_evidence *e, const double *share)
{
	if (!e->status)
		e->status = dependent_mean(share, e->n, &e->t, &e->wide, &e->serial);
	if (e->status == STAT_ZERO_VARIANCE)
		return pooled_estimate(e);
	struct estimate out = estimate_of_t(e->status, &e->t, NULL);
	if (!out.status) {
		out.lo90 = fmax(0, out.lo90);
		out.lo95 = fmax(0, out.lo95);
		out.hi90 = fmin(1, out.hi90);
		out.hi95 = fmin(1, out.hi95);
	}
	return out;
}

/* Uses a share for each run, because requests of a run depend on each other. */
static struct estimate reordered_estimate(struct share_evidence *e, const struct pairs *p,
					  reorder_of *scope, bool replays)
{
	SCOPED_FREE double *share = xcalloc(p->n ? p->n : 1, sizeof *share);
	struct estimate out;
	*e = (struct share_evidence){.n = p->n, .status = replays ? STAT_OK : STAT_NOT_APPLICABLE};
	for (size_t i = 0; i < p->n && !e->status; i++) {
		const struct run_summary *s = &p->x[i]->summary;
		/* the run was not compared with the replayed trace, so it is not a summary of a
		 * replay */
		if (!s->has_input) {
			e->status = STAT_NOT_ASSESSED;
			break;
		}
		/* nothing received: the share is NaN, which is handled below */
		share[i] = (double)scope(s)->n_reordered / (double)scope(s)->n_received;
		e->k += (double)scope(s)->n_reordered;
		e->of += (double)scope(s)->n_received;
	}
	out = estimate_of_share(e, share);
	return out;
}

/* Counts over every successful replay, whether or not the program succeeded in its block, and over
 * every replay that made no request. */
static void fidelity_measure(struct cell *c, struct evidence *e, const struct pairs *p,
			     bool replays)
{
	e->fidelity_status = !replays ? STAT_NOT_APPLICABLE : p->n_replays ? STAT_OK : STAT_TOO_FEW;
	if (replays) {
		e->worst_run = p->n_lost_most;
		c->n_lost = c->n_requests = p->n_lost;
	}
	for (size_t i = 0; i < p->n_replays; i++) {
		const struct run_summary *s = &p->replay[i]->summary;
		c->n_requests = sum_cut(c->n_requests, s->has_input ? s->n_input : s->response.n);
		if (!replays)
			continue;
		if (!s->has_input) {
			e->fidelity_status = STAT_NOT_ASSESSED;
			continue;
		}
		uint64_t wrong = sum_cut(sum_cut(s->n_lost, s->n_extra), s->n_mismatched);
		e->worst_run = wrong > e->worst_run ? wrong : e->worst_run;
		c->n_lost = sum_cut(c->n_lost, s->n_lost);
		c->n_skipped = sum_cut(c->n_skipped, s->n_skipped);
		c->n_results_unknown = sum_cut(c->n_results_unknown, s->n_results_unknown);
		c->n_extra = sum_cut(c->n_extra, s->n_extra);
		c->n_mismatched = sum_cut(c->n_mismatched, s->n_mismatched);
	}
}

SUMMARY_VALUE(issue_p50, s->issue_error_p50)
SUMMARY_VALUE(issue_p99, s->issue_error_p99)

SUMMARY_VALUE(cpu_delayed_share, (double)s->n_cpu_delayed / (double)s->issue_error.n)
SUMMARY_VALUE(others_p99, s->issue_error_others_p99)

SUMMARY_VALUE(schedule_measure, s->schedule_error.mean)

static struct estimate mean_over_runs(const struct pairs *p,
				      double (*value)(const struct run_summary *s))
{
	SCOPED_FREE double *x = values_of(p->x, p->n, value);
	return estimate_of_mean(x, p->n);
}

/* Share of late requests, for each run. */
static struct estimate late_requests(struct share_evidence *e, const struct pairs *p)
{
	SCOPED_FREE double *share = xcalloc(p->n ? p->n : 1, sizeof *share);
	*e = (struct share_evidence){.n = p->n};
	for (size_t i = 0; i < p->n; i++) {
		const struct run_summary *s = &p->x[i]->summary;
		share[i] = s->share_late;
		e->k += round(s->share_late * (double)s->issue_error.n);
		e->of += (double)s->issue_error.n;
	}
	return estimate_of_share(e, share);
}

static void times_of_issue(struct cell *c, struct evidence *ev, const struct pairs *p, bool timed)
{
	bool all = p->n > 0, input = p->n > 0, cpu_delayed = true;
	double late = 0;
	struct cell_issue_error *issue = &c->issue_error;
	issue->max = issue->share_late = NAN;
	for (size_t i = 0; i < p->n; i++) {
		const struct run_summary *s = &p->x[i]->summary;
		all &= s->has_issue_error;
		cpu_delayed &= s->has_cpu_delayed;
		input &= s->has_input && s->schedule_error.n > 0;
		late += s->share_late;
		issue->max = fmax(issue->max, s->issue_error.max);
	}
	c->schedule_error = input ? mean_over_runs(p, schedule_measure)
				  : estimate_none(p->n ? STAT_NOT_APPLICABLE : STAT_TOO_FEW);
	if (!timed || !all) {
		enum stat_status why = !timed ? STAT_NOT_APPLICABLE
				       : p->n ? STAT_NOT_ASSESSED
					      : STAT_TOO_FEW;
		issue->p50 = issue->p99 = issue->cpu_delayed = issue->others_p99 = issue->late =
		    estimate_none(why);
		issue->max = NAN;
		ev->issue_error.status = ev->late.status = why;
		return;
	}
	issue->p50 = mean_over_runs(p, issue_p50);
	issue->p99 = mean_over_runs(p, issue_p99);
	issue->cpu_delayed = cpu_delayed ? mean_over_runs(p, cpu_delayed_share)
					  : estimate_none(STAT_NOT_ASSESSED);
	issue->others_p99 =
	    cpu_delayed ? mean_over_runs(p, others_p99) : estimate_none(STAT_NOT_ASSESSED);
	issue->share_late = late / (double)p->n;
	issue->late = late_requests(&ev->late, p);
	SCOPED_FREE double *p99 = values_of(p->x, p->n, issue_p99);
	ev->issue_error.n = p->n;
	ev->issue_error.status = dependent_mean(p99, p->n, &ev->issue_error.t,
						&ev->issue_error.wide, &ev->issue_error.serial);
}

static reorder_of *deciding_order(const struct protocol *p, const struct replayer *replayer)
{
	int scope = p->accept.reorder_scope;
	if (scope == REORDER_AUTO)
		scope = replayer->total_order ? REORDER_ALL : REORDER_THREAD;
	return scope == REORDER_ALL ? of_all : scope == REORDER_OBJECT ? of_object : of_thread;
}

const struct reorder_summary *run_order(const struct protocol *p, const struct replayer *replayer,
					const struct run_summary *s)
{
	return deciding_order(p, replayer)(s);
}

void measure_order(struct cell *c, struct evidence *e, const struct pairs *p,
		   const struct results *r)
{
	const struct replayer *replayer = &r->protocol.replayer[c->replayer];
	struct share_evidence aside;
	/* engine "program" runs the program in place of a replayer, and replays nothing */
	bool replays = !replayer->engine || strcmp(replayer->engine, "program");
	reorder_of *deciding = deciding_order(&r->protocol, replayer);

	c->order.deciding = reordered_estimate(&e->reordered, p, deciding, replays);
	c->order.all = reordered_estimate(&aside, p, of_all, replays);
	c->order.thread = reordered_estimate(&aside, p, of_thread, replays);
	c->order.object = reordered_estimate(&aside, p, of_object, replays);
	for (size_t i = 0; i < p->n; i++) {
		const struct run_summary *s = &p->x[i]->summary;
		if (!s->has_input)
			continue;
		c->order.n_received = sum_cut(c->order.n_received, deciding(s)->n_received);
		c->order.n_reordered = sum_cut(c->order.n_reordered, deciding(s)->n_reordered);
		c->order.n_descents = sum_cut(c->order.n_descents, deciding(s)->n_descents);
	}
	fidelity_measure(c, e, p, replays);
	times_of_issue(c, e, p, replayer->timed);
}
