/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of report.json for ranges, operations, claims, costs and the league (model.h). */
#include "reports/model_rows.h"
#include "reports/words.h"
#include "validate/analysis/at_device.h"
#include "validate/analysis/costs.h"
#include "validate/analysis/courses.h"
#include "validate/analysis/league.h"
#include "validate/analysis/operations.h"

GET_AT(const struct protocol *, protocol_of, &at->a->results->protocol)

/* The case of an element of an array with an element per case. */
#define CASE_OF_INDEX(name, tag, array)                                                            \
	static const void *name(const struct model_at *at)                                         \
	{                                                                                          \
		return &at->a->cell[(const struct tag *)at->s - at->a->array];                     \
	}

/* --- rated ranges -------------------------------------------------------- */

#define S rated_point
MODEL(S, "A case of the range.",
	INLINE_CASE(cell, case)
	ROW(uint64_t, level, "level", COUNT, NULL)
	ROW(double, speed, "speed", NUMBER, "Speed factor of a timed replay.")
	ROW(double, rate, "requests_per_s", RATE, NULL)
	ROW(double, gap_ns, "gap_ns", TIME, "Mean time of a thread between two requests.")
	WORD(verdict, "verdict", NULL, verdict_names))
#undef S

#define S rated_range
GET(const struct rated_limit *, end_of, rated_range, r, at->m->index ? &r->gap : &r->rate)

static double end_value(const struct model_at *at)
{
	const struct rated_range *r = at->s;
	const size_t last = end_of(at)->last;
	if (last == RATED_NONE)
		return NAN;
	return at->m->index ? r->point[last].gap_ns : r->point[last].rate;
}

GET_AT(bool, has_last, end_of(at)->last != RATED_NONE)
GET_AT(uint64_t, last_trusted, end_of(at)->last)
GET_AT(bool, has_next, end_of(at)->next != RATED_NONE)
GET_AT(uint64_t, next_point, end_of(at)->next)
GET_AT(uint64_t, n_trusted_beyond, end_of(at)->n_beyond)

#define RANGE_END(name, value, format, gap)                                                        \
	PART(name,                                                                                 \
	     "End of the range. last_trusted: index of the last point of the range. next: index "  \
	     "of the first point whose verdict is inconclusive or not trusted. Each is absent "    \
	     "if there is no such point. n_trusted_beyond: number of trusted points after next.",  \
	     BY_REAL(end_value, value, format, NULL, .index = gap)                                 \
	     BY_COUNT(last_trusted, "last_trusted", NULL, IF(has_last), .index = gap)              \
	     BY_COUNT(next_point, "next", NULL, IF(has_next), .index = gap)                        \
	     BY_COUNT(n_trusted_beyond, "n_trusted_beyond", NULL, .index = gap))

MODEL(S, "Cases that differ only in level, pause and speed, ordered by rate, and the range in "
	"which they are trusted.",
	TEXT(name, "workload", NULL)
	TEXT(replayer, "replayer", NULL)
	RANGE_END("highest_rate", "requests_per_s", RATE, 0)
	RANGE_END("shortest_gap", "gap_ns", TIME, 1)
	ARRAY(point, n, "points", NULL))
#undef S

/* --- linearity ----------------------------------------------------------- */

#define S linearity_level
MODEL(S, NULL,
	ROW(uint64_t, level, "level", COUNT, NULL)
	ROW(double, cv, "cv", SHARE, NULL)
	ROW(double, relative_bias, "relative_bias", RELATIVE, NULL))
#undef S

#define S linearity
MODEL(S, "Relative bias at each load level, for scenarios that differ only in this level.",
	TEXT(name, "name", NULL)
	REPLAYER(replayer, "replayer", NULL)
	ARRAY(level, n_levels, "levels", NULL)
	STATUS_ROW(status, "status", NULL)
	ROW(double, slope, "slope", RELATIVE, "Change of the bias per level.", STATUS(status))
	ROW(double, slope_se, "slope_se", SHARE, NULL, STATUS(status))
	ROW(double, slope_p, "slope_p", P, NULL, STATUS(status))
	ROW(double, intercept, "intercept", RELATIVE, NULL, STATUS(status))
	STATUS_ROW(lack_of_fit_status, "lack_of_fit_status", NULL)
	ROW(double, lack_of_fit_f, "lack_of_fit_f", NUMBER, NULL, STATUS(lack_of_fit_status))
	ROW(double, lack_of_fit_p, "lack_of_fit_p", P, NULL, STATUS(lack_of_fit_status))
	STATUS_ROW(trend_status, "trend_status", NULL)
	ROW(double, trend_p, "trend_p", P,
	    "P-value of the Mann-Kendall test.", STATUS(trend_status))
	ROW(double, spread_p, "spread_p", P,
	    "P-value of the Brown-Forsythe test of equal scatter at all levels."))
#undef S

/* --- operations ---------------------------------------------------------- */

#define S operation_result
MODEL(S, "Response times of one operation in a case.",
	INLINE_CASE(cell, case)
	TEXT(op, "operation", NULL)
	ROW(double, n_requests, "n_requests", NUMBER, "Requests per replay, mean over the replays.")
	ROW(double, share, "share_of_time", SHARE,
	    "Share of the sum of the program's response times.")
	ROW(struct estimate, program, "program_ns", TIME, NULL)
	ROW(struct estimate, replay, "replay_ns", TIME, NULL)
	ROW(struct estimate, bias, "bias", RELATIVE, NULL)
	ROW(struct estimate, uncertainty, "uncertainty", SHARE, NULL))
#undef S

/* --- claims and published values ----------------------------------------- */

static const char *const units[] = {"ns", "ratio", "1", "bytes", NULL};

static const char *measure_name(const struct model_at *at)
{
	const enum measure *m = (const void *)((const char *)at->s + at->m->at);
	return measure_info[*m].name;
}

static const char *measure_unit(const struct model_at *at)
{
	const enum measure *m = (const void *)((const char *)at->s + at->m->at);
	return published_unit(*m);
}

#define MEASURE(f, function, name_, ...)                                                           \
	{.name = name_, .kind = MODEL_TEXT, .text = function,                                      \
	 .at = offsetof(struct S, f) + MODEL_IS(f, enum measure), __VA_ARGS__},

#define S claim_comparison
/* index: 0 scenario, 1 replayer; of the other case 2 and 3 */
static const char *compared_name(const struct model_at *at)
{
	const struct claim_comparison *k = at->s;
	const size_t cell = at->m->index < 2 ? k->cell : k->than;
	if (cell == CLAIM_NO_CELL)
		return NULL;
	const struct cell *c = &at->a->cell[cell];
	return at->m->index % 2 ? protocol_of(at)->replayer[c->replayer].name
				: protocol_of(at)->scenario[c->scenario].name;
}

MODEL(S, "A case compared with another case, or with a number (than_scenario and than_replayer are "
	"null). Despite their names, lo95 and hi95 of the difference are the ends of its interval "
	"at the confidence level of the finding (its member \"confidence\").",
	BY_TEXT(compared_name, "scenario", NULL)
	BY_TEXT(compared_name, "replayer", NULL, .index = 1)
	BY_TEXT(compared_name, "than_scenario", NULL, .index = 2, NULLABLE)
	BY_TEXT(compared_name, "than_replayer", NULL, .index = 3, NULLABLE)
	OBJECT(value, "value", NULL)
	OBJECT(other, "other", NULL)
	OBJECT(difference, "difference", NULL)
	ROW(double, f_critical, "f_critical", NUMBER,
	    "For an F ratio against a number: the one-sided critical value at 5 % for the degrees "
	    "of freedom of these runs. Otherwise null.")
	ROW(double, f_p, "f_p", P,
	    "One-sided P-value of the test that compares this F ratio with the number.")
	WORD(outcome, "outcome", NULL, claim_outcome_names))
#undef S

#define S claim
static const char *difference_unit(const struct model_at *at)
{
	const struct claim *c = at->s;
	const bool is_linear = measure_info[c->measure].scale == SCALE_LINEAR;
	return is_linear ? published_unit(c->measure) : "ratio";
}

MODEL(S, NULL,
	TEXT(name, "name", NULL)
	TEXT(text, "text", NULL)
	TEXT(source, "source", NULL)
	TEXT(published, "published", "The published numbers in words.", NULLABLE)
	TEXT(reproduce, "reproduce", "Commands to check the finding by hand.", NULLABLE)
	MEASURE(measure, measure_name, "measure")
	TEXT(operation, "operation", NULL, NULLABLE)
	MEASURE(measure, measure_unit, "unit", .words = units)
	WORD(direction, "direction", NULL, claim_direction_names)
	BY_TEXT(difference_unit, "difference_unit", NULL, .words = units)
	ROW(double, margin, "margin", NUMBER,
	    "Limit of the difference, for the direction \"alike\"."))
#undef S

#define S claim_result
GET_AT(const void *, claim_of,
       &protocol_of(at)->claim[(const struct claim_result *)at->s - at->a->claim])

MODEL(S, "A published finding and its result in this campaign.",
	INLINE(claim_of, claim)
	ROW(double, confidence, "confidence", SHARE,
	    "Confidence level of the interval of the difference in each comparison.")
	WORD(outcome, "outcome", NULL, claim_outcome_names)
	ROW(size_t, n_confirmed, "n_confirmed", COUNT, NULL)
	ROW(size_t, n_not_confirmed, "n_not_confirmed", COUNT, NULL)
	ROW(size_t, n_inconclusive, "n_inconclusive", COUNT, NULL)
	ROW(size_t, n_significant, "n_significant", COUNT,
	    "Comparisons whose F test is significant at 5 %, one-sided.")
	ROW(size_t, n_above_published, "n_above_published", COUNT,
	    "Comparisons whose F is above the published critical value, which the finding "
	    "names.")
	ARRAY(comparison, n, "comparisons", NULL))
#undef S

#define S published_value
MODEL(S, NULL,
	MEASURE(measure, measure_name, "measure")
	TEXT(operation, "operation", NULL, NULLABLE)
	MEASURE(measure, measure_unit, "unit", .words = units)
	ROW(double, value, "published", NUMBER, NULL)
	ROW(double, uncertainty, "published_uncertainty", SHARE, "Uncertainty as a share of the "
								 "value."))
#undef S

#define S published_result
GET(const char *, published_source, published_result, r, r->value->source)

MODEL(S, "A published value and the value measured in this campaign, in base units.",
	BY_TEXT(published_source, "source", NULL)
	INLINE_CASE(cell, case)
	INLINE_POINTER(value, published_value)
	OBJECT(measured, "measured", NULL))
#undef S

/* --- courses and costs --------------------------------------------------- */

#define S course_rate
GET_AT(double, lowest_rate, at->i ? ldexp(1, (int)at->i) : 0)

MODEL(S, "A class of request rates. It contains the time intervals, from all runs, in which the "
	"rate is at least from_per_s and below twice from_per_s (below 2 per second if from_per_s "
	"is 0).",
	BY_REAL(lowest_rate, "from_per_s", RATE, NULL)
	ROW(double, n_requests, "n_requests", NUMBER, "Per run.")
	ROW(double, issue_error_ns, "issue_error_ns", TIME,
	    "Mean issue error of the requests in these intervals."))
#undef S

#define S course
CASE_OF_INDEX(course_case, course, course)

GET(bool, has_bandwidth, course, c, c->bandwidth_program && c->bandwidth_replay)
GET(const void *, rate_class, course, c, c->rate[at->i].n_requests > 0 ? &c->rate[at->i] : NULL)

MODEL(S, "A case over the course of a run, in intervals of width_s. Rates, requests in flight and "
	"bandwidth are those of the pair of runs whose replay has the median execution time. For "
	"timed replays, issue errors are computed over all runs: their mean in each interval, "
	"their quantiles at 0, 1, ... 100 %, and their mean in each class of rates.",
	INLINE(course_case, case)
	ROW(double, width_s, "width_s", NUMBER, NULL)
	REALS(recorded, n, "recorded_per_s", RATE, NULL)
	REALS(program, n, "program_per_s", RATE, NULL)
	REALS(replay, n, "replay_per_s", RATE, NULL)
	REALS(in_flight_program, n, "program_in_flight", NUMBER, NULL)
	REALS(in_flight_replay, n, "replay_in_flight", NUMBER, NULL)
	REALS(bandwidth_program, n, "program_bytes_per_s", BYTES, NULL, IF(has_bandwidth))
	REALS(bandwidth_replay, n, "replay_bytes_per_s", BYTES, NULL, IF(has_bandwidth))
	REALS(issue_error_ns, n, "issue_error_ns", TIME, NULL, IF_SET(timed))
	REALS_IN(quantile_ns, "issue_error_quantiles_ns", TIME, NULL, IF_SET(timed))
	BY_ARRAY(NULL, rate_class, course_rate, "issue_error_by_rate", NULL, IF_SET(timed),
		 .n = COURSE_RATE_CLASSES))
#undef S

#define S cost
CASE_OF_INDEX(cost_case, cost, cost)

MODEL(S, "Costs of the replays of a case: size of the recording, CPU time, memory, and time "
	"outside the requests. The values of the program are given for comparison.",
	INLINE(cost_case, case)
	ROW(double, n_requests, "n_requests", NUMBER, "Mean per run.")
	ROW(double, trace_bytes, "trace_bytes", BYTES, "Mean size of a recording.")
	ROW(double, memory_bytes, "memory_bytes", BYTES,
	    "Anonymous memory of the replay while its requests run.")
	ROW(struct estimate, preparation_program, "preparation_program_ns", TIME,
	    "Elapsed time of the process minus the execution time.")
	ROW(struct estimate, preparation_replay, "preparation_replay_ns", TIME, NULL)
	ROW(struct estimate, cpu_program, "cpu_program_ns", TIME,
	    "CPU time in the measured region.")
	ROW(struct estimate, cpu_replay, "cpu_replay_ns", TIME, NULL)
	ROW(struct estimate, cpu_deviation, "cpu_deviation", RELATIVE,
	    "Relative deviation of the CPU time of the replay from that of the program.")
	ROW(struct estimate, process_cpu_program, "process_cpu_program_ns", TIME,
	    "CPU time of the whole process.")
	ROW(struct estimate, process_cpu_replay, "process_cpu_replay_ns", TIME, NULL)
	ROW(struct estimate, peak_program, "peak_program_bytes", BYTES, "Largest resident memory.")
	ROW(struct estimate, peak_replay, "peak_replay_bytes", BYTES, NULL)
	ROW(struct estimate, speedup, "speedup", NUMBER,
	    "Execution time of the program divided by that of the replay.")
	ROW(struct estimate, own, "own_mean_ns", TIME,
	    "Mean response time by the replayer's own time stamps, if the preloaded library timed "
	    "the replays.")
	ROW(double, observed_share, "observed_share", SHARE,
	    "Share of the replay's requests that the preloaded library saw."))
#undef S

/* --- league -------------------------------------------------------------- */

#define S league_row
GET(const struct replayer *, league_replayer, league_row, row,
    &protocol_of(at)->replayer[row->replayer])

static const char *league_options(const struct model_at *at)
{
	words_add_options(at->scratch, league_replayer(at));
	return at->scratch->len ? at->scratch->s : NULL;
}

GET_AT(const char *, league_absent, league_replayer(at)->absent)
GET(const char *, league_verdict, league_row, row, row->judged ? verdict_name(row->verdict) : NULL)

static const void *worst_case(const struct model_at *at)
{
	const struct league_row *row = at->s;
	const size_t cell = row->worst[at->m->index];
	return cell == LEAGUE_NO_CELL ? NULL : &at->a->cell[cell];
}
#undef S

#define S cell
GET_AT(const void *, worst_estimate, league_estimate(at->s, (enum league_quantity)at->i))

static const struct model_list model_worst = {
    .member = (const struct model_member[]){
		SCENARIO(scenario, "scenario", NULL)
		BY_OBJECT(worst_estimate, estimate, "estimate", NULL) {0}}};
#undef S

#define WORST(quantity, name)                                                                      \
	BY_OBJECT(worst_case, worst, name, NULL, NULLABLE, .index = quantity)

#define S league_row
MODEL(S, "A row of the league table, best replayer first.",
	REPLAYER(replayer, "replayer", NULL)
	BY_TEXT(league_options, "options",
		"Options of the replayer in the protocol, such as \"order=fs timing=timestamp\"; "
		"null if there are none.", NULLABLE)
	BY_TEXT(league_absent, "absent", "The reason if the replayer was not found.", NULLABLE)
	BY_TEXT(league_verdict, "verdict", "Null if the replayer has no case.", NULLABLE)
	ROW(size_t, n_trusted, "n_trusted", COUNT, NULL)
	ROW(size_t, n_inconclusive, "n_inconclusive", COUNT, NULL)
	ROW(size_t, n_not_trusted, "n_not_trusted", COUNT, NULL)
	ROW(uint64_t, n_failed, "n_failed_runs", COUNT, NULL)
	ROW(uint64_t, n_infidelities, "n_mismatched_lost_extra", COUNT, "Requests of all runs.")
	FLAG(differs, "differs_from_recording",
	     "In at least one inconclusive case, the replayer differs from its reference, a "
	    "recording that was made outside this campaign.")
	ROW(double, deviation, "deviation_in_limits", NUMBER,
	    "Mean of |deviation| / limit over the judged components of all cases; a value above 10 "
	    "counts as 10.")
	ROW(double, mean_bias, "mean_bias_size", SHARE,
	    "Mean |bias| over the cases of the replayer.")
	ROW(double, cpu_per_request_ns, "cpu_per_request_ns", TIME,
	    "CPU time of the replayer's processes over their whole lifetime, summed over all "
	    "runs, divided by the number of their requests.")
	PART("largest",
	     "The case with the largest absolute value of a quantity; null if no case has the "
	     "quantity.",
	     WORST(LEAGUE_BIAS, "bias")
	     WORST(LEAGUE_EXECUTION_TIME, "execution_time")
	     WORST(LEAGUE_IN_FLIGHT, "in_flight")
	     WORST(LEAGUE_CONCURRENCY, "concurrency")
	     WORST(LEAGUE_REORDERED, "reordered")
	     WORST(LEAGUE_ISSUE_ERROR, "issue_error_p99_ns")))
#undef S

/* --- cases observed at the device ---------------------------------------- */

#define S own_view
MODEL(S, "Means over the runs, by the replayer's or program's own time stamps.",
	ROW(struct estimate, response, "response_ns", TIME, NULL)
	ROW(double, in_flight, "in_flight", NUMBER, NULL)
	ROW(double, in_flight_max, "in_flight_max", NUMBER, NULL))
#undef S

#define S at_device
CASE_OF_INDEX(device_case, at_device, device)

MODEL(S, "A case that was observed at its device: results by the program's and the "
	"replayer's own time stamps, and the requests that the device received (means over the "
	"replays).",
	INLINE(device_case, case)
	OBJECT(program, "program_own", NULL)
	OBJECT(replay, "replay_own", NULL)
	ROW(double, reordered_program, "reordered_program", SHARE,
	    "Share of the program's requests that the device received out of order.")
	ROW(double, seen, "seen_share", SHARE, "Share of the replay's requests that the device "
		"received.")
	ROW(double, n_split, "n_split", NUMBER, NULL)
	ROW(double, n_extra, "n_extra", NUMBER, NULL)
	ROW(double, n_outside, "n_outside", NUMBER, NULL))
#undef S
