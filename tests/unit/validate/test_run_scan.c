/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of the journal and of the summaries read as text: as those who make objects of them read them, or not at all. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/xalloc.h"
#include "validate/results/journal.h"
#include "validate/results/results_file.h"
#include "validate/results/run_scan.h"

enum { N_RUNS = 9, RUN = 7 };

/* As journal_append() and summaries_append() do: "seq" first, or last. */
static void line_make(struct strbuf *line, json_t *o, bool first)
{
	json_t *event = json_object();
	strbuf_reset(line);
	if (first)
		json_object_set_new(event, "seq", json_integer(12));
	json_object_update(event, o);
	if (!first) {
		json_object_set_new(event, "seq", json_integer(RUN));
		json_object_set_new(event, "event", json_string("summary"));
		json_object_set_new(event, "bytes", json_integer(4711));
	}
	assert_int_equal(journal_line_add(line, event, NULL), 0);
	line->s[--line->len] = 0; /* the newline */
	json_decref(event);
}

static struct run run_make(void)
{
	return (struct run){.id = RUN, .state = RUN_OK, .started_ns = 1700000024750000000, .preparation_s = 0.25, .run_s = 0.2, .cpu_s = 0.1,
			    .peak_bytes = 5u << 20, .residency = {1000, 900, 10, true}, .cgroup_limit_bytes = 1u << 30, .cgroup_peak_bytes = 1u << 20,
			    .trace_bytes = 12345, .service_factor = 1.5, .others_share = 0.34, .stolen_share = 0.015};
}

/* --- events --------------------------------------------------------------------------------------------------------- */

/* Both readers, of a run that had failed before; whether the text is read. */
static bool event_is_scanned(const struct strbuf *line)
{
	struct run a[N_RUNS] = {0}, b[N_RUNS] = {0};
	uint64_t run = 0;
	a[RUN].reason = xstrdup("failed first");
	b[RUN].reason = xstrdup("failed first");
	a[RUN].search.n_periods = b[RUN].search.n_periods = 3;
	const bool taken = run_event_scan(a, N_RUNS, line->s, line->len, &run);
	json_t *o = journal_parse_line(line->s, line->len);
	if (taken) {
		assert_int_equal(run, RUN);
		assert_int_equal(run_from_event(b, N_RUNS, o, NULL), 0);
		assert_null(a[RUN].reason);
		assert_memory_equal(a, b, sizeof a);
	} else {
		assert_string_equal(a[RUN].reason, "failed first");
		assert_int_equal(a[RUN].search.n_periods, 3);
	}
	free(a[RUN].reason);
	free(b[RUN].reason);
	json_decref(o);
	return taken;
}

static void runs_that_went_well_are_scanned(void **state)
{
	struct strbuf line = STRBUF_INIT;
	struct run r = run_make();
	(void)state;
	for (int with_trace = 0; with_trace < 2; with_trace++) {
		r.trace_bytes = with_trace ? 12345 : 0;
		r.service_factor = with_trace ? 1.5 : 0;
		r.others_share = with_trace ? 0.34 : NAN; /* as in results of earlier versions */
		json_t *o = run_to_event(&r);
		line_make(&line, o, true);
		assert_true(event_is_scanned(&line));
		json_decref(o);
	}
	memset(r.file_sha256, 'a', FILE_DIGEST_HEX - 1);
	memset(r.line_sha256, 'b', FILE_DIGEST_HEX - 1);
	json_t *sealed = run_to_event(&r);
	json_object_set_new(sealed, "after", json_string("0123abcd"));
	line_make(&line, sealed, true);
	assert_true(event_is_scanned(&line));
	json_decref(sealed);
	/* each byte changed: not believed */
	for (size_t i = 0; i < line.len; i++) {
		line.s[i] ^= 1;
		assert_false(event_is_scanned(&line));
		line.s[i] ^= 1;
	}
	/* cut anywhere */
	struct run a[N_RUNS] = {0};
	uint64_t run;
	for (size_t n = 0; n < line.len; n++)
		assert_false(run_event_scan(a, N_RUNS, line.s, n, &run));
	assert_false(run_event_scan(a, RUN, line.s, line.len, &run)); /* not in the plan */
	strbuf_release(&line);
}

/* Believable lines of every member changed: read as the other reader reads them, or not. */
static void events_of_another_shape_are_left(void **state)
{
	struct strbuf line = STRBUF_INIT;
	struct run r = run_make();
	json_t *o = run_to_event(&r);
	const char *const names[] = {"event", "run",	   "state",  "started_ns", "preparation_s",
				     "run_s", "residency", "cgroup", "process",	   "trace_bytes", "processors", "service_factor"};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		json_t *kept = json_incref(json_object_get(o, names[i]));
		json_t *other[] = {json_null(),	 json_true(),	   json_string("ok"),  json_object(),
				   json_array(), json_integer(-2), json_integer(RUN), json_real(1.5)};
		for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
			json_object_set_new(o, names[i], other[k]);
			line_make(&line, o, true);
			event_is_scanned(&line);
		}
		json_object_set_new(o, names[i], kept);
	}
	json_object_set_new(o, "more", json_true());
	line_make(&line, o, true);
	assert_false(event_is_scanned(&line));
	json_decref(o);
	r.state = RUN_FAILED;
	r.reason = (char *)(uintptr_t)"it failed";
	o = run_to_event(&r);
	line_make(&line, o, true);
	assert_false(event_is_scanned(&line));
	json_decref(o);
	strbuf_release(&line);
}

/* --- summaries ------------------------------------------------------------------------------------------------------ */

static void summary_fill(struct run_summary *s)
{
	*s = (struct run_summary){.response = {1, 100, 0, 100, 100}, .response_median = 100, .response_trimmed_mean = 100,
				  .response_p90 = 100, .response_p99 = 100, .response_p999 = 100, .execution_ns = 100, .n_levels = 2,
				  .n_ops = 1, .requests_hash = 0x0123456789abcdef, .has_facts = true};
	s->op = xcalloc(1, sizeof *s->op);
	strcpy(s->op[0].op, "pread");
	s->op[0].response = s->response;
	s->ns_at_level = xcalloc(2, sizeof *s->ns_at_level);
	s->requests_at_level = xcalloc(2, sizeof *s->requests_at_level);
	s->ns_at_level[1] = 100;
	s->requests_at_level[1] = 1;
}

/* run_summary_file() of a run with that summary; what it has besides by the bits of `with`. */
static json_t *summary_file(unsigned int with)
{
	struct scenario scenario = {.name = (char *)(uintptr_t)"random-read level=1"};
	const struct protocol p = {.scenario = &scenario, .n_scenarios = 1};
	struct run r = run_make();
	summary_fill(&r.summary);
	r.role = ROLE_PROGRAM;
	r.has_blank = with & 1;
	r.blank_mean_ns = 12.5;
	r.has_own = with & 2;
	r.own_mean_ns = 99.5;
	r.observed_share = 0.75;
	r.has_device = with & 4;
	r.device = (struct run_device){1, 2, 3, 4, 5, 7, 6, 1.25, 2};
	json_t *o = run_summary_file(&r, &p);
	json_object_del(json_object_get(o, "summary"), "response_histogram");
	summary_release(&r.summary);
	return o;
}

static bool line_is_scanned(const struct strbuf *line, const json_t *o)
{
	struct run_line l;
	struct run a = run_make(), b = run_make();
	if (!run_line_scan(&l, line->s, line->len))
		return false;
	assert_int_equal(l.run.id, RUN);
	assert_int_equal(l.file_bytes, 4711);
	run_line_take(&a, &l);
	assert_int_equal(run_summary_take(&b, o, "", true, NULL), 0);
	assert_true(a.has_summary && b.has_summary);
	assert_memory_equal(a.summary.ns_at_level, b.summary.ns_at_level, 2 * sizeof(int64_t));
	assert_memory_equal(a.summary.requests_at_level, b.summary.requests_at_level, 2 * sizeof(int64_t));
	assert_memory_equal(a.summary.op, b.summary.op, sizeof *a.summary.op);
	struct run x = a, y = b;
	x.summary.ns_at_level = y.summary.ns_at_level = NULL;
	x.summary.requests_at_level = y.summary.requests_at_level = NULL;
	x.summary.op = y.summary.op = NULL;
	assert_memory_equal(&x, &y, sizeof x);
	summary_release(&a.summary);
	summary_release(&b.summary);
	return true;
}

static void summaries_are_scanned_with_all_that_they_may_have(void **state)
{
	struct strbuf line = STRBUF_INIT;
	struct run_line l;
	(void)state;
	for (unsigned int with = 0; with < 8; with++) {
		json_t *o = summary_file(with);
		line_make(&line, o, false);
		assert_true(line_is_scanned(&line, o));
		json_decref(o);
	}
	for (size_t i = 0; i < line.len; i++) {
		line.s[i] ^= 1;
		assert_false(run_line_scan(&l, line.s, line.len));
		line.s[i] ^= 1;
	}
	for (size_t n = 0; n < line.len; n++)
		assert_false(run_line_scan(&l, line.s, n));
	strbuf_release(&line);
}

static void summaries_that_would_be_refused_are_not_scanned(void **state)
{
	static const struct {
		const char *member, *below;
		double value;
	} change[] = {{"blank", "mean_ns", -1}, {"own", "mean_ns", -1}, {"own", "observed_share", 1.5}, {"own", "observed_share", -0.5},
		      {"device", "own_in_flight", -1}, {"device", "own_in_flight_max", -1}, {"device", "reordered", 8}, {"device", "seen", -1},
		      {"summary", "response_median", 101}, {"summary", "execution_ns", 99}, {NULL, "version", 2}, {NULL, "run", -1}};
	struct strbuf line = STRBUF_INIT;
	(void)state;
	for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
		json_t *o = summary_file(7), *at = change[i].member ? json_object_get(o, change[i].member) : o;
		const bool whole = json_is_integer(json_object_get(at, change[i].below));
		assert_non_null(json_object_get(at, change[i].below));
		json_object_set_new(at, change[i].below, whole ? json_integer((json_int_t)change[i].value) : json_real(change[i].value));
		line_make(&line, o, false);
		struct run_line l;
		if (run_line_scan(&l, line.s, line.len))
			fail_msg("%s.%s = %g is read", change[i].member ? change[i].member : "", change[i].below, change[i].value);
		json_decref(o);
	}
	strbuf_release(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(runs_that_went_well_are_scanned),
	    cmocka_unit_test(events_of_another_shape_are_left),
	    cmocka_unit_test(summaries_are_scanned_with_all_that_they_may_have),
	    cmocka_unit_test(summaries_that_would_be_refused_are_not_scanned),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
