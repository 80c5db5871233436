/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <jansson.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/scheduling.h"

static void texts(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		struct scheduling is;
	} good[] = {
	    {"other", {true, SCHED_OTHER, 0, 0, 0}},
	    {"batch", {true, SCHED_BATCH, 0, 0, 0}},
	    {"idle", {true, SCHED_IDLE, 0, 0, 0}},
	    {"fifo:1", {true, SCHED_FIFO, 1, 0, 0}},
	    {"rr:99", {true, SCHED_RR, 99, 0, 0}},
	    {"deadline", {true, SCHED_DEADLINE, 0, 0, 0}},
	    {"deadline:400us/1ms", {true, SCHED_DEADLINE, 0, 400000, 1000000}},
	    {"deadline:1ms/1ms", {true, SCHED_DEADLINE, 0, 1000000, 1000000}},
	};
	static const char *const bad[] = {"",
					  "fifo",
					  "fifo:",
					  "fifo:0",
					  "fifo:100",
					  "fifo:x",
					  "rr:-1",
					  "Other",
					  "othe",
					  "others",
					  "batch:1",
					  "deadline:",
					  "deadlin",
					  "deadline:1ms",
					  "deadline:2ms/1ms",
					  "deadline:1/2",
					  "deadline:1us/1ms",
					  "deadline:0/1ms",
					  "deadline:400us/",
					  "deadline:/1ms",
					  "deadline:400us/1ms/1ms"};
	struct err e = ERR_INIT;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct scheduling s;
		assert_int_equal(scheduling_parse(good[i].text, &s, &e), 0);
		assert_int_equal(s.set, good[i].is.set);
		assert_int_equal(s.policy, good[i].is.policy);
		assert_int_equal(s.priority, good[i].is.priority);
		assert_int_equal(s.runtime_ns, good[i].is.runtime_ns);
		assert_int_equal(s.period_ns, good[i].is.period_ns);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct scheduling s;
		e = (struct err)ERR_INIT;
		if (scheduling_parse(bad[i], &s, &e) != -EINVAL)
			fail_msg("\"%s\" was taken", bad[i]);
		assert_true(*e.msg);
	}
}

/* For any number of threads, the sum of their shares stays below what a machine with n CPUs
 * admits. */
static void deadline_shares_can_be_admitted(void **state)
{
	(void)state;
	struct scheduling wanted, s;
	cpu_set_t allowed;
	assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
	assert_int_equal(scheduling_parse("deadline", &wanted, NULL), 0);
	for (uint32_t n = 1; n <= 64; n *= 2) {
		s = scheduling_of(&wanted, n);
		assert_true(s.runtime_ns > 0 && s.runtime_ns <= s.period_ns);
		assert_true((double)s.runtime_ns / (double)s.period_ns * n <=
			    0.95 * CPU_COUNT(&allowed));
	}
	assert_int_equal(scheduling_parse("deadline:1ms/4ms", &wanted, NULL), 0);
	s = scheduling_of(&wanted, 7);
	assert_int_equal(s.runtime_ns, 1000000);
	assert_int_equal(s.period_ns, 4000000);
}

static int pinned_to_one(void)
{
	cpu_set_t allowed, one;
	sched_getaffinity(0, sizeof allowed, &allowed);
	CPU_ZERO(&one);
	for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &allowed))
			CPU_SET(i, &one);
	return sched_setaffinity(0, sizeof one, &one);
}

static void deadline_takes_no_affinity_mask(void **state)
{
	(void)state;
	struct scheduling s = {.set = true, .policy = SCHED_DEADLINE},
			  fifo = {.set = true, .policy = SCHED_FIFO, .priority = 1};
	struct err e = ERR_INIT;
	assert_int_equal(scheduling_check(&s, true, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "--pin"));
	assert_int_equal(scheduling_check(&fifo, true, &e), 0);
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip(); /* with one CPU no mask excludes a CPU */
	pid_t pid = fork();
	if (!pid)
		_exit(pinned_to_one() || scheduling_check(&s, false, &e) != -EINVAL ||
		      !strstr(e.msg, "1 of"));
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Runs in a child, because the policy of the test itself must not change. Exit status 77: the
 * kernel does not permit it. */
static int applied_in_child(const char *text)
{
	pid_t pid = fork();
	if (!pid) {
		struct scheduling s;
		if (scheduling_parse(text, &s, NULL))
			_exit(2);
		s = scheduling_of(&s, 1);
		int code = scheduling_apply(&s);
		if (code)
			_exit(code == EPERM || code == EBUSY
				  ? 77
				  /* EBUSY: deadline threads of other programs hold too large a
				   * share */
				  : 3);
		struct sched_param p;
		bool right = sched_getscheduler(0) == s.policy && !sched_getparam(0, &p) &&
			     p.sched_priority == s.priority;
		_exit(right ? 0 : 4);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void policies_are_set(void **state)
{
	(void)state;
	static const char *const realtime[] = {"fifo:3", "rr:4", "deadline:100us/10ms"};
	assert_int_equal(applied_in_child("batch"), 0);
	assert_int_equal(applied_in_child("other"), 0);
	for (size_t i = 0; i < 3; i++) {
		int status = applied_in_child(realtime[i]);
		if (status != 77)
			assert_int_equal(status, 0);
	}
	struct scheduling none = {.set = false};
	assert_int_equal(scheduling_apply(&none), 0);
}

/* In a child, because the time slice of the test itself must not change. A kernel before 6.12 has
 * no time slices of threads. */
static void a_time_slice_is_set(void **state)
{
	(void)state;
	pid_t pid = fork();
	if (!pid) {
		struct scheduling s = {.set = true, .policy = SCHED_FIFO, .priority = 1};
		const bool set = scheduling_slice(200000), again = scheduling_slice(200000);
		if (set != again || nice(0) != 0)
			_exit(2);
		if (!scheduling_apply(&s) && scheduling_slice(200000))
			_exit(3); /* a thread with a real-time policy has no slice */
		_exit(set ? 0 : 77);
	}
	int status;
	struct utsname kernel;
	int major, minor;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(uname(&kernel), 0);
	assert_int_equal(sscanf(kernel.release, "%d.%d", &major, &minor), 2);
	assert_int_equal(WEXITSTATUS(status), major > 6 || (major == 6 && minor >= 12) ? 0 : 77);
}

/* As an ordinary user: the message names the limit. */
static void a_refused_policy_names_the_limit(void **state)
{
	(void)state;
	struct scheduling s;
	struct err e = ERR_INIT;
	assert_int_equal(scheduling_parse("fifo:7", &s, &e), 0);
	assert_int_equal(scheduling_refused(&s, EPERM, 2, &e), -EACCES);
	assert_non_null(strstr(e.msg, "fifo:7"));
	assert_non_null(strstr(e.msg, "RLIMIT_RTPRIO"));
	assert_null(strchr(e.msg, '\n'));
	assert_int_equal(scheduling_parse("deadline:9ms/10ms", &s, &e), 0);
	assert_int_equal(scheduling_refused(&s, EPERM, 2, &e), -EACCES);
	assert_non_null(strstr(e.msg, "CAP_SYS_NICE"));
	assert_int_equal(scheduling_refused(&s, EBUSY, 64, &e), -EBUSY);
	assert_non_null(strstr(e.msg, "64 threads with 9 ms of CPU time in every 10 ms"));
	assert_non_null(strstr(e.msg, "sched_rt_runtime_us"));
}

static void spinning_in_real_time_is_warned_about(void **state)
{
	(void)state;
	char text[300];
	struct scheduling fifo = {.set = true, .policy = SCHED_FIFO, .priority = 1}, other = {.set = true},
			  none = {.set = false};
	scheduling_warning(&other, 100, true, text, sizeof text);
	assert_string_equal(text, "");
	scheduling_warning(&none, 100, true, text, sizeof text);
	assert_string_equal(text, "");
	scheduling_warning(&fifo, 1, true, text, sizeof text);
	assert_non_null(strstr(text, "throttling"));
	assert_null(strstr(text, "share"));
	scheduling_warning(&fifo, 5000, true, text, sizeof text);
	assert_non_null(strstr(text, "5000 spinning real-time threads share"));
	scheduling_warning(&fifo, 5000, true, text, 10);
	assert_int_equal(strlen(text), 9);
	assert_true(scheduling_is_realtime(&fifo) && !scheduling_is_realtime(&other) &&
		    !scheduling_is_realtime(&none));
}

static void as_json(void **state)
{
	(void)state;
	struct scheduling s = {.set = false};
	json_t *o = scheduling_to_json(&s);
	assert_true(json_is_null(o));
	json_decref(o);
	scheduling_parse("deadline:400us/1ms", &s, NULL);
	o = scheduling_to_json(&s);
	assert_string_equal(json_string_value(json_object_get(o, "policy")), "deadline");
	assert_int_equal(json_integer_value(json_object_get(o, "runtime_ns")), 400000);
	json_decref(o);
	scheduling_parse("rr:5", &s, NULL);
	o = scheduling_to_json(&s);
	assert_string_equal(json_string_value(json_object_get(o, "policy")), "rr");
	assert_int_equal(json_integer_value(json_object_get(o, "priority")), 5);
	json_decref(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(texts),
	    cmocka_unit_test(deadline_shares_can_be_admitted),
	    cmocka_unit_test(deadline_takes_no_affinity_mask),
	    cmocka_unit_test(policies_are_set),
	    cmocka_unit_test(a_time_slice_is_set),
	    cmocka_unit_test(a_refused_policy_names_the_limit),
	    cmocka_unit_test(spinning_in_real_time_is_warned_about),
	    cmocka_unit_test(as_json),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
