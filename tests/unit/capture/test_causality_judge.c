/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides from constructed observations of a thread whether it waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/causality/judge.h"

#define MS INT64_C(1000000)

static const struct judge_limits limits = {.compute = 20 * MS, .phase = 100 * MS, .asleep = 50 * MS};

static enum judge_verdict judge(struct judge_sight s)
{
	return judge_thread(&s, &limits);
}

static void test_verdicts(void **unused)
{
	(void)unused;
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_COMPUTING, .os_state = 0}), JUDGE_GONE);
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_WAITING, .os_state = 'Z'}), JUDGE_GONE);
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_WAITING, .os_state = 'S'}), JUDGE_ASLEEP);
	/* it was woken, or moves data */
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_WAITING, .os_state = 'R'}), JUDGE_ACTIVE);
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_WAITING, .os_state = 'D'}), JUDGE_ACTIVE);
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_POLLING, .os_state = 'R'}), JUDGE_POLLS);
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_POLLING, .os_state = 'S'}), JUDGE_POLLS);
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_STARTING, .os_state = 'R'}), JUDGE_STARTS);
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_WAITING, .os_state = 'R', .blocked_ns = 101 * MS}), JUDGE_TOO_LONG);
	/* it was woken, or has slept enough, and waits for a CPU since then */
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_WAITING, .os_state = 'R', .blocked_ns = 101 * MS, .state_ns = 101 * MS}),
			 JUDGE_ACTIVE);
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_SLEEPING, .os_state = 'R', .compute_ns = 21 * MS, .slept_ns = 20 * MS, .state_ns = 20 * MS}),
			 JUDGE_ACTIVE);
	/* it polls in a call, or again and again sleeps for a short time */
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_WAITING, .os_state = 'R', .blocked_ns = 102 * MS, .state_ns = 102 * MS,
						    .state_cpu_ns = 101 * MS}),
			 JUDGE_TOO_LONG);
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_SLEEPING, .os_state = 'R', .compute_ns = 21 * MS, .slept_ns = 21 * MS, .state_ns = MS / 2}),
			 JUDGE_TOO_LONG);
	/* a thread in a request does not wait for other nodes, however long the request takes */
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_REQUEST, .os_state = 'S', .off_cpu_ns = 100000 * MS}), JUDGE_ACTIVE);
}

static void test_computing(void **unused)
{
	(void)unused;
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_COMPUTING, .os_state = 'R', .compute_ns = 20 * MS}), JUDGE_ACTIVE);
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_COMPUTING, .os_state = 'R', .compute_ns = 20 * MS + 1}), JUDGE_TOO_LONG);
	/* the thread waits for a CPU, so the time does not count */
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_COMPUTING, .os_state = 'R', .compute_ns = MS, .off_cpu_ns = 5000 * MS}), JUDGE_ACTIVE);
	/* asleep in an unknown call; or waiting for a page of a mapped file */
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_COMPUTING, .os_state = 'S', .off_cpu_ns = 51 * MS}), JUDGE_TOO_LONG);
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_COMPUTING, .os_state = 'D', .off_cpu_ns = 51 * MS}), JUDGE_ACTIVE);
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_COMPUTING, .os_state = 'R', .n_idle_held = 1000}), JUDGE_TOO_LONG);
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_SLEEPING, .os_state = 'S', .compute_ns = 19 * MS}), JUDGE_ACTIVE);
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_SLEEPING, .os_state = 'S', .compute_ns = 21 * MS}), JUDGE_TOO_LONG);
	/* many short calls with a time limit, one after the other */
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_COMPUTING, .os_state = 'R', .compute_ns = 5 * MS, .blocked_ns = 96 * MS}),
			 JUDGE_TOO_LONG);
}

/* Calls that ended late because the thread had no CPU do not show that the thread waits. */
static void test_run_delay(void **unused)
{
	(void)unused;
	struct judge_sight woken = {.state = CAUSE_COMPUTING, .os_state = 'R', .compute_ns = 3 * MS, .blocked_ns = 120 * MS, .run_delay_ns = 60 * MS};
	assert_int_equal(judge(woken), JUDGE_ACTIVE);
	woken.blocked_ns = 158 * MS;
	assert_int_equal(judge(woken), JUDGE_TOO_LONG);
	/* the delay includes the time in which the thread computed without a CPU */
	woken.run_delay_ns = 1000 * MS;
	assert_int_equal(judge(woken), JUDGE_ACTIVE);
	/* a timed sleep that ended late; in the next call it again waits for a CPU */
	struct judge_sight slept = {.state = CAUSE_COMPUTING, .os_state = 'R', .compute_ns = 30 * MS, .slept_ns = 28 * MS, .run_delay_ns = 10 * MS};
	assert_int_equal(judge(slept), JUDGE_ACTIVE);
	slept.run_delay_ns = 9 * MS;
	assert_int_equal(judge(slept), JUDGE_TOO_LONG);
	slept.state = CAUSE_SLEEPING;
	slept.state_ns = MS;
	assert_int_equal(judge(slept), JUDGE_ACTIVE);
	/* computing counts in full, however long the thread had no CPU */
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_COMPUTING, .os_state = 'R', .compute_ns = 21 * MS, .run_delay_ns = 500 * MS}),
			 JUDGE_TOO_LONG);
	/* asleep for a short time, after it had no CPU for a long time */
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_COMPUTING, .os_state = 'S', .off_cpu_ns = 60 * MS, .run_delay_ns = 20 * MS}), JUDGE_ACTIVE);
	assert_int_equal(judge((struct judge_sight){.state = CAUSE_COMPUTING, .os_state = 'S', .off_cpu_ns = 80 * MS, .run_delay_ns = 20 * MS}), JUDGE_TOO_LONG);
}

static enum judge_change since(enum judge_verdict v, struct judge_sight a, struct judge_sight b,
			       int64_t *needed)
{
	*needed = 0;
	return judge_since(v, &a, &b, MS, 400 * MS, needed);
}

static void test_changes(void **unused)
{
	int64_t needed;
	const struct judge_sight asleep = {.state = CAUSE_WAITING, .os_state = 'S', .changes = 7, .n_slices = 9, .cpu_ns = 50 * MS};
	struct judge_sight ran = asleep, moved = asleep;
	(void)unused;
	ran.n_slices++;
	moved.changes++;
	assert_int_equal(since(JUDGE_ASLEEP, asleep, asleep, &needed), JUDGE_UNCHANGED);
	assert_int_equal(needed, MS);
	assert_int_equal(since(JUDGE_ASLEEP, asleep, ran, &needed), JUDGE_CHANGED);
	assert_int_equal(since(JUDGE_ASLEEP, asleep, moved, &needed), JUDGE_CHANGED);
	assert_int_equal(since(JUDGE_GONE, asleep, moved, &needed), JUDGE_UNCHANGED);
	assert_int_equal(since(JUDGE_ACTIVE, asleep, asleep, &needed), JUDGE_CHANGED);
}

static void test_polls(void **unused)
{
	int64_t needed, vain;
	const struct judge_sight before = {.state = CAUSE_POLLING, .os_state = 'R', .changes = 7, .n_slices = 9, .cpu_ns = 50 * MS, .n_idle = 100};
	struct judge_sight now = before;
	(void)unused;
	/* the thread had no CPU, so it may not have seen a message yet */
	assert_int_equal(since(JUDGE_POLLS, before, now, &needed), JUDGE_NOT_YET);
	now.n_slices += 50;
	now.n_idle += 50;
	assert_int_equal(since(JUDGE_POLLS, before, now, &vain), JUDGE_UNCHANGED);
	now.n_idle = before.n_idle;
	now.cpu_ns += 2 * MS;
	assert_int_equal(since(JUDGE_POLLS, before, now, &needed), JUDGE_UNCHANGED);
	assert_true(needed > vain); /* it may have transferred data during the whole time */
	now.changes++;
	assert_int_equal(since(JUDGE_POLLS, before, now, &needed), JUDGE_CHANGED);
	now = before;
	now.os_state = 'S'; /* this library sleeps */
	assert_int_equal(since(JUDGE_POLLS, before, now, &needed), JUDGE_UNCHANGED);
	assert_int_equal(needed, MS);
}

/* A thread that polls for a file continues by itself as soon as the file exists. So only later
 * failed attempts show that it still waits. */
static void test_looks(void **unused)
{
	int64_t needed;
	const struct judge_sight before = {
	    .state = CAUSE_LOOKING, .os_state = 'S', .changes = 7, .n_slices = 9, .n_idle = 100};
	struct judge_sight now = before;
	(void)unused;
	assert_int_equal(judge(before), JUDGE_LOOKS);
	assert_int_equal(since(JUDGE_LOOKS, before, now, &needed), JUDGE_NOT_YET);
	now.n_idle++;
	assert_int_equal(since(JUDGE_LOOKS, before, now, &needed), JUDGE_NOT_YET);
	now.n_idle++;
	assert_int_equal(since(JUDGE_LOOKS, before, now, &needed), JUDGE_UNCHANGED);
	now.changes++;
	assert_int_equal(since(JUDGE_LOOKS, before, now, &needed), JUDGE_CHANGED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_computing),
		cmocka_unit_test(test_run_delay),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_polls),
		cmocka_unit_test(test_looks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
