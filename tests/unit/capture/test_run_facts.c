/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <jansson.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/run_facts.h"
#include "common/wait.h"

static const struct run_facts example = {
    .wall_ns = 200123456,
    .cpu_user_ns = 40000001,
    .cpu_system_ns = 150000002,
    .steal_ns = 10000000,
    .runqueue_wait_ns = -1,
    .n_minor_faults = 3,
    .n_major_faults = 1,
    .n_voluntary_switches = 7,
    .n_involuntary_switches = 9,
    .bytes_read_device = 1ull << 40,
    .bytes_written_device = 4096,
    .peak_memory_bytes = 5 << 20,
};

static void differences_of_snapshots(void **state)
{
	(void)state;
	struct run_facts_snapshot a = {.now_ns = 1000,
				       .user_ns = 10,
				       .system_ns = 20,
				       .steal_ns = 100,
				       .minor = 1,
				       .major = 2,
				       .voluntary = 3,
				       .involuntary = 4,
				       .read_bytes = 5,
				       .write_bytes = 6};
	struct run_facts_snapshot b = {.now_ns = 5000,
				       .user_ns = 110,
				       .system_ns = 220,
				       .steal_ns = 400,
				       .minor = 11,
				       .major = 22,
				       .voluntary = 33,
				       .involuntary = 44,
				       .read_bytes = 55,
				       .write_bytes = 66};
	struct run_facts f;
	run_facts_between(&a, &b, &f);
	assert_int_equal(f.wall_ns, 4000);
	assert_int_equal(f.cpu_user_ns, 100);
	assert_int_equal(f.cpu_system_ns, 200);
	assert_int_equal(f.steal_ns, 300);
	assert_int_equal(f.runqueue_wait_ns, -1);
	assert_int_equal(f.n_minor_faults, 10);
	assert_int_equal(f.n_major_faults, 20);
	assert_int_equal(f.n_voluntary_switches, 30);
	assert_int_equal(f.n_involuntary_switches, 40);
	assert_int_equal(f.bytes_read_device, 50);
	assert_int_equal(f.bytes_written_device, 60);
	/* an unknown value stays unknown; a counter that was reset gives no negative time */
	a.steal_ns = -1;
	run_facts_between(&a, &b, &f);
	assert_int_equal(f.steal_ns, -1);
	a.steal_ns = 500;
	run_facts_between(&a, &b, &f);
	assert_int_equal(f.steal_ns, -1);
}

static void snapshots_measure_the_process(void **state)
{
	(void)state;
	enum { N_PAGES = 500 };
	struct run_facts_snapshot a, b;
	struct run_facts f;
	run_facts_take(&a);
	volatile unsigned char *p =
	    mmap(NULL, N_PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal((void *)p, MAP_FAILED);
	madvise((void *)p, N_PAGES * 4096, MADV_NOHUGEPAGE);
	for (int i = 0; i < N_PAGES; i++)
		p[i * 4096] = 1;
	run_facts_take(&b);
	run_facts_between(&a, &b, &f);
	munmap((void *)p, N_PAGES * 4096);
	assert_true(f.wall_ns > 0);
	assert_true(f.n_minor_faults >= N_PAGES);
	assert_true(f.cpu_user_ns + f.cpu_system_ns > 0);
}

static void run_queue_delay_only_grows(void **state)
{
	(void)state;
	int64_t before = thread_runqueue_wait_ns(), after = thread_runqueue_wait_ns();
	assert_true(before >= -1);
	if (before >= 0)
		assert_true(after >= before);
}

static void json_and_back(void **state)
{
	(void)state;
	struct run_facts back;
	struct err e = ERR_INIT;
	json_t *o = run_facts_to_json(&example);
	assert_non_null(o);
	assert_int_equal(json_object_size(o), 12);
	assert_int_equal(json_integer_value(json_object_get(o, "bytes_read_device")), 1ll << 40);
	assert_int_equal(json_integer_value(json_object_get(o, "runqueue_wait_ns")), -1);
	assert_int_equal(run_facts_from_json(&back, o, &e), 0);
	assert_memory_equal(&back, &example, sizeof back);
	/* earlier versions did not record the peak */
	json_object_del(o, "peak_memory_bytes");
	assert_int_equal(run_facts_from_json(&back, o, &e), 0);
	assert_int_equal(back.peak_memory_bytes, 0);
	json_decref(o);
}

/* Takes ownership of `value` (NULL: removes the member). */
static void refused(const char *member, json_t *value)
{
	struct run_facts f = {.wall_ns = 77};
	struct err e = ERR_INIT;
	json_t *o = run_facts_to_json(&example);
	if (value)
		json_object_set_new(o, member, value);
	else
		json_object_del(o, member);
	assert_int_equal(run_facts_from_json(&f, o, &e), -EINVAL);
	assert_non_null(strstr(e.msg, member));
	assert_int_equal(f.wall_ns, 77); /* nothing half-read */
	json_decref(o);
}

static void damaged_facts_are_refused(void **state)
{
	(void)state;
	static const char *const names[] = {
	    "wall_ns",           "cpu_user_ns",          "cpu_system_ns",
	    "steal_ns",          "runqueue_wait_ns",     "n_minor_faults",
	    "n_major_faults",    "n_voluntary_switches", "n_involuntary_switches",
	    "bytes_read_device", "bytes_written_device"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		refused(names[i], NULL);
		refused(names[i], json_string("12"));
		refused(names[i], json_real(12.5));
		refused(names[i], json_null());
	}
	refused("n_minor_faults", json_integer(-1));
	refused("wall_ns", json_integer(-5));
	refused("steal_ns", json_integer(-2));
	struct run_facts f;
	struct err e = ERR_INIT;
	json_t *array = json_array();
	assert_int_equal(run_facts_from_json(&f, array, &e), -EINVAL);
	assert_int_equal(run_facts_from_json(&f, NULL, &e), -EINVAL);
	json_decref(array);
}

static void several_processes(void **state)
{
	(void)state;
	struct run_facts all = {.wall_ns = 5, .steal_ns = 6, .peak_memory_bytes = 1 << 20};
	run_facts_add(&all, &example);
	assert_int_equal(all.wall_ns, 5);
	assert_int_equal(all.steal_ns, 6);
	assert_int_equal(all.runqueue_wait_ns, -1);
	assert_int_equal(all.peak_memory_bytes, 5 << 20);
	run_facts_add(&all, &(struct run_facts){.cpu_user_ns = 1, .runqueue_wait_ns = 8, .n_major_faults = 2, .peak_memory_bytes = 3});
	assert_int_equal(all.cpu_user_ns, 40000002);
	assert_int_equal(all.runqueue_wait_ns, -1);
	assert_int_equal(all.n_major_faults, 3);
	assert_int_equal(all.bytes_read_device, 1ull << 40);
	assert_int_equal(all.peak_memory_bytes, 5 << 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(differences_of_snapshots),  cmocka_unit_test(several_processes),
	    cmocka_unit_test(snapshots_measure_the_process),
	    cmocka_unit_test(run_queue_delay_only_grows),        cmocka_unit_test(json_and_back),
	    cmocka_unit_test(damaged_facts_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
