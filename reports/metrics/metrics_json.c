/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON of validate metrics: its members (model.h). A test makes doc/metrics-schema.json from
 * them. */

#include "capture/op.h"
#include "reports/json/json_model.h"
#include "reports/json/json_value.h"
#include "reports/metrics/metrics_report.h"
#include "reports/model_rows.h"
#include "validate/metrics/levels.h"

const char *const metrics_point_names[POINT_N + 1] = {"issue", "dispatch", "complete",
						      NULL};
const char *const metrics_scope_names[SCOPE_N + 1] = {"all", "object", "thread", NULL};

#define METRICS_SCHEMA 1

const char *metrics_match_words(enum match_reason reason)
{
	static const char *const words[MATCHED_N] = {
	    [MATCHED_NUMBERED] = "the requests are numbered",
	    [MATCHED_SAME_COUNT] =
		"the replay's metadata states the same number of requests as the reference has",
	    [MATCHED_OTHER_COUNT] = "the replay's metadata states a different number of requests",
	    [MATCHED_NO_COUNT] = "the replay's metadata does not state what it replays",
	    [MATCHED_COUNT_AT_END] =
		"the reference states its number of requests only at its end",
	    [MATCHED_OTHER_REQUESTS] = "the replay's metadata states the same number of requests "
				       "as the reference has, but most records of the replay are "
				       "other requests",
	};
	return words[reason];
}

struct metrics_document {
	struct metrics m;
	struct metrics_paths paths;
};

static const struct metrics *metrics_of(const struct model_at *at)
{
	const struct metrics_document *d = at->root;
	return &d->m;
}

static double ratio_of(double x, double y)
{
	return y > 0 ? x / y : NAN;
}

static double error_pct(double replay, double reference)
{
	return reference > 0 ? 100 * (replay - reference) / reference : NAN;
}

/* --- distributions ------------------------------------------------------- */

/* The rows of a distribution, by index. */
enum { ROW_MEAN, ROW_SD, ROW_MIN, ROW_MAX, ROW_QUANTILES };
static const double quantiles[] = {0.5, 0.9, 0.99, 0.999};

/* `quantile`: for the rows of quantiles; NAN: unknown. */
static double moments_row(const struct moments *m, size_t row, double quantile)
{
	const double x[] = {m->mean, m->n > 1 ? m->sd : NAN, m->min, m->max};
	if (row >= ROW_QUANTILES)
		return quantile < m->min ? m->min : quantile > m->max ? m->max : quantile;
	return m->n ? x[row] : NAN;
}

static double distribution_row(const struct model_at *at)
{
	const struct distribution *d = at->s;
	const struct moments m = moment_sum_result(&d->sum, 0);
	const size_t row = at->m->index;
	double q = NAN;
	if (row >= ROW_QUANTILES &&
	    (d->histogram.n_negative ||
	     histogram_quantile(&d->histogram, quantiles[row - ROW_QUANTILES], &q, NULL)))
		q = NAN;
	return moments_row(&m, row, q);
}

/* The deviation from the schedule is shifted. */
static int64_t shift_of(const struct model_at *at)
{
	const struct metrics *m = metrics_of(at);
	return at->s == &m->schedule ? m->schedule_rest_ns : 0;
}

static double issue_error_row(const struct model_at *at)
{
	const struct issue_error *x = at->s;
	const struct moments m = moment_sum_result(&x->sum, shift_of(at));
	const size_t row = at->m->index;
	double q = NAN;
	if (row >= ROW_QUANTILES &&
	    !issue_error_quantile(x, quantiles[row - ROW_QUANTILES], &q, NULL))
		q -= (double)shift_of(at);
	else
		q = NAN;
	return moments_row(&m, row, q);
}

GET(uint64_t, distribution_n, distribution, d, d->sum.n)
GET(uint64_t, issue_error_n, issue_error, x, x->sum.n)

#define DISTRIBUTION(n, row)                                                                       \
	BY_COUNT(n, "n", NULL)                                                                     \
	BY_FINITE(row, "mean", NUMBER, NULL, .index = ROW_MEAN)                                    \
	BY_FINITE(row, "sd", NUMBER, NULL, .index = ROW_SD)                                        \
	BY_FINITE(row, "min", NUMBER, NULL, .index = ROW_MIN)                                      \
	BY_FINITE(row, "max", NUMBER, NULL, .index = ROW_MAX)                                      \
	BY_FINITE(row, "p50", NUMBER, NULL, .index = ROW_QUANTILES)                                \
	BY_FINITE(row, "p90", NUMBER, NULL, .index = ROW_QUANTILES + 1)                            \
	BY_FINITE(row, "p99", NUMBER, NULL, .index = ROW_QUANTILES + 2)                            \
	BY_FINITE(row, "p999", NUMBER, NULL, .index = ROW_QUANTILES + 3)

LIST(distribution, NULL, DISTRIBUTION(distribution_n, distribution_row))
LIST(issue_error, NULL, DISTRIBUTION(issue_error_n, issue_error_row))

/* --- each trace ---------------------------------------------------------- */

#define S metrics_side
GET(double, execution_ns, metrics_side, s, metrics_execution_ns(s))
GET(double, throughput, metrics_side, s, metrics_throughput(s))
GET(double, bytes_per_s, metrics_side, s,
    ratio_of((double)s->n_bytes * 1e9, metrics_execution_ns(s)))

static const char *path_of(const struct model_at *at)
{
	const struct metrics_document *d = at->root;
	return at->s == &d->m.reference ? d->paths.reference : d->paths.replay;
}

static json_t *is_complete(const struct model_at *at)
{
	const struct metrics_side *s = at->s;
	const bool no_sign = s->complete && !s->cut && !s->n_events_lost && !s->n_unseen;
	return no_sign && s->not_visible ? json_null() : json_boolean(no_sign);
}

LIST(side, NULL,
	BY_TEXT(path_of, "path", NULL, .exact = true)
	BY_JSON(is_complete, "boolean|null", "complete",
		"true: no request is missing, because the trace comes from validate microbench, "
		"validate replay or the log of a volume, and there is no sign of a loss. false: "
		"the file has no end or is damaged, or there are signs of missing requests. null: "
		"there is no sign of a loss, but the method does not show all requests "
		"(not_visible). In files of earlier versions, this member states whether the file "
		"has an end.")
	FLAG(complete, "has_end",
	     "False if the writer of the trace was killed or ran out of space, or if the file was "
	     "truncated.")
	FLAG(cut, "cut", "The file has no end, or was made from an earlier trace that was "
	     "truncated: requests can be missing.")
	ROW(uint64_t, n_events_lost, "n_events_lost", COUNT,
	    "Events that were lost during the capture: requests can be missing.")
	ROW(uint64_t, n_unseen, "n_unseen", COUNT,
	    "Programs and requests that the capture could not see. The trace lacks these "
	    "requests and the requests of these programs.")
	TEXT(not_visible, "not_visible",
	     "Requests that the method of recording never shows. Null if the trace "
	     "comes from validate microbench, validate replay or the log of a volume.", NULLABLE)
	ROW(uint64_t, n_records, "n_records", COUNT, NULL)
	ROW(uint64_t, n_issued, "n_issued", COUNT, NULL)
	ROW(uint64_t, n_unfinished, "n_unfinished", COUNT, NULL)
	ROW(uint64_t, n_failed, "n_failed", COUNT, NULL)
	ROW(uint64_t, n_negative, "n_negative", COUNT, "Requests that end before they begin.")
	ROW(uint64_t, first_negative, "first_negative", COUNT, "Number of the record, from 0.",
	    IF_SET(n_negative))
	ROW(uint64_t, n_backwards, "n_backwards", COUNT,
	    "Requests that begin before the previous request of their thread.")
	ROW(uint64_t, first_backwards, "first_backwards", COUNT, NULL, IF_SET(n_backwards))
	ROW(uint64_t, n_unknown, "n_unknown", COUNT,
	    "Requests with neither object nor descriptor.")
	ROW(uint64_t, n_warmup, "n_warmup", COUNT,
	    "Requests that --warmup leaves out. Only the member n_records includes these requests.")
	ROW(uint64_t, n_bytes, "bytes", COUNT, NULL)
	BY_FINITE(execution_ns, "execution_ns", TIME, NULL)
	BY_FINITE(throughput, "requests_per_s", RATE, NULL)
	BY_FINITE(bytes_per_s, "bytes_per_s", NUMBER, NULL))

/* --- concurrency --------------------------------------------------------- */

GET_AT(bool, has_concurrency, metrics_of(at)->parts & PART_CONCURRENCY)
GET_AT(bool, has_lifetime, metrics_of(at)->parts & PART_LIFETIME)
GET(double, mean_level, metrics_side, s,
    levels_mean(&s->concurrency, (enum levels_weight)at->m->index))
GET(double, level_span_ns, metrics_side, s,
    (double)(s->concurrency.last_ns - s->concurrency.first_ns))
GET(double, idle_ns, metrics_side, s, (double)s->concurrency.ns_at_level[0])

static json_t *cdf_json(const struct model_at *at)
{
	const struct concurrency *c = &((const struct metrics_side *)at->s)->concurrency;
	SCOPED_FREE double *x = levels_cdf_all(c, (enum levels_weight)at->m->index);
	json_t *list = json_array();
	for (size_t level = 0; x && level <= c->highest; level++)
		json_array_append_new(list, json_real(x[level]));
	return list;
}

#define LEVEL(function, name_, ...)                                                                \
	BY_FINITE(function, name_, NUMBER, NULL, IF(has_concurrency), __VA_ARGS__)
#define CDF(name_, weight, description_)                                                           \
	BY_JSON(cdf_json, "array", name_, description_,                                            \
		.items = "number", .index = LEVELS_BY_##weight, IF(has_concurrency))

LIST(levels, NULL,
	LEVEL(mean_level, "conc_mean_time", .index = LEVELS_BY_TIME)
	LEVEL(mean_level, "conc_mean_busy", .index = LEVELS_BY_BUSY_TIME)
	LEVEL(mean_level, "conc_mean_request", .index = LEVELS_BY_REQUEST)
	ROW(size_t, concurrency.highest, "conc_max_level", COUNT, NULL, IF(has_concurrency))
	LEVEL(level_span_ns, "conc_span")
	LEVEL(idle_ns, "conc_idle_time")
	CDF("conc_cdf_time", TIME, "Share of the time during which at most k requests were in "
		"flight, for k = 0, 1, and so on.")
	CDF("conc_cdf_time_busy", BUSY_TIME, "Share of the time with at most k requests in "
		"flight, for k = 0, 1, and so on. Times without a request in flight do not count.")
	CDF("conc_cdf_request", REQUEST, "Share of the requests at whose start at most k requests "
		"were in flight, with the request itself, for k = 0, 1, and so on.")
	FINITE(mean_lifetime_level, "conc_mean_lifetime", NUMBER, NULL, IF(has_lifetime)))
#undef S

static struct levels_distance distance_of(const struct model_at *at)
{
	const struct metrics *m = metrics_of(at);
	return levels_distance(&m->reference.concurrency, &m->replay.concurrency,
			       (enum levels_weight)at->m->index);
}
GET_AT(double, largest_distance, distance_of(at).largest)
GET_AT(double, area, distance_of(at).area)

#define DISTANCES(suffix, weight)                                                                  \
	LEVEL(largest_distance, "conc_ks_" suffix, .index = LEVELS_BY_##weight)                    \
	LEVEL(area, "conc_wasserstein1_" suffix, .index = LEVELS_BY_##weight)

#define S metrics_document
LIST(concurrency, NULL,
	OBJECT_AS(m.reference, levels, "reference", NULL)
	OBJECT_AS(m.replay, levels, "replay", NULL)
	DISTANCES("time", TIME)
	DISTANCES("time_busy", BUSY_TIME)
	DISTANCES("request", REQUEST))
#undef S

/* --- order --------------------------------------------------------------- */

/* Adds shares by value; for values above 2047 by the midpoint of the histogram's bucket. */
static void put_shares(json_t *o, const struct histogram *h, double n, const char *sign)
{
	char key[40];
	for (uint32_t b = 0; b < h->n_buckets; b++) {
		if (!h->count[b])
			continue;
		snprintf(key, sizeof key, "%s%.0f", sign, histogram_value(b));
		json_object_set_new(o, key, json_real((double)h->count[b] / n));
	}
}

static json_t *displacements_json(const struct model_at *at)
{
	const struct disorder_total *t = at->s;
	json_t *o = json_object();
	const double n = (double)t->n_displaced;
	const uint64_t on_time = t->n_displaced - t->displaced_early.n - t->displaced_late.n;
	put_shares(o, &t->displaced_early, n, "-");
	if (on_time)
		json_object_set_new(o, "0", json_real((double)on_time / n));
	put_shares(o, &t->displaced_late, n, "");
	return o;
}

static json_t *occupancies_json(const struct model_at *at)
{
	const struct disorder_total *t = at->s;
	json_t *o = json_object();
	const uint64_t empty = t->n_occupancies - t->occupied.n;
	if (t->needs_bt)
		return o;
	if (empty)
		json_object_set_new(o, "0", json_real((double)empty / (double)t->n_occupancies));
	put_shares(o, &t->occupied, (double)t->n_occupancies, "");
	return o;
}

#define MAX_N_REORDERED 20

/* Element [n - 1] is about n-reordered arrivals. */
static json_t *n_reordered(const struct model_at *at)
{
	const struct disorder_total *t = at->s;
	const bool is_share = at->m->index;
	json_t *a = json_array();
	uint64_t left = t->preceding.n;
	for (uint32_t n = 1; n <= MAX_N_REORDERED && left; n++) {
		json_array_append_new(a, is_share
			? json_real((double)left / (double)t->n_received)
			: json_integer((json_int_t)left));
		left -= n < t->preceding.n_buckets ? t->preceding.count[n] : 0;
	}
	return a;
}

#define S disorder_total
#define GET_TOTAL(type, function, value) GET(type, function, disorder_total, t, value)
#define SHARE_OF(function, part, whole)                                                            \
	GET_TOTAL(double, function, ratio_of((double)(part), (double)(whole)))

SHARE_OF(share_missing, t->n_lost, t->n_received + t->n_lost)
SHARE_OF(share_reordered, t->n_reordered, t->n_received)
GET_TOTAL(uint64_t, max_extent, t->extent.sum.n ? (uint64_t)t->extent.sum.max : 0)
GET_TOTAL(double, mean_extent,
	  t->extent.sum.n ? moment_sum_result(&t->extent.sum, 0).mean : NAN)
GET_TOTAL(double, in_order_pct, 100 * ratio_of((double)t->runs_a, (double)t->runs_p))
SHARE_OF(mean_run, t->runs_a, t->runs_x)
GET_TOTAL(double, run_variability,
	  t->runs_x ? ratio_of((double)t->runs_q / (double)t->runs_a,
			       (double)t->runs_a / (double)t->runs_x) : NAN)
GET_TOTAL(double, kendall_tau,
	  t->n_pairs ? 1 - 2 * ((double)t->inversions / (double)t->n_pairs) : NAN)
GET_TOTAL(uint64_t, lis_length, t->n_received - t->n_moves)
SHARE_OF(share_moved, t->n_moves, t->n_received)
SHARE_OF(mean_displacement, t->displacement_sum, t->n_displaced)
SHARE_OF(share_late, t->displaced_late.n, t->n_displaced)
GET_TOTAL(uint64_t, n_beyond, t->n_received - t->n_displaced)
GET_TOTAL(double, mean_occupancy,
	  t->needs_bt ? NAN : ratio_of((double)t->occupancy_sum, (double)t->n_occupancies))
GET_AT(uint64_t, threshold, ((const struct metrics_order *)at->up->s)->bt)

/* at->i is the scope, and at->up->i the point. */
static const struct metrics_worst *worst_of(const struct model_at *at)
{
	return &metrics_of(at)->order[at->up->i].worst[at->i];
}
GET_AT(const void *, worst, worst_of(at))
GET_AT(bool, has_worst, at->i != SCOPE_ALL && worst_of(at)->exists)
#undef S

#define S metrics_worst
GET_AT(bool, is_thread, at->up->i == SCOPE_THREAD)
GET(bool, is_descriptor, metrics_worst, w, !is_thread(at) && w->key & METRICS_KEY_DESCRIPTOR)
GET(bool, is_object, metrics_worst, w, !is_thread(at) && !(w->key & METRICS_KEY_DESCRIPTOR))
GET(uint64_t, high_key, metrics_worst, w, w->key >> 32)
GET(uint64_t, low_key, metrics_worst, w, w->key & UINT32_MAX)
GET_AT(const char *, worst_object, metrics_of(at)->worst_object[at->up->up->i])

LIST(worst, "Figures of the object or thread with the largest share of reordered requests.",
	BY_COUNT(high_key, "pid", NULL, IF(is_thread))
	BY_COUNT(low_key, "tid", NULL, IF(is_thread))
	BY_COUNT(low_key, "fd", NULL, IF(is_descriptor))
	BY_NAME(worst_object, "object", NULL, IF(is_object))
	ROW(uint64_t, n_received, "ro_received", COUNT, NULL)
	ROW(uint64_t, n_reordered, "ro_reordered", COUNT, NULL)
	ROW(uint64_t, max_extent, "ro_max_extent", COUNT, NULL))
#undef S

#define S disorder_total
LIST(scope, NULL,
	ROW(uint64_t, n_sequences, "n_sequences", COUNT, NULL)
	ROW(uint64_t, n_received, "ro_received", COUNT, NULL)
	ROW(uint64_t, n_lost, "ro_missing", COUNT, NULL)
	BY_FINITE(share_missing, "ro_missing_ratio", NUMBER, NULL)
	ROW(uint64_t, n_reordered, "ro_reordered", COUNT, NULL)
	BY_FINITE(share_reordered, "ro_ratio", NUMBER, NULL)
	ROW(uint64_t, n_sequence_discontinuities, "ro_seq_discontinuities", COUNT, NULL)
	BY_COUNT(max_extent, "ro_max_extent", NULL)
	BY_FINITE(mean_extent, "ro_mean_extent", NUMBER, NULL)
	OBJECT_AS(extent, distribution, "ro_extent", NULL)
	OBJECT_AS(late_ns, distribution, "ro_late_time", NULL)
	OBJECT_AS(byte_offset, distribution, "ro_byte_offset", NULL)
	ROW(uint64_t, n_discontinuities, "ro_discontinuities", COUNT, NULL)
	OBJECT_AS(gap, distribution, "ro_gap", NULL)
	OBJECT_AS(gap_ns, distribution, "ro_gap_time", NULL)
	ROW(uint64_t, runs_x, "ro_runs_x", COUNT, NULL)
	ROW(uint64_t, runs_a, "ro_runs_a", COUNT, NULL)
	ROW(uint64_t, runs_p, "ro_runs_p", COUNT, NULL)
	ROW(uint64_t, runs_q, "ro_runs_q", COUNT, NULL)
	BY_FINITE(in_order_pct, "ro_runs_in_order_pct", NUMBER, NULL)
	BY_FINITE(mean_run, "ro_runs_mean", NUMBER, NULL)
	BY_FINITE(run_variability, "ro_runs_variability", NUMBER, NULL)
	BY_JSON(n_reordered, "array", "ro_n_reordered_count",
		"Numbers of n-reordered arrivals for n = 1, 2, ..., at most 20. An arrival is "
		"n-reordered if all of the n arrivals before it have larger numbers (RFC 4737).",
		.items = "integer")
	BY_JSON(n_reordered, "array", "ro_n_reordering_degree", NULL, .items = "number",
		.index = 1)
	ROW(uint64_t, max_preceding, "ro_n_reordered_max", COUNT,
	    "Largest n for which an arrival is n-reordered; 0 if there is none.")
	ROW(uint64_t, inversions, "ro_inversions", COUNT, NULL)
	BY_FINITE(kendall_tau, "ro_kendall_tau", NUMBER, NULL)
	BY_COUNT(lis_length, "ro_lis_length", NULL)
	BY_FINITE(share_moved, "ro_min_moves_ratio", NUMBER, NULL)
	ROW(uint64_t, footrule, "ro_spearman_footrule", COUNT, NULL)
	ROW(uint64_t, n_descents, "ro_hfplayer_script_count", COUNT, NULL)
	BY_JSON(displacements_json, "object", "rd_density", "Share by displacement.",
		.items = "number")
	BY_FINITE(mean_displacement, "rd_mean_abs_displacement", NUMBER, NULL)
	BY_FINITE(share_late, "rd_frac_late", NUMBER, NULL)
	BY_COUNT(n_beyond, "rd_beyond_threshold", NULL)
	BY_JSON(occupancies_json, "object", "rbd_density", "Share by occupancy.", .items = "number")
	BY_FINITE(mean_occupancy, "rbd_mean_occupancy", NUMBER, NULL)
	BY_COUNT(threshold, "rbd_threshold", NULL, NULLABLE)
	BY_OBJECT(worst, worst, "worst", NULL, IF(has_worst)))
#undef S

#define S metrics_order
GET_AT(bool, has_scope, metrics_of(at)->scopes >> at->m->index & 1)
#define SCOPE(name_, scope_)                                                                       \
	OBJECT_AS(total[scope_], scope, name_, NULL, .index = scope_, IF(has_scope))
LIST(scopes, NULL,
	SCOPE("all", SCOPE_ALL)
	SCOPE("object", SCOPE_OBJECT)
	SCOPE("thread", SCOPE_THREAD))
#undef S

#define S metrics_document
#define POINT(name_, point)                                                                        \
	OBJECT_AS(m.order[point], scopes, name_, NULL, .index = point,                             \
		  IF_SET(m.order[point].observed))
LIST(order, NULL,
	POINT("issue", POINT_ISSUE)
	POINT("dispatch", POINT_DISPATCH)
	POINT("complete", POINT_COMPLETE))

/* --- the document -------------------------------------------------------- */

static const char *const methods[] = {"number", "key", NULL};
GET_AT(const char *, method, methods[metrics_of(at)->match == MATCH_KEY])
GET_AT(const char *, match_reason, metrics_match_words(metrics_of(at)->match_reason))
GET_AT(bool, is_by_key, metrics_of(at)->match == MATCH_KEY)
GET_AT(bool, has_fidelity, metrics_of(at)->parts & PART_FIDELITY)
GET_AT(bool, has_warmup, metrics_of(at)->warmup_requests || metrics_of(at)->warmup_ns)
GET_AT(bool, has_response, metrics_of(at)->parts & PART_RESPONSE)
GET_AT(bool, has_schedule, metrics_of(at)->parts & PART_SCHEDULE)
GET_AT(bool, has_levels, metrics_of(at)->parts & (PART_CONCURRENCY | PART_LIFETIME))
GET_AT(bool, has_order, metrics_of(at)->parts & PART_ORDER)
GET_AT(const void *, issue_error,
       metrics_of(at)->has_issue_error ? &metrics_of(at)->issue_error : NULL)
GET_AT(double, execution_error_pct,
       error_pct(metrics_execution_ns(&metrics_of(at)->replay),
		 metrics_execution_ns(&metrics_of(at)->reference)))
GET_AT(double, throughput_error_pct,
       error_pct(metrics_throughput(&metrics_of(at)->replay),
		 metrics_throughput(&metrics_of(at)->reference)))

/* Of element at->i of an array by operation. */
GET_AT(const char *, operation, op_name((unsigned int)at->i))
GET_AT(const void *, reference_response, &metrics_of(at)->reference.response[at->i])
GET_AT(const void *, replay_response, &metrics_of(at)->replay.response[at->i])

static struct moments response_of(const struct metrics_side *s, size_t op)
{
	return moment_sum_result(&s->response[op].sum, 0);
}

static const void *response_at(const struct model_at *at)
{
	const struct metrics *m = metrics_of(at);
	const bool any = m->reference.response[at->i].sum.n || m->replay.response[at->i].sum.n;
	return at->i && any ? at->s : NULL;
}

static double mean_error_pct(const struct model_at *at)
{
	const struct moments a = response_of(&metrics_of(at)->reference, at->i),
			     b = response_of(&metrics_of(at)->replay, at->i);
	return a.n && b.n ? error_pct(b.mean, a.mean) : NAN;
}

LIST(response, NULL,
	BY_TEXT(operation, "operation", NULL)
	BY_OBJECT(reference_response, distribution, "reference_ns", NULL)
	BY_OBJECT(replay_response, distribution, "replay_ns", NULL)
	BY_FINITE(mean_error_pct, "mean_error_pct", NUMBER, NULL))

GET(json_t *, warmup_requests, metrics_document, d,
    d->m.warmup_requests ? json_integer((json_int_t)d->m.warmup_requests) : json_null())
GET(json_t *, warmup_ns, metrics_document, d,
    d->m.warmup_ns ? json_integer(d->m.warmup_ns) : json_null())

LIST(warmup, NULL,
	BY_JSON(warmup_requests, "integer|null", "requests", NULL)
	BY_JSON(warmup_ns, "integer|null", "ns", NULL))

MODEL(S, "Comparison of a replay with its reference. Times are in ns. Parts that --only leaves "
	"out are absent.",
	FIXED_COUNT(METRICS_SCHEMA, "schema", NULL)
	OBJECT_AS(m.reference, side, "reference", NULL)
	OBJECT_AS(m.replay, side, "replay", NULL)
	PART("matching", NULL,
	     BY_TEXT(method, "by", NULL, .words = methods)
	     BY_NAME(match_reason, "reason",
		     "Reason for the choice; null if --match gave the method.")
	     ROW(uint64_t, m.n_compared, "n_compared", COUNT,
		 "Compared pairs of requests. Both requests of a pair have the same number.",
		 IF_SET(m.n_compared))
	     ROW(uint64_t, m.n_same_request, "n_same_request", COUNT,
		 "Compared pairs with the same operation, object, offset and length.",
		 IF_SET(m.n_compared))
	     ROW(uint64_t, m.n_matched, "n_matched", COUNT, NULL)
	     ROW(uint64_t, m.n_lost, "n_lost", COUNT, NULL)
	     ROW(uint64_t, m.n_skipped, "n_skipped", COUNT,
		 "Requests of the reference that the replay skipped. They are neither lost nor "
		 "matched, and the figures of both traces leave them out.")
	     ROW(uint64_t, m.n_extra, "n_extra", COUNT, NULL)
	     ROW(uint64_t, m.n_mismatched, "n_mismatched", COUNT, NULL, IF(has_fidelity))
	     ROW(uint64_t, m.first_mismatched, "first_mismatched", COUNT, NULL, IF(has_fidelity),
		 IF_SET(m.n_mismatched))
	     ROW(uint64_t, m.n_ambiguous_keys, "n_ambiguous_keys", COUNT, NULL, IF(is_by_key))
	     ROW(uint64_t, m.n_ambiguous_requests, "n_ambiguous_requests", COUNT, NULL,
		 IF(is_by_key))
	     FLAG(m.ambiguous_at_least, "ambiguous_at_least", NULL, IF(is_by_key)))
	PART_AS(warmup, "warmup", NULL, IF(has_warmup))
	BY_FINITE(execution_error_pct, "execution_time_error_pct", NUMBER, NULL)
	BY_FINITE(throughput_error_pct, "throughput_error_pct", NUMBER, NULL)
	BY_ARRAY(NULL, response_at, response, "response", NULL, .n = OP_N, IF(has_response))
	BY_OBJECT(issue_error, issue_error, "issue_error_ns", "Null if the replay is not timed.",
		  NULLABLE, IF(has_schedule))
	OBJECT_AS(m.schedule, issue_error, "schedule_error_ns", NULL, IF(has_schedule))
	PART_AS(concurrency, "concurrency", NULL, IF(has_levels))
	PART_AS(order, "order", NULL, IF(has_order)))
#undef S

json_t *metrics_document(const struct metrics *m, const struct metrics_paths *p)
{
	struct metrics_document d = {*m, *p};
	return json_model(&model_metrics_document, &d);
}

void metrics_print_json(const struct metrics *m, const struct metrics_paths *p)
{
	json_print(metrics_document(m, p));
}
