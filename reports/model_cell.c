/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of report.json for a case, in their order (model.h). */
#include "reports/model_rows.h"
#include "reports/words.h"
#include "validate/components/component.h"

#define S estimate
GET(bool, has_value, estimate, e, e->status == STAT_OK)

MODEL(S, "A number with two-sided 90 % and 95 % confidence limits and their degrees of freedom. If "
	"the status is not \"ok\", the value is null, and limits and degrees of freedom are "
	"absent.",
	STATUS_ROW(status, "status", NULL)
	ROW(double, value, "value", NUMBER, NULL, STATUS(status), .quiet = true)
	ROW(double, lo90, "lo90", NUMBER, NULL, IF(has_value))
	ROW(double, hi90, "hi90", NUMBER, NULL, IF(has_value))
	ROW(double, lo95, "lo95", NUMBER, NULL, IF(has_value))
	ROW(double, hi95, "hi95", NUMBER, NULL, IF(has_value))
	ROW(double, df, "df", NUMBER, NULL, IF(has_value)))
#undef S

#define S sample
MODEL(S, "Results of the runs of one case.",
	ROW(size_t, n, "n", COUNT, NULL)
	STATUS_ROW(status, "status", "Status of sd, cv and sem.")
	ROW(double, mean, "mean", NUMBER, NULL)
	ROW(double, sd, "sd", NUMBER, "Standard deviation.", STATUS(status))
	ROW(double, cv, "cv", SHARE, "Standard deviation over mean.", STATUS(status))
	ROW(double, sem, "sem", NUMBER, "Standard uncertainty of the mean.", STATUS(status))
	ROW(double, median, "median", NUMBER, NULL)
	ROW(double, min, "min", NUMBER, NULL)
	ROW(double, max, "max", NUMBER, NULL)
	REALS(x, n, "values", NUMBER, "One result per pair, in the order of the blocks."))
#undef S

#define S component_part
MODEL(S, "One part of a component that judges several numbers.",
	TEXT(label, "part", "Operation, half or quantile.")
	OBJECT(estimate, "estimate", NULL))
#undef S

#define S component
MODEL(S, "One component of the verdict.",
	WORD(kind, "component", NULL, component_names)
	WORD(decision, "decision", NULL, decision_names)
	FLAG(rejected_before_holm, "rejected_before_holm",
	     "Without the correction for several tests, the test of this component rejects it.")
	OBJECT(estimate, "estimate", NULL)
	ROW(double, limit, "limit", NUMBER, "Limit, in the unit of the estimate.")
	ROW(double, p_reject, "p_reject", P, "P-value of the test of rejection.")
	ROW(double, p_reject_holm, "p_reject_holm", P, "P-value of the test of rejection after "
						       "Holm's correction.")
	ROW(double, lag1, "lag1", NUMBER,
	    "Autocorrelation of successive runs or pairs (in the order of the blocks), as the test "
	    "of acceptance used it. For a ratio of scatters, it is the product of the two "
	    "autocorrelations.")
	ROW(double, n_effective, "n_effective", NUMBER,
	    "Number of independent runs that the test of acceptance assumes.")
	ROW(double, accept_lo, "accept_lo", NUMBER,
	    "One-sided lower confidence limit that the test of acceptance used, at the level of "
	    "this look. The limit allows for dependence between runs.")
	ROW(double, accept_hi, "accept_hi", NUMBER, "Upper confidence limit of the same test.")
	FLAG(dependent, "dependent",
	     "The component would be accepted if the runs were known to be independent of each "
	     "other.")
	ROW(uint64_t, n_more, "n_more", COUNT,
	    "Number of additional replicates that would probably decide the component; 0 if the "
	    "component is decided, or if no sufficient number is known.")
	ROW(uint64_t, n_more_recorded, "n_more_recorded", COUNT,
	    "Number of additional replicates that would probably decide the component if each "
	    "replicate had its own recording; 0 if unknown or not smaller than n_more.")
	FLAG(impractical, "impractical",
	     "The number of additional replicates is impractically large, or no number suffices. "
	    "The reason states an alternative.")
	TEXT(reason, "reason", NULL)
	ARRAY(part, n_parts, "parts",
	      "Parts of a component that judges several numbers: one for each operation, for each "
	      "half of a run, or for each quantile. Absent from other components.",
	      IF_SET(n_parts)))
#undef S

#define S budget_row
static const char *const budget_types[] = {"A", "B", NULL};

MODEL(S, "A term of the budget.",
	TEXT(source, "source", NULL)
	TEXT(type, "type", NULL, .words = budget_types)
	TEXT(distribution, "distribution", NULL)
	ROW(double, value, "value", NUMBER, NULL)
	ROW(double, divisor, "divisor", NUMBER, NULL)
	ROW(double, sensitivity, "sensitivity", NUMBER, NULL)
	ROW(double, u, "u", SHARE, "Standard uncertainty relative to the program's mean.")
	ROW(double, nu, "nu", NUMBER, "Degrees of freedom.")
	ROW(double, share, "share", SHARE, "Share of the variance u_c squared."))
#undef S

#define S propagation
MODEL(S, "95 % interval (lo to hi) from the uncertainty budget, propagated by Monte Carlo (JCGM "
	 "101). gum_adequate: true if lo and hi differ from -U and U by at most the tolerance of "
	 "JCGM 101.",
	STATUS_ROW(status, "status", NULL)
	ROW(uint64_t, n_trials, "n_trials", COUNT, NULL)
	ROW(double, lo, "lo", RELATIVE, NULL, STATUS(status))
	ROW(double, hi, "hi", RELATIVE, NULL, STATUS(status))
	ROW(double, delta, "tolerance", SHARE, NULL, STATUS(status))
	FLAG(adequate, "gum_adequate", NULL, STATUS(status), .quiet = true))
#undef S

#define S budget
MODEL(S, "Budget of the uncertainty of one future replay, relative to the program's mean.",
	STATUS_ROW(status, "status", NULL)
	ARRAY_IN(row, n_rows, "rows", NULL)
	ROW(double, u_c, "u_c", SHARE, "Combined standard uncertainty.", STATUS(status))
	ROW(double, nu_eff, "nu_eff", NUMBER, "Degrees of freedom of u_c.", STATUS(status))
	ROW(double, k95, "k95", NUMBER, "Coverage factor for 95 %.", STATUS(status))
	ROW(double, U95, "U95", SHARE, "Expanded uncertainty.", STATUS(status))
	ROW(double, nu_spread, "nu_spread", NUMBER,
	    "Degrees of freedom for the lower confidence limit of U: nu_eff, or fewer if the "
	    "replays have long tails.",
	    STATUS(status))
	ROW(double, nu_spread_upper, "nu_spread_upper", NUMBER,
	    "Degrees of freedom for the upper confidence limit of U.", STATUS(status))
	ROW(double, u_c_upper, "u_c_upper", SHARE,
	    "u_c with an allowance for dependence between runs, which can make the scatter look "
	    "too small. The upper limit of U is computed from u_c_upper and nu_spread_upper.",
	    STATUS(status))
	ROW(double, u_c_program, "u_c_program", SHARE,
	    "u_c of the same budget with the program's runs in place of the "
	    "replays.", STATUS(status))
	ROW(double, nu_spread_program, "nu_spread_program", NUMBER,
	    "Degrees of freedom for the upper confidence limit of the program's own U.",
	    STATUS(status))
	OBJECT(monte_carlo, "monte_carlo", NULL))
#undef S

#define S expanded
MODEL(S, "Relative uncertainty of a single run on this machine.", CELL_EXPANDED(ROW))
#undef S

#define S paper_uncertainty
MODEL(S, "Uncertainties as Pereira et al. 2016 (the metrology paper) combine them, in percent of "
	 "the reference.",
	STATUS_ROW(status, "status", NULL)
	ROW(double, rms_bias_pct, "rms_bias_percent", PERCENT, NULL, STATUS(status))
	ROW(double, u_cref_pct, "u_cref_percent", PERCENT, NULL, STATUS(status))
	ROW(double, u_bias_pct, "u_bias_percent", PERCENT, NULL, STATUS(status))
	ROW(double, u_rw_pct, "u_rw_percent", PERCENT, NULL, STATUS(status))
	ROW(double, u_c_pct, "u_c_percent", PERCENT, NULL, STATUS(status))
	ROW(double, U2_pct, "U2_percent", PERCENT, "U with k = 2.", STATUS(status))
	ROW(double, U3_pct, "U3_percent", PERCENT, "U with k = 3.", STATUS(status)))
#undef S

#define S outlier_finding
GET(const char *, class_name, outlier_finding, f,
    outlier_class_names[f->status ? OUTLIER_NONE : f->class])
GET(uint64_t, session_number, outlier_finding, f, f->group + 1)

MODEL(S, "A test for outliers among the sessions. A value above the critical value at 5 % shows a "
	"straggler, and a value above the critical value at 1 % shows an outlier.",
	STATUS_ROW(status, "status", NULL)
	ROW(double, statistic, "statistic", NUMBER, NULL, STATUS(status))
	ROW(double, critical_5, "critical_5", NUMBER, NULL, STATUS(status))
	ROW(double, critical_1, "critical_1", NUMBER, NULL, STATUS(status))
	BY_TEXT(class_name, "class", NULL, .words = outlier_class_names)
	BY_COUNT(session_number, "session", "Suspected session, from 1."))
#undef S

#define S session_group
MODEL(S, "A session. Mandel's h compares the mean of the session with the other sessions, and k "
	 "compares the scatter.",
	ROW(size_t, n, "n", COUNT, NULL)
	ROW(double, mean, "mean", NUMBER, NULL)
	ROW(double, sd, "sd", SHARE, NULL)
	ROW(double, h, "h", NUMBER, NULL)
	WORD(h_class, "h_class", NULL, outlier_class_names)
	ROW(double, k, "k", NUMBER, NULL)
	WORD(k_class, "k_class", NULL, outlier_class_names))
#undef S

#define S session_study
GET(uint64_t, n_groups, session_study, s, s->status ? 0 : s->n_sessions)

MODEL(S, "ISO 5725-2 over sessions. Standard deviations are relative to the program's mean.",
	STATUS_ROW(status, "status", NULL)
	ROW(size_t, n_sessions, "n_sessions", COUNT, NULL)
	ROW(double, s_r, "s_r", SHARE, "Within a session.", STATUS(status))
	ROW(double, s_L, "s_L", SHARE, "Between sessions.", STATUS(status))
	ROW(double, s_R, "s_R", SHARE, "In total.", STATUS(status))
	OBJECT(cochran, "cochran", "Outlier test of the largest scatter.")
	OBJECT(grubbs, "grubbs", "Outlier test of the largest or the smallest session mean, "
		"whichever lies farther from the other means.")
	ARRAY(session, n_sessions, "groups", NULL, .count = n_groups))
#undef S

#define S control_chart
MODEL(S, "Chart of individuals of the pairs' relative differences, in the order of the blocks.",
	STATUS_ROW(status, "status", NULL)
	ROW(double, center, "center", RELATIVE, NULL, STATUS(status))
	ROW(double, lower, "lower", RELATIVE, "Lower limit.", STATUS(status))
	ROW(double, upper, "upper", RELATIVE, "Upper limit.", STATUS(status))
	ROW(double, mr_bar, "moving_range", SHARE, "Mean moving range.", STATUS(status))
	ROW(double, mr_upper, "moving_range_upper", SHARE, "Upper limit of a moving "
							   "range.", STATUS(status))
	ROW(size_t, n_out, "n_outside", COUNT, "Values outside the limits.")
	ROW(size_t, n_mr_out, "n_ranges_outside", COUNT, "Moving ranges above their limit."))
#undef S

#define S blank
MODEL(S, "Blank replays (replays without the I/O calls), and the limit of quantification from "
	"them.",
	STATUS_ROW(status, "status", NULL)
	ROW(size_t, n, "n", COUNT, NULL)
	ROW(double, mean_ns, "mean_ns", TIME, "Mean of the means of the runs.", STATUS(status))
	ROW(double, sd_ns, "sd_ns", TIME, "Standard deviation of the means of the "
					  "runs.", STATUS(status))
	ROW(double, loq_ns, "limit_of_quantification_ns", TIME, "10 standard deviations.",
	    STATUS(status))
	FLAG(below, "reference_below",
	     "The program's mean response time lies below the limit of quantification: components "
	     "computed from response times are inconclusive."))
#undef S

/* --- why ----------------------------------------------------------------- */

#define S why_part
GET(const char *, cause_words, why_part, p, words_cause(p->name))
GET(const char *, method_words, why_part, p, words_method(p->how))

MODEL(S, "One part of a difference.",
	WORD(cause, "cause", NULL, cause_names)
	BY_TEXT(cause_words, "name", "The cause in words, such as \"fewer requests in flight\".")
	BY_TEXT(method_words, "obtained_by", NULL)
	FLAG(beside, "in_the_sum", NULL, .negated = true)
	OBJECT(part, "part", NULL)
	ROW(double, share, "share", SHARE, "Share of the whole."))
#undef S

#define S split
MODEL(S, "A difference relative to the program, and its parts. The parts whose in_the_sum is true "
	"add up to the whole.",
	OBJECT(whole, "whole", NULL)
	FLAG(significant, "significant", "The 95 % interval of the difference excludes 0.")
	ARRAY_IN(part, n_parts, "parts", NULL))
#undef S

#define S why_difference
MODEL(S, "A component that is rejected, or in which replay and program differ significantly.",
	WORD(kind, "component", NULL, component_names)
	TEXT(part, "part", "Operation, half or quantile; empty if the component has no parts.")
	POINTER(estimate, "estimate", NULL))
#undef S

#define S why
GET(bool, has_cause, why, w, w->main != CAUSE_N)
GET(const char *, main_cause_words, why, w, words_cause(w->main_name))

static const char *why_sentence(const struct model_at *at)
{
	words_add_why(at->scratch, at->s);
	return at->scratch->s;
}

MODEL(S, "Origin of the differences of a case. Absent if no component was rejected and no "
	"difference is significant.",
	WORD(main, "main_cause", NULL, cause_names, IF(has_cause))
	BY_TEXT(main_cause_words, "main_cause_name", "The main cause in words.", IF(has_cause))
	BY_TEXT(why_sentence, "sentence", NULL)
	ARRAY(difference, n_differences, "differences",
	      "Components that are rejected or differ significantly. Bias and execution time are "
	      "left out if \"splits\" already shows a significant difference for them.")
	PART("splits", "Split differences, by quantity.",
		OBJECT(split[SPLIT_RESPONSE], "response_time", NULL)
		OBJECT(split[SPLIT_TIME], "execution_time", NULL)))
#undef S

/* --- case ---------------------------------------------------------------- */

#define S cell_f_test
MODEL(S, "The F test of Pereira et al. 2016 (the metrology paper), on response times.",
	STATUS_ROW(status, "status", NULL)
	CELL_F_TEST(ROW))
#undef S

#define S cell_issue_error
MODEL(S, "Not applicable unless the replays are timed.", CELL_ISSUE_ERROR(ROW))
#undef S

#define S cell_order
MODEL(S, "Counts and shares over all runs.", CELL_ORDER(ROW))
#undef S

#define S cell_concurrency
#define CDF(f, name) REALS(f.p, f.n, name, SHARE, NULL)
MODEL(S, "Element c of a distribution function (CDF) is the share of the time, or of the requests, "
	"with at most c requests in flight.",
	CELL_IN_FLIGHT(ROW)
	CELL_CONCURRENCY(ROW)
	CDF(cdf_time_r, "cdf_by_time_program")
	CDF(cdf_time_x, "cdf_by_time_replay")
	CDF(cdf_request_r, "cdf_by_request_program")
	CDF(cdf_request_x, "cdf_by_request_replay"))
#undef S

#define S cell_diagnostics
MODEL(S, "Tests of the pairs, in the order of the runs, for dependence and for a trend. Also "
	"conditions of the runs (means over the runs).", CELL_DIAGNOSTICS(ROW))
#undef S

#define S cell
const struct model_list model_case = {
    .member = (const struct model_member[]){
		SCENARIO(scenario, "scenario", NULL)
		REPLAYER(replayer, "replayer", NULL) {0}}};

GET_AT(bool, has_tendency, cell_tendency(at->s) != TENDENCY_NONE)
GET_AT(const char *, tendency_words, words_tendency(cell_tendency(at->s)))
GET_AT(uint64_t, n_components, components_listed(&at->a->results->protocol.accept))

static const void *why_of(const struct model_at *at)
{
	const struct why *w = at->a->why;
	const size_t i = (size_t)((const struct cell *)at->s - at->a->cell);
	return w && w[i].shown ? &w[i] : NULL;
}

GET_AT(bool, has_why, why_of(at))

static const char *const quantile_names[QUANTILES_N] = {"p50", "p90", "p99", "p999"};

GET(const char *, extrapolated, cell, c,
    c->quantile_extrapolated[at->i] ? quantile_names[at->i] : NULL)

MODEL(S, "A replayer in a scenario. Relative quantities are ratios: 0.1 is 10 %.",
	INLINE(NULL, case)
	WORD(verdict, "verdict", NULL, verdict_names)
	BY_TEXT(tendency_words, "leaning",
		"Tendency of an inconclusive case; it does not change the verdict. Absent from "
		"decided cases, and from cases without a tendency.",
		IF(has_tendency), .words = words_tendencies + 1)
	TEXT(verdict_reason, "reason", NULL)
	MODEL_ELEMENTS(component, "components", NULL, .count = n_components, .in_place = true)
	BY_OBJECT(why_of, why, "why", NULL, IF(has_why))
	OBJECT(blank, "blank", NULL)
	CELL_RUNS(ROW)
	TEXT(first_failure, "first_failure", NULL, NULLABLE)
	PART("program", "Results of the program; each element is a run.", CELL_SIDE(ROW, r))
	PART("replay", "Results of the replay; each element is a run.", CELL_SIDE(ROW, x))
	CELL_BIAS(ROW)
	OBJECT(f_test, "f_test", NULL)
	CELL_OTHER_TESTS(ROW)
	OBJECT(budget, "budget", NULL)
	OBJECT(expanded, "worth", NULL)
	PART("uncertainty_classic", NULL,
		OBJECT(paper[PAPER_TEXT], "paper", "Uncertainties, combined as in the text of the "
			"metrology paper.")
		OBJECT(paper[PAPER_TABLES], "papertab", "Uncertainties, combined as in the tables "
			"of the metrology paper.")
		OBJECT(paper[PAPER_STRICT], "strict",
		       "Like the member \"paper\", but u_rw is relative to the program's mean, and "
		       "u_cref is the standard uncertainty of this mean."))
	CELL_EXECUTION_TIME(ROW)
	OBJECT(issue_error, "issue_error", NULL)
	ROW(struct estimate, schedule_error, "schedule_error_ns", TIME,
	    "Start of a request in the replay minus its start in the trace, each counted from the "
	    "first start; mean over the requests.")
	OBJECT(order, "reordered", NULL)
	OBJECT(concurrency, "concurrency", NULL)
	CELL_FIDELITY(ROW)
	OBJECT(diagnostics, "diagnostics", NULL)
	PART("quantile_bias", 
	     "Relative bias of the quantiles of the response times of each run, computed from "
	     "pairs. Only components are judged, not these values.",
		ROW(struct estimate, quantile_bias[0], "p50", RELATIVE, NULL)
		ROW(struct estimate, quantile_bias[1], "p90", RELATIVE, NULL)
		ROW(struct estimate, quantile_bias[2], "p99", RELATIVE, NULL)
		ROW(struct estimate, quantile_bias[3], "p999", RELATIVE, NULL)
		BY_TEXTS(NULL, extrapolated, "extrapolated",
			 "Quantiles for which the runs have too few requests.", .n = QUANTILES_N))
	CELL_DISTRIBUTIONS(ROW)
	OBJECT(sessions, "sessions", NULL)
	OBJECT(control, "control_chart", NULL))
#undef S
