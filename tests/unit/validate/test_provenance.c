/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts of a machine, read from constructed trees of /proc and /sys, also hostile trees; and
 * what redaction hides. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "common/file_digest.h"
#include "common/xalloc.h"
#include "tests/unit/validate/temp_dir.h"
#include "validate/provenance/provenance.h"

static void put(const char *root, const char *name, const char *text)
{
	char *path = xasprintf("%s%s", root, name);
	*strrchr(path, '/') = 0;
	assert_int_equal(dir_create(path, NULL), 0);
	free(path);
	file_put(root, name, text, strlen(text));
}

static const json_t *at(const json_t *o, const char *group, const char *name)
{
	const json_t *g = json_object_get(o, group);
	assert_non_null(g);
	const json_t *v = json_object_get(g, name);
	if (!v)
		fail_msg("no %s %s", group, name);
	return v;
}

#define expect_text(o, group, name, text) assert_string_equal(json_string_value(at(o, group, name)), text)
#define expect_number(o, group, name, number) assert_int_equal(json_integer_value(at(o, group, name)), number)

static void a_machine_with_everything(void **state)
{
	(void)state;
	char *root = temp_dir_make();
	put(root, "/proc/cmdline", "root=UUID=0b9cf1cd-fd3f-8705-8675-5d773af4863a quiet\n");
	put(root, "/proc/cpuinfo", "processor\t: 0\nmodel name\t: Abacus 9\nmicrocode\t: 0x7\n");
	put(root, "/proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-3,7\n");
	put(root, "/proc/meminfo",
	    "MemTotal:       1024 kB\nMemAvailable: 512 kB\nSwapTotal: 8 kB\nSwapFree: 4 "
	    "kB\nHugePages_Total: 3\n");
	put(root, "/proc/sys/vm/dirty_ratio", "20\n");
	put(root, "/sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds", "2\n");
	put(root, "/sys/kernel/mm/damon/admin/kdamonds/1/state", "on\n");
	put(root, "/sys/kernel/mm/damon/admin/kdamonds/1/contexts/0/schemes/0/action", "stat\n");
	put(root, "/sys/kernel/mm/damon/admin/kdamonds/1/contexts/0/schemes/1/action", "pageout\n");
	put(root, "/proc/sys/kernel/tainted", "512\n");
	put(root, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	put(root, "/sys/kernel/debug/sched/preempt", "none voluntary (full)\n");
	put(root, "/sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n");
	put(root, "/sys/devices/system/cpu/vulnerabilities/l1tf", "Not affected\n");
	put(root, "/sys/devices/system/cpu/smt/active", "1\n");
	put(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
	/* the former is closer to the real value */
	put(root, "/sys/devices/system/cpu/cpufreq/boost", "1\n");
	for (int i = 0; i < 12; i++) {
		char name[100], mhz[20];
		snprintf(name, sizeof name,
			 "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", i);
		put(root, name, i == 11 ? "powersave\n" : "performance\n");
		snprintf(name, sizeof name,
			 "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_max_freq", i);
		snprintf(mhz, sizeof mhz, "%d\n", 1000 + i);
		put(root, name, mhz);
		snprintf(name, sizeof name,
			 "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_min_freq", i);
		put(root, name, mhz);
	}
	for (int i = 0; i < 11; i += 5) {
		char name[100], text[20];
		snprintf(name, sizeof name, "/sys/devices/system/cpu/cpu0/cpuidle/state%d/name", i);
		snprintf(text, sizeof text, "C%d", i);
		put(root, name, text);
		snprintf(name, sizeof name, "/sys/devices/system/cpu/cpu0/cpuidle/state%d/disable",
			 i);
		put(root, name, i == 5 ? "1\n" : "0\n");
	}
	json_t *o = provenance_make(root);
	expect_text(o, "processors", "model", "Abacus 9");
	expect_text(o, "processors", "microcode", "0x7");
	expect_text(o, "processors", "affinity", "0-3,7");
	expect_number(o, "memory", "total_bytes", 1 << 20);
	expect_number(o, "memory", "swap_free_bytes", 4096);
	expect_number(o, "memory", "huge_pages", 3);
	assert_true(json_is_true(at(o, "memory", "reclaimed_ahead")));
	expect_number(o, "memory", "dirty_ratio", 20);
	expect_number(o, "kernel", "tainted", 512);
	expect_text(o, "memory", "transparent_huge_pages", "madvise");
	expect_text(o, "kernel", "preemption", "full");
	expect_text(json_object_get(o, "kernel"), "mitigations", "meltdown", "Mitigation: PTI");
	assert_int_equal(json_object_size(at(o, "kernel", "mitigations")), 2);
	assert_true(json_is_true(at(o, "processors", "smt")));
	assert_true(json_is_false(at(o, "processors", "turbo")));
	assert_int_equal(json_array_size(at(o, "processors", "governors")), 2);
	expect_number(o, "processors", "lowest_frequency_kHz", 1000);
	expect_number(o, "processors", "highest_frequency_kHz", 1011);
	const json_t *states = at(o, "processors", "idle_states");
	assert_int_equal(json_array_size(states), 3); /* by number, not by name: C0, C5, C10 */
	assert_string_equal(json_string_value(json_object_get(json_array_get(states, 2), "name")),
			    "C10");
	assert_true(json_is_true(json_object_get(json_array_get(states, 1), "disabled")));
	assert_true(json_is_null(json_object_get(json_array_get(states, 1), "latency_us")));
	json_decref(o);
	temp_dir_remove(root);
}

/* Missing facts are null, in the same members. */
static void an_empty_machine(void **state)
{
	(void)state;
	char *root = temp_dir_make();
	json_t *o = provenance_make(root);
	static const char *const groups[] = {"kernel", "processors", "clock", "memory"};
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		const char *key;
		json_t *v;
		assert_true(json_object_size(json_object_get(o, groups[i])) > 0);
		json_object_foreach(json_object_get(o, groups[i]), key, v) if (!json_is_null(v))
		    fail_msg("%s %s", groups[i], key);
	}
	assert_true(json_is_null(at(o, "limits", "cgroup")));
	json_decref(o);
	temp_dir_remove(root);
}

/* A FIFO, a directory, bytes that are no text, a number beyond every type, a bracket that is never
 * closed. */
static void a_hostile_machine(void **state)
{
	(void)state;
	char *root = temp_dir_make(), *path;
	put(root, "/proc/sys/vm/swappiness", "99999999999999999999999\n");
	put(root, "/proc/sys/vm/dirty_ratio", "\xff\xfe\x01\n");
	put(root, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise\n");
	put(root, "/sys/kernel/mm/transparent_hugepage/defrag", "]x[\n");
	put(root, "/sys/devices/system/cpu/cpu99999999999999999999/cpufreq/scaling_governor",
	    "x\n");
	put(root, "/sys/devices/system/cpu/cpufreq/boost", "perhaps\n");
	put(root, "/proc/meminfo",
	    "MemTotal\nMemTotal: \nSwapTotal: -1 kB\nMemAvailable: 99999999999999999999 kB\n");
	path = xasprintf("%s/proc/cmdline", root);
	assert_int_equal(mkfifo(path, 0600), 0);
	free(path);
	path = xasprintf("%s/proc/cpuinfo", root);
	assert_int_equal(mkdir(path, 0700), 0);
	free(path);
	json_t *o = provenance_make(root);
	assert_true(json_is_null(at(o, "kernel", "command_line")));
	assert_true(json_is_null(at(o, "processors", "model")));
	expect_text(o, "memory", "swappiness", "99999999999999999999999");
	expect_text(o, "memory", "transparent_huge_pages", "always [madvise");
	expect_text(o, "memory", "huge_page_defragmentation", "]x[");
	expect_text(o, "processors", "turbo", "perhaps");
	assert_true(json_is_null(at(o, "memory", "total_bytes")));
	assert_true(json_is_null(at(o, "memory", "available_bytes")));
	char *text = json_dumps(o, 0);
	assert_non_null(text); /* for any bytes the result is valid JSON */
	free(text);
	json_decref(o);
	temp_dir_remove(root);
}

static void limits_of_the_group(void **state)
{
	(void)state;
	char *root = temp_dir_make();
	put(root, "/proc/self/mountinfo", "30 1 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	put(root, "/proc/self/cgroup", "0::/mine\n");
	put(root, "/sys/fs/cgroup/mine/cpu.max", "50000 100000\n");
	put(root, "/sys/fs/cgroup/mine/memory.max", "1048576\n");
	put(root, "/sys/fs/cgroup/mine/io.max", "8:0 rbps=1000 wbps=max\n");
	json_t *o = provenance_make(root);
	const json_t *group = at(o, "limits", "cgroup");
	assert_string_equal(json_string_value(json_object_get(group, "cpu_quota_and_period_us")),
			    "50000 100000");
	assert_int_equal(json_integer_value(json_object_get(group, "memory_limit")), 1048576);
	assert_int_equal(json_integer_value(json_object_get(group, "memory_limit_in_force_bytes")),
			 1048576);
	assert_string_equal(json_string_value(json_object_get(group, "io_max")),
			    "8:0 rbps=1000 wbps=max");
	json_decref(o);
	temp_dir_remove(root);
}

static void a_disk(void **state)
{
	(void)state;
	char *root = temp_dir_make(), *dir = xasprintf("%s/sys/block/sdz", root);
	put(root, "/sys/block/sdz/device/model", "Drum 3000   \n");
	put(root, "/sys/block/sdz/device/rev", "1.2\n");
	put(root, "/sys/block/sdz/device/queue_depth", "32\n");
	put(root, "/sys/block/sdz/serial", "S3CRET\n");
	put(root, "/sys/block/sdz/queue/scheduler", "[none] mq-deadline\n");
	put(root, "/sys/block/sdz/slaves/sda/x", "");
	json_t *o = provenance_device(dir);
	assert_string_equal(json_string_value(json_object_get(o, "name")), "sdz");
	assert_string_equal(json_string_value(json_object_get(o, "model")), "Drum 3000");
	assert_string_equal(json_string_value(json_object_get(o, "firmware")), "1.2");
	assert_int_equal(json_integer_value(json_object_get(o, "queue_depth")), 32);
	assert_string_equal(json_string_value(json_object_get(o, "scheduler")),
			    "[none] mq-deadline");
	assert_string_equal(json_string_value(json_array_get(json_object_get(o, "made_of"), 0)),
			    "sda");
	assert_null(json_object_get(o, "vendor"));
	provenance_redact(o);
	assert_string_equal(json_string_value(json_object_get(o, "serial")), "redacted");
	json_decref(o);
	free(dir);
	temp_dir_remove(root);
}

static void hidden_facts(void **state)
{
	(void)state;
	static const struct {
		const char *text, *hidden;
	} cases[] = {
	    {"root=UUID=0b9cf1cd-fd3f-8705-8675-5d773af4863a ro", "root=UUID=redacted ro"},
	    {"0b9cf1cd-fd3f-8705-8675-5d773af4863a", "redacted"},
	    {"at 0b9cf1cd-fd3f-8705-8675-5d773af486", "at 0b9cf1cd-fd3f-8705-8675-5d773af486"},
	    {"cannot open /home/anna/x.trace: no", "cannot open redacted: no"},
	    {"/dev/sda1 and /sys/block/sda", "/dev/sda1 and /sys/block/sda"},
	    {"/dev/disk/by-uuid/1234 rw", "redacted rw"},
	    {"dir = /mnt/disk", "dir = redacted"},
	    {"LABEL=home;rw", "LABEL=redacted;rw"},
	    {"cannot open /home/anna b/my trace/x.trace: no", "cannot open redacted: no"},
	    {"[\"/home/anna b/tool\", \"--in\", '/mnt/my disk'] and so", "[\"redacted\", \"--in\", 'redacted'] and so"},
	    {"/home/anna /mnt/disk ro", "redacted redacted ro"},
	    {"don't open '/a/b c", "don't open 'redacted c"},
	    {"ratio 1/2, 3 / 4", "ratio 1/2, 3 / 4"},
	    {"laika is here, laikas not; on laika", "redacted is here, laikas not; on redacted"},
	    {"none [mq-deadline] kyber", "none [mq-deadline] kyber"},
	    {"", ""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *hidden = provenance_redact_text(cases[i].text, "laika");
		assert_string_equal(hidden, cases[i].hidden);
		free(hidden);
	}
	json_t *o =
	    json_pack("{s:s, s:{s:[s, {s:s}]}, s:n, s:i, s:s, s:s, s:s}", "host", "laika", "a",
		      "list", "/srv/x", "source", "laika:/export", "serial", "n", 3, "dir",
		      "/home/anna b", "command", "/bin/sh -c x", "device", "/dev/vda 1");
	json_t *expected =
	    json_pack("{s:s, s:{s:[s, {s:s}]}, s:n, s:i, s:s, s:s, s:s}", "host", "redacted", "a",
		      "list", "redacted", "source", "redacted:redacted", "serial", "n", 3, "dir",
		      "redacted", "command", "redacted -c x", "device", "/dev/vda 1");
	provenance_redact(o);
	assert_true(json_equal(o, expected));
	provenance_redact(o);
	assert_true(json_equal(o, expected));
	json_decref(o);
	json_decref(expected);
}

/* The example of FIPS 180-4, and a path that is no file. */
static void digests(void **state)
{
	(void)state;
	char *dir = temp_dir_make(), hex[FILE_DIGEST_HEX], *path = xasprintf("%s/abc", dir);
	file_put(dir, "abc", "abc", 3);
	assert_int_equal(file_digest(path, hex, NULL), 0);
	assert_string_equal(hex,
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	file_put(dir, "abc", "", 0);
	assert_int_equal(file_digest(path, hex, NULL), 0);
	assert_string_equal(hex,
			    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_int_equal(file_digest(dir, hex, NULL), -EISDIR);
	assert_string_equal(hex, "");
	free(path);
	temp_dir_remove(dir);
}

/* Names are the keys: different names stay different, and members without a secret stay
 * unchanged. */
static void names_hidden(void **state)
{
	(void)state;
	static const char *const was[] = {"reads trace=/home/a.trace", "reads trace=/home/b.trace",
					  "reads", "reads", "on laika"};
	static const char *const is[] = {"reads trace=redacted", "reads trace=redacted (2)",
					 "reads", "reads", "on redacted"};
	char *name[5], **at[5];
	for (size_t i = 0; i < 5; i++) {
		name[i] = xstrdup(was[i]);
		at[i] = &name[i];
	}
	provenance_redact_names(at, 5, "laika");
	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(name[i], is[i]);
		free(name[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_machine_with_everything),
	    cmocka_unit_test(an_empty_machine),
	    cmocka_unit_test(a_hostile_machine),
	    cmocka_unit_test(limits_of_the_group),
	    cmocka_unit_test(a_disk),
	    cmocka_unit_test(hidden_facts),
	    cmocka_unit_test(names_hidden),
	    cmocka_unit_test(digests),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
