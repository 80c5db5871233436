/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a summary from JSON. The plain members come from tables that reading and writing share. */
#include "common/xalloc.h"
#include "validate/metrics/summary_json_private.h"

/* --- reading ------------------------------------------------------------- */

static int wrong(const char *name, const json_t *value, const char *wanted, struct err *e)
{
	return err_set(e, EINVAL, "summary: \"%s\" %s %s", name,
		       value ? "is not" : "is missing: it must be", wanted);
}

static int get_count(uint64_t *out, const char *name, const json_t *value, struct err *e)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return wrong(name, value, "a whole number of 0 or more", e);
	*out = (uint64_t)json_integer_value(value);
	return 0;
}

static int get_real(double *out, const char *name, enum member_type type, const json_t *value,
		    struct err *e)
{
	if (!json_is_number(value) || !isfinite(json_number_value(value)))
		return wrong(name, value, "a number", e);
	*out = json_number_value(value);
	if (type != REAL && *out < 0)
		return wrong(name, value, "0 or more", e);
	if (type == RATIO && *out > 1)
		return wrong(name, value, "a share between 0 and 1", e);
	return 0;
}

static int get_members(void *s, const struct json_member *m, const json_t *o, struct err *e)
{
	int rc = 0;
	for (; m->name && !rc; m++) {
		const json_t *value = json_object_get(o, m->name);
		void *field = (char *)s + m->offset;
		uint64_t count = 0;
		if (m->type != COUNT && m->type != DURATION) {
			rc = get_real(field, m->name, m->type, value, e);
			continue;
		}
		rc = get_count(&count, m->name, value, e);
		if (m->type == COUNT)
			*(uint64_t *)field = count;
		else
			*(int64_t *)field = (int64_t)count;
	}
	return rc;
}

/* Reads the members if the first one is present. */
static int get_if_present(void *s, const struct json_member *m, const json_t *o, struct err *e)
{
	return json_object_get(o, m->name) ? get_members(s, m, o, e) : 0;
}

/* Reads the object `name` of `o` with the given members. */
static int get_object(void *s, const struct json_member *m, const json_t *o, const char *name,
		      struct err *e)
{
	const json_t *member = json_object_get(o, name);
	if (!json_is_object(member))
		return wrong(name, member, "an object", e);
	int rc = get_members(s, m, member, e);
	return rc ? err_context(e, "%s", name) : 0;
}

static int get_moments(struct moments *m, const json_t *o, const char *name, struct err *e)
{
	return get_object(m, summary_moments_members, o, name, e);
}

static int get_reorder(struct reorder_summary *r, const json_t *o, const char *name, struct err *e)
{
	return get_object(r, summary_reorder_members, o, name, e);
}

static int get_ops(struct run_summary *s, const json_t *o, struct err *e)
{
	const json_t *ops = json_object_get(o, "op");
	if (!json_is_array(ops) || json_array_size(ops) > SUMMARY_MAX_OPS)
		return wrong("op", ops, "an array of at most 128 operations", e);
	s->op = xcalloc(json_array_size(ops) + 1, sizeof *s->op);
	for (size_t i = 0; i < json_array_size(ops); i++) {
		const json_t *item = json_array_get(ops, i), *name = json_object_get(item, "op");
		struct op_summary *op = &s->op[i];
		const char *text = json_string_value(name);
		if (!text || !*text || strlen(text) >= sizeof op->op)
			return wrong("op", name, "an operation's name of at most 15 bytes", e);
		strcpy(op->op, text);
		int rc = get_moments(&op->response, item, "response", e);
		if (rc)
			return err_context(e, "operation %s", text);
		s->n_ops++;
	}
	return 0;
}

static int get_level(struct run_summary *s, uint64_t i, const json_t *ns, const json_t *requests,
		     struct err *e)
{
	uint64_t level_ns = 0;
	int rc = get_count(&level_ns, "ns_at_level", json_array_get(ns, i), e);
	rc = rc ? rc
		: get_count(&s->requests_at_level[i], "requests_at_level",
			    json_array_get(requests, i), e);
	s->ns_at_level[i] = (int64_t)level_ns;
	return rc;
}

static int get_levels(struct run_summary *s, const json_t *o, struct err *e)
{
	const json_t *ns = json_object_get(o, "ns_at_level"),
		     *requests = json_object_get(o, "requests_at_level");
	size_t n = json_array_size(ns);
	if (!json_is_array(ns) || !n || n > SUMMARY_MAX_LEVELS)
		return wrong("ns_at_level", ns, "an array of 1 to 1025 levels", e);
	if (!json_is_array(requests) || json_array_size(requests) != n)
		return wrong("requests_at_level", requests, "as long as ns_at_level", e);
	s->n_levels = n;
	s->ns_at_level = xcalloc(n, sizeof *s->ns_at_level);
	s->requests_at_level = xcalloc(n, sizeof *s->requests_at_level);
	int rc = 0;
	for (size_t i = 0; i < n && !rc; i++)
		rc = get_level(s, i, ns, requests, e);
	return rc;
}

static int get_comparison(struct run_summary *s, const json_t *o, struct err *e)
{
	s->has_input = json_object_get(o, "n_input");
	if (!s->has_input)
		return 0;
	int rc = get_members(s, summary_input_members, o, e);
	rc = rc ? rc : get_if_present(s, summary_passed_members, o, e);
	rc = rc ? rc : get_if_present(s, summary_untold_members, o, e);
	rc = rc ? rc : get_reorder(&s->reorder_all, o, "reorder_all", e);
	rc = rc ? rc : get_reorder(&s->reorder_thread, o, "reorder_thread", e);
	rc = rc ? rc : get_reorder(&s->reorder_object, o, "reorder_object", e);
	return rc ? rc : get_moments(&s->schedule_error, o, "schedule_error", e);
}

static int get_issue_error(struct run_summary *s, const json_t *o, struct err *e)
{
	s->has_issue_error = json_object_get(o, "issue_error");
	if (!s->has_issue_error)
		return 0;
	int rc = get_moments(&s->issue_error, o, "issue_error", e);
	rc = rc ? rc : get_members(s, summary_issue_members, o, e);
	s->has_held = json_object_get(o, "n_held");
	return rc || !s->has_held ? rc : get_members(s, summary_held_members, o, e);
}

/* Reads x[n] from an array of n numbers. */
static int get_reals(double *x, size_t n, enum member_type type, const json_t *o, const char *name,
		     struct err *e)
{
	const json_t *array = json_object_get(o, name);
	if (!json_is_array(array) || json_array_size(array) != n)
		return wrong(name, array, "an array with a number for each class", e);
	int rc = 0;
	for (size_t i = 0; i < n && !rc; i++)
		rc = get_real(&x[i], name, type, json_array_get(array, i), e);
	return rc;
}

static int get_issue_quantiles(struct run_summary *s, const json_t *o, struct err *e)
{
	s->has_issue_quantiles = s->has_issue_error && json_object_get(o, "issue_error_quantile");
	if (!s->has_issue_quantiles)
		return 0;
	s->issue_error_quantile =
	    xcalloc(SUMMARY_N_ISSUE_QUANTILES, sizeof *s->issue_error_quantile);
	return get_reals(s->issue_error_quantile, SUMMARY_N_ISSUE_QUANTILES, REAL, o,
			 "issue_error_quantile", e);
}

/* Reads x[n] from an array of n counts. */
static int get_counts(uint64_t *x, size_t n, const json_t *o, const char *name, struct err *e)
{
	const json_t *array = json_object_get(o, name);
	if (!json_is_array(array) || json_array_size(array) != n)
		return wrong(name, array, "an array with a count for each class", e);
	int rc = 0;
	for (size_t i = 0; i < n && !rc; i++)
		rc = get_count(&x[i], name, json_array_get(array, i), e);
	return rc;
}

static int get_pace(struct run_summary *s, const json_t *o, struct err *e)
{
	const json_t *pace = json_object_get(o, "pace"),
		     *requests = json_object_get(pace, "requests");
	uint64_t width = 0;
	size_t n = json_array_size(requests);
	if (!pace)
		return 0;
	int rc = get_count(&width, "width_ns", json_object_get(pace, "width_ns"), e);
	if (!rc && (!json_is_array(requests) || !n || n > PACE_MAX))
		rc = wrong("requests", requests, "an array of 1 to 256 counts", e);
	if (rc)
		return err_context(e, "pace");
	s->pace = xcalloc(1, sizeof *s->pace);
	s->pace->width_ns = (int64_t)width;
	s->pace->n = (uint32_t)n;
	rc = get_counts(s->pace->requests, n, pace, "requests", e);
	if (!rc && s->has_issue_error)
		rc = get_counts(s->pace->timed, n, pace, "timed", e);
	if (!rc && s->has_issue_error)
		rc = get_reals(s->pace->issue_error, n, REAL, pace, "issue_error", e);
	if (!rc && json_object_get(pace, "active_ns")) /* not in summaries of earlier versions */
		rc = get_reals(s->pace->active_ns, n, POSITIVE, pace, "active_ns", e);
	if (!rc && json_object_get(pace, "moved_bytes"))
		rc = get_reals(s->pace->moved, n, POSITIVE, pace, "moved_bytes", e);
	return rc ? err_context(e, "pace") : 0;
}

static int get_lateness(struct run_summary *s, const json_t *o, struct err *e)
{
	const json_t *requests = json_object_get(o, "requests_at_lateness");
	if (!json_is_array(requests) || json_array_size(requests) != SUMMARY_N_LATENESS)
		return wrong("requests_at_lateness", requests, "an array of 26 counts", e);
	s->requests_at_lateness = xcalloc(SUMMARY_N_LATENESS, sizeof *s->requests_at_lateness);
	s->response_at_lateness = xcalloc(SUMMARY_N_LATENESS, sizeof *s->response_at_lateness);
	int rc = 0;
	for (size_t i = 0; i < SUMMARY_N_LATENESS && !rc; i++)
		rc = get_count(&s->requests_at_lateness[i], "requests_at_lateness",
			       json_array_get(requests, i), e);
	return rc ? rc
		  : get_reals(s->response_at_lateness, SUMMARY_N_LATENESS, POSITIVE, o,
			      "response_at_lateness", e);
}

static int get_classes(struct run_summary *s, const json_t *o, struct err *e)
{
	s->has_classes = json_object_get(o, "response_at_level");
	if (!s->has_classes)
		return 0;
	s->response_at_level = xcalloc(s->n_levels, sizeof *s->response_at_level);
	int rc = get_reals(s->response_at_level, s->n_levels, POSITIVE, o, "response_at_level", e);
	rc = rc ? rc : get_members(s, summary_reordered_members, o, e);
	return rc || !s->has_issue_error ? rc : get_lateness(s, o, e);
}

static int get_halves(struct run_summary *s, const json_t *o, struct err *e)
{
	const json_t *half = json_object_get(o, "half");
	s->has_halves = half;
	if (half && json_array_size(half) != 2)
		return wrong("half", half, "an array of two halves", e);
	int rc = 0;
	for (size_t i = 0; i < 2 && half && !rc; i++)
		rc = get_members(&s->half[i], summary_moments_members, json_array_get(half, i), e);
	return rc ? err_context(e, "half") : 0;
}

static int get_distribution(struct run_summary *s, const json_t *o, struct err *e)
{
	s->response_tail = s->response_typical = NAN;
	int rc = get_if_present(s, summary_tail_members, o, e);
	rc = rc ? rc : get_halves(s, o, e);
	s->has_shape = json_object_get(o, "shape_typical");
	if (!rc && s->has_shape)
		rc = get_counts(s->shape, SUMMARY_N_SHAPE, o, "shape_typical", e);
	if (!rc && json_object_get(o, "n_slices"))
		rc = get_members(s, summary_slices_members, o, e);
	return rc;
}

static int get_facts(struct run_summary *s, const json_t *o, struct err *e)
{
	const json_t *facts = json_object_get(o, "facts");
	s->has_facts = facts;
	return facts ? run_facts_from_json(&s->facts, facts, e) : 0;
}

/* 16 hexadecimal digits that are not all 0. */
static int get_requests_hash(struct run_summary *s, const json_t *o, struct err *e)
{
	const json_t *text = json_object_get(o, "requests_hash");
	const char *digits = json_string_value(text);
	if (!text)
		return 0;
	if (!digits || strlen(digits) != 16 || strspn(digits, "0123456789abcdef") != 16)
		return err_set(e, EINVAL,
			       "summary: \"requests_hash\" is not 16 hexadecimal digits");
	s->requests_hash = strtoull(digits, NULL, 16);
	return 0;
}

static int get_nodes(struct run_summary *s, const json_t *o, struct err *e)
{
	const json_t *nodes = json_object_get(o, "nodes");
	int rc = json_object_get(o, "causality")
		     ? get_object(&s->causality, summary_causality_members, o, "causality", e)
		     : 0;
	if (rc || !nodes)
		return rc;
	if (!json_is_array(nodes) || !json_array_size(nodes) ||
	    json_array_size(nodes) > SUMMARY_MAX_NODES)
		return wrong("nodes", nodes, "an array of 1 to 4096 nodes", e);
	s->node = xcalloc(json_array_size(nodes), sizeof *s->node);
	for (size_t i = 0; i < json_array_size(nodes) && !rc; i++) {
		struct node_summary *node = &s->node[s->n_nodes++];
		rc = get_members(node, summary_node_members, json_array_get(nodes, i), e);
		rc =
		    rc ? rc : get_moments(&node->response, json_array_get(nodes, i), "response", e);
	}
	return rc;
}

/* Members that are written only if not 0. */
static int get_rare(struct run_summary *s, const json_t *o, struct err *e)
{
	int rc = get_if_present(s, summary_correction_members, o, e);
	rc = rc ? rc : get_requests_hash(s, o, e);
	rc = rc ? rc : get_nodes(s, o, e);
	rc = rc ? rc : get_if_present(s, summary_cut_members, o, e);
	rc = rc ? rc : get_if_present(s, summary_unseen_members, o, e);
	return rc ? rc : get_if_present(s, summary_unseen_requests_members, o, e);
}

static int check_version(const json_t *o, struct err *e)
{
	const json_t *version = json_object_get(o, "version");
	if (!json_is_object(o) || !json_is_integer(version))
		return err_set(e, EINVAL, "no summary of a run");
	if (json_integer_value(version) != SUMMARY_VERSION)
		return err_set(e, EINVAL, "summary: version %lld, this program reads version %d",
			       (long long)json_integer_value(version), SUMMARY_VERSION);
	return 0;
}

static int get_histogram(struct run_summary *s, const json_t *o, bool brief, struct err *e)
{
	if (!brief)
		return histogram_from_json(&s->response_histogram,
					   json_object_get(o, "response_histogram"), e);
	histogram_init(&s->response_histogram);
	return 0;
}

static int get_summary(struct run_summary *s, const json_t *o, bool brief, struct err *e)
{
	memset(s, 0, sizeof *s);
	int rc = check_version(o, e);
	rc = rc ? rc : get_moments(&s->response, o, "response", e);
	rc = rc ? rc : get_members(s, summary_plain_members, o, e);
	rc = rc ? rc : get_histogram(s, o, brief, e);
	rc = rc ? rc : get_ops(s, o, e);
	rc = rc ? rc : get_levels(s, o, e);
	rc = rc ? rc : get_comparison(s, o, e);
	rc = rc ? rc : get_issue_error(s, o, e);
	rc = rc ? rc : get_issue_quantiles(s, o, e);
	rc = rc ? rc : get_pace(s, o, e);
	rc = rc ? rc : get_classes(s, o, e);
	rc = rc ? rc : get_distribution(s, o, e);
	rc = rc ? rc : get_facts(s, o, e);
	rc = rc ? rc : get_rare(s, o, e);
	rc = rc ? rc : summary_check(s, brief, e);
	if (rc)
		summary_release(s);
	return rc;
}

int summary_from_json(struct run_summary *s, const json_t *o, struct err *e)
{
	return get_summary(s, o, false, e);
}

int summary_brief_from_json(struct run_summary *s, const json_t *o, struct err *e)
{
	return get_summary(s, o, true, e);
}
