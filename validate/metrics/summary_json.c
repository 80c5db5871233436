/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A summary as JSON: a table of its members, for reading and writing. */
#include "common/json_members.h"
#include "validate/metrics/summary_private.h"

#define SUMMARY_VERSION 1

#define M(kind, field, ...) MEMBER(run_summary, kind, field, __VA_ARGS__)
#define OBJECT(field, table, ...) M(OBJECT, field, .of = table, __VA_ARGS__)
#define MOMENTS(field) OBJECT(field, moments_members)
#define GROUP(table, ...) {.kind = MEMBER_GROUP, .of = table, __VA_ARGS__}
#define FLAG(field) MEMBER_FLAG(run_summary, field)
/* an array with an element for each level or class of lateness */
#define LEVELS(kind, field, ...)                                                                   \
	M(kind, field, .n = SUMMARY_MAX_LEVELS, .allocated = true,                                 \
	  MEMBER_LENGTH(run_summary, n_levels), __VA_ARGS__)
#define LATENESS(kind, field) M(kind, field, .n = SUMMARY_N_LATENESS, .allocated = true)

static const struct json_member moments_members[] = {
    MEMBER(moments, COUNT, n),  MEMBER(moments, REAL, mean), MEMBER(moments, POSITIVE, sd),
    MEMBER(moments, REAL, min), MEMBER(moments, REAL, max),  {0}};

static const struct json_member reorder_members[] = {
    MEMBER(reorder_summary, COUNT, n_received), MEMBER(reorder_summary, COUNT, n_reordered),
    MEMBER(reorder_summary, COUNT, n_descents), MEMBER(reorder_summary, COUNT, max_extent), {0}};

static const struct json_member op_members[] = {
    MEMBER(op_summary, TEXT, op, .size = sizeof(((struct op_summary *)NULL)->op)),
    MEMBER(op_summary, OBJECT, response, .of = moments_members), {0}};

static const struct json_member input_members[] = {
    M(COUNT, n_input), M(COUNT, n_lost), M(COUNT, n_extra), M(COUNT, n_mismatched),
    /* present if requests were skipped; present if the replayer does not report all results */
    M(COUNT, n_skipped, .old_name = "n_passed", .if_set = true),
    M(COUNT, n_results_unknown, .old_name = "n_untold", .if_set = true),
    OBJECT(reorder_all, reorder_members), OBJECT(reorder_thread, reorder_members),
    OBJECT(reorder_object, reorder_members), MOMENTS(schedule_error), {0}};

static const struct json_member cpu_delay_members[] = {
    MEMBER_AS("n_held_up", run_summary, COUNT, n_cpu_delayed, .old_name = "n_held"),
    M(REAL, issue_error_others_p99), {0}};

static const struct json_member issue_members[] = {
    MOMENTS(issue_error), M(REAL, issue_error_p50), M(REAL, issue_error_p99),
    M(REAL, issue_error_p999), M(RATIO, share_late),
    GROUP(cpu_delay_members, FLAG(has_cpu_delayed)),
    M(REAL, issue_error_quantile, .n = SUMMARY_N_ISSUE_QUANTILES, .allocated = true,
      FLAG(has_issue_quantiles)), {0}};

#define PACE(kind, name, field, ...)                                                               \
	MEMBER_AS(name, pace, kind, field, .n = PACE_MAX, MEMBER_LENGTH(pace, n), __VA_ARGS__)
/* of timed replays */
#define PACE_TIMED(kind, field)                                                                    \
	PACE(kind, #field, field, .known = true, FLAG(has_issue_error))
static const struct json_member pace_members[] = {
    MEMBER(pace, DURATION, width_ns),
    PACE(COUNT, "requests", requests),
    PACE(POSITIVE, "active_ns", active_ns, .known = true, .may_be_absent = true),
    PACE(POSITIVE, "moved_bytes", moved, .known = true, .may_be_absent = true),
    PACE_TIMED(COUNT, timed),
    PACE_TIMED(REAL, issue_error),
    {0}};

static const struct json_member lateness_members[] = {
    LATENESS(COUNT, requests_at_lateness), LATENESS(POSITIVE, response_at_lateness), {0}};

static const struct json_member class_members[] = {
    LEVELS(POSITIVE, response_at_level, .known = true), M(POSITIVE, response_reordered_all),
    M(POSITIVE, response_reordered_thread), M(POSITIVE, response_reordered_object),
    GROUP(lateness_members, FLAG(has_issue_error), .known = true), {0}};

static const struct json_member tail_members[] = {
    M(POSITIVE, response_tail), M(POSITIVE, response_typical), {0}};

static const struct json_member slice_members[] = {M(COUNT, n_left_out), M(COUNT, n_slices), {0}};

static const struct json_member causality_members[] = {
    MEMBER(causality_summary, COUNT, n_nodes),
    MEMBER(causality_summary, COUNT, n_throttled),
    MEMBER(causality_summary, COUNT, n_runs),
    MEMBER(causality_summary, COUNT, period),
    MEMBER(causality_summary, DURATION, application_ns),
    MEMBER(causality_summary, DURATION, tracing_ns),
    MEMBER(causality_summary, DURATION, predicted_ns, .if_set = true),
    MEMBER(causality_summary, COUNT, n_computes),
    MEMBER(causality_summary, COUNT, n_waits),
    MEMBER(causality_summary, COUNT, n_signals),
    MEMBER(causality_summary, DURATION, compute_ns),
    {0}};

static const struct json_member node_members[] = {
    MEMBER(node_summary, COUNT, node),
    MEMBER(node_summary, TEXT, host, .size = sizeof((struct node_summary *)NULL)->host,
	   .if_set = true),
    MEMBER(node_summary, DURATION, busy_ns),
    MEMBER(node_summary, OBJECT, response, .of = moments_members), {0}};

/* before the histogram */
static const struct json_member first_members[] = {
    MOMENTS(response),
    M(POSITIVE, response_median),
    M(POSITIVE, response_trimmed_mean),
    M(POSITIVE, response_p90),
    M(POSITIVE, response_p99),
    M(POSITIVE, response_p999),
    M(COUNT, n_failed),
    M(COUNT, n_negative),
    M(COUNT, n_unfinished),
    M(DURATION, execution_ns),
    M(COUNT, n_bytes),
    M(POSITIVE, clock_resolution_ns),
    M(POSITIVE, clock_read_cost_ns),
    M(COUNT, n_events_lost),
    {0}};

static const struct json_member members[] = {
    OBJECT(op, op_members, .size = sizeof(struct op_summary), .n = SUMMARY_MAX_OPS,
	   .allocated = true, .may_be_empty = true, MEMBER_LENGTH(run_summary, n_ops)),
    LEVELS(DURATION, ns_at_level),
    LEVELS(COUNT, requests_at_level, .known = true),
    GROUP(input_members, FLAG(has_input)),
    GROUP(issue_members, FLAG(has_issue_error)),
    OBJECT(pace, pace_members, .size = sizeof(struct pace), .allocated = true, .if_set = true),
    GROUP(class_members, FLAG(has_classes)),
    GROUP(tail_members, .if_set = true),
    OBJECT(half, moments_members, .size = sizeof(struct moments), .n = 2, FLAG(has_halves)),
    MEMBER_AS("shape_typical", run_summary, COUNT, shape, .n = SUMMARY_N_SHAPE, FLAG(has_shape)),
    GROUP(slice_members, .if_set = true, .key = 1),
    M(POSITIVE, correction_u_ns, .if_set = true),
    OBJECT(causality, causality_members, .if_set = true),
    MEMBER_AS("nodes", run_summary, OBJECT, node, .of = node_members,
	      .size = sizeof(struct node_summary), .n = SUMMARY_MAX_NODES, .allocated = true,
	      MEMBER_LENGTH(run_summary, n_nodes), .if_set = true),
    M(HASH, requests_hash, .if_set = true),
    M(COUNT, n_cut, .if_set = true),
    M(COUNT, n_programs_unseen, .if_set = true),
    M(COUNT, n_requests_unseen, .if_set = true),
    M(TEXT, not_visible, .size = UNSEEN_SCOPE_BYTES, .if_set = true),
    {0}};

static int check_version(const json_t *o, struct err *e)
{
	const json_t *version = json_object_get(o, "version");
	if (!json_is_object(o) || !json_is_integer(version))
		return err_set(e, EINVAL, "the file is not the summary of a run");
	if (json_integer_value(version) != SUMMARY_VERSION)
		return err_set(e, EINVAL, ERR_OTHER_VERSION,
			       (long long)json_integer_value(version), SUMMARY_VERSION);
	return 0;
}

static int get_summary(struct run_summary *s, const json_t *o, bool brief, struct err *e)
{
	const json_t *facts = json_object_get(o, "facts");
	*s = (struct run_summary){.response_tail = NAN, .response_typical = NAN,
				  .has_facts = facts != NULL};
	int ret = check_version(o, e);
	ret = ret ? ret : json_members_get(s, first_members, o, e);
	if (!ret && !brief)
		ret = histogram_from_json(&s->response_histogram,
					  json_object_get(o, "response_histogram"), e);
	ret = ret ? ret : json_members_get(s, members, o, e);
	ret = ret || !facts ? ret : run_facts_from_json(&s->facts, facts, e);
	ret = ret ? ret : summary_check(s, brief, e);
	if (ret)
		summary_release(s);
	return ret ? err_context(e, "summary") : 0;
}

int summary_from_json(struct run_summary *s, const json_t *o, struct err *e)
{
	return get_summary(s, o, false, e);
}

int summary_brief_from_json(struct run_summary *s, const json_t *o, struct err *e)
{
	return get_summary(s, o, true, e);
}

json_t *summary_to_json(const struct run_summary *s)
{
	json_t *o = json_object();
	int ret = json_object_set_new(o, "version", json_integer(SUMMARY_VERSION));
	ret |= json_members_put(o, s, first_members);
	ret |=
	    json_object_set_new(o, "response_histogram", histogram_to_json(&s->response_histogram));
	ret |= json_members_put(o, s, members);
	if (s->has_facts)
		ret |= json_object_set_new(o, "facts", run_facts_to_json(&s->facts));
	if (!ret)
		return o;
	json_decref(o);
	return NULL;
}
