/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "capture/op.h"
#include "reports/metrics/metrics_report.h"
#include "reports/json/json_value.h"
#include "validate/metrics/levels.h"

const char *const metrics_point_names[POINT_N + 1] = {"issue", "dispatch", "complete",
						      NULL};
const char *const metrics_scope_names[SCOPE_N + 1] = {"all", "object", "thread", NULL};

#define METRICS_SCHEMA 1

const char *metrics_match_words(enum match_reason reason)
{
	static const char *const words[MATCHED_N] = {
	    [MATCHED_NUMBERED] = "the requests are numbered",
	    [MATCHED_SAME_COUNT] = "the replay's metadata states this number of requests",
	    [MATCHED_OTHER_COUNT] = "the replay's metadata states another number of requests",
	    [MATCHED_NO_COUNT] = "the replay's metadata does not state what it replays",
	    [MATCHED_COUNT_AT_END] =
		"the reference states its number of requests only at its end",
	    [MATCHED_OTHER_REQUESTS] = "the replay's metadata states this number of requests, but "
				       "most of its records are other requests",
	};
	return words[reason];
}

static double ratio(double x, double y)
{
	return y > 0 ? x / y : NAN;
}

/* --- distributions ------------------------------------------------------- */

static const struct {
	const char *name;
	double p;
} quantiles[] = {{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p999", 0.999}};
#define N_QUANTILES (sizeof quantiles / sizeof *quantiles)

static json_t *moments_json(const struct moments *m)
{
	return json_make(J_COUNT("n", m->n), J_FINITE("mean", m->n ? m->mean : NAN),
		J_FINITE("sd", m->n > 1 ? m->sd : NAN), J_FINITE("min", m->n ? m->min : NAN),
		J_FINITE("max", m->n ? m->max : NAN));
}

static double between(double x, double min, double max)
{
	return x < min ? min : x > max ? max : x;
}

static json_t *distribution_json(const struct distribution *d)
{
	struct moments m = moment_sum_result(&d->sum, 0);
	json_t *o = moments_json(&m);
	for (size_t i = 0; i < N_QUANTILES; i++) {
		double q;
		bool known = !d->histogram.n_negative &&
			     !histogram_quantile(&d->histogram, quantiles[i].p, &q, NULL);
		json_add(o, J_FINITE(quantiles[i].name, known ? between(q, m.min, m.max) : NAN));
	}
	return o;
}

static json_t *issue_error_json(const struct issue_error *x, int64_t shift_ns)
{
	struct moments m = moment_sum_result(&x->sum, shift_ns);
	json_t *o = moments_json(&m);
	for (size_t i = 0; i < N_QUANTILES; i++) {
		double q;
		bool known = !issue_error_quantile(x, quantiles[i].p, &q, NULL);
		json_add(o, J_FINITE(quantiles[i].name, known ? between(q - (double)shift_ns, m.min,
			m.max) : NAN));
	}
	return o;
}

/* --- each trace ---------------------------------------------------------- */

static json_t *side_json(const struct metrics_side *s, const char *path)
{
	const bool no_sign = s->complete && !s->cut && !s->n_events_lost && !s->n_unseen;
	json_t *o = json_make(J_VALUE("path", json_name(path)),
		J_VALUE("complete",
			no_sign && s->not_visible ? json_null() : json_boolean(no_sign)),
		J_BOOL("has_end", s->complete), J_BOOL("cut", s->cut),
		J_COUNT("n_events_lost", s->n_events_lost), J_COUNT("n_unseen", s->n_unseen),
		J_TEXT("not_visible", s->not_visible),
		J_COUNT("n_records", s->n_records), J_COUNT("n_issued", s->n_issued),
		J_COUNT("n_unfinished", s->n_unfinished), J_COUNT("n_failed", s->n_failed),
		J_COUNT("n_negative", s->n_negative));
	if (s->n_negative)
		json_add(o, J_COUNT("first_negative", s->first_negative));
	json_add(o, J_COUNT("n_backwards", s->n_backwards));
	if (s->n_backwards)
		json_add(o, J_COUNT("first_backwards", s->first_backwards));
	return json_add(o, J_COUNT("n_unknown", s->n_unknown), J_COUNT("n_warmup", s->n_warmup),
		J_COUNT("bytes", s->n_bytes), J_FINITE("execution_ns", metrics_execution_ns(s)),
		J_FINITE("requests_per_s", metrics_throughput(s)),
		J_FINITE("bytes_per_s", ratio((double)s->n_bytes * 1e9, metrics_execution_ns(s))));
}

static json_t *matching_json(const struct metrics *m)
{
	json_t *o = json_make(J_VALUE("by", json_string(m->match == MATCH_KEY ? "key" : "number")),
		J_VALUE("reason", json_name(metrics_match_words(m->match_reason))));
	if (m->n_compared)
		json_add(o, J_COUNT("n_compared", m->n_compared),
			J_COUNT("n_same_request", m->n_same_request));
	json_add(o, J_COUNT("n_matched", m->n_matched), J_COUNT("n_lost", m->n_lost),
		 J_COUNT("n_skipped", m->n_skipped), J_COUNT("n_extra", m->n_extra));
	if (m->parts & PART_FIDELITY) {
		json_add(o, J_COUNT("n_mismatched", m->n_mismatched));
		if (m->n_mismatched)
			json_add(o, J_COUNT("first_mismatched", m->first_mismatched));
	}
	if (m->match == MATCH_KEY)
		json_add(o, J_COUNT("n_ambiguous_keys", m->n_ambiguous_keys),
			J_COUNT("n_ambiguous_requests", m->n_ambiguous_requests),
			J_BOOL("ambiguous_at_least", m->ambiguous_at_least));
	return o;
}

static double error_pct(double replay, double reference)
{
	return reference > 0 ? 100 * (replay - reference) / reference : NAN;
}

static json_t *response_json(const struct metrics *m)
{
	json_t *all = json_array();
	for (unsigned int op = 1; op < OP_N; op++) {
		const struct distribution *r = &m->reference.response[op],
					  *x = &m->replay.response[op];
		if (!r->sum.n && !x->sum.n)
			continue;
		struct moments a = moment_sum_result(&r->sum, 0), b = moment_sum_result(&x->sum, 0);
		json_append(all, J_VALUE("operation", json_string(op_name(op))),
			J_VALUE("reference_ns", distribution_json(r)),
			J_VALUE("replay_ns", distribution_json(x)),
			J_FINITE("mean_error_pct", a.n && b.n ? error_pct(b.mean, a.mean) : NAN));
	}
	return all;
}

/* --- concurrency --------------------------------------------------------- */

static json_t *cdf_json(const struct concurrency *c, enum levels_weight w)
{
	SCOPED_FREE double *cdf = levels_cdf_all(c, w);
	json_t *a = json_array();
	for (size_t level = 0; cdf && level <= c->highest; level++)
		json_array_append_new(a, json_real(cdf[level]));
	return a;
}

static json_t *levels_json(const struct metrics_side *s, unsigned int parts)
{
	const struct concurrency *c = &s->concurrency;
	json_t *o = json_object();
	if (parts & PART_CONCURRENCY) {
		double span = (double)(c->last_ns - c->first_ns);
		double mean = levels_mean(c, LEVELS_BY_TIME);
		json_add(o, J_FINITE("conc_mean_time", mean),
			J_FINITE("conc_mean_busy", levels_mean(c, LEVELS_BY_BUSY_TIME)),
			J_FINITE("conc_mean_request", levels_mean(c, LEVELS_BY_REQUEST)),
			J_COUNT("conc_max_level", c->highest), J_FINITE("conc_span", span),
			J_FINITE("conc_idle_time", (double)c->ns_at_level[0]),
			J_VALUE("conc_cdf_time", cdf_json(c, LEVELS_BY_TIME)),
			J_VALUE("conc_cdf_time_busy", cdf_json(c, LEVELS_BY_BUSY_TIME)),
			J_VALUE("conc_cdf_request", cdf_json(c, LEVELS_BY_REQUEST)));
	}
	if (parts & PART_LIFETIME)
		json_add(o, J_FINITE("conc_mean_lifetime", s->mean_lifetime_level));
	return o;
}

static json_t *concurrency_json(const struct metrics *m)
{
	static const char *const names[][2] = {{"conc_ks_time", "conc_wasserstein1_time"},
					       {"conc_ks_time_busy", "conc_wasserstein1_time_busy"},
					       {"conc_ks_request", "conc_wasserstein1_request"}};
	json_t *o = json_make(J_VALUE("reference", levels_json(&m->reference, m->parts)),
		J_VALUE("replay", levels_json(&m->replay, m->parts)));
	for (int w = 0; w < 3 && (m->parts & PART_CONCURRENCY); w++) {
		struct levels_distance d = levels_distance(
		    &m->reference.concurrency, &m->replay.concurrency, (enum levels_weight)w);
		json_add(o, J_FINITE(names[w][0], d.largest), J_FINITE(names[w][1], d.area));
	}
	return o;
}

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

static json_t *density_json(const struct disorder_total *t)
{
	json_t *o = json_object();
	double n = (double)t->n_displaced;
	uint64_t on_time = t->n_displaced - t->displaced_early.n - t->displaced_late.n;
	if (!t->n_displaced)
		return o;
	put_shares(o, &t->displaced_early, n, "-");
	if (on_time)
		json_object_set_new(o, "0", json_real((double)on_time / n));
	put_shares(o, &t->displaced_late, n, "");
	return o;
}

static json_t *occupancy_json(const struct disorder_total *t)
{
	json_t *o = json_object();
	uint64_t empty = t->n_occupancies - t->occupied.n;
	if (t->needs_bt || !t->n_occupancies)
		return o;
	if (empty)
		json_object_set_new(o, "0", json_real((double)empty / (double)t->n_occupancies));
	put_shares(o, &t->occupied, (double)t->n_occupancies, "");
	return o;
}

#define MAX_N_REORDERED 20

/* Element [n - 1] is about n-reordered arrivals. The list ends at MAX_N_REORDERED;
 * ro_n_reordered_max is the largest n. */
static json_t *n_reordered_json(const struct disorder_total *t, bool degree)
{
	json_t *a = json_array();
	uint64_t left = t->preceding.n;
	for (uint32_t n = 1; n <= MAX_N_REORDERED && left; n++) {
		json_array_append_new(a, degree ? json_real((double)left / (double)t->n_received)
						: json_integer((json_int_t)left));
		left -= n < t->preceding.n_buckets ? t->preceding.count[n] : 0;
	}
	return a;
}

static json_t *scope_json(const struct disorder_total *t, uint64_t bt)
{
	json_t *o = json_object();
	double n = (double)t->n_received;
	json_add(o, J_COUNT("n_sequences", t->n_sequences), J_COUNT("ro_received", t->n_received),
		J_COUNT("ro_missing", t->n_lost),
		J_FINITE("ro_missing_ratio", ratio((double)t->n_lost, n + (double)t->n_lost)),
		J_COUNT("ro_reordered", t->n_reordered),
		J_FINITE("ro_ratio", ratio((double)t->n_reordered, n)),
		J_COUNT("ro_seq_discontinuities", t->n_sequence_discontinuities),
		J_COUNT("ro_max_extent", t->extent.sum.n ? (uint64_t)t->extent.sum.max : 0),
		J_FINITE("ro_mean_extent", t->extent.sum.n ? moment_sum_result(&t->extent.sum,
			0).mean : NAN),
		J_VALUE("ro_extent", distribution_json(&t->extent)),
		J_VALUE("ro_late_time", distribution_json(&t->late_ns)),
		J_VALUE("ro_byte_offset", distribution_json(&t->byte_offset)),
		J_COUNT("ro_discontinuities", t->n_discontinuities),
		J_VALUE("ro_gap", distribution_json(&t->gap)),
		J_VALUE("ro_gap_time", distribution_json(&t->gap_ns)));
	double x = (double)t->runs_x, a = (double)t->runs_a, p = (double)t->runs_p,
	       q = (double)t->runs_q;
	json_add(o, J_COUNT("ro_runs_x", t->runs_x), J_COUNT("ro_runs_a", t->runs_a),
		J_COUNT("ro_runs_p", t->runs_p), J_COUNT("ro_runs_q", t->runs_q),
		J_FINITE("ro_runs_in_order_pct", 100 * ratio(a, p)), J_FINITE("ro_runs_mean",
		ratio(a, x)), J_FINITE("ro_runs_variability", x > 0 ? ratio(q / a, a / x) : NAN));
	json_add(o, J_VALUE("ro_n_reordered_count", n_reordered_json(t, false)),
		J_VALUE("ro_n_reordering_degree", n_reordered_json(t, true)),
		J_COUNT("ro_n_reordered_max", t->max_preceding),
		J_COUNT("ro_inversions", t->inversions),
		J_FINITE("ro_kendall_tau", t->n_pairs
			? 1 - 2 * ((double)t->inversions / (double)t->n_pairs) : NAN),
		J_COUNT("ro_lis_length", t->n_received - t->n_moves),
		J_FINITE("ro_min_moves_ratio", ratio((double)t->n_moves, n)),
		J_COUNT("ro_spearman_footrule", t->footrule),
		J_COUNT("ro_hfplayer_script_count", t->n_descents),
		J_VALUE("rd_density", density_json(t)),
		J_FINITE("rd_mean_abs_displacement", ratio((double)t->displacement_sum,
			(double)t->n_displaced)),
		J_FINITE("rd_frac_late", ratio((double)t->displaced_late.n,
			(double)t->n_displaced)),
		J_COUNT("rd_beyond_threshold", t->n_received - t->n_displaced),
		J_VALUE("rbd_density", occupancy_json(t)),
		J_FINITE("rbd_mean_occupancy", t->needs_bt ? NAN : ratio((double)t->occupancy_sum,
			(double)t->n_occupancies)));
	if (bt == DENSITY_UNBOUNDED)
		json_object_set_new(o, "rbd_threshold", json_null());
	else
		json_add(o, J_COUNT("rbd_threshold", bt));
	return o;
}

static void put_worst(json_t *o, const struct metrics *m, int point, int scope)
{
	if (scope == SCOPE_ALL || !m->order[point].worst[scope].exists)
		return;
	json_t *w = json_object();
	uint64_t key = m->order[point].worst[scope].key;
	if (scope == SCOPE_THREAD) {
		json_add(w, J_COUNT("pid", key >> 32), J_COUNT("tid", key & UINT32_MAX));
	} else if (key & METRICS_KEY_DESCRIPTOR) {
		json_add(w, J_COUNT("fd", key & UINT32_MAX));
	} else {
		json_object_set_new(w, "object", json_name(m->worst_object[point]));
	}
	json_add(w, J_COUNT("ro_received", m->order[point].worst[scope].n_received),
		J_COUNT("ro_reordered", m->order[point].worst[scope].n_reordered),
		J_COUNT("ro_max_extent", m->order[point].worst[scope].max_extent));
	json_object_set_new(o, "worst", w);
}

static json_t *order_json(const struct metrics *m)
{
	json_t *points = json_object();
	for (int point = 0; point < POINT_N; point++) {
		if (!m->order[point].observed)
			continue;
		json_t *scopes = json_object();
		for (int s = 0; s < SCOPE_N; s++) {
			if (!(m->scopes >> s & 1))
				continue;
			json_t *o = scope_json(&m->order[point].total[s], m->order[point].bt);
			put_worst(o, m, point, s);
			json_object_set_new(scopes, metrics_scope_names[s], o);
		}
		json_object_set_new(points, metrics_point_names[point], scopes);
	}
	return points;
}

json_t *metrics_document(const struct metrics *m, const struct metrics_paths *p)
{
	json_t *top = json_make(J_INT("schema", METRICS_SCHEMA),
		J_VALUE("reference", side_json(&m->reference, p->reference)), J_VALUE("replay",
		side_json(&m->replay, p->replay)), J_VALUE("matching", matching_json(m)));
	if (m->warmup_requests || m->warmup_ns)
		json_add(top, J_VALUE("warmup", json_make(
			J_VALUE("requests", m->warmup_requests
				? json_integer((json_int_t)m->warmup_requests) : json_null()),
			J_VALUE("ns", m->warmup_ns ? json_integer(m->warmup_ns) : json_null()))));
	json_add(top, J_FINITE("execution_time_error_pct",
		error_pct(metrics_execution_ns(&m->replay), metrics_execution_ns(&m->reference))),
		J_FINITE("throughput_error_pct", error_pct(metrics_throughput(&m->replay),
			metrics_throughput(&m->reference))));
	if (m->parts & PART_RESPONSE)
		json_object_set_new(top, "response", response_json(m));
	if (m->parts & PART_SCHEDULE)
		json_add(top, J_VALUE("issue_error_ns", m->has_issue_error
			? issue_error_json(&m->issue_error, 0) : json_null()),
			J_VALUE("schedule_error_ns", issue_error_json(&m->schedule,
				m->schedule_rest_ns)));
	if (m->parts & (PART_CONCURRENCY | PART_LIFETIME))
		json_object_set_new(top, "concurrency", concurrency_json(m));
	if (m->parts & PART_ORDER)
		json_object_set_new(top, "order", order_json(m));
	return top;
}

void metrics_print_json(const struct metrics *m, const struct metrics_paths *p)
{
	json_print(metrics_document(m, p));
}
