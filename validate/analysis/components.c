/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decisions of one cell, component by component, each from a test in either direction.
 *
 * Accepting: an interval at 1 - 2 alpha inside the limits, which is two one-sided tests at alpha (0.05 at a single
 * look, so 90 %).
 * Rejecting: its own test, P-value kept for Holm. Neither: inconclusive. "Not significant" accepts nothing.
 * Source: Schuirmann (1987); Berger and Hsu (1996) for the intersection of such tests; JCGM 106 for the wording. */
#include <inttypes.h>
#include <math.h>

#include "validate/analysis/analysis_private.h"
#include "validate/stats/distributions.h"

const char *const component_names[] = {
    [COMPONENT_BIAS] = "bias",
    [COMPONENT_PRECISION] = "precision",
    [COMPONENT_EXECUTION_TIME] = "execution time",
    [COMPONENT_REORDERING] = "reordering",
    [COMPONENT_FIDELITY] = "fidelity",
    [COMPONENT_UNCERTAINTY] = "uncertainty",
    [COMPONENT_CONCURRENCY] = "concurrency",
    [COMPONENT_LINEARITY] = "linearity",
    [COMPONENT_ISSUE_ERROR] = "issue error",
    [COMPONENT_N] = NULL,
};

#define REASON_ADD(c, ...) phrase_add((c)->reason, sizeof(c)->reason, __VA_ARGS__)
#define REASON(c, ...) ((c)->reason[0] = 0, REASON_ADD(c, __VA_ARGS__))

/* A plan of many looks leaves next to no error for the first ones; below this the quantiles are out of reach, and nothing
 * that is worth deciding so early would be decided. */
#define LEAST_LEVEL 1e-12

/* No test is made at a look this early. */
static bool is_early(struct component *c, const struct levels *levels)
{
	if (levels->accept >= LEAST_LEVEL)
		return false;
	c->decision = DECISION_INCONCLUSIVE;
	REASON(c, "the planned looks leave no error for one this early (level %.2g): a later one decides", levels->accept);
	return true;
}

/* What two one-sided P-values say; the one of rejecting is kept. */
static void decide(struct component *c, double p_accept, double p_reject, const struct levels *levels)
{
	c->p_reject = fmin(1, p_reject);
	c->rejected_before_holm = c->p_reject <= levels->accept;
	c->decision = c->rejected_before_holm      ? DECISION_REJECT
		      : p_accept <= levels->accept ? DECISION_ACCEPT
						   : DECISION_INCONCLUSIVE;
}

static const char *position(const struct component *c)
{
	return c->decision == DECISION_ACCEPT ? "within" : c->decision == DECISION_REJECT ? "beyond" : "not clear of";
}

static void undecided(struct component *c, enum stat_status s)
{
	c->decision = s == STAT_NOT_APPLICABLE ? DECISION_NOT_APPLICABLE : DECISION_INCONCLUSIVE;
	if (s == STAT_NOT_APPLICABLE)
		REASON(c, "nothing was replayed: the program itself ran in the replayer's place");
	else if (s == STAT_NOT_ASSESSED)
		REASON(c, "%s: a replay was not compared with the trace it replayed", stat_status_name(s));
	else
		REASON(c, "%s: %s", stat_status_name(s), stat_status_text(s));
}

/* Digits with which the confidence 1 - error is told from 1: 90, 95, 93.3, 99.9991 %. */
static int confidence_digits(double error)
{
	int more = 1 - (int)floor(log10(100 * error));
	return 2 + (more > 0 ? more : 0);
}

/* A relative deviation, from paired log ratios, against -limit..limit. */
static void decide_ratio(struct component *c, const struct ratio_evidence *e, const struct levels *levels)
{
	if (e->status) {
		undecided(c, e->status);
		return;
	}
	if (is_early(c, levels))
		return;
	double low = c->limit < 1 ? log1p(-c->limit) : -INFINITY, high = log1p(c->limit);
	double above_low = (e->t.value - low) / e->t.se, above_high = (e->t.value - high) / e->t.se;
	double p_accept = fmax(t_above(above_low, e->t.df), t_below(above_high, e->t.df));
	double p_reject = 2 * fmin(t_below(above_low, e->t.df), t_above(above_high, e->t.df));
	decide(c, p_accept, p_reject, levels);
	/* the interval that decided: 1 - 2 alpha for accepting, 1 - alpha for rejecting */
	double error = c->decision == DECISION_REJECT ? levels->accept : 2 * levels->accept, lo, hi;
	if (t_interval(&e->t, 1 - error, &lo, &hi)) {
		undecided(c, STAT_OUT_OF_RANGE);
		return;
	}
	REASON(c, "%+.3g %%, %.*g %% interval %+.3g to %+.3g %%, %s the limits ±%.3g %%", 100 * expm1(e->t.value),
	       confidence_digits(error), 100 * (1 - error), 100 * expm1(lo), 100 * expm1(hi), position(c), 100 * c->limit);
}

static void decide_precision(struct component *c, const struct evidence *e, const struct cell *cell,
			     const struct levels *levels)
{
	double p_above, p_below, lower, upper;
	enum stat_status s = e->precision_status;
	if (s == STAT_NOT_APPLICABLE) {
		c->decision = DECISION_NOT_APPLICABLE;
		REASON(c, "one recording is the reference of several replays: only the repeatability of the replays is known");
		if (isfinite(cell->x.cv))
			REASON_ADD(c, ", %.3g %%", 100 * cell->x.cv);
		return;
	}
	if (!s && is_early(c, levels))
		return;
	if (!s)
		s = pitman_morgan_p(&e->precision, c->limit, &p_above, &p_below);
	if (!s)
		s = pitman_morgan_limits(&e->precision, levels->accept, &lower, &upper);
	if (s) {
		undecided(c, s);
		return;
	}
	decide(c, p_below, p_above, levels);
	REASON(c, "scatter %.3g times the program's, one-sided %.*g %% limits %.3g and %.3g, %s the limit %.3g",
	       e->precision.ratio, confidence_digits(levels->accept), 100 * (1 - levels->accept), lower, upper, position(c), c->limit);
}

static void decide_share(struct component *c, const struct share_evidence *e, const struct levels *levels)
{
	if (e->status && e->status != STAT_ZERO_VARIANCE) {
		undecided(c, e->status);
		return;
	}
	if (c->limit <= 0) { /* none at all is allowed: counting decides, not statistics */
		c->rejected_before_holm = e->k > 0;
		c->p_reject = c->p_reject_holm = e->k > 0 ? 0 : NAN;
		c->decision = e->k > 0 ? DECISION_REJECT : DECISION_ACCEPT;
		REASON(c, "%.0f of %.0f requests, none allowed", e->k, e->of);
		return;
	}
	if (is_early(c, levels))
		return;
	if (e->status == STAT_ZERO_VARIANCE) {
		double lo, hi, limit = fmin(1, c->limit);
		double p_accept = binomial_at_most(e->k, e->of, limit), p_reject = binomial_at_least(e->k, e->of, limit);
		enum stat_status s = clopper_pearson(e->k, e->of, 1 - 2 * levels->accept, &lo, &hi);
		if (s || isnan(p_accept) || isnan(p_reject)) {
			undecided(c, s ? s : STAT_NOT_CONVERGED);
			return;
		}
		decide(c, limit < 1 ? p_accept : 0, p_reject, levels);
		REASON(c, "%.0f of %.0f requests, alike in all runs, %s limit %.2g %%, %s the limit %.3g %%", e->k, e->of,
		       c->decision == DECISION_REJECT ? "lower" : "upper",
		       100 * (c->decision == DECISION_REJECT ? lo : hi), position(c), 100 * c->limit);
		return;
	}
	double z = (e->t.value - c->limit) / e->t.se, lo, hi;
	decide(c, t_below(z, e->t.df), t_above(z, e->t.df), levels);
	if (t_interval(&e->t, 1 - 2 * levels->accept, &lo, &hi)) {
		undecided(c, STAT_OUT_OF_RANGE);
		return;
	}
	REASON(c, "%.3g %% of the requests, one-sided limits %.3g and %.3g %%, %s the limit %.3g %%", 100 * e->t.value,
	       100 * fmax(0, lo), 100 * hi, position(c), 100 * c->limit);
}

/* Deviation by waiting differently is another fault than deviation by requests that take longer:
 * the reason tells them apart. */
static void say_split(struct component *k, const struct cell *c)
{
	if (k->decision == DECISION_ACCEPT || k->estimate.status || !isfinite(c->execution_service))
		return;
	REASON_ADD(k, "; requests account for %+.3g %%, waiting between them for %+.3g %%", 100 * c->execution_service,
		   100 * c->execution_schedule);
}

/* What went wrong is counted, not estimated: one run over the limit is enough, and a replay that failed shows
 * nothing. */
static void decide_fidelity(struct component *c, const struct evidence *e, const struct cell *cell)
{
	bool over = (double)e->worst_run > c->limit;
	if (cell->n_failed_replayer && !over) {
		c->decision = DECISION_INCONCLUSIVE;
		REASON(c, "%u of %u replays failed and show nothing", cell->n_failed_replayer, cell->n_blocks);
		return;
	}
	if (e->fidelity_status && !over) {
		undecided(c, e->fidelity_status);
		return;
	}
	c->estimate.status = STAT_OK;
	c->estimate.value = (double)e->worst_run;
	if (over) {
		c->decision = DECISION_REJECT;
		c->rejected_before_holm = true;
		c->p_reject = c->p_reject_holm = 0;
		REASON(c,
		       "%" PRIu64 " lost, %" PRIu64 " extra and %" PRIu64 " mismatched of %" PRIu64 " requests, up to %" PRIu64
		       " in a run, limit %.0f",
		       cell->n_lost, cell->n_extra, cell->n_mismatched, cell->n_requests, e->worst_run, c->limit);
	} else {
		c->decision = DECISION_ACCEPT;
		REASON(c, "at most %" PRIu64 " lost, extra or mismatched requests in a run, limit %.0f", e->worst_run,
		       c->limit);
	}
}

/* Shown, not judged. */
static void not_judged(struct component *c, struct estimate estimate, const char *what, double factor, const char *unit)
{
	c->estimate = estimate;
	c->decision = estimate.status == STAT_NOT_APPLICABLE ? DECISION_NOT_APPLICABLE : DECISION_NOT_ASSESSED;
	if (estimate.status == STAT_NOT_APPLICABLE)
		REASON(c, "requests are not issued by a timetable");
	else if (estimate.status)
		REASON(c, "%s: %s", what, stat_status_text(estimate.status));
	else
		REASON(c, "%s %.3g %s, shown but not judged", what, factor * estimate.value, unit);
}

void components_decide(struct cell *c, const struct evidence *e, const struct accept_limits *l,
		       const struct levels *levels)
{
	const double limit[COMPONENT_N] = {
	    [COMPONENT_BIAS] = l->bias,
	    [COMPONENT_PRECISION] = l->precision_ratio,
	    [COMPONENT_EXECUTION_TIME] = l->execution_time,
	    [COMPONENT_REORDERING] = l->reordered,
	    [COMPONENT_FIDELITY] = (double)l->n_mismatched,
	    [COMPONENT_UNCERTAINTY] = l->uncertainty,
	    [COMPONENT_CONCURRENCY] = l->concurrency,
	    [COMPONENT_LINEARITY] = NAN,
	    [COMPONENT_ISSUE_ERROR] = NAN,
	};
	struct component *k = c->component;
	for (int i = 0; i < COMPONENT_N; i++)
		k[i] = (struct component){.kind = i,
					  .decision = DECISION_NOT_ASSESSED,
					  .estimate = estimate_none(STAT_NOT_ASSESSED),
					  .limit = limit[i],
					  .p_reject = NAN,
					  .p_reject_holm = NAN};
	k[COMPONENT_BIAS].estimate = c->bias;
	k[COMPONENT_PRECISION].estimate = c->precision_ratio;
	k[COMPONENT_EXECUTION_TIME].estimate = c->execution_time;
	k[COMPONENT_REORDERING].estimate = c->reordered;
	decide_ratio(&k[COMPONENT_BIAS], &e->bias, levels);
	decide_precision(&k[COMPONENT_PRECISION], e, c, levels);
	decide_ratio(&k[COMPONENT_EXECUTION_TIME], &e->time, levels);
	say_split(&k[COMPONENT_EXECUTION_TIME], c);
	decide_share(&k[COMPONENT_REORDERING], &e->reordered, levels);
	decide_fidelity(&k[COMPONENT_FIDELITY], e, c);

	struct estimate u = estimate_none(c->budget.status);
	u.value = c->budget.U95;
	u.df = c->budget.nu_eff;
	not_judged(&k[COMPONENT_UNCERTAINTY], u, "U", 100, "%");
	not_judged(&k[COMPONENT_CONCURRENCY], c->concurrency_distance_time, "distance", 1, "(largest, by time)");
	not_judged(&k[COMPONENT_ISSUE_ERROR], c->issue_error_p99, "99th percentile", 1e-3, "µs");
	REASON(&k[COMPONENT_LINEARITY], "shown over the levels of a scenario, not judged in one");
}
