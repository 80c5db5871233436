/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results with so many runs and cases that they are read in parts, by several threads, and without
 * the courses of the runs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/files.h"
#include "common/strbuf.h"
#include "common/xalloc.h"
#include "tests/unit/validate/temp_dir.h"
#include "validate/results/journal.h"
#include "validate/results/results_file.h"
#include "validate/results/results.h"
#include "validate/results/summaries.h"

enum {
	N_SCENARIOS = 400,
	N_ODD_RUN = 77,
	N_MADE_AGAIN = 1200,
	N_DAMAGED = 1301,
	N_WITH_SUMMARY = 2001
};

static char *put(const char *dir, const char *name, const char *text, size_t len)
{
	char *path = results_path(dir, name);
	struct err e = ERR_INIT;
	if (file_write_atomic(path, text, len, &e))
		fail_msg("%s", e.msg);
	return path;
}

static void protocol_make(struct strbuf *text, unsigned int n_scenarios)
{
	strbuf_addstr(text, "[protocol]\nreplicates = 2\nbank = 1\n");
	for (unsigned int i = 0; i < n_scenarios; i++)
		strbuf_addf(text, "[workload w%u]\ntype = random-read\n", i);
	strbuf_addstr(text, "[replayer event]\n");
}

/* As journal_append, but without waiting for the disk. */
static void event_put(struct strbuf *journal, json_int_t seq, json_t *event)
{
	struct err e = ERR_INIT;
	json_t *o = json_pack("{s:I}", "seq", seq);
	json_object_update(o, event);
	assert_int_equal(journal_line_add(journal, o, &e), 0);
	json_decref(o);
	json_decref(event);
}

/* A run with the times of only one request, and with a course. */
static json_t *summary_make(struct run *run, const struct protocol *p)
{
	struct run_summary *s = &run->summary;
	*s = (struct run_summary){.response = {1, 100, 0, 100, 100}, .response_median = 100, .response_trimmed_mean = 100,
				  .response_p90 = 100, .response_p99 = 100, .response_p999 = 100, .execution_ns = 100, .n_levels = 2,
				  .n_ops = 1};
	s->op = xcalloc(1, sizeof *s->op);
	strcpy(s->op[0].op, "pread");
	s->op[0].response = s->response;
	histogram_add(&s->response_histogram, 100);
	s->ns_at_level = xcalloc(2, sizeof *s->ns_at_level);
	s->requests_at_level = xcalloc(2, sizeof *s->requests_at_level);
	s->ns_at_level[1] = 100;
	s->requests_at_level[1] = 1;
	s->pace = xcalloc(1, sizeof *s->pace);
	s->pace->width_ns = PACE_FIRST_WIDTH_NS;
	s->pace->n = 1;
	s->pace->requests[0] = 1;
	json_t *o = run_summary_file(run, p);
	assert_non_null(o);
	summary_release(s);
	return o;
}

static char *results_make(size_t *n_runs)
{
	char *dir = temp_dir_make(), *runs = results_path(dir, "runs");
	struct strbuf text = STRBUF_INIT, journal = STRBUF_INIT;
	struct protocol p;
	struct design d;
	struct err e = ERR_INIT;
	json_int_t seq = 0;
	assert_int_equal(dir_create(runs, &e), 0);
	free(runs);
	protocol_make(&text, N_SCENARIOS);
	char *path = put(dir, "protocol.conf", text.s, text.len);
	if (protocol_read(&p, path, &e))
		fail_msg("%s", e.msg);
	free(path);
	free(put(dir, "environment.json", "{}", 2));
	design_make(&d, &p);
	*n_runs = d.n_runs;
	json_t *o = design_to_json(&d, &p);
	path = results_path(dir, "plan.json");
	assert_int_equal(json_write_file(path, o, 0, &e), 0);
	json_decref(o);
	free(path);
	struct run *run = results_runs_make(&d);
	for (size_t i = 0; i < d.n_runs; i++) {
		run[i].state = i == N_WITH_SUMMARY ? RUN_OK : RUN_FAILED;
		run[i].run_s = (double)i;
		if (i == d.n_runs / 2)
			event_put(&journal, seq++, json_pack("{s:s}", "event", "resume"));
		o = run_to_event(&run[i]);
		if (i == N_ODD_RUN) /* a run that does not exist */
			json_object_set_new(o, "run", json_integer(1000000));
		event_put(&journal, seq++, o);
		if (i == N_DAMAGED)
			journal.s[journal.len - 40] ^= 1;
	}
	run[N_MADE_AGAIN].run_s = -1; /* the last counts */
	event_put(&journal, seq++, run_to_event(&run[N_MADE_AGAIN]));
	strbuf_addstr(&journal,
		      "{\"seq\":1,\"event\":\"resume\",\"crc\":\"00000000\"}\nno journal at all\n");
	free(put(dir, "journal", journal.s, journal.len));
	char *file = results_run_path(dir, N_WITH_SUMMARY);
	o = summary_make(&run[N_WITH_SUMMARY], &p);
	assert_int_equal(json_write_file(file, o, JSON_COMPACT, &e), 0);
	json_decref(o);
	free(file);
	results_runs_free(run, d.n_runs);
	design_release(&d);
	protocol_release(&p);
	strbuf_release(&journal);
	strbuf_release(&text);
	return dir;
}

static void check(const struct results *r, size_t n_runs)
{
	assert_int_equal(r->n_runs, n_runs);
	assert_int_equal(r->n_damaged_journal_lines, 4); /* each once */
	for (size_t i = 0; i < n_runs; i++) {
		const bool told = i != N_ODD_RUN && i != N_DAMAGED;
		assert_int_equal(r->run[i].state, !told                 ? RUN_PENDING
						  : i == N_WITH_SUMMARY ? RUN_OK
									: RUN_FAILED);
		if (told)
			assert_true(r->run[i].run_s == (i == N_MADE_AGAIN ? -1 : (double)i));
		if (told)
			assert_int_equal(r->run[i].session, i >= n_runs / 2 || i == N_MADE_AGAIN);
	}
	assert_true(r->run[N_WITH_SUMMARY].has_summary);
	assert_true(r->run[N_WITH_SUMMARY].summary.response.mean == 100);
	assert_null(r->run[N_WITH_SUMMARY].summary.pace); /* no room for it */
}

static void many_runs_are_read_in_parts(void **state)
{
	size_t n_runs;
	char *dir = results_make(&n_runs), *file = results_run_path(dir, N_WITH_SUMMARY);
	struct results r;
	struct err e = ERR_INIT;
	json_t *o;
	(void)state;
	assert_true(n_runs > 2000);
	if (results_load(&r, dir, &e))
		fail_msg("%s", e.msg);
	check(&r, n_runs);
	results_release(&r);
	/* from its line with the same result as from its file, whose bytes are then invalid; and
	 * from a line with the course, as of earlier versions */
	for (int with_course = 0; with_course < 2; with_course++) {
		char *all = results_path(dir, "summaries");
		unlink(all);
		free(all);
		struct strbuf text = STRBUF_INIT, blank = STRBUF_INIT;
		assert_int_equal(file_read(file, &text, 0, &e), 0);
		assert_int_equal(json_read_file(file, &o, &e), 0);
		assert_int_equal(summaries_append(dir, N_WITH_SUMMARY, o, with_course, NULL, &e),
				 0);
		json_decref(o);
		strbuf_add(&blank, text.s, text.len);
		memset(blank.s, ' ', blank.len);
		assert_int_equal(file_write_atomic(file, blank.s, blank.len, &e), 0);
		assert_int_equal(results_load(&r, dir, &e), 0);
		check(&r, n_runs);
		results_release(&r);
		assert_int_equal(file_write_atomic(file, text.s, text.len, &e), 0);
		strbuf_release(&text);
		strbuf_release(&blank);
	}
	free(file);
	temp_dir_remove(dir);
}

static void runs_of_a_scenario_are_found(void **state)
{
	struct run run[7] = {{.scenario = 1}, {.scenario = 0}, {.scenario = 1}, {.scenario = 9}, {.scenario = 0}, {.scenario = 1}, {.scenario = 2}};
	struct results r = {.run = run, .n_runs = 7, .protocol = {.n_scenarios = 4}};
	(void)state;
	for (int indexed = 0; indexed < 2; indexed++) {
		assert_ptr_equal(run_of_scenario(&r, 0, NULL), &run[1]);
		assert_ptr_equal(run_of_scenario(&r, 0, &run[1]), &run[4]);
		assert_null(run_of_scenario(&r, 0, &run[4]));
		assert_ptr_equal(run_of_scenario(&r, 1, NULL), &run[0]);
		assert_ptr_equal(run_of_scenario(&r, 1, &run[0]), &run[2]);
		assert_ptr_equal(run_of_scenario(&r, 1, &run[2]), &run[5]);
		assert_ptr_equal(run_of_scenario(&r, 2, NULL), &run[6]);
		assert_null(run_of_scenario(&r, 3, NULL));
		results_index(&r);
	}
	results_index_release(&r);
}

static void detail_ends_where_cases_are_many(void **state)
{
	(void)state;
	for (unsigned int n = PROTOCOL_DETAIL_CASES; n <= PROTOCOL_DETAIL_CASES + 1; n++) {
		struct strbuf text = STRBUF_INIT;
		char *dir = temp_dir_make();
		struct protocol p;
		struct err e = ERR_INIT;
		protocol_make(&text, n);
		char *path = put(dir, "protocol.conf", text.s, text.len);
		assert_int_equal(protocol_read(&p, path, &e), 0);
		assert_int_equal(protocol_in_detail(&p), n <= PROTOCOL_DETAIL_CASES);
		free(p.claim); /* of no claims */
		p.claim = xcalloc(1, sizeof *p.claim);
		p.claim[0].measure = MEASURE_TIMELINE_DISTANCE;
		p.n_claims = 1;
		assert_true(protocol_in_detail(&p));
		protocol_release(&p);
		free(path);
		temp_dir_remove(dir);
		strbuf_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(many_runs_are_read_in_parts),
	    cmocka_unit_test(runs_of_a_scenario_are_found),
	    cmocka_unit_test(detail_ends_where_cases_are_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
