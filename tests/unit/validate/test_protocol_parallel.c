/* SPDX-License-Identifier: GPL-3.0-or-later */
/* [workload NAME] with type = parallel: which pairs of targets become scenarios, which scenarios
 * share recordings, and which protocols are refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/validate/temp_dir.h"
#include "validate/protocol/selector.h"
#include "validate/results/design.h"
#include "validate/results/results.h"

#define TARGETS "[target a]\nvolume = gamma:mean=1ms\n[target b]\nvolume = gamma:mean=2ms\n" \
		"[target c]\nvolume = gamma:mean=4ms\n[target d]\ndir = /tmp\n"
#define REPLAYER "[replayer again]\nengine = program\n"

static int protocol_try(struct protocol *p, const char *workloads, struct err *e)
{
	char *dir = temp_dir_make(), *path = xasprintf("%s/p.conf", dir),
	     *text = xasprintf("[protocol]\nreplicates = 5\n" TARGETS "%s" REPLAYER, workloads);
	file_put(dir, "p.conf", text, strlen(text));
	int ret = protocol_read(p, path, e);
	free(text);
	free(path);
	temp_dir_remove(dir);
	return ret;
}

static void protocol_make(struct protocol *p, const char *workloads)
{
	struct err e = ERR_INIT;
	if (protocol_try(p, workloads, &e) < 0)
		fail_msg("%s", e.msg);
}

/* Each application is recorded on each target and replayed on the others. */
static void test_pairs(void **state)
{
	(void)state;
	struct protocol p;
	unsigned int pair[3][3] = {{0}};
	protocol_make(&p, "[workload it]\ntype = parallel\nscript = w/x.sh, w/y.sh\nrecorded-on = "
			  "a, b, c\ntarget = a, b, c\n");
	assert_int_equal(p.n_scenarios, 2 * 6);
	for (size_t i = 0; i < p.n_scenarios; i++) {
		const struct scenario *s = &p.scenario[i];
		assert_true(s->parallel.is);
		assert_string_equal(s->type, SCENARIO_PARALLEL);
		assert_int_equal(s->parallel.period, 1);
		assert_int_equal(s->parallel.n_throttled, 0);
		assert_int_equal(s->observe, OBSERVE_OWN);
		assert_false(scenario_is_below(&p, s));
		pair[s->recorded_on][s->target]++;
	}
	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < 3; k++)
			assert_int_equal(pair[i][k], i == k ? 0 : 2);
	assert_int_equal(protocol_n_bank(&p), 4);
	protocol_release(&p);
}

/* A recording serves all targets, and all workloads with an equal recording; only needed recordings
 * are planned. */
static void test_recordings_are_shared(void **state)
{
	(void)state;
	struct protocol p;
	struct design d;
	size_t n_recorded = 0;
	protocol_make(&p, "[workload one]\ntype = parallel\nscript = x.sh\nperiod = 1\nrecorded-on "
			  "= a, b, c\ntarget = a, b, c\n"
			  "[workload periods]\ntype = parallel\nscript = x.sh\nperiod = 1, 5, "
			  "7\nrecorded-on = a\ntarget = b, c\n"
			  "[workload nodes]\ntype = parallel\nscript = x.sh\nnodes = all, "
			  "2\nrecorded-on = b\ntarget = a\n");
	assert_int_equal(p.n_scenarios, 6 + 6 + 2);
	for (size_t i = 0; i < p.n_scenarios; i++) {
		const size_t r = scenario_recording(&p, i);
		const struct scenario *of = &p.scenario[r], *s = &p.scenario[i];
		n_recorded += r == i;
		assert_true(r <= i && scenario_recording(&p, r) == r);
		assert_int_equal(of->recorded_on, s->recorded_on);
		assert_int_equal(of->parallel.period, s->parallel.period);
		assert_int_equal(of->parallel.n_throttled, s->parallel.n_throttled);
		assert_true(scenario_same_application(of, s));
	}
	assert_int_equal(n_recorded, 3 + 2 + 1); /* a, b, c; of periods 5 and 7; of 2 nodes */
	design_make(&d, &p);
	assert_int_equal(d.n_bank_runs, 4 * n_recorded);
	assert_int_equal(d.n_runs, d.n_bank_runs + 6 * 2 * p.n_scenarios);
	assert_int_equal(d.n_runs, protocol_n_runs(&p));
	for (size_t i = 0; i < d.n_bank_runs; i++)
		assert_int_equal(scenario_recording(&p, d.run[i].scenario), d.run[i].scenario);
	design_release(&d);
	protocol_release(&p);
}

static void test_settings(void **state)
{
	(void)state;
	struct protocol p;
	struct selector s;
	struct err e = ERR_INIT;
	protocol_make(&p, "[workload it]\ntype = parallel\nscript = x.sh\nsize = 3\nranks = "
			  "4\nperiod = 100\nnodes = 2\ncompute = "
			  "throttled\ncapture-timeout = 10min\nrecorded-on = a\ntarget = b\n"
			  "[workload here]\ntype = parallel\nscript = x.sh\ntarget = d\n");
	const struct scenario_parallel *x = &p.scenario[0].parallel, *y = &p.scenario[1].parallel;
	assert_int_equal(p.scenario[0].size, 3);
	assert_int_equal(x->n_ranks, 4);
	assert_int_equal(x->period, 100);
	assert_int_equal(x->n_throttled, 2);
	assert_string_equal(x->compute, "throttled");
	assert_int_equal(x->capture_timeout_ns, INT64_C(600000000000));
	assert_null(y->compute);
	assert_null(scenario_hosts(&p.scenario[0]));
	assert_null(scenario_launcher(&p.scenario[0]));
	assert_int_equal(p.scenario[1].recorded_on, p.scenario[1].target);
	static const struct {
		const char *text;
		bool fits[2];
	} rows[] = {{"period=1", {false, true}},      {"period=100", {true, false}},
		    {"nodes=all", {false, true}},     {"nodes=2", {true, false}},
		    {"recorded-on=a", {true, false}}, {"recorded-on=d", {false, true}},
		    {"target=b", {true, false}},      {"script=x.sh", {true, true}}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(selector_parse(&s, rows[i].text, &e), 0);
		for (size_t k = 0; k < 2; k++)
			if (selector_fits_scenario(&s, &p, &p.scenario[k]) != rows[i].fits[k])
				fail_msg("%s and scenario %zu", rows[i].text, k);
		selector_release(&s);
	}
	protocol_release(&p);
}

static void test_hosts(void **state)
{
	(void)state;
	struct protocol p;
	protocol_make(&p, "[workload one]\ntype = parallel\nscript = x.sh\ntarget = a\n"
			  "hosts = node[01-12,20]\nlauncher = srun -n 1 --nodelist {host}\n"
			  "[workload quoted]\ntype = parallel\nscript = x.sh\ntarget = a\n"
			  "hosts = \"b,c\"\n"
			  "[workload none]\ntype = parallel\nscript = x.sh\ntarget = a\n");
	SCOPED_FREE char *one = scenario_hosts(&p.scenario[0]);
	SCOPED_FREE char *quoted = scenario_hosts(&p.scenario[1]);
	assert_int_equal(p.n_scenarios, 3);
	assert_string_equal(one, "node[01-12,20]");
	assert_string_equal(quoted, "b,c");
	assert_string_equal(scenario_launcher(&p.scenario[0]), "srun -n 1 --nodelist {host}");
	assert_null(scenario_launcher(&p.scenario[1]));
	/* other hosts: another recording */
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(scenario_recording(&p, i), i);
	protocol_release(&p);
}

static void test_refused(void **state)
{
	(void)state;
	static const struct {
		const char *workload, *wanted;
	} rows[] = {
	    {"script = x.sh\nrecorded-on = a, a\ntarget = b\n", "twice"},
	    {"script = x.sh\nperiod = 0\ntarget = a\n", "expected a whole number from 1"},
	    {"script = x.sh\nperiod = 5, often\ntarget = a\n", "or auto"},
	    {"script = x.sh\nnodes = none\ntarget = a\n", "or all"},
	    {"script = x.sh\nnodes = 5000\ntarget = a\n", "from 1 to 4096"},
	    {"script = x.sh\nerror = 10%\nperiod = 1, 5\ntarget = a\n", "period = auto"},
	    {"script = x.sh\nerror = 5%\nperiod = auto\ntarget = a\n", "mode = causal"},
	    {"target = a\n", "the key \"script\" is missing"},
	    {"script = ../x.sh\ntarget = a\n", "expected a script"},
	    {"script = x.sh\ntarget = e\n", "the protocol has no section [target e]"},
	    {"script = x.sh\nrecorded-on = e\ntarget = a\n",
	     "the protocol has no section [target e]"},
	    {"script = x.sh\nrecorded-on = a\ntarget = d\n", "directory"},
	    {"script = x.sh\nlevel = 2\ntarget = a\n", "unknown key \"level\""},
	    {"script = x.sh\nperoid = 2\ntarget = a\n", "did you mean \"period\""},
	    {"script = x.sh\nobserve = block\ntarget = a\n", "stamps"},
	    {"script = x.sh\ntarget = a\nhosts = b, c\n", "write a list of hosts as a pattern such as node[01-12]"},
	    {"script = x.sh\ntarget = a\nhosts = list/of/hosts\n", "expected an absolute path"},
	    {"script = x.sh\ntarget = a\nhosts = b[x]\n", "is not a list of numbers"},
	    {"script = x.sh\ntarget = a\nlauncher = ssh {host}\n", "only with the key \"hosts\""},
	    {"script = x.sh\ntarget = a\nhosts = b\nlauncher = ssh\n", "lacks {host}"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct protocol p;
		struct err e = ERR_INIT;
		char *text = xasprintf("[workload it]\ntype = parallel\n%s", rows[i].workload);
		if (protocol_try(&p, text, &e) != -EINVAL)
			fail_msg("row %zu: %s", i, e.msg);
		if (!strstr(e.msg, rows[i].wanted))
			fail_msg("row %zu: %s", i, e.msg);
		free(text);
	}
}

/* Hosts and launchers of the command line: the keys of the sections that can use them, and the
 * resolved form. A command that cannot stand in quotes becomes a list of words. */
static void test_given_launchers(void **state)
{
	(void)state;
	static const struct {
		const char *launcher, *line;
	} rows[] = {
	    {"srun -n {n}", "launcher = \"srun -n {n}\"\n"},
	    {"mpirun --host a,b -n {n}", "launcher = \"mpirun --host a,b -n {n}\"\n"},
	    {"sh -c \"a; b #\"", "launcher = [\"sh\",\n  \"-c\",\n  \"a\\u003b b \\u0023\"]\n"},
	};
	char *dir = temp_dir_make(), *path = xasprintf("%s/p.conf", dir);
	static const char text[] =
	    "[protocol]\nreplicates = 5\n" TARGETS "[workload one]\ntype = parallel\n"
	    "script = x.sh\ntarget = a\nhosts = c\nlauncher = old {host}\n"
	    "[workload ranks]\ntype = checkpoint\ntarget = d\n"
	    "[replayer event]\nengine = event\n"
	    "[replayer causal]\nengine = parallel\nlauncher = [\"old\",\n  \"{n}\"]\n";
	file_put(dir, "p.conf", text, strlen(text));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = ERR_INIT;
		struct protocol p, again;
		const struct protocol_given given = {
		    .rank_hosts = "node[1-2],b",
		    .launchers = {.text = {rows[i].launcher, "new {host}"}, .n = 2}};
		if (protocol_read_with(&p, path, &given, &e) < 0)
			fail_msg("%s", e.msg);
		SCOPED_FREE char *hosts = scenario_hosts(&p.scenario[0]);
		assert_string_equal(hosts, "node[1-2],b");
		assert_string_equal(scenario_launcher(&p.scenario[0]), "new {host}");
		assert_null(strstr(p.text, "old"));
		const char *first = strstr(p.text, rows[i].line);
		assert_non_null(first);
		assert_non_null(strstr(first + 1, rows[i].line)); /* replayer and workload */
		assert_null(replayer_option(&p.replayer[0], "launcher"));
		SCOPED_STRBUF resolved = STRBUF_INIT;
		protocol_print_resolved(&p, &resolved);
		file_put(dir, "resolved.conf", resolved.s, resolved.len);
		SCOPED_FREE char *other = xasprintf("%s/resolved.conf", dir);
		if (protocol_read(&again, other, &e) < 0)
			fail_msg("%s\n%s", e.msg, resolved.s);
		assert_string_equal(replayer_option(&again.replayer[1], "launcher"),
				    replayer_option(&p.replayer[1], "launcher"));
		protocol_release(&again);
		protocol_release(&p);
	}
	free(path);
	temp_dir_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pairs),
	    cmocka_unit_test(test_recordings_are_shared),
	    cmocka_unit_test(test_settings),
	    cmocka_unit_test(test_hosts),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_given_launchers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
