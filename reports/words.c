/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/words.h"

#include <math.h>
#include <string.h>

#include "reports/findings.h"
#include "reports/number.h"

const struct component_words words_component[COMPONENT_N] = {
    [COMPONENT_BIAS] =
	{"Bias",
	 "By how much a replay's mean response time is longer (+) or shorter (-) than that of the program, run again "
	 "in "
	 "the same block.",
	 "accepted when the 90 % interval lies inside the limits (two one-sided tests at 5 %), rejected when the 95 % "
	 "interval lies wholly outside",
	 "VIM 2.18 (bias); Schuirmann 1987 (equivalence)", FORMAT_RELATIVE},
    [COMPONENT_PRECISION] =
	{"Precision",
	 "How many times more the results of the replay scatter from run to run than those of the program itself "
	 "(ratio of standard deviations; 1 is ideal, below 1 is steadier than the program).",
	 "accepted when the one-sided 95 % upper limit is at most the limit, rejected when the lower limit exceeds it, either "
	 "only where exchanging replay and program within the pairs gives a ratio as extreme in at most 5 % of the ways",
	 "ISO 5725-1 (precision); Pitman and Morgan 1939 (paired variances)", FORMAT_NUMBER},
    [COMPONENT_EXECUTION_TIME] =
	{"Execution time",
	 "By how much the whole replay, from the first request's begin to the last one's end, takes longer (+) or "
	 "shorter "
	 "(-) than the program.",
	 "accepted when the 90 % interval lies inside the limits, rejected when the 95 % interval lies wholly outside",
	 "as bias", FORMAT_RELATIVE},
    [COMPONENT_REORDERING] = {"Reordering",
			      "Share of requests that were issued after a request that follows them in the trace.",
			      "accepted when the one-sided 95 % upper limit of the share is at most the limit, "
			      "rejected when the lower limit exceeds it",
			      "RFC 4737, section 3 (Type-P-Reordered)", FORMAT_SHARE},
    [COMPONENT_FIDELITY] =
	{"Fidelity", "Requests a run that were lost, issued too often, or returned something else than in the trace.",
	 "counted, not estimated: one run above the limit is enough to reject, and replays that failed show nothing",
	 "Pereira et al. 2016, section III", FORMAT_NUMBER},
    [COMPONENT_UNCERTAINTY] =
	{"Uncertainty",
	 "How far the result of one future replay may lie from what the program would have shown, with 95 % coverage, "
	 "the bias stated apart.",
	 "accepted when the one-sided 95 % upper limit of U is at most the limit, rejected when its lower limit exceeds it and "
	 "the program run again in the replay's place would be within it",
	 "GUM 5.1, 6.2, G.4 and H.5", FORMAT_SHARE},
    [COMPONENT_CONCURRENCY] =
	{"Concurrency",
	 "Largest distance between the distributions of the number of requests in flight, replay against program, by time, by "
	 "request, or both, as the protocol says.",
	 "accepted when at every level two one-sided tests at 5 % show the difference to lie within the limit, rejected when "
	 "at some level it is shown to lie beyond (Bonferroni)",
	 "Pereira et al. 2016, figure 5; Kolmogorov-Smirnov distance", FORMAT_NUMBER},
    [COMPONENT_LINEARITY] =
	{"Linearity",
	 "By how much the relative bias changes from the lowest load level to this one, along a straight line or off it.",
	 "accepted when the 90 % intervals of the line's rise and of each level's distance from it lie inside the limits, "
	 "rejected when one lies wholly outside (Bonferroni); the lowest level has nothing to be compared with",
	 "Pereira et al. 2016, section IV-A3; VIM 4.11 and 4.12", FORMAT_RELATIVE},
    [COMPONENT_ISSUE_ERROR] = {"Issue error",
			       "How much later than intended a timed replay issues its requests: the 99th percentile of a run.",
			       "accepted when the one-sided 95 % upper limit of its mean is at most the limit, rejected when the "
			       "lower limit exceeds it",
			       "Anderson et al. 2004 (issue error)", FORMAT_TIME},
    [COMPONENT_SHARE_LATE] = {"Share late",
			      "Share of the requests that a timed replay issues later than intended by more than 1 % of the mean "
			      "gap, or 1 µs.",
			      "accepted when the one-sided 95 % upper limit of the share is at most the limit, rejected when the "
			      "lower limit exceeds it",
			      "Anderson et al. 2004 (issue error)", FORMAT_SHARE},
    [COMPONENT_IN_FLIGHT] =
	{"In flight",
	 "By how much the mean number of requests in flight is larger (+) or smaller (-) in the replay than in the program.",
	 "accepted when the 90 % interval lies inside the limits, rejected when the 95 % interval lies wholly outside",
	 "as bias", FORMAT_RELATIVE},
    [COMPONENT_IN_FLIGHT_MAX] =
	{"Maximum in flight",
	 "By how much the largest number of requests in flight at any time of a run is larger (+) or smaller (-) in the replay.",
	 "accepted when the 90 % interval lies inside the limits, rejected when the 95 % interval lies wholly outside; where "
	 "all pairs are alike, by their value",
	 "as bias", FORMAT_RELATIVE},
};

static void add_ratio_limit(struct strbuf *out, const char *before, double ratio)
{
	if (ratio > 0)
		strbuf_addf(out, "%s%.4g %%", before, ratio * 100);
}

static void add_plain_limit(struct strbuf *out, double limit)
{
	if (limit > 0)
		strbuf_addf(out, "%.4g", limit);
}

void words_add_limit(struct strbuf *out, const struct accept_limits *l, enum component_kind k)
{
	switch (k) {
	case COMPONENT_BIAS:
		add_ratio_limit(out, "±", l->bias);
		break;
	case COMPONENT_PRECISION:
		add_plain_limit(out, l->precision_ratio);
		break;
	case COMPONENT_EXECUTION_TIME:
		add_ratio_limit(out, "±", l->execution_time);
		break;
	case COMPONENT_REORDERING:
		if (!isnan(l->reordered))
			strbuf_addf(out, "%.4g %%", l->reordered * 100);
		break;
	case COMPONENT_FIDELITY:
		if (l->n_mismatched != UINT64_MAX)
			strbuf_addf(out, "%llu a run", (unsigned long long)l->n_mismatched);
		break;
	case COMPONENT_UNCERTAINTY:
		add_ratio_limit(out, "", l->uncertainty);
		break;
	case COMPONENT_CONCURRENCY:
		add_plain_limit(out, l->concurrency);
		break;
	case COMPONENT_LINEARITY:
		add_ratio_limit(out, "±", l->linearity);
		break;
	case COMPONENT_ISSUE_ERROR:
		if (l->issue_error_ns > 0)
			number_add(out, (double)l->issue_error_ns, NAN, number_unit_time((double)l->issue_error_ns), false);
		break;
	case COMPONENT_SHARE_LATE:
		add_ratio_limit(out, "", l->share_late);
		break;
	case COMPONENT_IN_FLIGHT:
		add_ratio_limit(out, "±", l->in_flight);
		break;
	case COMPONENT_IN_FLIGHT_MAX:
		add_ratio_limit(out, "±", l->in_flight_max);
		break;
	case COMPONENT_N:
		break;
	}
}

void words_add_estimate(struct strbuf *out, const struct component *c, bool half_width)
{
	struct table_column column = {.format = words_component[c->kind].format, .estimate = true};
	struct estimate estimate = c->estimate;
	struct table_cell cell = {.kind = CELL_ESTIMATE, .status = estimate.status, .estimate = &estimate};
	table_cell_text(out, &column, &cell, half_width);
}

void words_add_size(struct strbuf *out, const struct component *c)
{
	double value = fabs(c->estimate.value), u = value / 10;
	switch (words_component[c->kind].format) {
	case FORMAT_RELATIVE:
	case FORMAT_SHARE:
		number_add(out, value, u, number_unit_percent, false);
		break;
	case FORMAT_TIME:
		number_add(out, value, u, number_unit_time(value), false);
		break;
	default:
		strbuf_addf(out, value < 100 ? "%.2g" : "%.0f", value);
	}
}

const char *words_verdict(enum verdict v)
{
	return v == VERDICT_TRUSTED ? "Trusted" : v == VERDICT_NOT_TRUSTED ? "Not trusted" : "Inconclusive";
}

const char *words_verdict_meaning(enum verdict v)
{
	switch (v) {
	case VERDICT_TRUSTED:
		return "every assessed component was shown to lie within its limit";
	case VERDICT_NOT_TRUSTED:
		return "at least one component was shown to lie outside its limit";
	case VERDICT_INCONCLUSIVE:
		break;
	}
	return "the runs decide neither way: more replicates, a quieter machine or wider limits may; \"looks right\" and \"looks wrong\" are "
	       "not proven";
}

const char *words_treatment(const struct uncertainty_source *s)
{
	if (s->in_budget)
		return s->warning ? "quantified; could not be controlled as asked" : "quantified";
	return s->warning ? "not quantified; could not be controlled as asked" : "named, not quantified";
}

void words_add_cell(struct strbuf *out, const struct analysis *a, const struct cell *c)
{
	const struct protocol *p = &a->results->protocol;
	strbuf_addf(out, "%s, %s", p->scenario[c->scenario].name, p->replayer[c->replayer].name);
}

const char *words_title(const struct analysis *a)
{
	const char *title = a->results->protocol.title;
	return title && *title ? title : "Validation of trace replayers";
}

void words_add_count(struct strbuf *out, size_t n, const char *one, const char *many)
{
	strbuf_addf(out, "%zu %s", n, n == 1 ? one : many);
}

void words_add_more(struct strbuf *out, const struct finding_group *g)
{
	if (g->decision != DECISION_INCONCLUSIVE)
		return;
	if (g->n_more)
		strbuf_addf(out, " %llu more replicates would probably decide %s.", (unsigned long long)g->n_more,
			    g->n_impractical ? "the rest" : g->n_cells == 1 ? "it" : "them");
	if (g->n_impractical)
		strbuf_addf(out, " No practical number of replicates decides %zu of them here.", g->n_impractical);
}

void words_add_components(struct strbuf *out, const struct analysis *a, bool which)
{
	size_t n = 0, i = 0;
	for (size_t k = 0; k < COMPONENT_N; k++)
		n += a->assessed[k] == which;
	for (size_t k = 0; k < COMPONENT_N; k++)
		if (a->assessed[k] == which) {
			strbuf_addf(out, "%s%s", i == 0 ? "" : i + 1 == n ? " and " : ", ", component_names[k]);
			i++;
		}
	if (!n)
		strbuf_addstr(out, "none");
}

/* Of the cases that are inconclusive, the least and the largest U that the program itself would have as its own replay, and how
 * many of them are beyond the limit. */
static void add_own_uncertainty(struct strbuf *out, const struct analysis *a)
{
	double lo = INFINITY, hi = -INFINITY, limit = NAN;
	size_t n = 0, n_beyond = 0;
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		const struct component *u = &c->component[COMPONENT_UNCERTAINTY];
		double own = c->budget.k95 * c->budget.u_c_program;
		if (u->decision != DECISION_INCONCLUSIVE || !isfinite(u->limit) || !isfinite(own))
			continue;
		lo = fmin(lo, own);
		hi = fmax(hi, own);
		limit = u->limit;
		n_beyond += own > u->limit;
		n++;
	}
	if (!n)
		return;
	struct strbuf least = STRBUF_INIT, most = STRBUF_INIT;
	number_add(&least, lo, lo, number_unit_percent, false);
	number_add(&most, hi, hi, number_unit_percent, false);
	strbuf_addf(out, "; it would itself have an uncertainty U of %s", least.s);
	if (strcmp(least.s, most.s))
		strbuf_addf(out, " to %s", most.s);
	strbuf_release(&least);
	strbuf_release(&most);
	strbuf_addf(out, " in the %zu %s undecided for that (limit ", n, n == 1 ? "case that is" : "cases that are");
	number_add(out, limit, limit, number_unit_percent, false);
	if (n_beyond)
		strbuf_addf(out, ", beyond it in %zu", n_beyond);
	strbuf_addch(out, ')');
}

void words_add_machine_scatter(struct strbuf *out, const struct analysis *a)
{
	if (!a->n_inconclusive || !isfinite(a->between_process_cv))
		return;
	strbuf_addstr(out, "The program's own runs scatter by ");
	number_add(out, a->between_process_cv, a->between_process_cv, number_unit_percent, false);
	strbuf_addstr(out, " from run to run on this machine (standard deviation, median of the scenarios)");
	add_own_uncertainty(out, a);
}

void words_add_observation(struct strbuf *out, const struct scenario *s)
{
	if (s->observe == OBSERVE_BLOCK)
		strbuf_addf(out, "the kernel at the device, from %s to completion", s->observe_from == OBSERVE_FROM_QUEUE ? "queueing" : "dispatch");
	else
		strbuf_addstr(out, s->observe == OBSERVE_PRELOAD ? "the preloaded library" : "their own stamps");
}
