/* SPDX-License-Identifier: GPL-3.0-or-later */
/* [workload NAME] with type = trace: required keys, refused protocols, and the file that a name
 * refers to. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "temp_dir.h"
#include "validate/protocol/protocol.h"

#define HEAD "[protocol]\nreference = trace\n"
#define REPLAYER "[replayer r]\nengine = event\n"

static int read_text(const char *text, struct protocol *p, struct err *e)
{
	char *dir = temp_dir_make();
	file_put(dir, "traces.conf", text, strlen(text));
	char *path = xasprintf("%s/traces.conf", dir);
	int ret = protocol_read(p, path, e);
	free(path);
	temp_dir_remove(dir);
	return ret;
}

static void a_path_of_its_own(void **state)
{
	static const struct {
		const char *trace, *ends;
		bool absolute;
	} good[] = {{"in.trace", "/in.trace", false},
		    {"sub/in.csv", "/sub/in.csv", false},
		    {"/data/in.trace", "/data/in.trace", true}};
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct protocol p;
		struct err e = ERR_INIT;
		char *text = xasprintf(HEAD "[workload a]\ntype = trace\ntrace = %s\n" REPLAYER,
				       good[i].trace);
		if (read_text(text, &p, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(p.n_scenarios, 1);
		assert_string_equal(p.scenario[0].trace, good[i].trace);
		assert_int_equal(p.scenario[0].level, 1);
		char *path = scenario_trace_path(&p, &p.scenario[0]);
		if (good[i].absolute) {
			assert_string_equal(path, good[i].ends);
		} else { /* in the directory of the protocol, wherever that is */
			size_t dir = strlen(p.path) - strlen("/traces.conf");
			assert_memory_equal(path, p.path, dir);
			assert_string_equal(path + dir, good[i].ends);
		}
		free(path);
		free(text);
		protocol_release(&p);
	}
}

static void several_traces_in_one_key(void **state)
{
	struct protocol p;
	struct err e = ERR_INIT;
	(void)state;
	if (read_text(HEAD "[workload a]\ntype = trace\ntrace = one.trace, two.trace\n" REPLAYER,
		      &p, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(p.n_scenarios, 2);
	assert_string_equal(p.scenario[0].trace, "one.trace");
	assert_string_equal(p.scenario[1].trace, "two.trace");
	protocol_release(&p);
}

static void refused_options(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{HEAD "[workload a]\ntype = trace\n" REPLAYER, "traces.conf:3: [workload a]: the key \"trace\" is missing, which"},
		{"[protocol]\n[workload a]\ntype = trace\ntrace = x\n" REPLAYER, "is a trace, which cannot be run again: set reference = trace"},
		{HEAD "[workload a]\ntype = trace\ntrase = x\n" REPLAYER, "did you mean \"trace\"?"},
		{HEAD "[workload a]\ntype = trace\ntrace = x\nthreads = 2\n" REPLAYER, "traces.conf:6: "}, /* nothing is run */
		{HEAD "[workload a]\ntype = trace\ntrace =\n" REPLAYER, "traces.conf:5: \"trace\" has no value"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct protocol p;
		struct err e = ERR_INIT;
		assert_int_equal(read_text(bad[i].text, &p, &e), -EINVAL);
		if (!strstr(e.msg, bad[i].message))
			fail_msg("%zu: \"%s\" is not in \"%s\"", i, bad[i].message, e.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_of_its_own),
		cmocka_unit_test(several_traces_in_one_key),
		cmocka_unit_test(refused_options),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
