/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a resumed campaign accepts from a journal, whose lines may be valid and yet untrusted. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/validate/temp_dir.h"
#include "validate/campaign/campaign_state.h"

static const char protocol_text[] = "[protocol]\nreplicates = 10..20\nbank = 1\n"
				    "[workload a]\ntype = random-read\n"
				    "[replayer event]\n";

struct taken { /* up again */
	char *dir;
	struct protocol protocol;
	struct campaign_options options;
	struct campaign c;
};

/* A results directory whose journal has these events, resumed. */
static void take_up(struct taken *t, json_t *const events[], size_t n)
{
	struct err e = ERR_INIT;
	struct design d;
	struct journal j;
	*t = (struct taken){.dir = temp_dir_make()};
	file_put(t->dir, "protocol.conf", protocol_text, strlen(protocol_text));
	char *conf = results_path(t->dir, "protocol.conf"),
	     *plan = results_path(t->dir, "plan.json"), *journal = results_path(t->dir, "journal");
	if (protocol_read(&t->protocol, conf, &e) < 0)
		fail_msg("%s", e.msg);
	design_make(&d, &t->protocol);
	json_t *o = design_to_json(&d, &t->protocol);
	assert_int_equal(json_write_file(plan, o, 0, &e), 0);
	json_decref(o);
	design_release(&d);
	assert_int_equal(journal_open(&j, journal, 1, &e), 0);
	for (size_t i = 0; i < n; i++) {
		assert_non_null(events[i]);
		assert_int_equal(journal_append(&j, events[i], &e), 0);
		json_decref(events[i]);
	}
	journal_close(&j);
	t->options = (struct campaign_options){.dir = t->dir, .resume = true};
	t->c = (struct campaign){.protocol = &t->protocol, .options = &t->options, .signal_fd = -1};
	t->c.stop_replicates = t->protocol.n_replicates_max;
	t->c.queues_before = json_array();
	t->c.calibration = xcalloc(t->protocol.n_scenarios, sizeof *t->c.calibration);
	t->c.calibration[0].memory =
	    xcalloc(t->protocol.n_replayers + 1, sizeof(struct own_memory));
	if (dir_resume(&t->c, &e) < 0)
		fail_msg("%s", e.msg);
	free(conf);
	free(plan);
	free(journal);
}

static void leave(struct taken *t)
{
	struct campaign *c = &t->c;
	results_runs_free(c->run, c->plan.n_runs);
	design_release(&c->plan);
	journal_close(&c->journal);
	json_decref(c->queues_before);
	json_decref(c->files);
	free(c->calibration[0].memory);
	free(c->calibration[0].failure);
	free(c->calibration);
	free(c->left_out);
	free(c->earlier_cgroup);
	free(c->dir);
	free(c->parent);
	free(c->name);
	protocol_release(&t->protocol);
	temp_dir_remove(t->dir);
}

static json_t *start(void)
{
	return json_pack("{s:s, s:s, s:s}", "event", "start", "token", "abcdefgh234", "protocol",
			 "mine");
}

static json_t *look(json_int_t number, json_int_t replicates, int stop)
{
	return json_pack("{s:s, s:I, s:I, s:b}", "event", "look", "look", number, "replicates",
			 replicates, "stop", stop);
}

static json_t *group(const char *path)
{
	return json_pack("{s:s, s:s}", "event", "cgroup", "path", path);
}

static void test_whole(void **state)
{
	(void)state;
	struct taken t;
	json_t *run = json_pack(
	    "{s:s, s:i, s:s, s:i, s:f, s:f, s:{s:i, s:i, s:i, s:b}, s:{s:i, s:i}}", "event", "run",
	    "run", 1, "state", "ok", "started_ns", 1, "preparation_s", 0.5, "run_s", 0.5,
	    "residency", "total_bytes", 1, "cached_bytes", 0, "dirty_bytes", 0, "by_cachestat", 1,
	    "cgroup", "limit_bytes", 0, "peak_bytes", 0);
	json_t *const events[] = {start(), run, look(0, 10, 1),
				  group("/sys/fs/cgroup/memory/validate-abcdefgh234"),
				  json_pack("{s:s}", "event", "end")};
	take_up(&t, events, 5);
	assert_int_equal(t.protocol.look[0], 10);
	assert_string_equal(t.c.token, "abcdefgh234");
	assert_string_equal(t.c.name, "mine");
	assert_int_equal(t.c.run[1].state, RUN_OK);
	assert_int_equal(t.c.run[0].state, RUN_PENDING);
	assert_int_equal(t.c.n_looks_done, 1);
	assert_int_equal(t.c.stop_replicates, 10);
	assert_string_equal(t.c.earlier_cgroup, "/sys/fs/cgroup/memory/validate-abcdefgh234");
	assert_true(t.c.ended);
	leave(&t);
}

static void test_looks(void **state)
{
	(void)state;
	struct taken t;
	/* numbers that overflow, looks that are not planned, counts of other looks */
	json_t *const events[] = {start(),
				  look(4294967294, 10, 1),
				  look(-1, 10, 1),
				  look(0, 3, 1),
				  look(0, -1, 1),
				  look(1000, 10, 1),
				  look(INT64_MAX, INT64_MAX, 1),
				  json_pack("{s:s}", "event", "look")};
	take_up(&t, events, 8);
	assert_int_equal(t.c.n_looks_done, 0);
	assert_int_equal(t.c.stop_replicates, 20);
	leave(&t);
}

static void test_cgroups_that_are_removed(void **state)
{
	(void)state;
	static const char *const paths[] = {"/home/somebody/empty", "/tmp/validate-xyz",
					    "validate-abcdefgh234", "",
					    "/validate-abcdefgh2",  "/tmp/validate-abcdefgh234/"};
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		struct taken t;
		json_t *const events[] = {start(), group(paths[i])};
		take_up(&t, events, 2);
		assert_null(t.c.earlier_cgroup);
		leave(&t);
	}
	struct taken t;
	json_t *const tokens[] = {json_pack("{s:s, s:s}", "event", "start", "token", "../../etc"),
				  group("/x/validate-../../etc"), group("/x/validate-")};
	take_up(&t, tokens, 3);
	assert_string_equal(t.c.token, ""); /* a new token is made */
	assert_null(t.c.earlier_cgroup);
	leave(&t);
}

static json_t *choice(const char *why, json_int_t left_out, double spent_s)
{
	return json_pack("{s:s, s:s, s:[I], s:f}", "event", "choice", "why", why, "left_out",
			 left_out, "spent_s", spent_s);
}

/* Only replays of the plan can be left out; the time spent is the last plausible value. */
static void test_choices(void **state)
{
	(void)state;
	struct taken t;
	json_t *const events[] = {start(),
				  choice("first", 0, 5), /* a recording */
				  /* one of the first two runs after it is a replay */
				  choice("prospect", 2, 7),
				  choice("drawn", 1, 9),
				  choice("prospect", -1, 1e300),
				  choice("prospect", INT64_MAX, -3),
				  json_pack("{s:s}", "event", "choice")};
	take_up(&t, events, 7);
	size_t n = 0;
	for (size_t i = 0; i < t.c.plan.n_runs; i++) {
		n += t.c.left_out[i];
		assert_true(!t.c.left_out[i] || t.c.plan.run[i].role >= 0);
	}
	assert_int_equal(n, 1);
	assert_int_equal(t.c.n_choices, 4);
	assert_int_equal(t.c.spent_before_ns, 9000000000);
	assert_false(t.c.budget_over);
	leave(&t);
}

/* A budget that was used up is over, unless the present budget is larger; a budget that ended for
 * another reason is over in any case. */
static void test_budget(void **state)
{
	(void)state;
	struct taken t;
	json_t *const used[] = {start(), json_pack("{s:s, s:s, s:f}", "event", "budget", "why",
						   "budget", "spent_s", 60.0)};
	take_up(&t, used, 2);
	assert_true(t.c.budget_over); /* the present protocol has no budget */
	leave(&t);
	json_t *const decided[] = {start(), json_pack("{s:s, s:s, s:f}", "event", "budget", "why",
						      "decided", "spent_s", 1.0)};
	take_up(&t, decided, 2);
	assert_true(t.c.budget_over);
	leave(&t);
}

static json_t *calibration(const char *failure)
{
	return json_pack("{s:s, s:i, s:i, s:i, s:i, s:[[i,i],[i,i]], s:s?}", "event", "calibrate",
			 "scenario", 0, "requests", 70, "execution_ns", 5, "trace_bytes", 6,
			 "anonymous_bytes", 1, 2, 3, 4, "failure", failure);
}

/* A failed calibration is measured again, whatever the failure: memory, disk space, a missing
 * program. */
static void test_calibration(void **state)
{
	(void)state;
	static const char *const reasons[] = {"Cannot allocate memory", "no program of that name",
					      NULL};
	for (size_t i = 0; i < 3; i++) {
		struct taken t;
		json_t *const events[] = {start(), calibration(reasons[i])};
		take_up(&t, events, 2);
		assert_int_equal(t.c.calibration[0].done, !reasons[i]);
		assert_null(t.c.calibration[0].failure);
		assert_int_equal(t.c.calibration[0].n_requests, 70);
		leave(&t);
	}
	struct taken t;
	json_t *const again[] = {start(), calibration("Cannot allocate memory"), calibration(NULL)};
	take_up(&t, again, 3);
	assert_true(t.c.calibration[0].done);
	leave(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_whole),
	    cmocka_unit_test(test_looks),
	    cmocka_unit_test(test_choices),
	    cmocka_unit_test(test_budget),
	    cmocka_unit_test(test_calibration),
	    cmocka_unit_test(test_cgroups_that_are_removed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
