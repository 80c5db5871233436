/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/device_queue.h"

static void test_queue(void **state)
{
	(void)state;
	static const char *const good[] = {"none", "mq-deadline", "none,nr_requests=64,nomerges=2",
					   "read_ahead_kb=0", " none , nr_requests=1 "};
	static const char *const bad[] = {"",       ",",      "none,bfq", "nr_requests=64,none",
					  "../x=1", "a/b=1",  "A=1",      "x=",
					  "=1",     "x=/etc", "no\tne",   "x=1,,y=2"};
	struct err e = ERR_INIT;
	json_t *now = NULL;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_int_equal(device_queue_check(good[i], &e), 0);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_true(device_queue_check(bad[i], &e) < 0);
	/* no device: file systems in memory have major number 0 */
	assert_null(device_queue_parent(0));
	assert_true(device_queue_read("none", 0, &now, &e) < 0);
	assert_null(now);
	assert_true(device_queue_apply("none", 0, &e) < 0);
	/* a modified journal cannot name other files */
	static const char *const odd[] = {"/etc", "/sys/devices/../../etc", "", "/sys/devicesx"};
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		json_t *before =
		    json_pack("{s:s, s:{s:s}}", "device", odd[i], "settings", "scheduler", "none");
		assert_true(device_queue_restore(before, &e) < 0);
		json_decref(before);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_queue),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
