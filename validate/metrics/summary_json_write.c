/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A summary as JSON. */
#include "validate/metrics/summary_json_private.h"

/* clang-format off */
#define M(s, type, field) {#field, type, offsetof(struct s, field)}
/* clang-format on */

const struct json_member summary_moments_members[] = {
    M(moments, COUNT, n),  M(moments, REAL, mean), M(moments, POSITIVE, sd),
    M(moments, REAL, min), M(moments, REAL, max),  {0}};

const struct json_member summary_reorder_members[] = {M(reorder_summary, COUNT, n_received),
						M(reorder_summary, COUNT, n_reordered),
						M(reorder_summary, COUNT, n_descents),
						M(reorder_summary, COUNT, max_extent),
						{0}};

const struct json_member summary_plain_members[] = {
    M(run_summary, POSITIVE, response_median),
    M(run_summary, POSITIVE, response_trimmed_mean),
    M(run_summary, POSITIVE, response_p90),
    M(run_summary, POSITIVE, response_p99),
    M(run_summary, POSITIVE, response_p999),
    M(run_summary, COUNT, n_failed),
    M(run_summary, COUNT, n_negative),
    M(run_summary, COUNT, n_unfinished),
    M(run_summary, DURATION, execution_ns),
    M(run_summary, COUNT, n_bytes),
    M(run_summary, POSITIVE, clock_resolution_ns),
    M(run_summary, POSITIVE, clock_read_cost_ns),
    M(run_summary, COUNT, n_events_lost),
    {0},
};

/* only with an input */
const struct json_member summary_input_members[] = {M(run_summary, COUNT, n_input),
					      M(run_summary, COUNT, n_lost),
					      M(run_summary, COUNT, n_extra),
					      M(run_summary, COUNT, n_mismatched),
					      {0}};

/* only if requests were skipped */
const struct json_member summary_passed_members[] = {M(run_summary, COUNT, n_passed), {0}};

/* only if known */
const struct json_member summary_tail_members[] = {M(run_summary, POSITIVE, response_tail),
					      M(run_summary, POSITIVE, response_typical),
					      {0}};

/* only for runs made in slices */
const struct json_member summary_slices_members[] = {
    M(run_summary, COUNT, n_left_out), M(run_summary, COUNT, n_slices), {0}};

/* only if the replay reports delays by the machine */
const struct json_member summary_held_members[] = {
    M(run_summary, COUNT, n_held), M(run_summary, REAL, issue_error_others_p99), {0}};

/* only if the replayer does not report all results */
const struct json_member summary_untold_members[] = {M(run_summary, COUNT, n_untold), {0}};

/* only with has_classes */
const struct json_member summary_reordered_members[] = {
    M(run_summary, POSITIVE, response_reordered_all),
    M(run_summary, POSITIVE, response_reordered_thread),
    M(run_summary, POSITIVE, response_reordered_object),
    {0}};

/* only with an issue error */
const struct json_member summary_issue_members[] = {M(run_summary, REAL, issue_error_p50),
					      M(run_summary, REAL, issue_error_p99),
					      M(run_summary, REAL, issue_error_p999),
					      M(run_summary, RATIO, share_late),
					      {0}};

/* only if response times were corrected */
const struct json_member summary_correction_members[] = {M(run_summary, POSITIVE, correction_u_ns),
							 {0}};
const struct json_member summary_cut_members[] = {M(run_summary, COUNT, n_cut), {0}};
const struct json_member summary_unseen_members[] = {M(run_summary, COUNT, n_programs_unseen), {0}};
const struct json_member summary_unseen_requests_members[] = {
    M(run_summary, COUNT, n_requests_unseen), {0}};

/* only for parallel applications */
const struct json_member summary_causality_members[] = {
    M(causality_summary, COUNT, n_nodes),
    M(causality_summary, COUNT, n_throttled),
    M(causality_summary, COUNT, n_runs),
    M(causality_summary, COUNT, period),
    M(causality_summary, DURATION, application_ns),
    M(causality_summary, DURATION, tracing_ns),
    M(causality_summary, COUNT, n_computes),
    M(causality_summary, COUNT, n_waits),
    M(causality_summary, COUNT, n_signals),
    M(causality_summary, DURATION, compute_ns),
    {0}};
const struct json_member summary_node_members[] = {
    M(node_summary, COUNT, node), M(node_summary, DURATION, busy_ns), {0}};

/* --- writing ------------------------------------------------------------- */

static int put_members(json_t *o, const void *s, const struct json_member *m)
{
	int rc = 0;
	for (; m->name; m++) {
		const void *field = (const char *)s + m->offset;
		json_t *value = m->type == COUNT
				    ? json_integer((json_int_t) * (const uint64_t *)field)
				: m->type == DURATION ? json_integer(*(const int64_t *)field)
						      : json_real(*(const double *)field);
		rc |= json_object_set_new(o, m->name, value);
	}
	return rc;
}

/* Writes the members if the first one, a count or a real, is above 0. */
static int put_if_set(json_t *o, const void *s, const struct json_member *m)
{
	const void *field = (const char *)s + m->offset;
	bool is_set = m->type == COUNT ? *(const uint64_t *)field > 0 : *(const double *)field > 0;
	return is_set ? put_members(o, s, m) : 0;
}

static json_t *members_to_json(const void *s, const struct json_member *m)
{
	json_t *o = json_object();
	if (put_members(o, s, m)) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static json_t *ops_to_json(const struct run_summary *s)
{
	json_t *ops = json_array();
	for (unsigned int i = 0; i < s->n_ops; i++) {
		json_t *o = json_object();
		json_object_set_new(o, "op", json_string(s->op[i].op));
		json_object_set_new(o, "response",
				    members_to_json(&s->op[i].response, summary_moments_members));
		json_array_append_new(ops, o);
	}
	return ops;
}

static json_t *levels_to_json(const int64_t *ns, const uint64_t *requests, uint64_t n)
{
	json_t *levels = json_array();
	for (uint64_t i = 0; i < n; i++)
		json_array_append_new(levels, json_integer(ns ? ns[i] : (json_int_t)requests[i]));
	return levels;
}

static json_t *reals_to_json(const double *x, size_t n)
{
	json_t *array = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_real(x[i]));
	return array;
}

static int put_classes(json_t *o, const struct run_summary *s)
{
	int rc = json_object_set_new(o, "response_at_level",
				     reals_to_json(s->response_at_level, s->n_levels));
	rc |= put_members(o, s, summary_reordered_members);
	if (!s->has_issue_error)
		return rc;
	rc |=
	    json_object_set_new(o, "requests_at_lateness",
				levels_to_json(NULL, s->requests_at_lateness, SUMMARY_N_LATENESS));
	return rc | json_object_set_new(o, "response_at_lateness",
					reals_to_json(s->response_at_lateness, SUMMARY_N_LATENESS));
}

/* Writes halves, tail and shape of the response times. */
static int put_distribution(json_t *o, const struct run_summary *s)
{
	int rc = put_if_set(o, s, summary_tail_members);
	if (s->has_halves)
		rc |= json_object_set_new(
		    o, "half",
		    json_pack("[o, o]", members_to_json(&s->half[0], summary_moments_members),
			      members_to_json(&s->half[1], summary_moments_members)));
	if (s->has_shape)
		rc |= json_object_set_new(o, "shape_typical",
					  levels_to_json(NULL, s->shape, SUMMARY_N_SHAPE));
	return rc;
}

static json_t *nodes_to_json(const struct run_summary *s)
{
	json_t *nodes = json_array();
	for (uint64_t i = 0; i < s->n_nodes; i++) {
		json_t *o = members_to_json(&s->node[i], summary_node_members);
		json_object_set_new(o, "response",
				    members_to_json(&s->node[i].response, summary_moments_members));
		json_array_append_new(nodes, o);
	}
	return nodes;
}

/* {"width_ns": .., "requests": [..], "active_ns": [..], "moved_bytes": [..], "timed": [..],
 * "issue_error": [..]}; the last two for timed replays */
static json_t *pace_to_json(const struct run_summary *s)
{
	json_t *o = json_object();
	json_object_set_new(o, "width_ns", json_integer(s->pace->width_ns));
	json_object_set_new(o, "requests", levels_to_json(NULL, s->pace->requests, s->pace->n));
	json_object_set_new(o, "active_ns", reals_to_json(s->pace->active_ns, s->pace->n));
	json_object_set_new(o, "moved_bytes", reals_to_json(s->pace->moved, s->pace->n));
	if (s->has_issue_error) {
		json_object_set_new(o, "timed", levels_to_json(NULL, s->pace->timed, s->pace->n));
		json_object_set_new(o, "issue_error",
				    reals_to_json(s->pace->issue_error, s->pace->n));
	}
	return o;
}

json_t *summary_to_json(const struct run_summary *s)
{
	json_t *o = json_object();
	int rc = json_object_set_new(o, "version", json_integer(SUMMARY_VERSION));
	rc |= json_object_set_new(o, "response",
				  members_to_json(&s->response, summary_moments_members));
	rc |= put_members(o, s, summary_plain_members);
	rc |=
	    json_object_set_new(o, "response_histogram", histogram_to_json(&s->response_histogram));
	rc |= json_object_set_new(o, "op", ops_to_json(s));
	rc |= json_object_set_new(o, "ns_at_level",
				  levels_to_json(s->ns_at_level, NULL, s->n_levels));
	rc |= json_object_set_new(o, "requests_at_level",
				  levels_to_json(NULL, s->requests_at_level, s->n_levels));
	if (s->has_input) {
		rc |= put_members(o, s, summary_input_members);
		rc |= put_if_set(o, s, summary_passed_members);
		rc |= put_if_set(o, s, summary_untold_members);
		rc |= json_object_set_new(
		    o, "reorder_all", members_to_json(&s->reorder_all, summary_reorder_members));
		rc |= json_object_set_new(
		    o, "reorder_thread",
		    members_to_json(&s->reorder_thread, summary_reorder_members));
		rc |= json_object_set_new(
		    o, "reorder_object",
		    members_to_json(&s->reorder_object, summary_reorder_members));
		rc |= json_object_set_new(
		    o, "schedule_error",
		    members_to_json(&s->schedule_error, summary_moments_members));
	}
	if (s->has_issue_error) {
		rc |= json_object_set_new(
		    o, "issue_error", members_to_json(&s->issue_error, summary_moments_members));
		rc |= put_members(o, s, summary_issue_members);
		rc |= s->has_held ? put_members(o, s, summary_held_members) : 0;
	}
	if (s->has_issue_quantiles)
		rc |= json_object_set_new(
		    o, "issue_error_quantile",
		    reals_to_json(s->issue_error_quantile, SUMMARY_N_ISSUE_QUANTILES));
	if (s->pace)
		rc |= json_object_set_new(o, "pace", pace_to_json(s));
	if (s->has_classes)
		rc |= put_classes(o, s);
	rc |= put_distribution(o, s);
	if (s->n_slices)
		rc |= put_members(o, s, summary_slices_members);
	rc |= put_if_set(o, s, summary_correction_members);
	if (s->causality.n_nodes)
		rc |= json_object_set_new(
		    o, "causality", members_to_json(&s->causality, summary_causality_members));
	if (s->n_nodes)
		rc |= json_object_set_new(o, "nodes", nodes_to_json(s));
	if (s->requests_hash) {
		char digits[17];
		snprintf(digits, sizeof digits, "%016" PRIx64, s->requests_hash);
		rc |= json_object_set_new(o, "requests_hash", json_string(digits));
	}
	rc |= put_if_set(o, s, summary_cut_members);
	rc |= put_if_set(o, s, summary_unseen_members);
	rc |= put_if_set(o, s, summary_unseen_requests_members);
	if (s->has_facts)
		rc |= json_object_set_new(o, "facts", run_facts_to_json(&s->facts));
	if (rc) {
		json_decref(o);
		return NULL;
	}
	return o;
}
