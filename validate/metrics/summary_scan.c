/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A summary from JSON as summary_to_json() made it, less the histogram: the same members in the same order. Those of parallel applications
 * are left to the other reader. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "validate/metrics/summary_json_private.h"

static void scan_number(struct json_scan *t, void *field, enum member_type type)
{
	uint64_t count = 0;
	double real = 0;
	if (type == COUNT || type == DURATION) {
		json_scan_count(t, &count);
		if (type == COUNT)
			*(uint64_t *)field = count;
		else
			*(int64_t *)field = (int64_t)count;
		return;
	}
	json_scan_real(t, &real);
	t->failed |= (type != REAL && real < 0) || (type == RATIO && real > 1);
	*(double *)field = real;
}

static void scan_members(struct json_scan *t, void *s, const struct member *m)
{
	for (; m->name && !t->failed; m++) {
		json_scan_member(t, m->name);
		scan_number(t, (char *)s + m->offset, m->type);
	}
}

static void scan_object(struct json_scan *t, void *s, const struct member *m)
{
	json_scan_text(t, "{");
	scan_members(t, s, m);
	json_scan_text(t, "}");
}

static void scan_moments(struct json_scan *t, struct moments *m, const char *name)
{
	json_scan_member(t, name);
	scan_object(t, m, summary_moments_members);
}

static void scan_reorder(struct json_scan *t, struct reorder_summary *r, const char *name)
{
	json_scan_member(t, name);
	scan_object(t, r, summary_reorder_members);
}

static void scan_counts(struct json_scan *t, uint64_t *x, size_t n, const char *name)
{
	json_scan_member(t, name);
	json_scan_counts(t, x, n);
}

static void scan_reals(struct json_scan *t, double *x, size_t n, enum member_type type, const char *name)
{
	json_scan_member(t, name);
	json_scan_reals(t, x, n);
	for (size_t i = 0; i < n && !t->failed; i++)
		t->failed = type == POSITIVE && x[i] < 0;
}

static void scan_ops(struct json_scan *t, struct run_summary *s)
{
	json_scan_member(t, "op");
	json_scan_text(t, "[");
	while (!t->failed && !json_scan_text_if(t, "]")) {
		if (s->n_ops)
			json_scan_text(t, ",");
		s->op = xreallocarray(s->op, s->n_ops + 1, sizeof *s->op);
		struct op_summary *op = memset(&s->op[s->n_ops++], 0, sizeof *op);
		json_scan_text(t, "{");
		json_scan_member(t, "op");
		json_scan_string(t, op->op, sizeof op->op);
		scan_moments(t, &op->response, "response");
		json_scan_text(t, "}");
		t->failed |= !op->op[0] || s->n_ops > SUMMARY_MAX_OPS;
	}
}

static void scan_levels(struct json_scan *t, struct run_summary *s)
{
	json_scan_member(t, "ns_at_level");
	const size_t n = json_scan_n_items(t);
	if (n < 1 || n > SUMMARY_MAX_LEVELS) {
		t->failed = true;
		return;
	}
	s->n_levels = n;
	s->ns_at_level = xcalloc(n, sizeof *s->ns_at_level);
	s->requests_at_level = xcalloc(n, sizeof *s->requests_at_level);
	json_scan_counts(t, (uint64_t *)s->ns_at_level, n);
	scan_counts(t, s->requests_at_level, n, "requests_at_level");
}

static void scan_comparison(struct json_scan *t, struct run_summary *s)
{
	const struct json_scan before = *t;
	s->has_input = json_scan_member_if(t, "n_input");
	if (!s->has_input)
		return;
	*t = before;
	scan_members(t, s, summary_input_members);
	if (json_scan_member_if(t, "n_passed"))
		json_scan_count(t, &s->n_passed);
	if (json_scan_member_if(t, "n_untold"))
		json_scan_count(t, &s->n_untold);
	scan_reorder(t, &s->reorder_all, "reorder_all");
	scan_reorder(t, &s->reorder_thread, "reorder_thread");
	scan_reorder(t, &s->reorder_object, "reorder_object");
	scan_moments(t, &s->schedule_error, "schedule_error");
}

static void scan_issue_error(struct json_scan *t, struct run_summary *s)
{
	s->has_issue_error = json_scan_member_if(t, "issue_error");
	if (!s->has_issue_error)
		return;
	scan_object(t, &s->issue_error, summary_moments_members);
	scan_members(t, s, summary_issue_members);
	s->has_held = json_scan_member_if(t, "n_held");
	if (s->has_held) {
		json_scan_count(t, &s->n_held);
		json_scan_member(t, "issue_error_others_p99");
		scan_number(t, &s->issue_error_others_p99, REAL);
	}
	s->has_issue_quantiles = json_scan_member_if(t, "issue_error_quantile");
	if (!s->has_issue_quantiles)
		return;
	s->issue_error_quantile = xcalloc(SUMMARY_N_ISSUE_QUANTILES, sizeof *s->issue_error_quantile);
	json_scan_reals(t, s->issue_error_quantile, SUMMARY_N_ISSUE_QUANTILES);
}

static void scan_pace(struct json_scan *t, struct run_summary *s)
{
	uint64_t width = 0;
	if (!json_scan_member_if(t, "pace"))
		return;
	json_scan_text(t, "{");
	json_scan_member(t, "width_ns");
	json_scan_count(t, &width);
	json_scan_member(t, "requests");
	const size_t n = json_scan_n_items(t);
	if (n < 1 || n > PACE_MAX) {
		t->failed = true;
		return;
	}
	struct pace *p = s->pace = xcalloc(1, sizeof *s->pace);
	p->width_ns = (int64_t)width;
	p->n = (uint32_t)n;
	json_scan_counts(t, p->requests, n);
	scan_reals(t, p->active_ns, n, POSITIVE, "active_ns");
	scan_reals(t, p->moved, n, POSITIVE, "moved_bytes");
	if (s->has_issue_error) {
		scan_counts(t, p->timed, n, "timed");
		scan_reals(t, p->issue_error, n, REAL, "issue_error");
	}
	json_scan_text(t, "}");
}

static void scan_classes(struct json_scan *t, struct run_summary *s)
{
	s->has_classes = json_scan_member_if(t, "response_at_level");
	if (!s->has_classes)
		return;
	s->response_at_level = xcalloc(s->n_levels, sizeof *s->response_at_level);
	json_scan_reals(t, s->response_at_level, s->n_levels);
	for (uint64_t i = 0; i < s->n_levels; i++)
		t->failed |= s->response_at_level[i] < 0;
	scan_members(t, s, summary_reordered_members);
	if (!s->has_issue_error)
		return;
	s->requests_at_lateness = xcalloc(SUMMARY_N_LATENESS, sizeof *s->requests_at_lateness);
	s->response_at_lateness = xcalloc(SUMMARY_N_LATENESS, sizeof *s->response_at_lateness);
	scan_counts(t, s->requests_at_lateness, SUMMARY_N_LATENESS, "requests_at_lateness");
	scan_reals(t, s->response_at_lateness, SUMMARY_N_LATENESS, POSITIVE, "response_at_lateness");
}

static void scan_distribution(struct json_scan *t, struct run_summary *s)
{
	const struct json_scan before = *t;
	s->response_tail = s->response_typical = NAN;
	if (json_scan_member_if(t, "response_tail")) {
		*t = before;
		scan_members(t, s, summary_tail_members);
	}
	s->has_halves = json_scan_member_if(t, "half");
	if (s->has_halves) {
		json_scan_text(t, "[");
		scan_object(t, &s->half[0], summary_moments_members);
		json_scan_text(t, ",");
		scan_object(t, &s->half[1], summary_moments_members);
		json_scan_text(t, "]");
	}
	s->has_shape = json_scan_member_if(t, "shape_typical");
	if (s->has_shape)
		json_scan_counts(t, s->shape, SUMMARY_N_SHAPE);
	if (json_scan_member_if(t, "n_left_out")) {
		json_scan_count(t, &s->n_left_out);
		json_scan_member(t, "n_slices");
		json_scan_count(t, &s->n_slices);
	}
}

static void scan_rare(struct json_scan *t, struct run_summary *s)
{
	char digits[17] = "";
	if (json_scan_member_if(t, "correction_u_ns"))
		scan_number(t, &s->correction_u_ns, POSITIVE);
	if (json_scan_member_if(t, "requests_hash")) {
		json_scan_string(t, digits, sizeof digits);
		t->failed |= strspn(digits, "0123456789abcdef") != 16;
		s->requests_hash = strtoull(digits, NULL, 16);
	}
	if (json_scan_member_if(t, "n_cut"))
		json_scan_count(t, &s->n_cut);
	if (json_scan_member_if(t, "n_programs_unseen"))
		json_scan_count(t, &s->n_programs_unseen);
	s->has_facts = json_scan_member_if(t, "facts");
	if (s->has_facts)
		run_facts_scan(&s->facts, t);
}

bool summary_brief_scan(struct run_summary *s, struct json_scan *t)
{
	uint64_t version = 0;
	memset(s, 0, sizeof *s);
	histogram_init(&s->response_histogram);
	json_scan_text(t, "{");
	json_scan_member(t, "version");
	json_scan_count(t, &version);
	t->failed |= version != SUMMARY_VERSION;
	scan_moments(t, &s->response, "response");
	scan_members(t, s, summary_plain_members);
	scan_ops(t, s);
	scan_levels(t, s);
	scan_comparison(t, s);
	scan_issue_error(t, s);
	scan_pace(t, s);
	scan_classes(t, s);
	scan_distribution(t, s);
	scan_rare(t, s);
	json_scan_text(t, "}");
	t->failed = t->failed || summary_check(s, true, NULL) < 0;
	if (t->failed)
		summary_release(s);
	return !t->failed;
}
