/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts of environment.json are shown with names, values and units for people. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reports/html/html.h"

/* The rows of the table, as "name|value" and "group" lines. */
static char *rows(const char *json)
{
	SCOPED_STRBUF html = STRBUF_INIT;
	struct strbuf text = STRBUF_INIT;
	json_auto_t *o = json_loads(json, 0, NULL);
	assert_non_null(o);
	html_add_environment(&html, o);
	for (const char *p = strstr(html.s, "<tbody>"); *p; p++) {
		if (!strncmp(p, "</th><td", 8))
			strbuf_addch(&text, '|');
		if (*p == '<')
			p = strchr(p, '>');
		else
			strbuf_addch(&text, *p);
	}
	return strbuf_detach(&text);
}

static void check(const char *json, const char *const *wanted)
{
	char *text = rows(json);
	for (; *wanted; wanted++) {
		SCOPED_FREE char *line = xasprintf("\n%s\n", *wanted);
		if (!strstr(text, line))
			fail_msg("no row %s in%s", *wanted, text);
	}
	free(text);
}

static void values_have_units(void **state)
{
	(void)state;
	static const char *const wanted[] = {
	    "Clock", "time that two readings of the clock take|16.5 ns", "Memory", "available before runs|22.7 GiB",
	    "DAMON evicts pages even when memory is free|yes", "swap|none",
	    "kept free by the kernel (vm.min_free_kbytes)|66 MiB",
	    "age at which write-back writes a dirty page|30 s", "Limits",
	    "cgroup: CPU time per period (quota)|no limit", "cgroup: period of the quota|100 ms",
	    "cgroup: memory limit|1 GiB", "highest frequency|3.5 GHz",
	    "time that the kernel may add to a sleep (timer slack)|50 us",
	    "CPU time that the hypervisor took (stolen), since boot|0.0804 %", NULL};
	check("{\"version\": 1, \"timer_slack_ns\": \"50000\", \"clock\": {\"read_cost_ns\": "
	      "16.521739551198575}, \"memory\": {\"available_bytes\": 24357003264, "
	      "\"reclaimed_ahead\": true, \"swap_total_bytes\": 0, \"min_free_kb\": 67584, "
	      "\"dirty_expire_centisecs\": 3000}, \"limits\": {\"cgroup\": {\"cpu_quota_us\": -1, "
	      "\"cpu_period_us\": 100000, \"memory_limit\": 1073741824}}, \"processors\": "
	      "{\"highest_frequency_kHz\": 3500000}, \"load\": {\"stolen_share_since_boot\": "
	      "0.0008041450351148371}}", wanted);
}

static void texts_of_digits_are_not_rounded(void **state)
{
	(void)state;
	static const char *const wanted[] = {"Program file of validate", "crc32c|97452104",
		"Replayers", "fio|program: /bin/fio", "device: serial|1796632044368227",
		"device: rotational|yes", "device: size|256 GiB", NULL};
	check("{\"program\": {\"crc32c\": \"97452104\"}, \"replayers\": [{\"name\": \"fio\", "
	      "\"program\": \"/bin/fio\"}], \"targets\": [{\"device\": {\"serial\": "
	      "\"1796632044368227\", \"rotational\": \"1\", \"sectors\": 536870912}}]}", wanted);
}

static void a_pairing_is_stated_once_for_each_reason(void **state)
{
	(void)state;
	static const char *const two[] = {"Pairing of program and replays in each scenario",
		"slices: program and replayers can be paused between requests|a, c",
		"runs: fast: its engine cannot be paused|b", NULL};
	static const char *const one[] = {"runs: set by the protocol|all", NULL};
	check("{\"pairing\": [{\"scenario\": \"a\", \"by\": \"slices\", \"why\": \"possible\"}, "
	      "{\"scenario\": \"b\", \"by\": \"runs\", \"why\": \"its engine cannot be paused\", "
	      "\"replayer\": \"fast\"}, {\"scenario\": \"c\", \"by\": \"slices\", \"why\": "
	      "\"possible\"}]}", two);
	check("{\"pairing\": [{\"scenario\": \"a\", \"by\": \"runs\", \"why\": \"protocol\"}, "
	      "{\"scenario\": \"b\", \"by\": \"runs\", \"why\": \"protocol\"}]}", one);
}

static void lists_have_a_row_for_each_element(void **state)
{
	(void)state;
	static const char *const wanted[] = {
	    "Targets", "here", "directory|/a", "block device: size of the volume|64 MiB",
	    "block device: read ahead|128 KiB", "Features that this campaign lacks",
	    "cold caches|why: in memory; instead: none",
	    "CPU vulnerabilities: Vulnerable|retbleed, spec_store_bypass",
	    "CPU vulnerabilities: Not affected|mds",
	    "one|requests: 5; execution time: 388 ms; anonymous memory: program 1 MiB, "
	    "x_bytes 2 MiB", NULL};
	check("{\"targets\": [{\"name\": \"here\", \"dir\": \"/a\", \"below\": {\"size\": 67108864, "
	      "\"device\": {\"read_ahead_kb\": \"128\"}}}], \"replaced_or_skipped\": [{\"what\": "
	      "\"cold caches\", \"why\": \"in memory\", \"instead\": \"none\"}], \"kernel\": "
	      "{\"mitigations\": {\"retbleed\": \"Vulnerable\", \"mds\": \"Not affected\", "
	      "\"spec_store_bypass\": \"Vulnerable\"}}, \"scenarios\": [{\"name\": \"one\", "
	      "\"requests\": 5, \"execution_s\": 0.388300391, \"anonymous_bytes\": {\"program\": "
	      "1048576, \"x_bytes\": 2097152}, \"cgroup_limit_bytes\": {\"program\": 0}, "
	      "\"calibration_failure\": null}]}", wanted);
}

static void unknown_values_have_one_row(void **state)
{
	(void)state;
	static const char *const wanted[] = {"features that this campaign lacks|none",
		"scheduler of the protocol|not given", "Not available",
		"unknown, or does not apply|Kernel: lockdown, preemption; Clock: resolution",
		NULL};
	check("{\"replaced_or_skipped\": [], \"kernel\": {\"lockdown\": null, \"preemption\": null}, "
	      "\"clock\": {\"resolution_ns\": null}, \"scheduling\": {\"scheduler\": null}}",
	      wanted);
}

static void texts_keep_the_unit_in_the_name(void **state)
{
	(void)state;
	static const char *const wanted[] = {
	    "cgroup: CPU time per period (quota) and period, in us|max 100000",
	    "cgroup: io reads per s|8:0 500", "cgroup: memory limit|unlimited",
	    "CPU time limit of real-time threads (kernel.sched_rt_runtime_us; -1 us: no limit)|0 ns",
	    "device: logical block size|512 B", NULL};
	check("{\"limits\": {\"cgroup\": {\"cpu_quota_and_period_us\": \"max 100000\", "
	      "\"io_reads_per_s\": \"8:0 500\", \"memory_limit\": \"unlimited\"}}, "
	      "\"kernel\": {\"realtime_runtime_us\": 0}, \"targets\": [{\"device\": "
	      "{\"logical_block_size\": \"512\"}}]}", wanted);
}

/* Deep objects are shown as JSON. */
static void depth_is_limited(void **state)
{
	(void)state;
	SCOPED_STRBUF json = STRBUF_INIT;
	for (int i = 0; i < 2000; i++)
		strbuf_addstr(&json, "{\"a_member_with_a_long_name\":");
	strbuf_addstr(&json, "[1]");
	for (int i = 0; i < 2000; i++)
		strbuf_addch(&json, '}');
	SCOPED_FREE char *text = rows(json.s);
	assert_non_null(strstr(text, "[1]}}"));
	assert_true(strlen(text) < 3 * json.len);
}

static void other_forms_are_shown(void **state)
{
	(void)state;
	static const char *const wanted[] = {"targets|5", "Unknown thing", "a: b|&lt;c&gt;",
		"list|1, 2", "kernel: CPU vulnerabilities|none", NULL};
	check("{\"targets\": 5, \"pairing\": [{\"by\": 1}, 2], \"unknown_thing\": {\"a\": {\"b\": "
	      "\"<c>\"}, \"list\": [1, 2], \"kernel\": {\"mitigations\": []}}, \"kernel\": {}}",
	      wanted);
	SCOPED_STRBUF none = STRBUF_INIT;
	html_add_environment(&none, NULL);
	assert_non_null(strstr(none.s, "</table>"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_have_units),
	    cmocka_unit_test(texts_of_digits_are_not_rounded),
	    cmocka_unit_test(a_pairing_is_stated_once_for_each_reason),
	    cmocka_unit_test(lists_have_a_row_for_each_element),
	    cmocka_unit_test(unknown_values_have_one_row),
	    cmocka_unit_test(texts_keep_the_unit_in_the_name),
	    cmocka_unit_test(depth_is_limited),
	    cmocka_unit_test(other_forms_are_shown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
