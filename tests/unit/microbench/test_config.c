/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/options.h"
#include "common/placement.h"
#include "common/wait.h"
#include "common/xalloc.h"
#include "microbench/describe.h"
#include "microbench/draw.h"
#include "microbench/run/run.h"

static void the_table_of_workloads(void **state)
{
	(void)state;
	static const struct {
		const char *name, *alias;
		enum trace_op op;
		bool writes, sequential;
	} expected[] = {
	    {"random-read", "rr", OP_PREAD, false, false},
	    {"random-write", "rw", OP_PWRITE, true, false},
	    {"random-mixed", "rm", OP_INVALID, true, false},
	    {"sequential-read", "sr", OP_READ, false, true},
	    {"sequential-write", "sw", OP_WRITE, true, true},
	    {"cached-pread", "cp", OP_PREAD, false, false},
	    {"fileserver", "fs", OP_INVALID, true, false},
	    {"postmark", "pm", OP_INVALID, true, false},
	    {"compile", "cc", OP_INVALID, true, false},
	    {"createfiles", "mf", OP_INVALID, true, false},
	    {"copyfiles", "cf", OP_INVALID, true, false},
	    {"block-random", "br", OP_PREAD, false, false},
	    {"block-sequential", "bs", OP_PREAD, false, true},
	    {"checkpoint", "pseudo", OP_INVALID, true, false},
	    {"checkpoint-sync", "pseudosync", OP_INVALID, true, false},
	    {"checkpoint-compute", "pseudosyncdat", OP_INVALID, true, false},
	    {"partitioned-read", "fitness", OP_INVALID, false, false},
	    {"earthquake", "quake", OP_INVALID, true, false},
	    {"shared-polling", "polling", OP_INVALID, true, false},
	    {"mpi-io", "mpiio", OP_INVALID, true, false},
	};
	size_t n = 0;
	for (; workloads[n]; n++)
		assert_true(workloads[n]->help && *workloads[n]->help);
	assert_int_equal(n, sizeof expected / sizeof *expected);
	for (size_t i = 0; i < n; i++) {
		const struct workload *w = workload_find(expected[i].name);
		assert_non_null(w);
		assert_ptr_equal(w, workload_find(expected[i].alias));
		assert_int_equal(w->op, expected[i].op);
		assert_int_equal(w->writes, expected[i].writes);
		assert_int_equal(w->sequential, expected[i].sequential);
	}
	assert_null(workload_find("random"));
	assert_null(workload_find(""));
}

static void defaults_are_those_of_the_paper(void **state)
{
	(void)state;
	struct microbench_config c;
	microbench_config_init(&c);
	assert_int_equal(c.level, 1);
	assert_int_equal(c.n_requests, 5000);
	assert_int_equal(c.block_bytes, 4096);
	assert_int_equal(c.pause_ns, 0);
	assert_int_equal(c.pause_by, WAIT_NANOSLEEP);
	assert_int_equal(c.placement, PLACEMENT_DEFAULT);
	assert_true(c.prepare);
	for (const struct workload *const *w = workloads; *w; w++) {
		struct err e = ERR_INIT;
		workload_config_init(*w, &c);
		if (microbench_check(*w, &c, &e))
			fail_msg("%s: %s", (*w)->name, e.msg);
	}
}

/* The manual states the same defaults. The source of each workload states their origin. */
static void defaults_of_workloads(void **state)
{
	(void)state;
	static const char *const expected[][2] = {
	    {"random-read", ""},
	    {"cached-pread", " --level 2 --requests 100000 --block-size 1024 --file-size 1048576"},
	    {"fileserver", " --level 4 --requests 1 --min-duration 30000000000ns --block-size "
			   "1048576 --file-size 131072"
			   " --anon-memory 88080384 --fileset-seed 1 --files 1000 --append-size "
			   "16384 --dir-width 20"
			   " --size-shape 1.5"},
	    {"postmark", " --requests 200000 --block-size 512 --file-size 10240 --files 20000 "
			 "--min-file-size 512"
			 " --read-share 0.5 --create-share 0.5"},
	    {"compile",
	     " --requests 200 --file-size 8192 --pause 20000000ns --think exponential "
	     "--fileset-seed 1"
	     " --files 100 --size-shape 1.5 --headers 400 --include-dirs 8 --includes 20"},
	    {"createfiles", " --level 16 --requests 3125 --block-size 1048576 --file-size 16384 "
			    "--fileset-seed 1 --files 50000"
			    " --dir-width 100 --size-shape 1.5"},
	    {"copyfiles", " --level 256 --requests 391 --block-size 1048576 --file-size 16384 "
			  "--fileset-seed 1 --files 100000"
			  " --dir-width 20 --size-shape 1.5"},
	    {"checkpoint", " --level 8 --requests 64 --block-size 65536 --file-size 4194304"},
	    {"checkpoint-compute",
	     " --level 8 --requests 64 --block-size 65536 --file-size 4194304 --compute 1000000ns"},
	    {"partitioned-read",
	     " --level 4 --requests 128 --block-size 65536 --file-size 8388608"},
	    {"earthquake",
	     " --level 8 --requests 100 --block-size 8192 --file-size 262144 --compute 1000000ns"},
	    {"shared-polling", " --level 2 --requests 200 --block-size 16384 --file-size 65536"},
	};
	struct microbench_config most, c;
	microbench_config_init(&most);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		struct strbuf s = STRBUF_INIT;
		workload_config_init(workload_find(expected[i][0]), &c);
		options_command(&s, microbench_options, &c, &most, true);
		assert_string_equal(s.s, expected[i][1]);
		strbuf_release(&s);
		/* so the command of a run with defaults has no options */
		describe_command(workload_find(expected[i][0]), &c, &s);
		char *command = xasprintf("validate microbench %s", expected[i][0]);
		assert_string_equal(s.s, command);
		free(command);
		strbuf_release(&s);
	}
}

static void options_are_keys_of_a_protocol(void **state)
{
	(void)state;
	static const char *const set[][2] = {
	    {"level", "4"},          {"requests", "700"},    {"min-duration", "200ms"},
	    {"block-size", "16K"},   {"file-size", "1MiB"},  {"pause", "50us"},
	    {"pause-by", "hybrid"},  {"think", "lognormal"}, {"seed", "18446744073709551615"},
	    {"direct", "yes"},       {"sync", "yes"},        {"fsync-end", "yes"},
	    {"placement", "rotate"}, {"pin", "yes"},
	};
	struct microbench_config c;
	microbench_config_init(&c);
	for (size_t i = 0; i < sizeof set / sizeof *set; i++)
		assert_int_equal(options_set(microbench_options, &c, set[i][0], set[i][1], NULL),
				 0);
	assert_int_equal(c.level, 4);
	assert_int_equal(c.n_requests, 700);
	assert_int_equal(c.min_duration_ns, 200000000);
	assert_int_equal(c.block_bytes, 16384);
	assert_int_equal(c.file_bytes, 1 << 20);
	assert_int_equal(c.pause_ns, 50000);
	assert_int_equal(c.pause_by, WAIT_HYBRID);
	assert_int_equal(c.think, THINK_LOGNORMAL);
	assert_true(c.seed == UINT64_MAX);
	assert_true(c.direct && c.sync && c.fsync_end && c.pin);
	assert_int_equal(c.placement, PLACEMENT_ROTATE);
	static const char *const cli_only[] = {
	    "dir", "output", "prepare", "prepare-only", "remove", "no-sync-output", "list"};
	for (size_t i = 0; i < sizeof cli_only / sizeof *cli_only; i++)
		assert_true(options_find(microbench_options, cli_only[i])->flags & OPT_CLI_ONLY);
}

static void bad_values_are_refused(void **state)
{
	(void)state;
	static const char *const bad[][2] = {
	    {"level", "0"},
	    {"level", "-1"},
	    {"level", "100000"},
	    {"requests", "0"},
	    {"requests", "many"},
	    {"min-duration", "5"},
	    {"min-duration", "-1s"},
	    {"block-size", "0"},
	    {"block-size", "2G"},
	    {"block-size", "4 parsecs"},
	    {"file-size", ""},
	    {"pause", "10"},
	    {"pause-by", "waiting"},
	    {"think", "normal"},
	    {"seed", "-3"},
	    {"direct", "perhaps"},
	    {"placement", "anywhere"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct microbench_config c, before;
		struct err e = ERR_INIT;
		microbench_config_init(&c);
		memcpy(&before, &c, sizeof before); /* padding too */
		assert_true(options_set(microbench_options, &c, bad[i][0], bad[i][1], &e) < 0);
		assert_non_null(strstr(e.msg, bad[i][0]));
		assert_memory_equal(&c, &before, sizeof c);
	}
	struct microbench_config c;
	struct err e = ERR_INIT;
	assert_int_equal(options_set(microbench_options, &c, "paus", "1us", &e), -ENOENT);
	assert_non_null(strstr(e.msg, "pause"));
}

static void check_refuses(const struct microbench_config *c, const char *workload, const char *says)
{
	struct err e = ERR_INIT;
	struct fileset s;
	assert_int_equal(microbench_check(workload_find(workload), c, &e), -EINVAL);
	assert_non_null(strstr(e.msg, says));
	assert_int_equal(microbench_files(workload_find(workload), c, &s, &e), -EINVAL);
	assert_int_equal(s.n, 0);
}

static void impossible_combinations_are_refused(void **state)
{
	(void)state;
	struct microbench_config good, c;
	microbench_config_init(&good);
	c = good, c.level = 0, check_refuses(&c, "rr", "level");
	c = good, c.level = 5000, check_refuses(&c, "rr", "level");
	c = good, c.n_requests = 0, check_refuses(&c, "rr", "requests");
	c = good, c.block_bytes = 0, check_refuses(&c, "rr", "block-size");
	c = good, c.block_bytes = (uint64_t)1 << 31, c.file_bytes = (uint64_t)1 << 40,
	check_refuses(&c, "rr", "block-size");
	c = good, c.file_bytes = 4095, check_refuses(&c, "sr", "4095 B: less than one block");
	c = good, c.file_bytes = UINT64_MAX, check_refuses(&c, "sr", "too large");
	c = good, c.level = 4, c.file_bytes = INT64_MAX / 2, check_refuses(&c, "sr", "too large");
	c = good, c.block_bytes = 1, c.file_bytes = (uint64_t)1 << 32,
	check_refuses(&c, "rr", "blocks");
	c = good, c.direct = true, c.block_bytes = 1000, check_refuses(&c, "rr", "512");
	c = good, c.think = THINK_EXPONENTIAL, check_refuses(&c, "rr", "pause");
	c = good, c.pause_ns = -1, check_refuses(&c, "rr", "negative");
	c = good, c.placement = 99, check_refuses(&c, "rr", "placement");
	c = good, c.pause_by = -1, check_refuses(&c, "rr", "pause-by");
	/* and the combinations that only a random workload cannot have */
	c = good, c.block_bytes = 1, c.file_bytes = (uint64_t)1 << 32;
	assert_int_equal(microbench_check(workload_find("sr"), &c, NULL), 0);
}

static struct microbench_config of(const char *workload)
{
	struct microbench_config c;
	workload_config_init(workload_find(workload), &c);
	return c;
}

static void impossible_scripts_are_refused(void **state)
{
	(void)state;
	struct microbench_config c;
	c = of("rr"), c.n_files = 5, check_refuses(&c, "rr", "random-read has no such option");
	c = of("fs"), c.n_headers = 5, check_refuses(&c, "fs", "headers");
	c = of("fs"), c.direct = true, check_refuses(&c, "fs", "direct");
	c = of("fs"), c.fsync_end = true, check_refuses(&c, "fs", "fsync-end");
	c = of("partitioned-read"), c.fsync_end = true, check_refuses(&c, "partitioned-read", "fsync-end");
	c = of("fs"), c.n_files = 39, check_refuses(&c, "fs", "at least 40");
	c = of("fs"), c.append_bytes = 0, check_refuses(&c, "fs", "append-size");
	c = of("fs"), c.size_shape = 0, check_refuses(&c, "fs", "size-shape");
	c = of("fs"), c.dir_width = 0, check_refuses(&c, "fs", "dir-width");
	c = of("fs"), c.file_bytes = UINT64_MAX, check_refuses(&c, "fs", "file-size");
	c = of("pm"), c.min_duration_ns = 1, check_refuses(&c, "pm", "transactions");
	c = of("pm"), c.n_files = 0, check_refuses(&c, "pm", "files");
	c = of("pm"), c.min_file_bytes = 10241, check_refuses(&c, "pm", "min-file-size <= file-size");
	c = of("pm"), c.min_file_bytes = 0, check_refuses(&c, "pm", "min-file-size <= file-size");
	c = of("cc"), c.n_include_dirs = 0, check_refuses(&c, "cc", "include-dirs");
	c = of("cc"), c.n_includes = 401, check_refuses(&c, "cc", "includes");
	c = of("cc"), c.n_headers = 0, check_refuses(&c, "cc", "headers");
}

static void a_file_for_each_thread(void **state)
{
	(void)state;
	struct microbench_config c;
	struct fileset s;
	microbench_config_init(&c);
	c.level = 3;
	c.file_bytes = 12345;
	assert_int_equal(microbench_files(workload_find("random-write"), &c, &s, NULL), 0);
	assert_int_equal(s.n, 3);
	assert_string_equal(s.entry[0].path, "rw.0");
	assert_string_equal(s.entry[2].path, "rw.2");
	assert_int_equal(s.entry[2].size, 12345);
	assert_false(s.entry[2].directory);
	microbench_files_release(&s);
	microbench_files_release(&s);
}

static void room_for_a_minimum_duration(void **state)
{
	(void)state;
	const struct workload *rr = workload_find("rr"), *sr = workload_find("sr");
	struct microbench_config c;
	microbench_config_init(&c);
	assert_int_equal(bench_capacity(rr, &c, 1 << 30), 5000);
	c.min_duration_ns = 200000000;
	/* 200 ms on a machine that needs 200 ns for a request, with a reserve */
	assert_true(bench_capacity(rr, &c, 1 << 30) >= 1000000);
	assert_true(bench_capacity(rr, &c, 1 << 30) <= 2000000);
	/* there is room for --requests, independent of the memory */
	c.n_requests = 3000000;
	assert_int_equal(bench_capacity(rr, &c, 1 << 20), 3000000);
	c.n_requests = 10;
	c.min_duration_ns = 3600000000000;
	assert_in_range(bench_capacity(sr, &c, 24 << 20), 1 << 20, (1 << 20) + 1);
	c.level = 4;
	assert_in_range(bench_capacity(sr, &c, 24 << 20), 1 << 18, (1 << 18) + 1);
	/* pauses make a run need less */
	c.level = 1;
	c.min_duration_ns = 200000000;
	c.pause_ns = 50000;
	assert_in_range(bench_capacity(rr, &c, 1 << 30), 200000000 / 50000 + 1,
			2 * 200000000 / 50000);
}

static void the_command_makes_the_run_again(void **state)
{
	(void)state;
	struct microbench_config c;
	struct strbuf s = STRBUF_INIT;
	microbench_config_init(&c);
	c.dir = "/mnt/it's";
	c.output = "a b.trace";
	c.level = 2;
	c.pause_ns = 10000;
	c.pause_by = WAIT_SPIN;
	c.fsync_end = true;
	c.prepare = false;
	describe_command(workload_find("sw"), &c, &s);
	assert_string_equal(
	    s.s, "validate microbench sequential-write --dir '/mnt/it'\\''s' --output 'a b.trace'"
		 " --no-prepare --level 2 --pause 10000ns --pause-by spin --fsync-end");
	strbuf_release(&s);
	json_t *o = describe_options(workload_find("sw"), &c);
	assert_null(json_object_get(o, "files")); /* options of other workloads are left out */
	assert_int_equal(json_integer_value(json_object_get(o, "pause")), 10000);
	assert_string_equal(json_string_value(json_object_get(o, "pause-by")), "spin");
	assert_true(json_is_true(json_object_get(o, "fsync-end")));
	assert_null(json_object_get(o, "dir"));
	json_decref(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_table_of_workloads),
	    cmocka_unit_test(defaults_are_those_of_the_paper),
	    cmocka_unit_test(defaults_of_workloads),
	    cmocka_unit_test(impossible_scripts_are_refused),
	    cmocka_unit_test(options_are_keys_of_a_protocol),
	    cmocka_unit_test(bad_values_are_refused),
	    cmocka_unit_test(impossible_combinations_are_refused),
	    cmocka_unit_test(a_file_for_each_thread),
	    cmocka_unit_test(room_for_a_minimum_duration),
	    cmocka_unit_test(the_command_makes_the_run_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
