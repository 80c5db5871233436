/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decisions of one cell, component by component, each from a test in either direction.
 *
 * Accepting: an interval at 1 - 2 alpha inside the limits, which is two one-sided tests at alpha (0.05 at a single
 * look, so 90 %).
 * Rejecting: its own test, P-value kept for Holm. Neither: inconclusive. "Not significant" accepts nothing.
 * Source: Schuirmann (1987); Berger and Hsu (1996) for the intersection of such tests; JCGM 106 for the wording. */
#include <inttypes.h>
#include <math.h>

#include "validate/analysis/decide.h"
#include "validate/stats/conformity.h"
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
    [COMPONENT_SHARE_LATE] = "share late",
    [COMPONENT_IN_FLIGHT] = "in flight",
    [COMPONENT_IN_FLIGHT_MAX] = "maximum in flight",
    [COMPONENT_N] = NULL,
};

/* Acceptance that leaves a guard band (JCGM 106) of `factor` expanded uncertainties of the bias inside the limits. It is asked
 * for besides the test, so that it can only make accepting, and rejecting, harder. */
static void guard(struct component *c, const struct ratio_evidence *e, double low, double high, double factor)
{
	double k, risk;
	const struct t_estimate *t = c->decision == DECISION_REJECT ? &e->t : &e->wide;
	if (!(factor >= 0) || t_quantile(0.975, t->df, &k) || conformity_risk(t->value, t->se, t->df, low, high, &risk))
		return;
	enum conformity guarded = conformity_guarded(t->value, low, high, factor * k * t->se);
	if ((c->decision == DECISION_ACCEPT && guarded != CONFORMITY_ACCEPT) ||
	    (c->decision == DECISION_REJECT && guarded != CONFORMITY_REJECT))
		c->decision = DECISION_INCONCLUSIVE;
	REASON_ADD(c, ", guard band %.3g U, specific risk of %s %.2g %%", factor,
		   c->decision == DECISION_REJECT ? "rejecting wrongly" : "accepting wrongly",
		   100 * (c->decision == DECISION_REJECT ? 1 - risk : risk));
}

/* All pairs have the same ratio, as whole numbers mostly have: nothing scatters, the value itself decides. */
static void decide_alike(struct component *c, const struct ratio_evidence *e, double low, double high,
			 const struct levels *levels)
{
	struct mean_p p = decide_mean_p(&e->t, &e->wide, e->n, low, high, true);
	c->estimate.status = STAT_OK;
	c->estimate.value = expm1(e->t.value);
	decide(c, p.accept, p.reject, levels);
	REASON(c, "%s %% in each of %zu pairs, %s the limits ±%s %%", shown_change(expm1(e->t.value)).text, e->n,
	       decide_position(c), shown_percent(c->limit).text);
}

/* A paired ratio against -+limit; `alike`: ratios that do not scatter are no fault of the data. `guard_band`: NaN none. */
static void decide_ratio(struct component *c, const struct ratio_evidence *e, const struct levels *levels, bool alike,
			 double guard_band)
{
	double low = c->limit < 1 ? log1p(-c->limit) : -INFINITY, high = log1p(c->limit);
	if (e->status && !(alike && e->status == STAT_ZERO_VARIANCE)) {
		decide_nothing(c, e->status);
		return;
	}
	if (!(c->limit > 0)) {
		decide_shown(c, c->estimate, "deviation", 100, " %");
		return;
	}
	if (decide_is_early(c, levels))
		return;
	if (e->status) {
		decide_alike(c, e, low, high, levels);
		return;
	}
	struct mean_p p = decide_mean_p(&e->t, &e->wide, e->n, low, high, true);
	decide(c, p.accept, p.reject, levels);
	/* the interval that decided: 1 - 2 alpha for accepting, 1 - alpha for rejecting */
	bool reject = c->decision == DECISION_REJECT;
	double error = reject ? levels->accept : 2 * levels->accept, lo, hi;
	if (t_interval(&e->wide, 1 - 2 * levels->accept, &c->accept_lo, &c->accept_hi) ||
	    t_interval(reject ? &e->t : &e->wide, 1 - error, &lo, &hi)) {
		decide_nothing(c, STAT_OUT_OF_RANGE);
		return;
	}
	c->accept_lo = expm1(c->accept_lo);
	c->accept_hi = expm1(c->accept_hi);
	if (decide_is_hardly_one(c, &e->serial))
		REASON(c, "%s %%, of which no interval can be told, limits ±%s %%", shown_change(expm1(e->t.value)).text, shown_percent(c->limit).text);
	else
		REASON(c, "%s %%, %.*g %% interval %s to %s %%, %s the limits ±%s %%", shown_change(expm1(e->t.value)).text,
		       confidence_digits(error), 100 * (1 - error), shown_change(expm1(lo)).text, shown_change(expm1(hi)).text,
		       decide_position(c), shown_percent(c->limit).text);
	decide_dependence(c, &e->serial, e->n, p.accept_alone, levels);
	guard(c, e, low, high, guard_band);
}

/* P of a permutation when as many independent exchanges stand behind it as the pairs are taken for. */
static double permutation_widened(double p, double inflation)
{
	double z;
	if (!(p > 0 && p < 0.5) || normal_quantile(p, &z))
		return p;
	return normal_below(z / sqrt(inflation));
}

/* The worse of both P-values, in either direction: normal theory, and the labels permuted within pairs, which no single run
 * far off can make small. For accepting, both as pairs that depend on each other give them. */
static void decide_precision(struct component *c, const struct evidence *e, const struct levels *levels)
{
	const struct serial *serial = &e->precision_serial;
	double p_above, p_below, p_alone, unused, lower, upper, wide, dof = fmax(1, serial->n_effective - 2);
	enum stat_status s = e->precision_status;
	if (!s && !(c->limit > 0)) {
		decide_shown(c, c->estimate, "scatter", 1, " times the program's");
		return;
	}
	if (!s && decide_is_early(c, levels))
		return;
	if (!s)
		s = pitman_morgan_p(&e->precision, c->limit, &p_above, &p_alone);
	if (!s)
		s = pitman_morgan_p_of(&e->precision, dof, c->limit, &unused, &p_below);
	if (!s)
		s = pitman_morgan_limits(&e->precision, levels->accept, &lower, &upper);
	if (!s)
		s = pitman_morgan_limits_of(&e->precision, dof, levels->accept, &unused, &wide);
	if (s) {
		decide_nothing(c, s);
		return;
	}
	double normal = p_above;
	if (!isnan(e->permutation_above)) {
		p_above = fmax(p_above, e->permutation_above);
		p_alone = fmax(p_alone, e->permutation_below);
		p_below = fmax(p_below, permutation_widened(e->permutation_below, serial->inflation));
	}
	decide(c, p_below, p_above, levels);
	c->accept_hi = wide;
	upper = c->decision == DECISION_REJECT ? upper : wide;
	REASON(c, "scatter %.3g times the program's, one-sided %.*g %% limits %.3g and %.3g, %s the limit %.3g",
	       e->precision.ratio, confidence_digits(levels->accept), 100 * (1 - levels->accept), lower, upper,
	       upper <= c->limit ? "within" : lower > c->limit ? "beyond" : "not clear of", c->limit);
	if (c->decision == DECISION_INCONCLUSIVE && normal <= levels->accept)
		REASON_ADD(c, "; but not with labels permuted within pairs (P %.2g): few runs make that scatter", p_above);
	else if (c->decision == DECISION_INCONCLUSIVE && upper <= c->limit)
		REASON_ADD(c, "; but not with labels permuted within pairs (P %.2g): few runs make the difference", p_below);
	decide_dependence(c, serial, e->precision.n, p_alone, levels);
}

static void decide_share(struct component *c, const struct share_evidence *e, const struct levels *levels)
{
	if (e->status && e->status != STAT_ZERO_VARIANCE) {
		decide_nothing(c, e->status);
		return;
	}
	if (isnan(c->limit)) {
		decide_shown(c, c->estimate, "share", 100, " %");
		return;
	}
	if (c->limit <= 0) { /* none at all is allowed: counting decides, not statistics */
		c->rejected_before_holm = e->k > 0;
		c->p_reject = c->p_reject_holm = e->k > 0 ? 0 : NAN;
		c->decision = e->k > 0 ? DECISION_REJECT : DECISION_ACCEPT;
		REASON(c, "%.0f of %.0f requests, none allowed", e->k, e->of);
		return;
	}
	if (decide_is_early(c, levels))
		return;
	if (e->status == STAT_ZERO_VARIANCE) {
		double lo, hi, limit = fmin(1, c->limit);
		double p_accept = binomial_at_most(e->k, e->of, limit), p_reject = binomial_at_least(e->k, e->of, limit);
		enum stat_status s = clopper_pearson(e->k, e->of, 1 - 2 * levels->accept, &lo, &hi);
		if (s || isnan(p_accept) || isnan(p_reject)) {
			decide_nothing(c, s ? s : STAT_NOT_CONVERGED);
			return;
		}
		decide(c, limit < 1 ? p_accept : 0, p_reject, levels);
		REASON(c, "%.0f of %.0f requests, alike in all runs, %s limit %.2g %%, %s the limit %s %%", e->k, e->of,
		       c->decision == DECISION_REJECT ? "lower" : "upper",
		       100 * (c->decision == DECISION_REJECT ? lo : hi), decide_position(c), shown_percent(c->limit).text);
		return;
	}
	struct mean_p p = decide_mean_p(&e->t, &e->wide, e->n, -INFINITY, c->limit, false);
	double lo, hi, unused;
	decide(c, p.accept, p.reject, levels);
	if (t_interval(&e->t, 1 - 2 * levels->accept, &lo, &hi) ||
	    t_interval(&e->wide, 1 - 2 * levels->accept, &unused, &c->accept_hi)) {
		decide_nothing(c, STAT_OUT_OF_RANGE);
		return;
	}
	if (c->decision != DECISION_REJECT)
		hi = c->accept_hi;
	if (decide_is_hardly_one(c, &e->serial))
		REASON(c, "%.3g %% of the requests, of which no limits can be told, limit %s %%", 100 * e->t.value, shown_percent(c->limit).text);
	else
		REASON(c, "%.3g %% of the requests, one-sided limits %.3g and %.3g %%, %s the limit %s %%", 100 * e->t.value,
		       100 * fmax(0, lo), 100 * hi, decide_position(c), shown_percent(c->limit).text);
	decide_dependence(c, &e->serial, e->n, p.accept_alone, levels);
}

/* 99th percentiles of the runs' issue errors; only replays by a timetable have any. */
static void decide_issue_error(struct component *c, const struct mean_evidence *e, const struct levels *levels)
{
	double lo = NAN, hi = NAN, unused;
	if (c->estimate.status == STAT_NOT_APPLICABLE) {
		c->decision = DECISION_NOT_APPLICABLE;
		REASON(c, "requests are not issued by a timetable");
		return;
	}
	if (e->status && e->status != STAT_ZERO_VARIANCE) {
		decide_nothing(c, e->status);
		return;
	}
	if (!(c->limit > 0)) {
		decide_shown(c, c->estimate, "99th percentile", 1e-3, " µs");
		return;
	}
	if (decide_is_early(c, levels))
		return;
	struct mean_p p = decide_mean_p(&e->t, &e->wide, e->n, -INFINITY, c->limit, false);
	decide(c, p.accept, p.reject, levels);
	REASON(c, "99th percentile %s", shown_time(e->t.value).text);
	if (!e->status && !t_interval(&e->t, 1 - 2 * levels->accept, &lo, &hi) &&
	    !t_interval(&e->wide, 1 - 2 * levels->accept, &unused, &c->accept_hi)) {
		hi = c->decision == DECISION_REJECT ? hi : c->accept_hi;
		REASON_ADD(c, ", one-sided limits %s and %s", shown_time(fmax(0, lo)).text, shown_time(hi).text);
	}
	REASON_ADD(c, ", %s the limit %s", decide_position(c), shown_time(c->limit).text);
	if (!e->status)
		decide_dependence(c, &e->serial, e->n, p.accept_alone, levels);
}

/* Deviation by waiting differently is another fault than deviation by requests that take longer:
 * the reason tells them apart. */
static void say_split(struct component *k, const struct cell *c)
{
	if (k->decision == DECISION_ACCEPT || k->estimate.status || !isfinite(c->execution_service))
		return;
	REASON_ADD(k, "; requests account for %s %%, waiting between them for %s %%", shown_change(c->execution_service).text,
		   shown_change(c->execution_schedule).text);
}

/* What went wrong is counted, not estimated: one run over the limit is enough, and a replay that failed shows
 * nothing. Where results are not told, that none is mismatched shows nothing either. */
static void decide_fidelity(struct component *c, const struct evidence *e, const struct cell *cell)
{
	bool over = (double)e->worst_run > c->limit;
	if (cell->n_failed_replayer && !over) {
		c->decision = isnan(c->limit) ? DECISION_NOT_ASSESSED : DECISION_INCONCLUSIVE;
		REASON(c, "%u of %u replays failed and show nothing", cell->n_failed_replayer, cell->n_blocks);
		return;
	}
	if (e->fidelity_status && !over) {
		decide_nothing(c, e->fidelity_status);
		return;
	}
	c->estimate.status = STAT_OK;
	c->estimate.value = (double)e->worst_run;
	if (isnan(c->limit)) {
		c->decision = DECISION_NOT_ASSESSED;
		REASON(c, "at most %" PRIu64 " lost, extra or mismatched requests in a run, no limit set", e->worst_run);
	} else if (over) {
		c->decision = DECISION_REJECT;
		c->rejected_before_holm = true;
		c->p_reject = c->p_reject_holm = 0;
		REASON(c,
		       "%" PRIu64 " lost, %" PRIu64 " extra and %" PRIu64 " mismatched of %" PRIu64 " requests, up to %" PRIu64
		       " in a run, limit %.0f",
		       cell->n_lost, cell->n_extra, cell->n_mismatched, cell->n_requests, e->worst_run, c->limit);
	} else {
		c->decision = cell->n_untold ? DECISION_INCONCLUSIVE : DECISION_ACCEPT;
		REASON(c, "at most %" PRIu64 " lost, extra or mismatched requests in a run, limit %.0f", e->worst_run,
		       c->limit);
	}
	if (cell->n_untold)
		REASON_ADD(c, "; the results of %" PRIu64 " requests are not told by the replayer (times without a column result): failures among "
			      "them are not seen", cell->n_untold);
	if (cell->n_passed)
		REASON_ADD(c, "; %" PRIu64 " more passed over", cell->n_passed);
}

/* A limit that is not positive is none, except where none at all may be allowed. */
static double limit_of(double limit)
{
	return limit > 0 ? limit : NAN;
}

static void components_clear(struct component *k, const struct accept_limits *l)
{
	const double limit[COMPONENT_N] = {
	    [COMPONENT_BIAS] = limit_of(l->bias),
	    [COMPONENT_PRECISION] = limit_of(l->precision_ratio),
	    [COMPONENT_EXECUTION_TIME] = limit_of(l->execution_time),
	    [COMPONENT_REORDERING] = l->reordered,
	    [COMPONENT_FIDELITY] = l->n_mismatched == UINT64_MAX ? NAN : (double)l->n_mismatched,
	    [COMPONENT_UNCERTAINTY] = limit_of(l->uncertainty),
	    [COMPONENT_CONCURRENCY] = limit_of(l->concurrency),
	    [COMPONENT_LINEARITY] = limit_of(l->linearity),
	    [COMPONENT_ISSUE_ERROR] = limit_of((double)l->issue_error_ns),
	    [COMPONENT_SHARE_LATE] = limit_of(l->share_late),
	    [COMPONENT_IN_FLIGHT] = limit_of(l->in_flight),
	    [COMPONENT_IN_FLIGHT_MAX] = limit_of(l->in_flight_max),
	};
	for (int i = 0; i < COMPONENT_N; i++)
		k[i] = (struct component){.kind = i,
					  .decision = DECISION_NOT_ASSESSED,
					  .estimate = estimate_none(STAT_NOT_ASSESSED),
					  .limit = limit[i],
					  .p_reject = NAN,
					  .p_reject_holm = NAN,
					  .lag1 = NAN,
					  .n_effective = NAN,
					  .accept_lo = NAN,
					  .accept_hi = NAN};
}

void components_decide(struct cell *c, const struct evidence *e, const struct accept_limits *l,
		       const struct levels *levels)
{
	struct component *k = c->component;
	components_clear(k, l);
	k[COMPONENT_BIAS].estimate = c->bias;
	k[COMPONENT_PRECISION].estimate = c->precision_ratio;
	k[COMPONENT_EXECUTION_TIME].estimate = c->execution_time;
	k[COMPONENT_REORDERING].estimate = c->reordered;
	k[COMPONENT_ISSUE_ERROR].estimate = c->issue_error_p99;
	k[COMPONENT_SHARE_LATE].estimate = c->late;
	k[COMPONENT_IN_FLIGHT].estimate = c->in_flight;
	k[COMPONENT_IN_FLIGHT_MAX].estimate = c->in_flight_max;
	decide_ratio(&k[COMPONENT_BIAS], &e->bias, levels, false, l->guard_band > 0 ? l->guard_band : NAN);
	if (c->single_reference)
		decide_repeatability(&k[COMPONENT_PRECISION], e, c, l, levels);
	else
		decide_precision(&k[COMPONENT_PRECISION], e, levels);
	decide_ratio(&k[COMPONENT_EXECUTION_TIME], &e->time, levels, false, NAN);
	say_split(&k[COMPONENT_EXECUTION_TIME], c);
	decide_share(&k[COMPONENT_REORDERING], &e->reordered, levels);
	decide_fidelity(&k[COMPONENT_FIDELITY], e, c);
	decide_uncertainty(&k[COMPONENT_UNCERTAINTY], e, c, l, levels);
	decide_distance(&k[COMPONENT_CONCURRENCY], &e->distance, c, l->concurrency_by, levels);
	decide_issue_error(&k[COMPONENT_ISSUE_ERROR], &e->issue_error, levels);
	if (c->late.status == STAT_NOT_APPLICABLE) {
		k[COMPONENT_SHARE_LATE].decision = DECISION_NOT_APPLICABLE;
		REASON(&k[COMPONENT_SHARE_LATE], "requests are not issued by a timetable");
	} else {
		decide_share(&k[COMPONENT_SHARE_LATE], &e->late, levels);
	}
	decide_ratio(&k[COMPONENT_IN_FLIGHT], &e->in_flight, levels, true, NAN);
	decide_ratio(&k[COMPONENT_IN_FLIGHT_MAX], &e->in_flight_max, levels, true, NAN);
}
