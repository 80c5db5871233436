/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Summaries as JSON: exact round trips; values that no run can give are refused. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/validate/random.h"
#include "tests/unit/validate/trace_file.h"
#include "validate/metrics/summary.h"

/* A complete summary: a timed replay of 500 requests, three of them late, one lost, one failed, one
 * extra. */
static void make_summary(struct run_summary *s, uint64_t seed, bool with_input)
{
	enum { N = 500 };
	struct random rnd = {seed};
	struct trace_record r[N], x[N + 1];
	struct err e = ERR_INIT;
	struct trace_meta meta = trace_file_meta();
	struct trace_path r_path = trace_file_path("input"), x_path = trace_file_path("replay");
	meta.extra_json =
	    "{\"facts\": {\"wall_ns\": 1, \"cpu_user_ns\": 2, \"cpu_system_ns\": 3, \"steal_ns\": "
	    "-1,"
	    "\"runqueue_wait_ns\": -1, \"n_minor_faults\": 4, \"n_major_faults\": 5,"
	    "\"n_voluntary_switches\": 6, \"n_involuntary_switches\": 7, \"bytes_read_device\": 8,"
	    "\"bytes_written_device\": 9}, \"causality\": {\"nodes\": [{\"node\": 0, \"pid\": 7, "
	    "\"tid\": 7, \"rank\": 0},"
	    "{\"node\": 1, \"pid\": 7, \"tid\": 8, \"rank\": 1}, {\"node\": 2, \"pid\": 7, "
	    "\"tid\": 9, \"rank\": 2}],"
	    "\"period\": 5, \"throttled\": [0, 2], \"runs\": 3, \"application_ns\": 1000000, "
	    "\"tracing_ns\": 4000000}}";
	for (int i = 0; i < N; i++) {
		int64_t t = i * 1000 + (int64_t)random_below(&rnd, 3000);
		r[i] = (struct trace_record){.seq = (uint64_t)i,
					     .begin_ns = i * 1000,
					     .end_ns = i * 1000 + 300,
					     .intended_ns = TIME_NONE,
					     .dispatch_ns = TIME_NONE,
					     .length = 4096,
					     .rvalue = 4096,
					     .pid = 7,
					     .tid = 7 + (uint32_t)i % 3,
					     .object = (uint32_t)i % TRACE_N_OBJECTS,
					     .heap = HEAP_NONE,
					     .op = i % 5 ? OP_READ : OP_WRITE};
		x[i] = r[i];
		x[i].begin_ns = t;
		x[i].intended_ns = t - (int64_t)random_below(&rnd, 1100) + 100;
		x[i].end_ns = t + (int64_t)(random_u64(&rnd) >> (44 + random_below(&rnd, 10)));
	}
	x[N] = x[N / 2];
	x[17].error = 5;
	x[17].rvalue = -1;
	x[18].begin_ns = x[18].end_ns = TIME_NONE;
	trace_file_write(x_path.s, x, N + 1, &meta, false, false);
	trace_file_write(r_path.s, r, N, &meta, false, false);
	if (summary_compute(s, x_path.s, with_input ? r_path.s : NULL, NULL, &e))
		fail_msg("%s", e.msg);
	unlink(x_path.s);
	unlink(r_path.s);
}

static void assert_same_histogram(const struct histogram *a, const struct histogram *b)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->n_buckets, b->n_buckets);
	assert_memory_equal(a->count, b->count, a->n_buckets * sizeof *a->count);
}

/* Members that may be absent, on both sides. */
static void assert_same_part(const void *a, const void *b, size_t size)
{
	assert_int_equal(a == NULL, b == NULL);
	if (a)
		assert_memory_equal(a, b, size);
}

static void assert_same(const struct run_summary *a, const struct run_summary *b)
{
	struct run_summary x = *a, y = *b;
	assert_same_histogram(&a->response_histogram, &b->response_histogram);
	assert_int_equal(a->n_levels, b->n_levels);
	assert_memory_equal(a->ns_at_level, b->ns_at_level, a->n_levels * sizeof *a->ns_at_level);
	assert_memory_equal(a->requests_at_level, b->requests_at_level,
			    a->n_levels * sizeof *a->requests_at_level);
	assert_memory_equal(a->response_at_level, b->response_at_level,
			    a->n_levels * sizeof *a->response_at_level);
	assert_int_equal(a->n_nodes, b->n_nodes);
	assert_same_part(a->node, b->node, a->n_nodes * sizeof *a->node);
	x.node = y.node = NULL;
	assert_same_part(a->op, b->op, a->n_ops * sizeof *a->op);
	assert_same_part(a->pace, b->pace, sizeof *a->pace);
	assert_same_part(a->issue_error_quantile, b->issue_error_quantile,
			 SUMMARY_N_ISSUE_QUANTILES * sizeof *a->issue_error_quantile);
	assert_same_part(a->requests_at_lateness, b->requests_at_lateness,
			 SUMMARY_N_LATENESS * sizeof *a->requests_at_lateness);
	assert_same_part(a->response_at_lateness, b->response_at_lateness,
			 SUMMARY_N_LATENESS * sizeof *a->response_at_lateness);
	x.op = y.op = NULL;
	x.pace = y.pace = NULL;
	x.issue_error_quantile = y.issue_error_quantile = NULL;
	x.requests_at_lateness = y.requests_at_lateness = NULL;
	x.response_at_lateness = y.response_at_lateness = NULL;
	/* the rest, bit by bit: both structs were zeroed before they were filled */
	x.ns_at_level = y.ns_at_level = NULL;
	x.requests_at_level = y.requests_at_level = NULL;
	x.response_at_level = y.response_at_level = NULL;
	x.response_histogram = y.response_histogram = (struct histogram){0};
	assert_memory_equal(&x, &y, sizeof x);
}

static void forget_nodes(struct run_summary *s)
{
	free(s->node);
	s->node = NULL;
	s->n_nodes = 0;
	s->causality = (struct causality_summary){0};
}

/* Whether the summary is also read without its histogram, with the same result. */
static bool brief_is_read(const json_t *o, const struct run_summary *whole)
{
	json_t *brief = json_deep_copy(o);
	struct run_summary a = *whole, b;
	a.response_histogram = (struct histogram){0};
	json_object_del(brief, "response_histogram");
	const bool taken = summary_brief_from_json(&b, brief, NULL) == 0;
	if (taken) {
		assert_int_equal(b.response_histogram.n, 0);
		assert_same(&a, &b);
		summary_release(&b);
	}
	json_decref(brief);
	return taken;
}

static void test_round_trip_is_exact(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct run_summary a, b;
		struct err e = ERR_INIT;
		make_summary(&a, seed, seed % 3);
		a.correction_u_ns = seed % 4 ? 0 : 0.1 * (double)seed;
		a.n_programs_unseen = seed % 5 ? 0 : seed;
		a.n_requests_unseen = seed % 3 ? 0 : seed;
		a.n_cut = seed % 7 == 0;
		a.has_cpu_delayed = a.has_issue_error && seed % 3;
		a.n_cpu_delayed = a.has_cpu_delayed ? seed % 4 : 0;
		a.issue_error_others_p99 = a.has_cpu_delayed ? 0.25 * (double)seed : 0;
		a.n_skipped = a.has_input && seed % 2 ? seed : 0;
		a.n_results_unknown = a.has_input && seed % 5 == 0 ? seed : 0;
		a.n_slices = seed % 4 ? 0 : seed;
		json_t *o = summary_to_json(&a);
		assert_non_null(o);
		char *text = json_dumps(o, JSON_REAL_PRECISION(17) | JSON_COMPACT);
		json_decref(o);
		o = json_loads(text, 0, NULL);
		if (summary_from_json(&b, o, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(a.n_nodes, 3);
		assert_same(&a, &b);
		assert_true(brief_is_read(o, &a));
		/* and the same text again */
		json_t *again = summary_to_json(&b);
		char *text_again = json_dumps(again, JSON_REAL_PRECISION(17) | JSON_COMPACT);
		assert_string_equal(text, text_again);
		free(text);
		free(text_again);
		json_decref(o);
		json_decref(again);
		forget_nodes(&a);
		o = summary_to_json(&a);
		assert_true(brief_is_read(o, &a));
		json_decref(o);
		summary_release(&a);
		summary_release(&b);
	}
}

static void expect_refused(json_t *o, const char *what)
{
	struct run_summary s, empty;
	struct err e = ERR_INIT;
	memset(&empty, 0, sizeof empty);
	int rc = summary_from_json(&s, o, &e);
	if (rc != -EINVAL || !*e.msg)
		fail_msg("%s: %d \"%s\"", what, rc, e.msg);
	assert_memory_equal(&s, &empty, sizeof s);
}

/* Every member, and every member of a member: left out, and replaced by a value that no run can
 * give. */
static size_t spoil_members(json_t *whole, json_t *o, const char *path)
{
	size_t n = 0;
	void *iter = json_object_iter(o);
	for (; iter; iter = json_object_iter_next(o, iter)) {
		char name[200];
		snprintf(name, sizeof name, "%s.%s", path, json_object_iter_key(iter));
		json_t *kept = json_incref(json_object_iter_value(iter));
		json_t *bad[] = {json_null(),   json_true(),  json_string("1"),
				 json_object(), json_array(), json_integer(-2)};
		bool is_signed = strstr(name, "schedule_error") || strstr(name, "issue_error") ||
				 strstr(name, "_cpu_") || strstr(name, "cpu_user_ns") ||
				 strstr(name, "cpu_system_ns");
		for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
			bool may_be = (i == 5 && is_signed && json_is_number(kept)) ||
				      (i == 2 && strstr(name, "not_visible"));
			json_object_iter_set(o, iter, bad[i]);
			if (!may_be)
				expect_refused(whole, name);
			json_decref(bad[i]);
			n++;
		}
		json_object_iter_set_new(o, iter, kept);
		if (json_is_object(kept))
			n += spoil_members(whole, kept, name);
	}
	return n;
}

/* Members that a complete summary may lack: they state that something was not recorded. */
static bool is_optional(const char *name)
{
	return !strcmp(name, "issue_error") || !strcmp(name, "facts") || !strcmp(name, "n_input") ||
	       !strcmp(name, "response_at_level") || !strcmp(name, "issue_error_quantile") ||
	       !strcmp(name, "pace") || !strcmp(name, "active_ns") ||
	       !strcmp(name, "moved_bytes") || !strcmp(name, "peak_memory_bytes") ||
	       !strcmp(name, "causality") || !strcmp(name, "nodes") ||
	       !strcmp(name, "response_tail") || !strcmp(name, "half") ||
	       !strcmp(name, "shape_typical") || !strcmp(name, "not_visible");
}

/* Optional also as a member of another member. */
static bool is_optional_below(const char *name)
{
	return !strcmp(name, "active_ns") || !strcmp(name, "moved_bytes") ||
	       !strcmp(name, "peak_memory_bytes");
}

static void leave_out_members(json_t *whole, json_t *o)
{
	const char *name[100];
	size_t n = 0;
	for (void *iter = json_object_iter(o); iter; iter = json_object_iter_next(o, iter))
		name[n++] = json_object_iter_key(iter);
	for (size_t i = 0; i < n; i++) {
		char key[100];
		snprintf(key, sizeof key, "%s", name[i]);
		json_t *kept = json_incref(json_object_get(o, key));
		json_object_del(o, key);
		if (!is_optional(key) || (o != whole && !is_optional_below(key)))
			expect_refused(whole, key);
		json_object_set_new(o, key, kept);
		if (json_is_object(kept))
			leave_out_members(whole, kept);
	}
}

static void test_members_are_checked(void **state)
{
	(void)state;
	struct run_summary s;
	struct err e = ERR_INIT;
	json_t *o = NULL;
	for (int parallel = 0; parallel < 2; parallel++) {
		json_decref(o);
		make_summary(&s, 5, true);
		forget_nodes(&s);
		if (parallel)
			s.causality = (struct causality_summary){.n_nodes = 3, .n_runs = 4, .n_waits = 5};
		o = summary_to_json(&s);
		assert_true(brief_is_read(o, &s));
		assert_true(spoil_members(o, o, "") > 300);
		leave_out_members(o, o);
		summary_release(&s);
		assert_int_equal(summary_from_json(&s, o, &e), 0); /* all was put back */
		summary_release(&s);
	}
	/* members of later versions are ignored */
	json_object_set_new(o, "invented_later", json_true());
	assert_int_equal(summary_from_json(&s, o, &e), 0);
	summary_release(&s);
	expect_refused(NULL, "nothing");
	json_decref(o);
}

/* A single change to a valid summary. */
static void expect_change_refused(const char *member, const char *inner, json_t *value)
{
	struct run_summary s;
	make_summary(&s, 7, true);
	json_t *o = summary_to_json(&s), *at = inner ? json_object_get(o, member) : o;
	assert_non_null(json_object_get(at, inner ? inner : member));
	json_object_set_new(at, inner ? inner : member, value);
	expect_refused(o, inner ? inner : member);
	json_decref(o);
	summary_release(&s);
}

static void test_more_skipped_than_existed(void **state)
{
	(void)state;
	struct run_summary s;
	make_summary(&s, 7, true);
	assert_int_equal(s.n_lost, 1);
	s.n_skipped = s.n_input;
	json_t *o = summary_to_json(&s);
	expect_refused(o, "n_skipped");
	json_decref(o);
	s.n_skipped = 0;
	s.n_results_unknown = s.n_input + 1;
	o = summary_to_json(&s);
	expect_refused(o, "n_results_unknown");
	json_decref(o);
	summary_release(&s);
}

/* Results of earlier versions have other names of three members. */
static void test_names_of_earlier_versions(void **state)
{
	(void)state;
	static const char *const names[][2] = {
	    {"n_skipped", "n_passed"}, {"n_results_unknown", "n_untold"}, {"n_held_up", "n_held"}};
	struct run_summary s, read;
	struct err e;
	make_summary(&s, 7, true);
	s.n_skipped = 2;
	s.n_results_unknown = 3;
	s.has_cpu_delayed = true;
	s.n_cpu_delayed = 1;
	s.issue_error_others_p99 = 5;
	json_t *o = summary_to_json(&s);
	for (size_t i = 0; i < 3; i++) {
		assert_non_null(json_object_get(o, names[i][0]));
		json_object_set(o, names[i][1], json_object_get(o, names[i][0]));
		json_object_del(o, names[i][0]);
	}
	assert_int_equal(summary_from_json(&read, o, &e), 0);
	assert_int_equal(read.n_skipped, 2);
	assert_int_equal(read.n_results_unknown, 3);
	assert_true(read.has_cpu_delayed);
	assert_int_equal(read.n_cpu_delayed, 1);
	json_decref(o);
	summary_release(&read);
	summary_release(&s);
}

/* The distribution of a summary, changed to a distribution that no run can give. */
static void expect_distribution_refused(size_t change)
{
	struct run_summary s;
	make_summary(&s, 7, true);
	s.response_typical = change == 0 ? s.response_tail * 1.01 : s.response_typical;
	s.half[1].n += change == 1;
	s.half[0].max = change == 2 ? s.half[0].mean / 2 : s.half[0].max;
	s.shape[60] = change == 3 ? s.shape[61] + 1 : s.shape[60];
	s.shape[SUMMARY_N_SHAPE - 1] =
	    change == 4 ? s.response.n + 1 : s.shape[SUMMARY_N_SHAPE - 1];
	json_t *o = summary_to_json(&s);
	if (change == 5) {
		json_object_set_new(o, "n_left_out", json_integer(1));
		json_object_set_new(o, "n_slices", json_integer(0));
	}
	expect_refused(o, "distribution");
	json_decref(o);
	summary_release(&s);
}

static void test_distributions_that_cannot_be(void **state)
{
	(void)state;
	for (size_t change = 0; change < 6; change++)
		expect_distribution_refused(change);
}

/* Results of earlier versions stay readable: their distribution is unknown. */
static void test_summary_of_an_earlier_version(void **state)
{
	(void)state;
	static const char *const added[] = {"response_tail", "response_typical", "half",
					    "shape_typical"};
	struct run_summary s;
	struct err e = ERR_INIT;
	make_summary(&s, 7, true);
	forget_nodes(&s);
	json_t *o = summary_to_json(&s);
	summary_release(&s);
	for (size_t i = 0; i < sizeof added / sizeof *added; i++)
		assert_int_equal(json_object_del(o, added[i]), 0);
	assert_int_equal(summary_from_json(&s, o, &e), 0);
	assert_true(isnan(s.response_tail) && isnan(s.response_typical));
	assert_false(s.has_halves || s.has_shape || s.n_left_out || s.n_slices);
	assert_true(brief_is_read(o, &s));
	summary_release(&s);
	json_decref(o);
}

static void test_contradictions(void **state)
{
	(void)state;
	expect_change_refused("pace", "width_ns", json_integer(65536 * 3));
	expect_change_refused("pace", "requests", json_pack("[i]", 1));
	expect_change_refused("issue_error_quantile", NULL, json_pack("[i,i]", 2, 1));
	expect_change_refused("nodes", NULL, json_array());
	expect_change_refused("nodes", NULL, json_pack("[{s:i}]", "node", 1));
	expect_change_refused("response_tail", NULL, json_real(1e30));
	expect_change_refused("response_typical", NULL, json_real(0));
	expect_change_refused("half", NULL, json_array());
	expect_change_refused("shape_typical", NULL, json_pack("[i,i]", 1, 2));
	expect_change_refused("version", NULL, json_integer(2));
	expect_change_refused("response", "n", json_integer(501));
	expect_change_refused("response", "mean", json_real(1e30));
	expect_change_refused("response", "min", json_real(1e30));
	expect_change_refused("response_median", NULL, json_real(1e30));
	expect_change_refused("response_p999", NULL, json_real(0));
	expect_change_refused("execution_ns", NULL, json_integer(12345));
	expect_change_refused("n_failed", NULL, json_integer(600));
	expect_change_refused("n_unfinished", NULL, json_integer(1));
	expect_change_refused("n_lost", NULL, json_integer(600));
	expect_change_refused("n_mismatched", NULL, json_integer(600));
	expect_change_refused("share_late", NULL, json_real(1.01));
	expect_change_refused("reorder_all", "n_reordered", json_integer(501));
	expect_change_refused("reorder_thread", "n_descents", json_integer(501));
	expect_change_refused("reorder_object", "max_extent", json_integer(501));
	expect_change_refused("response_histogram", "n", json_integer(499));
	expect_change_refused("ns_at_level", NULL, json_pack("[i, i]", 1, 2));
	expect_change_refused("requests_at_level", NULL, json_pack("[i, i, i]", 1, 2, 3));
	expect_change_refused("response_at_level", NULL, json_pack("[f]", -1.0));
	expect_change_refused("requests_at_lateness", NULL, json_pack("[i, i]", 1, 2));
	expect_change_refused("response_at_lateness", NULL, json_string("late"));
	expect_change_refused("response_reordered_all", NULL, json_real(-1));
	expect_change_refused("op", NULL, json_pack("[]"));
	expect_change_refused("op", NULL, json_pack("[i]", 1));
	expect_change_refused("op", NULL, json_pack("[{s:s}]", "op", "<script>"));
	expect_change_refused("op", NULL, json_pack("[{s:s}]", "op", "averyveryverylongname"));
	json_t *many = json_array();
	for (int i = 0; i < 1026; i++)
		json_array_append_new(many, json_integer(0));
	expect_change_refused("ns_at_level", NULL, many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_round_trip_is_exact),
	    cmocka_unit_test(test_members_are_checked),
	    cmocka_unit_test(test_distributions_that_cannot_be),
	    cmocka_unit_test(test_summary_of_an_earlier_version),
	    cmocka_unit_test(test_contradictions),
	    cmocka_unit_test(test_more_skipped_than_existed),
	    cmocka_unit_test(test_names_of_earlier_versions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
